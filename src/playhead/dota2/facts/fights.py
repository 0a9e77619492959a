"""Tables ``fights`` and ``fight_players``: hero deaths close in time and space, and the players' actions in them.

The rule: deaths of heroes (without illusions and immediate respawns) are grouped
(`playhead.source2.facts.groups`). A fight lasts from `window` before its first death to `window` after its last.
Damage, healing, gold and experience of a hero in that time count for the nearest fight whose middle is within
`radius` of the hero, buybacks wherever the hero is. Fights with fewer than `deaths` deaths are omitted.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from math import hypot
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.placed_entries import COUNTS, HERO_ENTRY_TYPES, PlacedEntries, count_by_fight
from playhead.dota2.facts.shared_log import LogRows, SharedLog
from playhead.dota2.sources.combat_log import NAMES
from playhead.dota2.sources.entities import (
    CELL_X,
    CELL_Y,
    NAME_TABLE,
    OFFSET_X,
    OFFSET_Y,
    POSITION_FIELDS,
    axis_column,
)
from playhead.dota2.sources.hero_lives import HERO_LIFE_FIELDS, CloneDeaths, HeroLives, LoggedDeath
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.dota2.sources.roster import DIRE, RADIANT, TEAM_ROW, Place, opposed, roster_fields, team_fields
from playhead.runtime.libraries import pa, pc
from playhead.source2.facts.groups import Group, Happening, grouped
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.tables.entity_columns import EntityColumns
from playhead.source2.tables.seldom_columns import numbers_as
from playhead.tables.arrow import int32_array, to_list
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import scalar_of
from playhead.tables.vocabulary import word, words

_LIFE, _NET_WORTH, _XP = "m_lifeState", "m_iNetWorth", "m_iTotalEarnedXP"
#: Fields of heroes, and of the players' rows in the data of the teams, that `FightDetails` reads.
DETAIL_HERO_FIELDS, DETAIL_TEAM_FIELDS = (_LIFE, *POSITION_FIELDS), (_NET_WORTH, _XP)
_TYPES = ("DEATH", "ABILITY", "ITEM", "MODIFIER_ADD")
# Column of a disable: column of the log with its length, and the flag that has to be set.
_DISABLES = {
    "stun_seconds": ("stun_seconds", None),
    "slow_seconds": ("slow_seconds", None),
    "silence_seconds": ("modifier_seconds", "silence_modifier"),
    "root_seconds": ("modifier_seconds", "root_modifier"),
}

_TO_DISABLE = tuple(dict.fromkeys(name for pair in _DISABLES.values() for name in pair if name))
_OF_DEATH = ("target_player", "target_is_illusion", "will_reincarnate", "assister_players")
_OF_USE = ("attacker_player", "attacker_is_illusion", "inflictor")
_COLUMNS = (*_OF_DEATH, *_OF_USE, *_TO_DISABLE)

#: Columns of ``fight_players``.
DETAIL_COLUMNS = (
    word("assists", "Deaths of enemies whose DEATH entry names the player."),
    Column("net_worth_change", "int32", "Net worth at the end of the fight less that at its begin."),
    Column("xp_change", "int32", "All experience at the end of the fight less that at its begin.", "xp"),
    Column(
        "present_seconds",
        "float64",
        "How long the living hero was within `radius` of the middle of the fight, by one look a second; without "
        "pauses.",
        "s",
    ),
    Column(
        "abilities_used", "list<string>", "Abilities that the hero used, in order, one for each use (ABILITY)."
    ),
    Column("items_used", "list<string>", "Items that the hero used, in order, one for each use (ITEM)."),
    word("stun_seconds", "Of stuns of enemy heroes, as planned (MODIFIER_ADD)."),
    word("slow_seconds", "Of enemy heroes, as planned (MODIFIER_ADD)."),
    Column("silence_seconds", "float64", "Length of silences of enemy heroes, as planned (MODIFIER_ADD).", "s"),
    Column("root_seconds", "float64", "Length of roots of enemy heroes, as planned (MODIFIER_ADD).", "s"),
)

#: Those of them that are actions: a player with one is in the table.
ACTIONS = frozenset(("assists", "abilities_used", "items_used", *_DISABLES))

# First tick, last tick and middle of a fight.
_Span = tuple[int, int, float | None, float | None]


class FightDetails:
    """Samples the players each second, and sums at the end; `actions` of table ``fight_players`` need the log."""

    def __init__(self, match: Dota2Match, playback: Playback, *, actions: bool) -> None:
        self._match, self._roster, self._playback = match, match.roster(playback), playback
        self._log = SharedLog.of(match, playback, _TYPES, _COLUMNS) if actions else None
        self._every = match.interval("1s")
        self._ticks, self._players = array("i"), array("i")
        self._hero = EntityColumns(DETAIL_HERO_FIELDS)
        # Of the teams' data; in recordings of 2015, also of the entities that have the rest.
        self._data: list[EntityColumns] = []
        self._lineup: tuple[Place, ...] | None = None
        self._sampler = match.sampler(playback, self._every)
        self._sampler.on_sample(self._on_sample)

    def _on_sample(self, tick: int) -> None:
        lineup = self._roster.lineup
        if lineup is not self._lineup:
            self._lineup = lineup
            self._players_now = array("i", [place.seat.player for place in lineup])
            self._heroes_now = [place.hero for place in lineup]
            holders = zip(*((place.team_data, *place.elsewhere) for place in lineup), strict=True)
            self._data_now = list(map(list, holders))
            if not self._data:
                self._data = [EntityColumns(DETAIL_TEAM_FIELDS) for _ in self._data_now]
            self._rows_now = [TEAM_ROW.format(place.seat.row) for place in lineup]
        self._ticks += array("i", [tick]) * len(lineup)
        self._players.extend(self._players_now)
        self._hero.add_all(self._heroes_now)
        for columns, entities in zip(self._data, self._data_now, strict=bool(lineup)):
            columns.add_all(entities, self._rows_now)

    # -- the end ----------------------------------------------------------------------------------------

    def found(
        self,
        spans: Sequence[_Span],
        fight_of: Mapping[tuple[int, int], int],
        teams: Mapping[int, int],
        radius: float,
    ) -> tuple[list[dict[int, dict[str, Any]]], list[dict[str, int | None]]]:
        """Return the columns of each player in each fight, and the swings of each fight. `fight_of` has the fight
        by tick and victim of a death."""
        self._sampler.finish()
        self._read_samples()
        self._spans, self._radius = spans, radius
        # Between two bounds the same fights go on.
        self._bounds = sorted({tick for first, last, *_ in spans for tick in (first, last + 1)})
        self._going_on = [
            [fight for fight, (first, last, *_) in enumerate(spans) if first <= tick <= last]
            for tick in self._bounds
        ]
        players: list[dict[int, dict[str, Any]]] = [{} for _ in spans]
        for fight, player, name, value in self._actions(fight_of, teams):
            columns = players[fight].setdefault(player, {})
            columns[name] = columns.get(name, [] if isinstance(value, list) else 0) + value
        swings = []
        for fight, (first, last, x, y) in enumerate(spans):
            sums = {"net_worth_change": 0, "xp_change": 0}
            known = bool(self._of)
            for player, at in self._of.items():
                ticks = self._ticks_of[player]
                begin, end = max(0, bisect_right(ticks, first) - 1), bisect_right(ticks, last)
                columns = players[fight].setdefault(player, {})
                columns["present_seconds"] = self._seen_at(at[begin:end], x, y) * self._step
                for name, values in (("net_worth_change", self._worths), ("xp_change", self._xps)):
                    before, after = values[at[begin]], values[at[max(begin, end - 1)]]
                    columns[name] = None if before is None or after is None else after - before
                    known = known and columns[name] is not None
                    sums[name] += (columns[name] or 0) * (1 if teams.get(player) == 2 else -1)
            swings.append({f"{name[:-7]}_swing": value if known else None for name, value in sums.items()})
        return players, swings

    def _actions(
        self, fight_of: Mapping[tuple[int, int], int], teams: Mapping[int, int]
    ) -> Iterator[tuple[int, int, str, Any]]:
        """Yield fight, player, column and value of each action."""
        if self._log is not None:
            rows = self._log.rows
            yield from self._assists(rows, fight_of, teams)
            yield from self._uses(rows)
            yield from self._disables(rows, teams)

    def _read_samples(self) -> None:
        pool = self._playback.entities.pool
        hero, held = self._hero.to_arrow(pool), [columns.to_arrow(pool) for columns in self._data]
        no = scalar_of(False, pa.bool_())
        xs, ys = axis_column(hero[CELL_X], hero[OFFSET_X]), axis_column(hero[CELL_Y], hero[OFFSET_Y])
        self._xs, self._ys = to_list(xs), to_list(ys)
        alive = pc.equal(numbers_as(hero[_LIFE], pa.int32()), scalar_of(0, pa.int32()))
        paused = self._match.arrow_paused(int32_array(self._ticks))
        # Of a hero without a place nobody knows where it is.
        known = pc.and_(pc.is_valid(xs), pc.is_valid(ys))
        self._alive = to_list(pc.and_(pc.and_(pc.coalesce(alive, no), known), pc.invert(pc.coalesce(paused, no))))
        self._worths, self._xps = (
            to_list(pc.coalesce(*(numbers_as(data[name], pa.int32()) for data in held))) if held else []
            for name in DETAIL_TEAM_FIELDS
        )
        self._step = self._every / (self._match.ticks_per_second or self._match.usual_rate)
        # Samples of each player, in order, and their ticks.
        self._of: dict[int, list[int]] = {}
        for place, player in enumerate(self._players):
            self._of.setdefault(player, []).append(place)
        self._ticks_of = {player: [self._ticks[place] for place in at] for player, at in self._of.items()}

    def _seen_at(self, samples: Sequence[int], x: float | None, y: float | None) -> int:
        """Return in how many samples of a hero it was alive at the middle of a fight."""
        if x is None or y is None:
            return 0
        xs, ys, alive, radius = self._xs, self._ys, self._alive, self._radius
        return sum([alive[each] and hypot(xs[each] - x, ys[each] - y) <= radius for each in samples])

    def _fight_at(self, tick: int, player: int) -> int | None:
        """Return the nearest fight at which a player's hero was at the look before or after a tick: a hero may
        have come by Blink Dagger in between.
        """
        bound = bisect_right(self._bounds, tick)
        fights = self._going_on[bound - 1] if bound else ()
        if not fights:
            return None
        at = self._of.get(player, [])
        place = bisect_right(self._ticks_of.get(player, []), tick)
        samples = at[max(0, place - 1) : place + 1]
        found: tuple[float, int] | None = None
        for fight in fights:
            _, _, x, y = self._spans[fight]
            if x is None or y is None:
                continue
            for sample in samples:
                its_x, its_y = self._xs[sample], self._ys[sample]
                away = self._radius + 1 if its_x is None or its_y is None else hypot(its_x - x, its_y - y)
                if away <= self._radius and (found is None or away < found[0]):
                    found = away, fight
        return None if found is None else found[1]

    @staticmethod
    def _assists(
        rows: LogRows, fight_of: Mapping[tuple[int, int], int], teams: Mapping[int, int]
    ) -> Iterator[tuple[int, int, str, int]]:
        counted = set()
        for entry in rows.of("DEATH", *_OF_DEATH, to_players=True):
            fight = fight_of.get((entry["tick"], entry["target_player"]))
            key = entry["tick"], entry["target_player"]
            if fight is None or entry["will_reincarnate"] or key in counted:
                continue
            counted.add(key)
            for player in entry["assister_players"] or ():
                if opposed(teams, player, entry["target_player"]):
                    yield fight, player, "assists", 1

    def _uses(self, rows: LogRows) -> Iterator[tuple[int, int, str, list[str]]]:
        for kind, name in (("ABILITY", "abilities_used"), ("ITEM", "items_used")):
            for tick, player, is_illusion, used in zip(
                *map(to_list, rows.columns(kind, *_OF_USE).values()), strict=True
            ):
                if player is None or is_illusion or used is None:
                    continue
                fight = self._fight_at(tick, player)
                if fight is not None:
                    yield fight, player, name, [used]

    def _disables(self, rows: LogRows, teams: Mapping[int, int]) -> Iterator[tuple[int, int, str, float]]:
        added = rows.columns("MODIFIER_ADD", "target_player", "attacker_player", *_TO_DISABLE, to_players=True)
        columns = {name: to_list(column) for name, column in added.items()}
        enemies = zip(columns["attacker_player"], columns["target_player"], strict=True)
        for row, (player, target) in enumerate(enemies):
            if not opposed(teams, player, target):
                continue
            lengths = {
                name: columns[length][row]
                for name, (length, flag) in _DISABLES.items()
                if (flag is None or columns[flag][row]) and (columns[length][row] or 0) > 0
            }
            fight = self._fight_at(columns["tick"][row], target) if lengths else None
            for name, seconds in lengths.items():
                if fight is not None:
                    yield fight, player, name, seconds


FIGHTS = TableSchema.of(
    "fights",
    "One row for each fight: hero deaths that lie together in time (option `window`, 15 seconds) and space "
    "(option `radius`, 3000 map units), at least `deaths` (1) of them. Deaths are DEATH entries of the combat "
    "log, places those of the heroes' entities at that tick.",
    word("fight", "In order of their first deaths."),
    word("tick", "`window` before the first death."),
    *words("seconds game_seconds"),
    word("end_tick", "`window` after the last death, or the end of the recording."),
    *words("end_seconds end_game_seconds"),
    Column("first_death_tick", "int32", "First death.", "ticks"),
    Column("last_death_tick", "int32", "Last death.", "ticks"),
    word("deaths"),
    Column("radiant_deaths", "int32", "Of them, heroes of Radiant."),
    Column("dire_deaths", "int32", "Of them, heroes of Dire."),
    word("winner_side", "The side with fewer deaths; null if both have as many."),
    word("x", "Mean place of the deaths; null if none is known."),
    word("y"),
    Column("net_worth_swing", "int32", "Change of the net worth of Radiant from begin to end, less that of Dire."),
    Column("xp_swing", "int32", "Change of the experience of Radiant from begin to end, less that of Dire.", "xp"),
)

FIGHT_PLAYERS = TableSchema.of(
    "fight_players",
    "One row for each player whose hero did or suffered something in a fight of table `fights`; from entries "
    "of the combat log. What the hero's units did counts for it (damage_source_name).",
    *words("fight player hero team side"),
    word("kills", "Last blows of the player's hero or units to enemy heroes."),
    word("deaths"),
    word("damage", "To enemy heroes (DAMAGE)."),
    word("damage_taken", "From anything (DAMAGE)."),
    word("healing", "To other heroes (HEAL), as on the scoreboard: not to the hero itself."),
    word("gold", "Gained less lost (GOLD)."),
    word("xp", "Gained (XP)."),
    Column("buybacks", "int32", "Buybacks (BUYBACK)."),
    *DETAIL_COLUMNS,
)


@TABLES.maker_of(FIGHTS, FIGHT_PLAYERS)
class Fights(PlayerFacts):
    jobs: ClassVar = Jobs(12, extra=60)
    options = ("window", "radius", "deaths")
    string_tables = (NAMES, NAME_TABLE)
    fields = roster_fields(
        HERO_LIFE_FIELDS, {"CDOTA_Unit_Hero_*": DETAIL_HERO_FIELDS}, team_fields(DETAIL_TEAM_FIELDS)
    )

    def __init__(
        self, match: Dota2Match, window: int | float | str = "15s", radius: float = 3000.0, deaths: int = 1
    ) -> None:
        super().__init__(match)
        self._window = match.window(window)
        self._radius = radius
        self._least = deaths

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        of_players = self.wanted is None or FIGHT_PLAYERS.name in self.wanted
        types = HERO_ENTRY_TYPES if of_players else ("DEATH",)  # the fights themselves are made of deaths
        self._entries = PlacedEntries(self.match, playback, types)
        self._lives = HeroLives.of(self.match, playback)
        self._details = FightDetails(self.match, playback, actions=of_players)

    # -- tables -----------------------------------------------------------------------------------------

    def _find(
        self, entries: list[tuple[int, LoggedDeath, float | None, float | None]]
    ) -> tuple[list[Group], dict[int, int]]:
        """Return the fights, and the fight of each death by the number of the death."""
        clones = CloneDeaths()
        counted = self._lives.counted([death for _, death, *_ in entries])
        deaths = [
            (number, death, x, y)
            for (number, death, x, y), counts in zip(entries, counted, strict=True)
            if counts and not clones.is_clone(death.tick, death.player)
        ]
        happenings = (Happening(death.tick, death.player, x, y) for _, death, x, y in deaths)
        groups = grouped(happenings, self._window, self._radius)
        large = [group for group in groups if len(group.members) >= self._least]
        numbers = [death[0] for death in deaths]
        return large, {numbers[at]: fight for fight, group in enumerate(large) for at in group.members}

    def tables(self) -> Mapping[str, pa.Table]:
        teams = {seat.player: seat.team for seat in self._roster.seats}
        names = self._roster.hero_names()
        deaths = self._entries.deaths()
        fights, fight_of_death = self._find(deaths)
        spans = [(each.first - self._window, each.last + self._window, each.x, each.y) for each in fights]
        entries = self._entries.within([span[:2] for span in spans])
        counts = count_by_fight(entries, spans, fight_of_death, teams, self._radius)
        fight_of = {
            (death.tick, death.player): fight_of_death[number]
            for number, death, *_ in deaths
            if number in fight_of_death
        }
        details, swings = self._details.found(spans, fight_of, teams, self._radius)
        rows = []
        for number, (of_players, more) in enumerate(zip(counts, details, strict=True), 1):
            did = {player for player, columns in more.items() if columns.keys() & ACTIONS}
            for player in sorted(of_players.keys() | did):
                sums = of_players.get(player) or [0] * len(COUNTS)
                rows.append(
                    {
                        "fight": number,
                        "player": player,
                        "hero": names.get(player),
                        "team": teams.get(player),
                        **dict.fromkeys(ACTIONS, 0),
                        "abilities_used": [],
                        "items_used": [],
                        **dict(zip(COUNTS, sums, strict=True)),
                        **more.get(player, {}),
                    }
                )
        found = [row | swing for row, swing in zip(self._rows_of(fights, teams), swings, strict=True)]
        return {
            FIGHTS.name: self.match.table(FIGHTS, found),
            FIGHT_PLAYERS.name: self.match.table(FIGHT_PLAYERS, rows),
        }

    def _rows_of(self, fights: list[Group], teams: Mapping[int, int]) -> Iterator[dict[str, Any]]:
        for number, fight in enumerate(fights, 1):
            sides = [teams.get(player) for player in fight.players]
            first, last = fight.first, fight.last
            yield {
                "fight": number,
                "tick": max(0, first - self._window),
                "end_tick": min(last + self._window, self._playback.tick),
                "first_death_tick": first,
                "last_death_tick": last,
                "deaths": len(sides),
                "radiant_deaths": sides.count(RADIANT),
                "dire_deaths": sides.count(DIRE),
                "winner_side": _winner(sides.count(RADIANT), sides.count(DIRE)),
                "x": fight.x,
                "y": fight.y,
            }


def _winner(radiant_deaths: int, dire_deaths: int) -> str | None:
    """Return the side with fewer deaths."""
    if radiant_deaths == dire_deaths:
        return None
    return "radiant" if radiant_deaths < dire_deaths else "dire"
