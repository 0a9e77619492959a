"""Tables ``troopers`` and ``neutrals``: their places and health at an interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import ENTITY, LANE, PLACE, TEAM, TIME
from playhead.deadlock.sources.entities import POSITION_FIELDS, number
from playhead.deadlock.sources.kinds import NEUTRAL, TROOPER
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

_FIELDS = ("m_iTeamNum", "m_iLane", "m_iHealth", "m_iMaxHealth", "m_lifeState", "m_nSubclassID")
_COLUMNS = (
    ENTITY,
    Column("name", "category", "Name by m_nSubclassID and the recording's EntityNames; null if they lack it."),
    Column("name_id", "int64", "m_nSubclassID: MurmurHash2 of the name."),
    TEAM,
    Column("health", "int32", "m_iHealth.", "hp"),
    Column("max_health", "int32", "m_iMaxHealth.", "hp"),
    *PLACE,
)

TROOPERS = TableSchema(
    name="troopers",
    version=1,
    doc="Every living trooper (CNPC_Trooper) at an interval (option `every`, one second if it is not given).",
    columns=(*TIME, *_COLUMNS, LANE),
)
NEUTRALS = TableSchema(
    name="neutrals",
    version=1,
    doc="Every living neutral (CNPC_TrooperNeutral) at an interval (option `every`, one second if not given).",
    columns=(*TIME, *_COLUMNS),
)


class _Sampled(DeadlockFacts):
    """Living entities of one class at an interval."""

    class_name: str
    options = ("every",)

    def __init__(self, match: DeadlockMatch, every: int | float | str = "1s") -> None:
        super().__init__(match)
        self._every = match.interval(every)
        self._rows: list[dict[str, Any]] = []
        self._alive: dict[int, Entity] = {}

    def attach(self, playback: Playback) -> None:
        playback.entities.on_entity(self._on_entity, self.class_name)
        self._sampler = self.match.sampler(playback, self._every)
        self._sampler.on_sample(self._take)

    def _on_entity(self, entity: Entity, op: EntityOp) -> None:
        if op & (EntityOp.DELETED | EntityOp.LEFT):
            self._alive.pop(entity.index, None)
        else:
            self._alive[entity.index] = entity

    def _take(self, tick: int) -> None:
        place = self.match.grid.place
        for index, entity in sorted(self._alive.items()):
            team, lane, health, most, life, subclass = (number(entity, name) for name in _FIELDS)
            if not health or life:
                continue
            x, y, z = place(entity)
            self._rows.append(
                {
                    "tick": tick,
                    "entity": index,
                    "name_id": subclass,
                    "team": team,
                    "lane": lane or 0,
                    "health": health,
                    "max_health": most,
                    "x": x,
                    "y": y,
                    "z": z,
                }
            )

    def tables(self) -> Mapping[str, pa.Table]:
        self._sampler.finish()
        schema = self.schemas[0]
        kept = schema.column_names
        for row in self._rows:
            row["name"] = self.match.names.name(row["name_id"])
        rows = [{name: value for name, value in row.items() if name in kept} for row in self._rows]
        return {schema.name: self.match.table(schema, rows)}


@TABLES.add
class Troopers(_Sampled):
    """Table ``troopers``."""

    schemas = (TROOPERS,)
    class_name = TROOPER
    fields: Mapping[str, Sequence[str]] = {TROOPER: (*_FIELDS, *POSITION_FIELDS)}


@TABLES.add
class Neutrals(_Sampled):
    """Table ``neutrals``."""

    schemas = (NEUTRALS,)
    class_name = NEUTRAL
    fields: Mapping[str, Sequence[str]] = {NEUTRAL: (*_FIELDS, *POSITION_FIELDS)}
