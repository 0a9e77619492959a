"""A map's own file, as `--map` reads it: its facts, its terrain as a picture, and creep on it."""

from __future__ import annotations

import contextlib
import json
import struct
from importlib.util import find_spec
from random import Random

import mutation

from playhead.blizzard.mpq import MpqArchive
from playhead.blizzard.mpq.compression import ZLIB
from playhead.blizzard.mpq.writer import ARCHIVE_OFFSET, NewMember, write_archive
from playhead.errors import ReplayError
from playhead.sc2.ground import terrain_image
from playhead.sc2.members.map_file import (
    CLIFFS,
    DOCUMENT_INFO,
    HEIGHTS,
    MAP_INFO,
    OBJECTS,
    PAINTED,
    read_map,
    strings_name,
)
from playhead.sc2.tables.creep import CreepReach
from targets import LIMITS

_WIDTH, _HEIGHT = 9, 7
_OBJECTS = b"""<PlacedObjects><ObjectPoint Position="3.5,4.5,8" Type="StartLoc"/><!-- one -->
<ObjectUnit Position="3,4,0" UnitType="MineralField"/></PlacedObjects>"""
_DOCUMENT = b"<DocInfo><Dependencies><Value>file:Mods/Void.SC2Mod</Value></Dependencies></DocInfo>"
_INFO = (
    struct.pack("<4sI8x4I", b"MapI", 0x27, _WIDTH, _HEIGHT, 1, 2) + b"a.dds\0\0\0" + bytes(8) + b"Dark\0Korhal\0"
)

MEMBERS = {
    MAP_INFO: _INFO + struct.pack("<5I", 1, 1, _WIDTH - 1, _HEIGHT - 1, 1 << 15),
    OBJECTS: _OBJECTS,
    DOCUMENT_INFO: _DOCUMENT,
    CLIFFS: struct.pack("<4s3I16x", b"CLIF", 100, _WIDTH, _HEIGHT)
    + struct.pack("<9H", 0, 64, 64, 72, 104, 128, 128, 192, 192) * _HEIGHT,
    HEIGHTS: struct.pack("<4s3I48x", b"SMAP", 102, _WIDTH + 1, _HEIGHT + 1)
    + bytes(4 * (_WIDTH + 1) * (_HEIGHT + 1)),
    PAINTED: bytes(4 + _WIDTH * _HEIGHT),
    "Minimap.tga": bytes(30),
    strings_name("enUS"): b"DocInfo/Author=Somebody\r\nDocInfo/Name=Two Rivers LE\r\n",
}


def fuzz(data: bytes) -> None:
    found = read_map(memoryview(data), frozenset(), LIMITS)
    json.dumps(found.as_dict())
    if found.terrain is not None:
        if find_spec("PIL"):  # the environment of the sanitizers has no extras
            terrain_image(found.terrain)
        CreepReach(found.terrain.ground_rows()).add(4.0, 3.0, 10)


def sound() -> bytes:
    """Return a map with all members that are read."""
    return _archive(MEMBERS)


def _archive(members: dict[str, bytes]) -> bytes:
    return write_archive([NewMember(name, content, method=ZLIB) for name, content in members.items()], b"")


def mutate(data: bytes, random: Random) -> bytes:
    """Change a member, in a valid archive; of a sound map if this one is too damaged."""
    members = {}
    with contextlib.suppress(ReplayError):
        archive = MpqArchive(memoryview(data), ARCHIVE_OFFSET, tuple(MEMBERS), LIMITS)
        members = {name: archive.read(name) for name in MEMBERS if name in archive}
    members = members or MEMBERS
    name = random.choice(sorted(members))
    return _archive({**members, name: mutation.change(members[name], random)})
