"""Table ``spotted``: who saw whom, from when to when."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, ClassVar

from playhead.cs2.facts import END, TABLES, TIME, person
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import AIM_FIELDS, PAWN, SPOTTED_BY, aim
from playhead.cs2.sources.people import columns_of
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word, words

_BITS = 32
CROSSHAIR = words("crosshair_pitch crosshair_yaw crosshair_angle")

SPOTTED = TableSchema.of(
    "spotted",
    "One row for each time that a player saw another, as the server knows it for the radar: a bit of "
    "m_bSpottedByMask, which servers update about twice a second, so `tick` is up to 0.5 s late. Places and views "
    "are those after the packet of that tick.",
    *TIME,
    *END,
    *person(),
    *person("target_"),
    word("distance", "Between the eyes."),
    *CROSSHAIR,
)


@TABLES.maker_of(SPOTTED)
class Spotted(Cs2Facts):
    """Table ``spotted``."""

    jobs: ClassVar = Jobs(10, extra=33)
    entities: ClassVar = True
    fields = MappingProxyType({PAWN: (*AIM_FIELDS, *SPOTTED_BY)})

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._masks: dict[int, int] = {}
        #: Open rows by the seen pawn and the slot of the one who sees.
        self._open: dict[tuple[int, int], dict[str, Any]] = {}
        self._begun: list[tuple[int, Entity]] = []
        playback.entities.on_entity(FieldWatch(SPOTTED_BY, self._on_pawn), PAWN)
        playback.after_packet(self._after)

    def _on_pawn(self, pawn: Entity, op: EntityOp) -> None:
        low, high = (pawn.get_int(field) or 0 for field in SPOTTED_BY)
        mask = 0 if op & EntityOp.DELETED else low | high << _BITS
        changed = self._masks.get(pawn.index, 0) ^ mask
        self._masks[pawn.index] = mask
        slot = 0
        while changed >> slot:
            if changed >> slot & 1:
                if mask >> slot & 1:
                    self._begun.append((slot, pawn))
                elif (row := self._open.pop((pawn.index, slot), None)) is not None:
                    row["end_tick"] = self._playback.tick
            slot += 1

    def _after(self, tick: int) -> None:
        for slot, pawn in self._begun:
            people = self.match.people
            seer, seen = people.in_slot(slot), people.of_pawn(pawn.handle)
            row = {"tick": tick, "end_tick": None, **columns_of(seer, ""), **columns_of(seen, "target_")}
            self._open[pawn.index, slot] = row
            self._rows.append(row | aim(people.pawn(seer), pawn))
            self._open[pawn.index, slot] = self._rows[-1]
        self._begun.clear()
