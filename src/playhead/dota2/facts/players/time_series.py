"""Table ``player_series``: gold, experience, health, position, items and abilities of each player at an
interval."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.columns import (
    CELL_X_COLUMN,
    CELL_Y_COLUMN,
    HERO,
    PAUSED,
    PLAYER,
    RESOURCE_FIELDS,
    RESOURCE_ROW,
    TEAM,
    TEAM_DATA_FIELDS,
    TEAM_DATA_ROW,
    TIME,
    PlayerField,
    X,
    Y,
    columns_of,
)
from playhead.dota2.sources import roster
from playhead.dota2.sources.entities import (
    CELL_X,
    CELL_Y,
    OFFSET_X,
    OFFSET_Y,
    POSITION_FIELDS,
    axis_column,
    hero_column,
)
from playhead.dota2.sources.match import MatchContext, PlayerFacts
from playhead.runtime.libraries import pa, pc
from playhead.source2.entities.manager import EntityManager
from playhead.source2.playback.playback import Playback
from playhead.source2.tables.entity_columns import EntityColumns
from playhead.source2.tables.field_values import numbers_as
from playhead.tables.arrow import int32_array
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import scalar_of

_TEAM_DATA = {
    "gold_reliable": TEAM_DATA_FIELDS["gold_reliable"],
    "gold_unreliable": TEAM_DATA_FIELDS["gold_unreliable"],
    "gold_earned": TEAM_DATA_FIELDS["gold_earned"],
    "net_worth": TEAM_DATA_FIELDS["net_worth"],
    "xp": TEAM_DATA_FIELDS["xp_earned"],
    "last_hits": TEAM_DATA_FIELDS["last_hits"],
    "denies": TEAM_DATA_FIELDS["denies"],
}
_RESOURCE = RESOURCE_FIELDS
_HERO = {
    "health": PlayerField("m_iHealth", "int32", "Health of the hero", "hp"),
    "max_health": PlayerField("m_iMaxHealth", "int32", "Most health it can have", "hp"),
    "mana": PlayerField("m_flMana", "float64", "Mana of the hero", "mana"),
    "max_mana": PlayerField("m_flMaxMana", "float64", "Most mana it can have", "mana"),
}
_LIFE_STATE = "m_lifeState"
_HERO_FIELDS = (*(field for field, *_ in _HERO.values()), _LIFE_STATE, *POSITION_FIELDS)


PLAYER_SERIES = TableSchema.of(
    "player_series",
    "Every player at an interval (option `every`, one second if it is not given), from the tick on at which "
    "the player has a team. Null where the recording has no value.",
    *TIME,
    PLAYER,
    TEAM,
    HERO,
    PAUSED,
    *columns_of(_TEAM_DATA, TEAM_DATA_ROW),
    *columns_of(_RESOURCE, RESOURCE_ROW),
    *columns_of(_HERO, "the hero's entity"),
    Column("alive", "bool", "m_lifeState of the hero's entity is 0."),
    X,
    Y,
    CELL_X_COLUMN,
    CELL_Y_COLUMN,
)


@TABLES.maker_of(PLAYER_SERIES)
class TimeSeries(PlayerFacts):
    """Table ``player_series``."""

    work = 2
    options = ("every",)
    anew = True
    late = ("game_seconds", "paused", "hero")
    fields = roster.roster_fields(
        {
            roster.RESOURCE_CLASS: [f"m_vecPlayerTeamData.????.{field}" for field, *_ in _RESOURCE.values()],
            "CDOTA_Unit_Hero_*": _HERO_FIELDS,
        },
        roster.team_fields(field for field, *_ in _TEAM_DATA.values()),
    )

    def __init__(self, match: MatchContext, every: int | float | str = "1s") -> None:
        super().__init__(match)
        self._every = match.interval(every)
        self._ticks, self._players, self._teams = array("i"), array("i"), array("i")
        self._team_data = EntityColumns(field for field, *_ in _TEAM_DATA.values())
        # Fields that the data of the teams lacks in recordings of 2015.
        self._elsewhere: list[EntityColumns] = []
        self._resource = EntityColumns(field for field, *_ in _RESOURCE.values())
        self._hero = EntityColumns(_HERO_FIELDS)
        self._lineup: tuple[roster.Place, ...] | None = None

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._manager: EntityManager = playback.entities
        self._sampler = self.match.sampler(playback, self._every)
        self._sampler.on_sample(self._on_sample)

    def _on_sample(self, tick: int) -> None:
        lineup = self._roster.lineup
        if lineup is not self._lineup:
            self._line_up(lineup)
        self._ticks.extend([tick] * len(lineup))
        self._players.extend(self._players_now)
        self._teams.extend(self._teams_now)
        self._team_data.add_all(self._team_data_now, self._team_rows)
        for columns, entities in zip(self._elsewhere, self._elsewhere_now, strict=True):
            columns.add_all(entities, self._team_rows)
        self._resource.add_all(self._resources_now, self._resource_rows)
        self._hero.add_all(self._heroes_now)

    def _line_up(self, lineup: tuple[roster.Place, ...]) -> None:
        """Return the values that are constant until the lineup changes."""
        self._lineup = lineup
        self._players_now = array("i", [place.seat.player for place in lineup])
        self._teams_now = array("i", [place.seat.team for place in lineup])
        self._team_data_now = [place.team_data for place in lineup]
        if lineup and not self._team_data.rows:
            names = list(self._team_data.columns)
            self._elsewhere = [EntityColumns(names) for _ in lineup[0].elsewhere]
        self._elsewhere_now = [[place.elsewhere[i] for place in lineup] for i in range(len(self._elsewhere))]
        self._team_rows = [roster.TEAM_ROW.format(place.seat.row) for place in lineup]
        self._resources_now = [self._roster.resource] * len(lineup)
        self._resource_rows = [f"m_vecPlayerTeamData.{place.seat.player:04}." for place in lineup]
        self._heroes_now = [place.hero for place in lineup]

    def tables(self) -> Mapping[str, pa.Table]:
        self._sampler.finish()
        found = {
            name: values
            for part in (self._team_data, self._resource, self._hero)
            for name, values in part.to_arrow(self._manager.pool).items()
        }
        ticks, players = int32_array(self._ticks), int32_array(self._players)
        columns: dict[str, Any] = {
            **self.match.arrow_time_columns(ticks),
            "player": players,
            "hero": hero_column(players, self._roster.hero_names()),
            "paused": self.match.arrow_paused(ticks),
            "team": int32_array(self._teams),
            "alive": pc.equal(numbers_as(found[_LIFE_STATE], pa.int32()), scalar_of(0, pa.int32())),
            "x": axis_column(found[CELL_X], found[OFFSET_X]),
            "y": axis_column(found[CELL_Y], found[OFFSET_Y]),
            "cell_x": numbers_as(found[CELL_X], pa.int32()),
            "cell_y": numbers_as(found[CELL_Y], pa.int32()),
        }
        for fields in (_TEAM_DATA, _RESOURCE, _HERO):
            for name, (field, type_, *_) in fields.items():
                columns[name] = numbers_as(found[field], getattr(pa, type_)())
        for others in self._elsewhere:
            also = others.to_arrow(self._manager.pool)
            for name, (field, type_, *_) in _TEAM_DATA.items():
                columns[name] = pc.coalesce(columns[name], numbers_as(also[field], getattr(pa, type_)()))
        return {PLAYER_SERIES.name: PLAYER_SERIES.build(columns)}
