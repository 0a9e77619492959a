"""Table ``breakables``: breakable props, when they broke or at an interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import ENTITY, ENTITY_SERIAL, PLACE, TEAM, TIME
from playhead.deadlock.sources.entities import POSITION_FIELDS, number
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

#: The class of breakable props.
PROP = "CCitadel_BreakableProp"
_GONE = EntityOp.DELETED | EntityOp.LEFT

BREAKABLES = TableSchema.of(
    "breakables",
    "One row for each breakable prop that broke: the server has no word for it but that the entity leaves "
    "and never returns. With the option `every`, one row for each standing prop at that interval instead.",
    *TIME,
    Column("broken", "bool", "True for a prop that broke, false for a standing one."),
    ENTITY,
    ENTITY_SERIAL,
    Column("name", "category", "Name by m_nSubclassID and the recording's EntityNames; null if they lack it."),
    Column("name_id", "int64", "m_nSubclassID: MurmurHash2 of the name."),
    TEAM,
    *PLACE,
)


@TABLES.maker_of(BREAKABLES)
class Breakables(DeadlockFacts):
    """Table ``breakables``."""

    work = 3
    options = ("every",)
    fields: Mapping[str, Sequence[str]] = {PROP: ("m_nSubclassID", "m_iTeamNum", *POSITION_FIELDS)}

    def __init__(self, match: DeadlockMatch, every: int | float | str | None = None) -> None:
        super().__init__(match)
        self._every = None if every is None else match.interval(every)
        self._standing: dict[int, Entity] = {}
        self._broken: dict[int, dict[str, Any]] = {}

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        playback.entities.on_entity(self._on_prop, PROP)
        if self._every is not None:
            self._sampler = self.match.sampler(playback, self._every)
            self._sampler.on_sample(self._on_sample)

    def _on_prop(self, prop: Entity, op: EntityOp) -> None:
        if not op & _GONE:
            self._standing[prop.handle] = prop
            self._broken.pop(prop.handle, None)
        elif self._standing.pop(prop.handle, None) is not None:
            self._broken[prop.handle] = self._row(self._playback.tick, prop, broken=True)

    def _row(self, tick: int, prop: Entity, *, broken: bool) -> dict[str, Any]:
        return {
            "tick": tick,
            "broken": broken,
            "entity": prop.index,
            "entity_serial": prop.serial,
            "name_id": number(prop, "m_nSubclassID"),
            "team": number(prop, "m_iTeamNum"),
            **dict(zip("xyz", self.match.grid.place(prop), strict=True)),
        }

    def _on_sample(self, tick: int) -> None:
        props = sorted(self._standing.values(), key=lambda prop: prop.index)
        self._rows.extend(self._row(tick, prop, broken=False) for prop in props)

    def tables(self) -> Mapping[str, pa.Table]:
        if self._every is None:
            rows = sorted(self._broken.values(), key=lambda row: (row["tick"], row["entity"]))
        else:
            self._sampler.finish()
            rows = self._rows
        for row in rows:
            row["name"] = self.match.names.name(row["name_id"])
        return {BREAKABLES.name: self.match.table(BREAKABLES, rows)}
