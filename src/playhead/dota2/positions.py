"""Where units are: heroes and couriers, or any class of units, at an interval or whenever they move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from playhead.dota2.collector import Collector
from playhead.dota2.columns import GAME_SECONDS
from playhead.dota2.entity_values import column, integer
from playhead.dota2.map_position import (
    CELL_X,
    CELL_X_COLUMN,
    CELL_Y,
    CELL_Y_COLUMN,
    OFFSET_X,
    OFFSET_Y,
    POSITION_FIELDS,
    axis_column,
    position,
)
from playhead.dota2.roster import ROSTER_FIELDS, with_fields
from playhead.dota2.sampling import Sampler
from playhead.source2.entity import Entity
from playhead.source2.entity_columns import EntityColumns
from playhead.source2.entity_op import EntityOp
from playhead.source2.playback import Playback
from playhead.tables.column_buffers import Int32Buffer
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import POSITIONS as SHARED_POSITIONS

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.dota2.match import Match
    from playhead.source2.entities import EntityManager

#: Classes of units that are followed if none are asked for.
UNITS = ("CDOTA_Unit_Hero_*", "CDOTA_Unit_Courier")

_TEAM, _LIFE = "m_iTeamNum", "m_lifeState"
# Whose a unit is: of heroes, of other units.
_OWNERS = ("m_nPlayerID", "m_nPlayerOwnerID")
_NOBODY = -1
_FIELDS = (*POSITION_FIELDS, *_OWNERS, _TEAM, _LIFE)

POSITIONS = TableSchema(
    name="positions",
    version=2,
    doc="Where units are, from their entities: those of option `units` (class names or patterns; heroes with "
    "their illusions, and couriers, if it is not given), at an interval (option `every`, one second if not given) "
    "or, with `every=None`, a row for each move. `player` is m_nPlayerID of heroes, "
    "m_nPlayerOwnerID of others. Units out of sight of who records have no rows.",
    columns=(
        *SHARED_POSITIONS.columns,
        GAME_SECONDS,
        CELL_X_COLUMN,
        CELL_Y_COLUMN,
        Column("entity", "int32", "Index of its entity."),
        Column("class", "category", "Network class of its entity."),
        Column("main", "bool", "It is the hero that its player selected; false of illusions and all other units."),
        Column("team", "int32", "m_iTeamNum: 2 is Radiant, 3 is Dire, 4 neutral."),
        Column("alive", "bool", "Its m_lifeState is 0."),
    ),
)


class Positions(Collector):
    """Table ``positions``."""

    schemas = (POSITIONS,)
    options = ("every", "units")
    entities = True
    fields = with_fields(ROSTER_FIELDS, dict.fromkeys(UNITS, _FIELDS))

    def __init__(
        self, match: Match, every: int | float | str | None = "1s", units: str | Iterable[str] = UNITS
    ) -> None:
        super().__init__(match)
        self._every = None if every is None else match.interval(every)
        self._units = (units,) if isinstance(units, str) else tuple(units)
        self.fields = with_fields(ROSTER_FIELDS, dict.fromkeys(self._units, _FIELDS))
        self._ticks, self._players, self._mains = Int32Buffer(), Int32Buffer(), Int32Buffer()
        self._indices, self._classes = Int32Buffer(), Int32Buffer()
        self._columns = EntityColumns((*POSITION_FIELDS, _TEAM, _LIFE))
        self._followed: dict[int, Entity] = {}
        self._last: dict[int, tuple[float | None, float | None]] = {}

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._manager: EntityManager = playback.entities
        self._roster = self.match.roster(playback)
        self._sampler = None if self._every is None else Sampler(playback, self._every, self._take)
        for unit in self._units:
            if self._sampler is None:
                playback.entities.on_entity(self._on_change, unit)
            else:
                playback.entities.on_entity(self._on_life, unit, EntityOp.CREATED | EntityOp.DELETED)

    def _on_life(self, entity: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            if self._followed.get(entity.index) is entity:
                del self._followed[entity.index]
        elif entity.index in self._followed:
            self._followed[entity.index] = entity
        else:
            self._followed[entity.index] = entity
            self._followed = dict(sorted(self._followed.items()))

    def _take(self, tick: int) -> None:
        self._roster.seats  # noqa: B018  (brings the heroes' players up to date)
        for entity in self._followed.values():
            if entity.active:
                self._add(tick, entity)

    def _on_change(self, entity: Entity, op: EntityOp) -> None:
        if op & EntityOp.LEFT:
            self._last.pop(entity.index, None)
            return
        place = position(entity)
        if self._last.get(entity.index) != place:
            self._last[entity.index] = place
            self._roster.seats  # noqa: B018
            self._add(self._playback.tick, entity)

    def _add(self, tick: int, entity: Entity) -> None:
        player = self._roster.players_by_hero.get(entity.handle)
        main = player is not None
        if player is None:
            found = (integer(entity, field) for field in _OWNERS)
            player = next((each for each in found if each is not None), _NOBODY)
        self._ticks.append(tick)
        self._players.append(player)
        self._mains.append(main)
        self._indices.append(entity.index)
        self._classes.append(entity.class_info.class_id)
        self._columns.add(entity)

    def tables(self) -> Mapping[str, pa.Table]:
        import pyarrow as pa
        import pyarrow.compute as pc

        if self._sampler is not None:
            self._sampler.finish()
        memory = self._manager.memory
        fields = {
            name: values.to_arrow(self._columns.rows, memory.pool, memory.seconds_per_tick)
            for name, values in self._columns.columns.items()
        }
        ticks, players = self._ticks.to_arrow(), self._players.to_arrow()
        class_ids = self._classes.to_arrow()
        used = sorted(self._manager.classes)
        names = pa.array([self._manager.classes[number].name for number in used], pa.string())
        columns = {
            **self.match.arrow_time_columns(ticks),
            "player": pc.if_else(pc.greater_equal(players, 0), players, pa.scalar(None, pa.int32())),
            "x": axis_column(fields[CELL_X], fields[OFFSET_X]),
            "y": axis_column(fields[CELL_Y], fields[OFFSET_Y]),
            "cell_x": column(fields[CELL_X], pa.int32()),
            "cell_y": column(fields[CELL_Y], pa.int32()),
            "entity": self._indices.to_arrow(),
            "class": pa.DictionaryArray.from_arrays(pc.index_in(class_ids, pa.array(used, pa.int32())), names),
            "main": self._mains.to_arrow().cast(pa.bool_()),
            "team": column(fields[_TEAM], pa.int32()),
            "alive": pc.equal(column(fields[_LIFE], pa.int32()), 0),
        }
        return {POSITIONS.name: POSITIONS.build(columns)}
