"""Fights: hero deaths that lie together in time and space, and what was done in them.

The rule. Deaths of heroes (no illusions, none that comes back at once) are gone through in order. A death joins
the fight whose last death was at most `window` ago and whose middle (mean place of its deaths) is at most `radius`
away, the nearest if there are several; otherwise it begins a fight. A fight lasts from `window` before its first
death to `window` after its last. Damage to and healing of heroes, gold, experience and buybacks in that time count
for it if the hero they befell was within `radius` of its middle, for the nearest if there are several. Fights of
fewer deaths than `deaths` are left out.

A hero whose place is not known joins by time alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from math import hypot
from typing import TYPE_CHECKING, Any, NamedTuple

from playhead.dota2.facts.columns import GAME_SECONDS, PLAYER, TEAM
from playhead.dota2.sources.combat_log import ENTRY_TABLES, CombatEntries
from playhead.dota2.sources.combat_log_entry import signed
from playhead.dota2.sources.entities import POSITION_FIELDS, PositionReader
from playhead.dota2.sources.match import FactCollector
from playhead.dota2.sources.roster import DIRE, RADIANT, ROSTER_FIELDS, Seat, hero_key, with_fields
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.dota2.sources.match import Match

_FIGHT = Column("fight", "int32", "Number of the fight, from 1, in order of their first deaths.")

FIGHTS = TableSchema(
    name="fights",
    version=1,
    doc="One row for each fight: hero deaths that lie together in time (option `window`, 15 seconds) and space "
    "(option `radius`, 3000 world units), at least `deaths` (1) of them. Deaths are DEATH entries of the combat "
    "log, places those of the heroes' entities at that tick.",
    columns=(
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
        Column("x", "float64", "Mean place of the deaths; null if none is known.", "world units"),
        Column("y", "float64", "Mean place of the deaths.", "world units"),
    ),
)

FIGHT_PLAYERS = TableSchema(
    name="fight_players",
    version=1,
    doc="One row for each player whose hero did or suffered something in a fight of table `fights`; from entries "
    "of the combat log. What the hero's units did counts for it (damage_source_name).",
    columns=(
        _FIGHT,
        PLAYER,
        TEAM,
        Column("kills", "int32", "Enemy heroes that the player's hero or units gave the last blow."),
        Column("deaths", "int32", "Deaths."),
        Column("damage", "int32", "Damage done to enemy heroes (DAMAGE).", "hp"),
        Column("damage_taken", "int32", "Damage taken from anything (DAMAGE).", "hp"),
        Column("healing", "int32", "Healing done to heroes (HEAL).", "hp"),
        Column("gold", "int32", "Gold gained less gold lost (GOLD).", "gold"),
        Column("xp", "int32", "Experience gained (XP).", "xp"),
        Column("buybacks", "int32", "Buybacks (BUYBACK)."),
    ),
)

_COUNTS = ("kills", "deaths", "damage", "damage_taken", "healing", "gold", "xp", "buybacks")
_TYPES = ("DEATH", "DAMAGE", "HEAL", "GOLD", "XP", "BUYBACK")
_Place = tuple[float | None, float | None]


class _Deed(NamedTuple):
    """Something that befell a player's hero: an entry of the combat log."""

    tick: int
    type: str
    doer: int | None
    target: int
    value: int
    place: _Place


@dataclass(slots=True)
class _Fight:
    deaths: list[_Deed] = field(default_factory=list)
    counts: dict[int, dict[str, int]] = field(default_factory=dict)

    middle: _Place = (None, None)

    def add(self, death: _Deed) -> None:
        """A death joins."""
        self.deaths.append(death)
        known = [death.place for death in self.deaths if death.place[0] is not None and death.place[1] is not None]
        if known:
            xs, ys = zip(*known, strict=True)
            self.middle = sum(xs) / len(xs), sum(ys) / len(ys)

    def distance(self, place: _Place) -> float:
        """From its middle; 0 if either is not known."""
        x, y = self.middle
        if x is None or y is None or place[0] is None or place[1] is None:
            return 0.0
        return hypot(place[0] - x, place[1] - y)

    def count(self, player: int, what: str, value: int) -> None:
        self.counts.setdefault(player, dict.fromkeys(_COUNTS, 0))[what] += value


class Fights(FactCollector):
    """Tables ``fights`` and ``fight_players``."""

    schemas = (FIGHTS, FIGHT_PLAYERS)
    options = ("window", "radius", "deaths")
    entities = True
    string_tables = ENTRY_TABLES
    fields = with_fields(ROSTER_FIELDS, {"CDOTA_Unit_Hero_*": POSITION_FIELDS})

    def __init__(
        self, match: Match, window: int | float | str = "15s", radius: float = 3000.0, deaths: int = 1
    ) -> None:
        super().__init__(match)
        self._window = match.interval(window)
        self._radius = radius
        self._least = deaths
        self._position = PositionReader()
        self._deeds: list[_Deed] = []
        self._seats: dict[str, Seat] = {}
        self._seats_by_number: dict[int, Seat | None] = {}
        self._known_seats: tuple[Seat, ...] = ()

    def attach(self, playback: Playback) -> None:
        self._roster = self.match.roster(playback)
        self._log = CombatEntries(self.match.combat_log(playback), playback, _TYPES)
        playback.after_packet(self._after_packet)

    def _after_packet(self, _tick: int) -> None:
        """Look at the new entries while the heroes are where they were."""
        if not self._log.entries:
            return
        self._learn_names()
        places: dict[int, _Place] = {}
        for entry in self._log.take():
            target = self._seat(entry.target)
            if entry.type == "BUYBACK" and target is None:
                target = next((seat for seat in self._known_seats if seat.player == entry.value), None)
            if target is None or entry.target_is_illusion:
                continue
            if entry.type == "DEATH" and entry.will_reincarnate:
                continue
            doer = self._seat(entry.damage_source) or self._seat(entry.attacker)
            place = places.get(target.player)
            if place is None:
                hero = self._roster.hero(target)
                place = places[target.player] = (None, None) if hero is None else self._position(hero)
            self._deeds.append(
                _Deed(
                    entry.tick,
                    entry.type,
                    None if doer is None else doer.player,
                    target.player,
                    signed(entry.value) or 0,
                    place,
                )
            )

    def _learn_names(self) -> None:
        """The players' heroes by name, anew when they change."""
        seats = self._roster.seats
        if seats is self._known_seats and len(self._seats) == len(seats):
            return
        self._known_seats = seats
        self._seats_by_number.clear()
        heroes = ((seat, self._roster.hero(seat)) for seat in seats)
        self._seats = {hero_key(hero.class_name): seat for seat, hero in heroes if hero is not None}

    def _seat(self, number: int | None) -> Seat | None:
        """The player whose hero a name of the combat log means."""
        if not number:
            return None
        if number not in self._seats_by_number:
            self._seats_by_number[number] = self._seats.get(hero_key(self._log.name(number) or ""))
        return self._seats_by_number[number]

    # -- tables -----------------------------------------------------------------------------------------

    def _find(self) -> list[_Fight]:
        fights: list[_Fight] = []
        for deed in self._deeds:
            if deed.type != "DEATH":
                continue
            open_ones = [
                fight
                for fight in fights
                if deed.tick - fight.deaths[-1].tick <= self._window and fight.distance(deed.place) <= self._radius
            ]
            if open_ones:
                min(open_ones, key=lambda fight: fight.distance(deed.place)).add(deed)
            else:
                fights.append(_Fight())
                fights[-1].add(deed)
        return [fight for fight in fights if len(fight.deaths) >= self._least]

    def _count(self, fights: list[_Fight], teams: Mapping[int, int]) -> None:
        of_death = {id(death): fight for fight in fights for death in fight.deaths}
        spans = [(f.deaths[0].tick - self._window, f.deaths[-1].tick + self._window, f) for f in fights]
        over = 0  # spans before this one have ended; they begin, and nearly all end, in order
        for deed in self._deeds:
            while over < len(spans) and spans[over][1] < deed.tick:
                over += 1
            enemy = deed.doer is not None and teams.get(deed.doer) != teams.get(deed.target)
            if deed.type == "DEATH":
                fight = of_death.get(id(deed))
                if fight is None:
                    continue
                fight.count(deed.target, "deaths", 1)
                if enemy and deed.doer is not None:
                    fight.count(deed.doer, "kills", 1)
                continue
            near = [
                fight
                for _, end, fight in takewhile(lambda span: span[0] <= deed.tick, spans[over:])  # noqa: B023
                if deed.tick <= end and fight.distance(deed.place) <= self._radius
            ]
            if not near:
                continue
            fight = min(near, key=lambda each: each.distance(deed.place))
            if deed.type == "DAMAGE":
                fight.count(deed.target, "damage_taken", deed.value)
                if enemy and deed.doer is not None:
                    fight.count(deed.doer, "damage", deed.value)
            elif deed.type == "HEAL":
                if deed.doer is not None:
                    fight.count(deed.doer, "healing", deed.value)
            elif deed.type == "BUYBACK":
                fight.count(deed.target, "buybacks", 1)
            else:
                fight.count(deed.target, deed.type.lower(), deed.value)

    def tables(self) -> Mapping[str, pa.Table]:
        teams = {seat.player: seat.team for seat in self._roster.seats}
        fights = self._find()
        self._count(fights, teams)
        return {
            FIGHTS.name: FIGHTS.build_rows(self.match.rows(list(self._rows(fights, teams)))),
            FIGHT_PLAYERS.name: FIGHT_PLAYERS.build_rows(
                [
                    {"fight": number, "player": player, "team": teams.get(player), **counts}
                    for number, fight in enumerate(fights, 1)
                    for player, counts in sorted(fight.counts.items())
                ]
            ),
        }

    def _rows(self, fights: list[_Fight], teams: Mapping[int, int]) -> Iterator[dict[str, Any]]:
        for number, fight in enumerate(fights, 1):
            sides = [teams.get(death.target) for death in fight.deaths]
            x, y = fight.middle
            first, last = fight.deaths[0].tick, fight.deaths[-1].tick
            yield {
                "fight": number,
                "tick": max(0, first - self._window),
                "until_tick": last + self._window,
                "first_death_tick": first,
                "last_death_tick": last,
                "deaths": len(sides),
                "radiant_deaths": sides.count(RADIANT),
                "dire_deaths": sides.count(DIRE),
                "x": x,
                "y": y,
            }
