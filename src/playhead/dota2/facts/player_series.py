"""Table ``player_series``: each player at an interval; `MatchWorld`, all players at one tick."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from playhead.clock import Clock
from playhead.dota2.facts import TABLES
from playhead.dota2.facts.player_stats import (
    PLAYER_COLUMNS,
    RESOURCE_FIELDS,
    TEAM_DATA_FIELDS,
    PlayerStats,
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
    integer,
    position,
)
from playhead.dota2.sources.match import SIDES, Dota2Match, PlayerFacts, SampledSeries
from playhead.dota2.sources.roster import with_fields
from playhead.runtime.libraries import pa, pc
from playhead.source2.entities.manager import EntityManager
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.world import World
from playhead.source2.tables.entity_columns import EntityColumns
from playhead.source2.tables.seldom_columns import numbers_as
from playhead.tables.arrow import int32_array
from playhead.tables.schema import Column, TableSchema, arrow_type
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.tables.vocabulary import word, words

#: Fields of the hero's entity, by column.
HERO_STATE = {"health": "m_iHealth", "max_health": "m_iMaxHealth", "mana": "m_flMana", "max_mana": "m_flMaxMana"}
_LIFE_STATE = "m_lifeState"
_HERO_FIELDS = (*HERO_STATE.values(), _LIFE_STATE, *POSITION_FIELDS)
# Time on the server's clock at which the player may buy back again.
_BUYBACK = "m_flBuybackCooldownTime"
_TEAM_DATA = {**TEAM_DATA_FIELDS, "buyback_cooldown_seconds": _BUYBACK}
# Rule of the cost of a buyback, from patch 7.32e or before on: this, and a part of the net worth.
_COST, _COST_SHARE = 200, 13

PLAYER_SERIES = TableSchema.of(
    "player_series",
    "Every player at an interval (option `every`, one second by default), from the tick at which the player has a "
    "team: at its multiples in the recording; with option `clock` 'game' on the game's clock: at 0:00 and every "
    "multiple to the end of the match, each once, also if a pause begins there. Null where the recording has no "
    "value: a build without the field, the other side in a player's recording.",
    *words("tick seconds game_seconds player team side hero paused"),
    *PLAYER_COLUMNS,
    *columns_of(HERO_STATE, "the hero's entity"),
    word("alive", "m_lifeState of the hero's entity is 0."),
    *words("x y cell_x cell_y"),
    Column(
        "buyback_cooldown_seconds",
        "float64",
        f"Time until the player may buy back again, 0 if that is now: {_BUYBACK} of the player's row in "
        "CDOTA_DataRadiant or CDOTA_DataDire, which is a time of the server's clock, less that clock.",
        "s",
    ),
    Column(
        "buyback_cost",
        "int32",
        f"What a buyback costs by the game's general rule, {_COST} gold and a {_COST_SHARE}th of `net_worth`; no "
        "field has it, and abilities may change it: `buybacks.cost` is what was paid. Null before patch 7.32e.",
        "gold",
    ),
    group="series",
)


@TABLES.maker_of(PLAYER_SERIES)
class PlayerSeries(PlayerFacts):
    jobs: ClassVar = Jobs(2, anew=True, extra=25)
    options = ("every", "clock")
    late = ("game_seconds", "paused", "hero")
    fields = roster.roster_fields(
        {
            roster.RESOURCE_CLASS: [f"m_vecPlayerTeamData.????.{field}" for field in RESOURCE_FIELDS.values()],
            "CDOTA_Unit_Hero_*": _HERO_FIELDS,
        },
        roster.team_fields(_TEAM_DATA.values()),
    )

    def __init__(self, match: Dota2Match, every: int | float | str = "1s", clock: str = "recording") -> None:
        super().__init__(match)
        self._series = SampledSeries(match, every, clock)
        self._sizes: list[int] = []
        self._ticks, self._players, self._teams = array("i"), array("i"), array("i")
        self._team_data = EntityColumns(_TEAM_DATA.values())
        # Fields that the data of the teams lacks in recordings of 2015.
        self._elsewhere: list[EntityColumns] = []
        self._resource = EntityColumns(RESOURCE_FIELDS.values())
        self._hero = EntityColumns(_HERO_FIELDS)
        self._lineup: tuple[roster.Place, ...] | None = None

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._manager: EntityManager = playback.entities
        self._series.attach(playback, self._on_sample)

    def _on_sample(self, tick: int) -> None:
        lineup = self._roster.lineup
        if lineup is not self._lineup:
            self._line_up(lineup)
        self._sizes.append(len(lineup))
        self._ticks += array("i", [tick]) * len(lineup)
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
        self._series.finish()
        found = {
            name: values
            for part in (self._team_data, self._resource, self._hero)
            for name, values in part.to_arrow(self._manager.pool).items()
        }
        ticks, players, teams = map(int32_array, (self._ticks, self._players, self._teams))
        columns: dict[str, Any] = {
            **self.match.time_columns(ticks),
            "player": players,
            "hero": hero_column(players, self._roster.hero_names()),
            "paused": self.match.arrow_paused(ticks),
            "team": teams,
            "side": hero_column(teams, SIDES),
            "alive": pc.equal(numbers_as(found[_LIFE_STATE], pa.int32()), scalar_of(0, pa.int32())),
            "x": axis_column(found[CELL_X], found[OFFSET_X]),
            "y": axis_column(found[CELL_Y], found[OFFSET_Y]),
            "cell_x": numbers_as(found[CELL_X], pa.int32()),
            "cell_y": numbers_as(found[CELL_Y], pa.int32()),
        }
        types = {column.name: arrow_type(column.type) for column in PLAYER_SERIES.columns}
        for name, field in (_TEAM_DATA | RESOURCE_FIELDS | HERO_STATE).items():
            columns[name] = numbers_as(found[field], types[name])
        for others in self._elsewhere:
            also = others.to_arrow(self._manager.pool)
            for name, field in _TEAM_DATA.items():
                columns[name] = pc.coalesce(columns[name], numbers_as(also[field], types[name]))
        waiting, zero = columns["respawn_seconds"], scalar_of(0.0, pa.float64())  # -1 for the living
        columns["respawn_seconds"] = pc.if_else(pc.less(waiting, zero), scalar_of(None, zero.type), waiting)
        columns["buyback_cooldown_seconds"] = self._until(ticks, columns["buyback_cooldown_seconds"])
        share, least = (scalar_of(number, pa.int32()) for number in (_COST_SHARE, _COST))
        cost = pc.add(pc.divide(columns["net_worth"], share), least)
        columns["buyback_cost"] = cost if self.match.clock.counts_ticks else pa.nulls(len(cost), pa.int32())
        return {PLAYER_SERIES.name: self._series.chosen(PLAYER_SERIES.build(columns), self._sizes)}

    def _until(self, ticks: pa.Array, times: pa.Array) -> pa.Array:
        """Return the seconds until times on the server's clock; 0 for those that are over."""
        known = pc.unique(ticks)
        now = array_of([self.match.clock.server_seconds(tick) for tick in known.to_pylist()], pa.float64())
        waiting = pc.subtract(times, now.take(pc.index_in(ticks, known)))
        return pc.max_element_wise(waiting, scalar_of(0.0, pa.float64()), skip_nulls=False)


_HERO = {"health": "m_iHealth", "max_health": "m_iMaxHealth"}
_SHOWN = ("level", "kills", "deaths", "assists", "last_hits", "denies")
# Columns of table ``player_stats`` that are resources.
_RESOURCES = ("net_worth", "gold_reliable", "gold_unreliable", "gold_earned", "xp")


class PlayerSnapshot(PlayerStats):
    """As `PlayerStats`, with health, position and life state of the heroes' entities."""

    fields = with_fields(
        PlayerStats.fields, {"CDOTA_Unit_Hero_*": (*_HERO.values(), _LIFE_STATE, *POSITION_FIELDS)}
    )

    def players(self) -> Iterator[Mapping[str, Any]]:
        """Return the present state of the players, by number."""
        names = {player.player: player.name for player in self.match.replay.players}
        for seat, row in zip(self._roster.seats, self.rows(), strict=True):
            hero = self._roster.hero(seat)
            x, y = (None, None) if hero is None else position(hero)
            state = None if hero is None else integer(hero, _LIFE_STATE)
            yield {
                "player": seat.player,
                "name": names.get(seat.player) or row["name"],
                "team": seat.team,
                "side": row.get("side"),
                "hero": row.get("hero"),
                **{name: row.get(name) for name in (*_SHOWN, *_RESOURCES)},
                "alive": None if state is None else state == 0,
                **{name: None if hero is None else integer(hero, field) for name, field in _HERO.items()},
                "x": x,
                "y": y,
                "items": row.get("items", []),
            }


class MatchWorld(World):
    """The state of a match: as `World`, with the heroes, the gold and the clock of the game."""

    def __init__(self, playback: Playback, tick: int, snapshot: PlayerSnapshot) -> None:
        """`snapshot` is attached to the playback."""
        super().__init__(playback, tick, None, lambda: ())
        self._snapshot = snapshot

    @property
    def clock(self) -> Clock | None:
        """The game's clock, from the state up to this tick; reading it does not play the recording."""
        match = self._snapshot.match
        match.clock.catch_up()
        return match.displayed_clock

    @property
    def players(self) -> Sequence[Mapping[str, Any]]:
        """The players with hero, level, score, gold, position and items."""
        return list(self._snapshot.players())

    @property
    def resources(self) -> Mapping[int, Mapping[str, Any]]:
        """Gold and experience of each player, as in table ``player_stats``."""
        return {row["player"]: {name: row[name] for name in _RESOURCES} for row in self.players}
