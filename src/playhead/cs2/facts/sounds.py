"""Table ``sounds``: what is heard, and where: steps, jumps, zooms, drawn weapons, hits, deaths."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar

from playhead.cs2.facts import PLACE, TABLES, TIME, person
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import PAWN, PLACE_FIELDS, place
from playhead.cs2.sources.people import columns_of
from playhead.source2.facts.hashed_names import SOUND_SEED, name_hash
from playhead.source2.messages.numbers import Engine
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

SOUNDS = TableSchema.of(
    "sounds",
    "One row for each sound that starts: message GE_SosStartSoundEvent, and game event player_sound, which few "
    "servers record. A client makes the sounds of its own player itself: of players whose weapons fire there are "
    "`shots`.",
    *TIME,
    word("known_by", "message, event."),
    *words("sound sound_hash"),
    *person(),
    word("entity", "Of which the sound comes; 0 for the world."),
    *PLACE,
    Column("radius", "int64", "How far it is heard, as the event says; null of messages.", "map units"),
)
_POSITION = name_hash("public.position")
_VECTOR = 10
_SURFACES = "Carpet Concrete Default Dirt Glass Grass Gravel Metal MetalGrate MetalVent Mud Sand Snow Tile Wood"
#: Names are not in recordings; a name whose number is that of a sound is its name.
_NAMES = "Default.ImpactSoft Player.DamageBody.Onlooker Player.Death Player.DeathBody.Onlooker Player.Respawn "
_NAMES += "Weapon_AWP.Zoom Wood.ImpactSoft"


@cache
def _names() -> Mapping[int, str]:
    steps = [f"{side}_{surface}.StepLeft" for side in ("CT", "T") for surface in _SURFACES.split()]
    return {name_hash(name, SOUND_SEED): name for name in (*steps, *_NAMES.split())}


def unpacked(packed: bytes) -> dict[int, tuple[int, bytes]]:
    """Return type and value of each parameter of a sound by the number of its name; those before damage."""
    found, at = {}, 0
    while at + 7 <= len(packed):
        number, kind, size = struct.unpack_from("<IBH", packed, at)
        at += 7 + size
        if at > len(packed):
            break
        found[number] = kind, packed[at - size : at]
    return found


@TABLES.maker_of(SOUNDS)
class Cs2Sounds(Cs2Facts):
    """Table ``sounds``."""

    entities: ClassVar = True
    fields = MappingProxyType({PAWN: PLACE_FIELDS})

    def attach(self, playback: Playback) -> None:
        self._entities = playback.entities
        self.match.on_fields(playback, Engine.SOS_START_SOUND, self._on_sound)
        self.match.events(playback).on("player_sound", self._on_event)

    def _on_sound(self, tick: int, fields: Mapping[Any, Any]) -> None:
        index, number = fields.get("source_entity_index"), fields.get("soundevent_hash")
        source = self._entities.find(index) if index else None
        kind, vector = unpacked(fields.get("packed_params") or b"").get(_POSITION, (0, b""))
        is_place = kind == _VECTOR and len(vector) == 12
        row = {"tick": tick, "known_by": "message", "entity": index, "sound_hash": number}
        row |= {"sound": _names().get(number or 0), "radius": None}
        row |= columns_of(None if source is None else self.match.people.of_pawn(source.handle), "")
        row |= zip("xyz", struct.unpack("<3f", vector) if is_place else (None,) * 3, strict=True)
        self._rows.append(row)

    def _on_event(self, tick: int, values: Mapping[str, Any]) -> None:
        who = self.match.people.in_slot(values.get("userid"))
        pawn = self.match.people.pawn(who)
        row = {"tick": tick, "known_by": "event", "entity": None if pawn is None else pawn.index}
        row |= {"sound": None, "sound_hash": None, "radius": values.get("radius")} | columns_of(who, "")
        self._rows.append(row | dict(zip("xyz", place(pawn), strict=True)))
