"""Tables ``trooper_series``, ``neutral_series`` and ``breakables``: units and props at an interval."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import POSITION_FIELDS, number
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.words import LANES, NEUTRAL, SIDES, TROOPER
from playhead.runtime.libraries import pa, pc
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.tables.entity_columns import EntityColumns
from playhead.source2.tables.seldom_columns import numbers_as
from playhead.tables.arrow import int32_array, named
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import scalar_of
from playhead.tables.vocabulary import words

_FIELDS = ("m_iTeamNum", "m_iLane", "m_iHealth", "m_iMaxHealth", "m_lifeState", "m_nSubclassID")
_COLUMNS = words("tick! seconds game_seconds entity unit_type unit_type_id team side health max_health x y z")

TROOPERS = TableSchema.of(
    "trooper_series",
    "Every living trooper (CNPC_Trooper) at an interval (option `every`, one second if it is not given).",
    *_COLUMNS,
    *words("lane lane_id"),
    group="series",
)
NEUTRALS = TableSchema.of(
    "neutral_series",
    "Every living neutral (CNPC_TrooperNeutral) at an interval (option `every`, one second if not given).",
    *_COLUMNS,
    group="series",
)


class _Sampled(DeadlockFacts):
    """Living entities of one class at an interval."""

    class_name: str
    options = ("every",)

    def __init__(self, match: DeadlockMatch, every: int | float | str = "1s") -> None:
        super().__init__(match)
        self._every = match.interval(every)
        self._there: dict[int, Entity] = {}
        self._listed: list[Any] | None = None
        self._ticks, self._indices = array("i"), array("i")
        self._columns = EntityColumns((*_FIELDS, *POSITION_FIELDS))

    def attach(self, playback: Playback) -> None:
        known = EntityOp.CREATED | EntityOp.DELETED | EntityOp.LEFT | EntityOp.ENTERED
        playback.entities.on_entity(self._on_entity, self.class_name, known)
        self._sampler = self.match.sampler(playback, self._every)
        self._sampler.on_sample(self._on_sample)

    def _on_entity(self, entity: Entity, op: EntityOp) -> None:
        self._listed = None
        if op & (EntityOp.DELETED | EntityOp.LEFT):
            self._there.pop(entity.index, None)
        else:
            self._there[entity.index] = entity

    def _on_sample(self, tick: int) -> None:
        if self._listed is None:
            self._listed = [entity for _, entity in sorted(self._there.items())]
            self._numbers = array("i", sorted(self._there))
        self._ticks += array("i", [tick]) * len(self._listed)
        self._indices.extend(self._numbers)
        self._columns.add_all(self._listed)

    def tables(self) -> Mapping[str, pa.Table]:
        self._sampler.finish()
        fields = self._columns.to_arrow(self.match.entities.pool)
        integer = pa.int32()
        team, lane, health, most, life = (numbers_as(fields[name], integer) for name in _FIELDS[:5])
        zero = scalar_of(0, integer)
        columns = {
            **self.match.time_columns(int32_array(self._ticks)),
            **self.match.places(fields),
            "entity": int32_array(self._indices),
            "unit_type_id": numbers_as(fields["m_nSubclassID"], pa.int64()),
            "team": team,
            "side": named(team, SIDES),
            "lane_id": pc.fill_null(lane, zero),
            "lane": named(lane, LANES),
            "health": health,
            "max_health": most,
        }
        known = pc.unique(columns["unit_type_id"]).to_pylist()
        types = {number: name for number in known if (name := self.match.names.name(number))}
        columns["unit_type"] = named(columns["unit_type_id"], types)
        schema = self.schemas[0]
        table = schema.build({name: columns[name] for name in schema.column_names})
        lives = pc.equal(pc.fill_null(life, zero), zero)
        healthy = pc.fill_null(pc.greater(health, zero), scalar_of(False, pa.bool_()))
        return {schema.name: table.filter(pc.and_(lives, healthy))}


@TABLES.maker_of(TROOPERS)
class Troopers(_Sampled):
    jobs: ClassVar = Jobs(extra=25)

    class_name = TROOPER
    fields: Mapping[str, Sequence[str]] = {TROOPER: (*_FIELDS, *POSITION_FIELDS)}


@TABLES.maker_of(NEUTRALS)
class Neutrals(_Sampled):
    jobs: ClassVar = Jobs(4, extra=5)
    class_name = NEUTRAL
    fields: Mapping[str, Sequence[str]] = {NEUTRAL: (*_FIELDS, *POSITION_FIELDS)}


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
