"""Table ``breakables``: breakable props that broke, or standing ones at an interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import POSITION_FIELDS, number
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import words

#: The class of breakable props.
PROP = "CCitadel_BreakableProp"
_GONE = EntityOp.DELETED | EntityOp.LEFT

BREAKABLES = TableSchema.of(
    "breakables",
    "One row for each breakable prop that broke: its entity left and never returned, which is all that the server "
    "sends. With the option `every`, one row for each standing prop at that interval instead.",
    *words("tick! seconds game_seconds"),
    Column("broken", "bool", "True for a prop that broke, false for a standing one."),
    *words("entity entity_serial unit_type unit_type_id team side x y z"),
)


@TABLES.maker_of(BREAKABLES)
class Breakables(DeadlockFacts):
    """Table ``breakables``."""

    jobs: ClassVar = Jobs(3)
    options = ("every",)
    fields: Mapping[str, Sequence[str]] = {PROP: ("m_nSubclassID", "m_iTeamNum", *POSITION_FIELDS)}

    def __init__(self, match: DeadlockMatch, every: int | float | str | None = None) -> None:
        super().__init__(match)
        self._every = None if every is None else match.interval(every)
        self._standing: dict[int, Entity] = {}
        self._broken: dict[int, dict[str, Any]] = {}

    def attach(self, playback: Playback) -> None:
        playback.entities.on_entity(self._on_prop, PROP)
        if self._every is not None:
            self._sampler = self.match.sampler(playback, self._every)
            self._sampler.on_sample(self._on_sample)

    def _on_prop(self, prop: Entity, op: EntityOp) -> None:
        if not op & _GONE:
            self._standing[prop.handle] = prop
            self._broken.pop(prop.handle, None)
        elif self._standing.pop(prop.handle, None) is not None:
            self._broken[prop.handle] = self._row(self.match.tick, prop, broken=True)

    def _row(self, tick: int, prop: Entity, *, broken: bool) -> dict[str, Any]:
        return {
            "tick": tick,
            "broken": broken,
            "entity": prop.index,
            "entity_serial": prop.serial,
            "unit_type_id": number(prop, "m_nSubclassID"),
            "team": number(prop, "m_iTeamNum"),
            **self.match.place_row(prop),
        }

    def _on_sample(self, tick: int) -> None:
        props = sorted(self._standing.values(), key=lambda prop: prop.index)
        self._rows.extend(self._row(tick, prop, broken=False) for prop in props)

    def tables(self) -> Mapping[str, pa.Table]:
        if self._every is None:
            self._rows += sorted(self._broken.values(), key=lambda row: (row["tick"], row["entity"]))
        else:
            self._sampler.finish()
        return super().tables()
