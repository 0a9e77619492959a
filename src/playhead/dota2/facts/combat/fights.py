"""Tables ``fights`` and ``fight_players``: hero deaths close in time and space, and the players' actions in them.

The rule: deaths of heroes (without illusions and immediate respawns) are grouped (`playhead.source2.groups`). A
fight lasts from `window` before its first death to `window` after its last. Damage, healing, gold, experience and
buybacks of a hero in that time count for the nearest fight whose middle is within `radius` of the hero. Fights
with fewer than `deaths` deaths are omitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.columns import GAME_SECONDS, HERO, PLAYER, TEAM
from playhead.dota2.facts.combat.hero_entries import COUNTS, HERO_ENTRY_TYPES, HeroEntries
from playhead.dota2.sources import roster
from playhead.dota2.sources.clones import CloneDeaths
from playhead.dota2.sources.combat_log import ENTRY_TABLES, CombatEntries
from playhead.dota2.sources.entities import NAME_TABLE, POSITION_FIELDS
from playhead.dota2.sources.match import MatchContext, PlayerFacts
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.groups import Group, Happening, grouped
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK

_FIGHT = Column("fight", "int32", "Number of the fight, from 1, in order of their first deaths.")

FIGHTS = TableSchema.of(
    "fights",
    "One row for each fight: hero deaths that lie together in time (option `window`, 15 seconds) and space "
    "(option `radius`, 3000 world units), at least `deaths` (1) of them. Deaths are DEATH entries of the combat "
    "log, places those of the heroes' entities at that tick.",
    _FIGHT,
    Column("tick", TICK.type, "Beginning: `window` before the first death.", TICK.unit),
    SECONDS,
    GAME_SECONDS,
    Column("until_tick", "int32", "End: `window` after the last death.", "ticks"),
    Column("first_death_tick", "int32", "First death.", "ticks"),
    Column("last_death_tick", "int32", "Last death.", "ticks"),
    Column("deaths", "int32", "Deaths of heroes."),
    Column("radiant_deaths", "int32", "Of them, heroes of Radiant."),
    Column("dire_deaths", "int32", "Of them, heroes of Dire."),
    Column("winner", "category", "The side with fewer deaths: radiant or dire; draw if both have as many."),
    Column("x", "float64", "Mean place of the deaths; null if none is known.", "world units"),
    Column("y", "float64", "Mean place of the deaths.", "world units"),
)

FIGHT_PLAYERS = TableSchema.of(
    "fight_players",
    "One row for each player whose hero did or suffered something in a fight of table `fights`; from entries "
    "of the combat log. What the hero's units did counts for it (damage_source_name).",
    _FIGHT,
    PLAYER,
    HERO,
    TEAM,
    Column("kills", "int32", "Enemy heroes that the player's hero or units gave the last blow."),
    Column("deaths", "int32", "Deaths."),
    Column("damage", "int32", "Damage done to enemy heroes (DAMAGE).", "hp"),
    Column("damage_taken", "int32", "Damage taken from anything (DAMAGE).", "hp"),
    Column("healing", "int32", "Healing done to heroes (HEAL).", "hp"),
    Column("gold", "int32", "Gold gained less gold lost (GOLD).", "gold"),
    Column("xp", "int32", "Experience gained (XP).", "xp"),
    Column("buybacks", "int32", "Buybacks (BUYBACK)."),
)


@TABLES.maker_of(FIGHTS, FIGHT_PLAYERS)
class Fights(PlayerFacts):
    """Tables ``fights`` and ``fight_players``."""

    work = 12
    options = ("window", "radius", "deaths")
    string_tables = (*ENTRY_TABLES, NAME_TABLE)
    fields = roster.roster_fields({"CDOTA_Unit_Hero_*": POSITION_FIELDS})

    def __init__(
        self, match: MatchContext, window: int | float | str = "15s", radius: float = 3000.0, deaths: int = 1
    ) -> None:
        super().__init__(match)
        self._window = match.interval(window)
        self._radius = radius
        self._least = deaths
        self._hero_entries = HeroEntries()
        self._by_name: dict[str, int] = {}
        self._by_number: dict[int, int] = {}
        self._seats: dict[int, roster.Seat] = {}
        self._known_seats: tuple[roster.Seat, ...] = ()
        self._lineup: tuple[roster.Place, ...] | None = None
        self._heroes: dict[int, Entity | None] = {}

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._log = CombatEntries(self.match.combat_log(playback), playback, HERO_ENTRY_TYPES)
        playback.after_packet(self._after_packet)

    def _after_packet(self, _tick: int) -> None:
        """Append the new entries with the present positions of the heroes."""
        if not self._log.entries:
            return
        self._learn_names()
        lineup = self._roster.lineup
        if lineup is not self._lineup:
            self._lineup = lineup
            self._heroes = {place.seat.player: place.hero for place in lineup}
        self._hero_entries.append(self._log.entries, self._seats, self._by_number, self._player, self._heroes.get)
        self._log.entries.clear()

    def _learn_names(self) -> None:
        """Update the players' heroes by name after a change."""
        seats = self._roster.seats
        if seats is self._known_seats and len(self._by_name) == len(seats):
            return
        self._known_seats = seats
        self._seats = {seat.player: seat for seat in seats}
        self._by_number.clear()
        heroes = ((seat, self._roster.hero(seat)) for seat in seats)
        self._by_name = {
            roster.hero_key(hero.class_name): seat.player for seat, hero in heroes if hero is not None
        }

    def _player(self, number: int) -> int:
        """Return the player whose hero has this name in the combat log; -1 if there is none."""
        return self._by_name.get(roster.hero_key(self._log.name(number) or ""), -1)

    # -- tables -----------------------------------------------------------------------------------------

    def _find(self) -> tuple[list[Group], dict[int, int]]:
        """Return the fights, and the fight of each death by the number of the death."""
        clones = CloneDeaths()
        deaths = [death for death in self._hero_entries.deaths if not clones.is_clone(death[1], death[2])]
        happenings = (Happening(tick, player, x, y) for _, tick, player, x, y in deaths)
        groups = grouped(happenings, self._window, self._radius)
        large = [group for group in groups if len(group.members) >= self._least]
        numbers = [death[0] for death in deaths]
        return large, {numbers[at]: fight for fight, group in enumerate(large) for at in group.members}

    def tables(self) -> Mapping[str, pa.Table]:
        teams = {seat.player: seat.team for seat in self._roster.seats}
        names = self._roster.hero_names()
        fights, fight_of_death = self._find()
        spans = [(each.first - self._window, each.last + self._window, each.x, each.y) for each in fights]
        counts = self._hero_entries.count(spans, fight_of_death, teams, self._radius)
        return {
            FIGHTS.name: FIGHTS.build_rows(self.match.rows(list(self._rows_of(fights, teams)))),
            FIGHT_PLAYERS.name: FIGHT_PLAYERS.build_rows(
                [
                    {
                        "fight": number,
                        "player": player,
                        "hero": names.get(player),
                        "team": teams.get(player),
                        **dict(zip(COUNTS, counted, strict=True)),
                    }
                    for number, of_players in enumerate(counts, 1)
                    for player, counted in sorted(of_players.items())
                ]
            ),
        }

    def _rows_of(self, fights: list[Group], teams: Mapping[int, int]) -> Iterator[dict[str, Any]]:
        for number, fight in enumerate(fights, 1):
            sides = [teams.get(player) for player in fight.players]
            first, last = fight.first, fight.last
            yield {
                "fight": number,
                "tick": max(0, first - self._window),
                "until_tick": last + self._window,
                "first_death_tick": first,
                "last_death_tick": last,
                "deaths": len(sides),
                "radiant_deaths": sides.count(roster.RADIANT),
                "dire_deaths": sides.count(roster.DIRE),
                "winner": _winner(sides.count(roster.RADIANT), sides.count(roster.DIRE)),
                "x": fight.x,
                "y": fight.y,
            }


def _winner(radiant_deaths: int, dire_deaths: int) -> str:
    """Return the side with fewer deaths, or ``draw``."""
    if radiant_deaths == dire_deaths:
        return "draw"
    return "radiant" if radiant_deaths < dire_deaths else "dire"
