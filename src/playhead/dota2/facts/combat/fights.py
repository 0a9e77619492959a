"""Tables ``fights`` and ``fight_players``: hero deaths close in time and space, and the players' actions in them.

The rule: deaths of heroes (without illusions and immediate respawns) are grouped
(`playhead.source2.facts.groups`). A fight lasts from `window` before its first death to `window` after its last.
Damage, healing, gold and experience of a hero in that time count for the nearest fight whose middle is within
`radius` of the hero, buybacks wherever the hero is. Fights with fewer than `deaths` deaths are omitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.combat.fight_details import (
    ACTIONS,
    DETAIL_COLUMNS,
    DETAIL_HERO_FIELDS,
    DETAIL_TEAM_FIELDS,
    FightDetails,
)
from playhead.dota2.facts.combat.hero_entries import COUNTS, HERO_ENTRY_TYPES, count_by_fight
from playhead.dota2.facts.combat.placed_entries import PlacedEntries
from playhead.dota2.sources import roster
from playhead.dota2.sources.clones import CloneDeaths
from playhead.dota2.sources.combat_log import ENTRY_TABLES
from playhead.dota2.sources.entities import NAME_TABLE
from playhead.dota2.sources.hero_lives import HERO_LIFE_FIELDS, HeroLives, LoggedDeath
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.runtime.libraries import pa
from playhead.source2.facts.groups import Group, Happening, grouped
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

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
    """Tables ``fights`` and ``fight_players``."""

    jobs: ClassVar = Jobs(12, extra=60)
    options = ("window", "radius", "deaths")
    string_tables = (*ENTRY_TABLES, NAME_TABLE)
    fields = roster.roster_fields(
        HERO_LIFE_FIELDS, {"CDOTA_Unit_Hero_*": DETAIL_HERO_FIELDS}, roster.team_fields(DETAIL_TEAM_FIELDS)
    )

    def __init__(
        self, match: Dota2Match, window: int | float | str = "15s", radius: float = 3000.0, deaths: int = 1
    ) -> None:
        super().__init__(match)
        self._window = match.interval(window)
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
                "radiant_deaths": sides.count(roster.RADIANT),
                "dire_deaths": sides.count(roster.DIRE),
                "winner_side": _winner(sides.count(roster.RADIANT), sides.count(roster.DIRE)),
                "x": fight.x,
                "y": fight.y,
            }


def _winner(radiant_deaths: int, dire_deaths: int) -> str | None:
    """Return the side with fewer deaths."""
    if radiant_deaths == dire_deaths:
        return None
    return "radiant" if radiant_deaths < dire_deaths else "dire"
