"""Hostile files, made from samples of playhead: far ticks, members that add up, floods, wide headers."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.samples import cs2
from tests.samples.blizzard import EventWriter, write_header
from tests.samples.sc2 import replay as sc2
from tests.samples.sc2.events import sample_streams
from tests.samples.source2 import dota2
from tests.samples.source2.engine import sample_demo

from playhead.bits import ByteWriter
from playhead.blizzard.members import member_names
from playhead.blizzard.mpq.compression import BZIP2
from playhead.blizzard.mpq.writer import NewMember, write_archive
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.limits import Limits
from playhead.registry import BUILTIN_FORMATS
from playhead.runtime.records import replace
from playhead.sc2.protocol.tables import protocol_table
from playhead.source2.container.frames import COMPRESSED, PACKET, FrameIndex
from playhead.teehistorian.stream.header import MAGIC
from playhead.teehistorian.stream.messages import ConsoleCommand, Finish, Join, PlayerNew, TickSkip
from playhead.teehistorian.writing.writer import TeehistorianWriter

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FAR = 0x7FFFFFF0

#: Compressions of a whole input, by suffix.
COMPRESSED_AS: Mapping[str, Callable[[bytes], bytes]] = {
    ".xz": lzma.compress,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": zstd.compress,
}


def packed(folder: Path, kind: str, name: str, data: bytes) -> Path:
    """Write a pack of a kind (``zip``, ``tar``, ``tar.gz`` …) with one member; return its path."""
    path = folder / f"{name}.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, data)
        return path
    compression: Any = kind.partition(".")[2]
    with tarfile.open(path, f"w:{compression}") as tar:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    return path


# -- far ticks -----------------------------------------------------------------------------------------------


def _sc2_streams() -> dict[str, bytes]:
    return sample_streams(protocol_table(sc2.HEADER.base_build, sc2.HEADER.build))


def far_tracker() -> bytes:
    """A StarCraft II replay whose last statistics are years after the others."""
    writer = EventWriter(protocol_table(sc2.HEADER.base_build, sc2.HEADER.build), TRACKER)
    writer.write(0, 0, "SPlayerSetupEvent", m_playerId=1, m_type=1, m_userId=0, m_slotId=0)
    for loop in (1, 160, FAR):
        writer.write(loop, 0, "SPlayerStatsEvent", m_playerId=1, m_stats={"m_scoreValueMineralsCurrent": 50})
    return sc2.archive(sc2.HEADER, {**_sc2_streams(), TRACKER: writer.to_bytes()})


def far_game() -> bytes:
    """The same with a far camera, and a header that confirms it."""
    writer = EventWriter(protocol_table(sc2.HEADER.base_build, sc2.HEADER.build), GAME)
    for loop in (3, 40, 1 << 29, (1 << 30) + 5, FAR):
        writer.write(loop, 0, "SCameraUpdateEvent", m_target={"x": 40 * 256, "y": 40 * 256})
    far = replace(sc2.HEADER, loops=FAR)
    members = {**_sc2_streams(), GAME: writer.to_bytes()}
    return _archive_of(members, write_header(far))


def _archive_of(streams: Mapping[str, bytes], header: bytes) -> bytes:
    names = {
        GAME: member_names.GAME_EVENTS,
        "message": member_names.MESSAGE_EVENTS,
        TRACKER: member_names.TRACKER_EVENTS,
    }
    return write_archive([NewMember(names[name], data, method=BZIP2) for name, data in streams.items()], header)


def far_teehistorian(skips: int = 1) -> bytes:
    """A recording with two tees and a far tick, in one step or in many."""
    writer = _recording()
    for number in range(skips):
        writer.write(TickSkip(FAR // skips - 2))
        writer.write(PlayerNew(1, 320 + number, 320))
    writer.write(Finish())
    return writer.to_bytes()


def _recording() -> TeehistorianWriter:
    data = BUILTIN_FORMATS[-1].write_sample
    writer = TeehistorianWriter({"version": "2", "map_name": "far", "uuids": []})
    assert data
    for cid in (0, 1):
        writer.write(Join(cid))
    writer.write(PlayerNew(0, 320, 320))
    return writer


def far_demo(data: bytes, tick: int = FAR) -> bytes:
    """A demo with a far tick in its middle packet."""
    index = FrameIndex()
    index.read(memoryview(data), Limits())
    packets = index.numbers_of(PACKET)
    frame = index[packets[len(packets) // 2]]
    writer = ByteWriter()
    for number in (frame.command | (COMPRESSED if frame.compressed else 0), tick, frame.size):
        writer.write_varuint32(number)
    return data[: frame.offset] + writer.to_bytes() + data[frame.payload :]


def far_demos() -> Mapping[str, Callable[[], bytes]]:
    """Demos of each game with a far tick."""
    return {
        "far_engine.dem": lambda: far_demo(sample_demo()),
        "far_dota2.dem": lambda: far_demo(dota2.sample_demo()[0]),
        "far_cs2.dem": lambda: far_demo(cs2.sample_demo()),
    }


# -- members and events --------------------------------------------------------------------------------------


def zero_members(size: int = 6 << 20) -> bytes:
    """A replay whose members are zeros: each allowed, together 100 MB of 4 kB."""
    names = [name for name in member_names.KNOWN_NAMES if name[0] != "("]
    return write_archive([NewMember(name, bytes(size), method=BZIP2) for name in names], write_header(sc2.HEADER))


def unknown_events(count: int = 2_000_000) -> bytes:
    """A replay with tracker events of a number that no build has."""
    streams = _sc2_streams()
    unknown = bytes((3, 0, 9, 0, 9, 0x9E, 1, 5, 0))
    return sc2.archive(sc2.HEADER, {**streams, TRACKER: streams[TRACKER] + unknown * count})


def game_flood(count: int = 400_000) -> bytes:
    """A replay with as many small known events in every stream."""
    table = protocol_table(sc2.HEADER.base_build, sc2.HEADER.build)
    streams = {}
    for name, kind, more in (
        (GAME, "SControlGroupUpdateEvent", {"m_controlGroupIndex": 1, "m_controlGroupUpdate": 0}),
        ("message", "SLoadingProgressMessage", {"m_progress": 1}),
        (TRACKER, "SUpgradeEvent", {"m_playerId": 1, "m_upgradeTypeName": b"a", "m_count": 1}),
    ):
        writer = EventWriter(table, name)
        writer.write(0, 0, kind, **more)
        streams[name] = writer.to_bytes() * count
    return _archive_of(streams, write_header(sc2.HEADER))


# -- teehistorian --------------------------------------------------------------------------------------------


def header_of(text: bytes) -> bytes:
    """A recording with this JSON as its header and nothing else but its end."""
    writer = ByteWriter()
    writer.write_packed_int(-2)
    writer.write_packed_int(1)
    return MAGIC + text + b"\0" + writer.to_bytes()


def header_lists(count: int) -> bytes:
    """A header that takes much memory once parsed."""
    return header_of(b'{"version":"2","a":[' + b"[]," * count + b"[]]}")


def header_keys(count: int) -> bytes:
    """A header with many keys."""
    keys = b",".join(b'"k%d":"%d"' % (number, number) for number in range(count))
    return header_of(b'{"version":"2","map_name":"m",' + keys + b"}")


def joins(count: int = 2_000_000, step: int = 1) -> bytes:
    """A recording in which clients only join, `step` slots apart."""
    writer = TeehistorianWriter({"version": "2", "map_name": "joins", "uuids": []})
    start = writer.to_bytes()
    some = TeehistorianWriter({"version": "2"})
    before = len(some.to_bytes())
    for number in range(64):
        some.write(Join(number * step % 64))
    return start + some.to_bytes()[before:] * (count // 64)


def commands(count: int = 500_000) -> bytes:
    """A recording of console commands."""
    writer = TeehistorianWriter({"version": "2", "map_name": "commands", "uuids": []})
    writer.write(Join(0))
    before = len(writer.to_bytes())
    writer.write(ConsoleCommand(0, 1, "say", ("x",)))
    data = writer.to_bytes()
    return data + data[before:] * count


def ticks(count: int = 4_000_000) -> bytes:
    """A recording of ticks without content."""
    writer = TeehistorianWriter({"version": "2", "map_name": "ticks", "uuids": []})
    before = len(writer.to_bytes())
    writer.write(TickSkip(0))
    data = writer.to_bytes()
    return data + data[before:] * count
