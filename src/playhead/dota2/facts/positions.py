"""Table ``positions``: heroes and couriers, or any class of units, sampled at an interval or at each move."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from typing import ClassVar, NamedTuple

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.entities import (
    CELL_X,
    CELL_Y,
    OFFSET_X,
    OFFSET_Y,
    POSITION_FIELDS,
    axis_column,
    hero_column,
    position,
    whole,
)
from playhead.dota2.sources.match import SIDES, Dota2Match, PlayerFacts
from playhead.dota2.sources.roster import Seat, roster_fields
from playhead.runtime.libraries import pa, pc
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.manager import EntityManager
from playhead.source2.entities.watching import FieldSlots
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.tables.entity_columns import EntityColumns
from playhead.source2.tables.seldom_columns import numbers_as
from playhead.tables.arrow import int32_array
from playhead.tables.schema import TableSchema
from playhead.tables.shared import POSITIONS as SHARED_POSITIONS
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.tables.vocabulary import word, words

#: Default classes of units.
UNITS = ("CDOTA_Unit_Hero_*", "CDOTA_Unit_Courier")

_TEAM, _LIFE = "m_iTeamNum", "m_lifeState"
# Fields of the owner: of heroes, of other units.
_OWNERS = ("m_nPlayerID", "m_nPlayerOwnerID")
_NOBODY = -1
# Units whose owner never changes; that of creeps does.
_CONSTANT = ("CDOTA_Unit_Hero_", "CDOTA_Unit_Courier")
_FIELDS = (*POSITION_FIELDS, *_OWNERS, _TEAM, _LIFE)

POSITIONS = TableSchema.of(
    "positions",
    "Where units are, from their entities: those of option `units` (class names or patterns, or heroes as axe "
    "or Axe; heroes with their illusions, and couriers, if it is not given), at an interval (option `every`, "
    "one second if not given) or, with `every=None`, a row for each move. `player` is m_nPlayerID of heroes, "
    "m_nPlayerOwnerID of others. Units that the recording does not see have no rows.",
    *SHARED_POSITIONS.columns,
    *words("game_seconds cell_x cell_y entity entity_class"),
    word("main", "Clones are not main."),
    *words("team side alive hero paused"),
    group="series",
)


class _Subject(NamedTuple):
    """The constant values of a unit's rows: its owner or `_NOBODY`, whether it is the owner's selected hero,
    index and class."""

    player: int
    main: bool
    entity: int
    class_id: int


@TABLES.maker_of(POSITIONS)
class Positions(PlayerFacts):
    jobs: ClassVar = Jobs(extra=20)

    options = ("every", "units")
    fields = roster_fields(dict.fromkeys(UNITS, _FIELDS))

    def __init__(
        self, match: Dota2Match, every: int | float | str | None = "1s", units: str | Iterable[str] = UNITS
    ) -> None:
        super().__init__(match)
        self._every = None if every is None else match.interval(every)
        self._units = match.unit_patterns(units, UNITS)
        self.fields = roster_fields(dict.fromkeys(self._units, _FIELDS))
        # Tick of a row, and index of its unit in `_subjects`.
        self._ticks = array("i")
        self._row_subjects: list[int] = []  # an array would parse each number
        self._subjects: dict[_Subject, int] = {}
        self._columns = EntityColumns((*POSITION_FIELDS, _TEAM, _LIFE))
        self._followed: dict[int, Entity] = {}
        self._owners: dict[int, int] = {}
        self._seats: tuple[Seat, ...] = ()
        # Subjects that are valid until a seat changes; other subjects, with the values of their owner fields.
        self._settled: dict[Entity, int] = {}
        self._latest: dict[Entity, tuple[list[object], int]] = {}
        self._owner_fields = FieldSlots(_OWNERS)
        self._last: dict[int, tuple[float | None, float | None]] = {}

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._manager: EntityManager = playback.entities
        self._sampler = None if self._every is None else self.match.sampler(playback, self._every)
        if self._sampler is not None:
            self._sampler.on_sample(self._on_sample)
        for unit in self._units:
            if self._sampler is None:
                playback.entities.on_entity(self._on_change, unit)
            else:
                playback.entities.on_entity(self._on_life, unit, EntityOp.CREATED | EntityOp.DELETED)

    def _on_life(self, entity: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            self._forget(entity)
            if self._followed.get(entity.index) is entity:
                del self._followed[entity.index]
        elif entity.index in self._followed:
            self._followed[entity.index] = entity
        else:
            self._followed[entity.index] = entity
            self._followed = dict(sorted(self._followed.items()))

    def _forget(self, entity: Entity) -> None:
        self._settled.pop(entity, None)
        self._latest.pop(entity, None)

    def _on_sample(self, tick: int) -> None:
        here = [entity for entity in self._followed.values() if entity.active]
        self._add(tick, here)

    def _on_change(self, entity: Entity, op: EntityOp) -> None:
        if op & EntityOp.LEFT:
            self._last.pop(entity.index, None)
            self._forget(entity)
            return
        place = position(entity)
        if self._last.get(entity.index) != place:
            self._last[entity.index] = place
            self._add(self._playback.tick, [entity])

    def _add(self, tick: int, entities: list[Entity]) -> None:
        seats = self._roster.seats
        if seats is not self._seats:
            self._seats = seats
            self._settled.clear()
            self._latest.clear()
        settled = self._settled
        self._ticks += array("i", [tick]) * len(entities)
        self._row_subjects.extend([settled[each] if each in settled else self._subject(each) for each in entities])
        self._columns.add_all(entities)

    def _subject(self, entity: Entity) -> int:
        """Return the index in `_subjects` of an entity in its present state."""
        values = self._owner_fields.values(entity)
        latest = self._latest.get(entity)
        if latest is not None and latest[0] == values:
            return latest[1]
        handle = entity.handle
        player = self._roster.players_by_hero.get(handle)
        main = player is not None
        if player is None:
            player = self._owners.get(handle)
        if player is None:
            found = (whole(each) for each in values)
            player = next((each for each in found if each is not None), _NOBODY)
            if player >= 0 and entity.class_name.startswith(_CONSTANT):
                self._owners[handle] = player
        subject = _Subject(player, main, entity.index, entity.class_info.class_id)
        number = self._subjects.setdefault(subject, len(self._subjects))
        if main or handle in self._owners:
            self._settled[entity] = number
        else:
            self._latest[entity] = values, number
        return number

    def tables(self) -> Mapping[str, pa.Table]:
        if self._sampler is not None:
            self._sampler.finish()
        fields = self._columns.to_arrow(self._manager.pool)
        rows = array_of(self._row_subjects, pa.int32())
        players = [subject.player if subject.player >= 0 else None for subject in self._subjects]
        used = sorted({subject.class_id for subject in self._subjects})
        names = array_of([self._manager.classes_by_id[number].name for number in used], pa.string())
        places = {number: place for place, number in enumerate(used)}
        classes = array_of([places[subject.class_id] for subject in self._subjects], pa.int32())
        ticks, owners = int32_array(self._ticks), array_of(players, pa.int32()).take(rows)
        teams = numbers_as(fields[_TEAM], pa.int32())
        columns = {
            **self.match.time_columns(ticks),
            "player": owners,
            "hero": hero_column(owners, self._roster.hero_names()),
            "paused": self.match.arrow_paused(ticks),
            "x": axis_column(fields[CELL_X], fields[OFFSET_X]),
            "y": axis_column(fields[CELL_Y], fields[OFFSET_Y]),
            "cell_x": numbers_as(fields[CELL_X], pa.int32()),
            "cell_y": numbers_as(fields[CELL_Y], pa.int32()),
            "entity": array_of([subject.entity for subject in self._subjects], pa.int32()).take(rows),
            "entity_class": pa.DictionaryArray.from_arrays(classes.take(rows), names),
            "main": array_of([subject.main for subject in self._subjects], pa.bool_()).take(rows),
            "team": teams,
            "side": hero_column(teams, SIDES),
            "alive": pc.equal(numbers_as(fields[_LIFE], pa.int32()), scalar_of(0, pa.int32())),
        }
        return {POSITIONS.name: POSITIONS.build(columns)}
