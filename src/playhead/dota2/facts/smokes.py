"""Tables ``smoke_uses`` and ``smoke_members``: each Smoke of Deceit, its user, and the hidden heroes."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot
from typing import Any, ClassVar, NamedTuple

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.combat_log import NAMES, Entry, signed
from playhead.dota2.sources.entities import NAME_FIELD, NAME_TABLE, POSITION_FIELDS, integer, npc_name, position
from playhead.dota2.sources.hero_lives import HERO_LIFE_FIELDS, CloneDeaths, HeroLives, LoggedDeath
from playhead.dota2.sources.lives import CombatEntries
from playhead.dota2.sources.match import PlayerFacts
from playhead.dota2.sources.roster import ROSTER_FIELDS, opposed, with_fields
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_ITEM, _MODIFIER = "item_smoke_of_deceit", "modifier_smoke_of_deceit"
_TYPES = ("ITEM", "MODIFIER_ADD", "MODIFIER_REMOVE")
_HEROES, _TOWERS = "CDOTA_Unit_Hero_*", "CDOTA_BaseNPC_Tower"
_LIFE, _TEAM = "m_lifeState", "m_iTeamNum"

#: Largest distance, in ticks, between the use of a smoke and the start of a hero's modifier.
_SAME_SMOKE = 15
# Kills so many seconds after a smoke count for it, in odota/parser's wish.
_RESULT = 35.0
# An enemy hero or tower within 1,025 map units breaks a smoke; heroes move between two packets.
_BREAKS_AT = 1100.0
# A smoke that lasted so nearly as planned was not broken, in seconds; largest number of ticks between the death of
# a hero and the end of its smoke.
_EARLY, _SAME_DEATH = 0.2, 2

SMOKES = TableSchema.of(
    "smoke_uses",
    "One row for each Smoke of Deceit used: the combat log's ITEM entry of item_smoke_of_deceit, and the "
    "MODIFIER_ADD entries of modifier_smoke_of_deceit of the same side within half a second. A courier's use has "
    "no ITEM entry: its row begins at the first MODIFIER_ADD entry, and `hero` and `player` are null.",
    *words("tick seconds game_seconds"),
    word("end_tick", "When the last of them was seen again (MODIFIER_REMOVE)."),
    *words("end_seconds end_game_seconds"),
    word("hero", "That used it: attacker of the ITEM entry; null for a courier."),
    word("player"),
    word("team", "attacker_team of the entry, target_team of MODIFIER_ADD for a courier."),
    word("side"),
    Column("members", "list<string>", "Heroes that it hid: targets of the MODIFIER_ADD entries."),
    Column("member_players", "list<int32>", "Players of these heroes."),
    word(
        "kills", "Of the other side's heroes, by these players in the 35 seconds after `tick` on the game's clock."
    ),
    word("deaths", "Of these players' heroes in that time."),
)


SMOKE_MEMBERS = TableSchema.of(
    "smoke_members",
    "One row for each hero that a smoke of table `smoke_uses` hid: MODIFIER_ADD and MODIFIER_REMOVE entries of "
    "modifier_smoke_of_deceit, with the places of the hero's entity.",
    word("tick", "When the hero was hidden."),
    *words("seconds game_seconds"),
    word("end_tick", "When the hero was seen again."),
    *words("end_seconds end_game_seconds"),
    Column("smoke_tick", "int32", "`tick` of the smoke in table `smoke_uses`.", "ticks"),
    *words("hero player x y end_x end_y duration_seconds"),
    word(
        "outcome",
        "expired, died, or broken: it ended before its planned time (modifier_duration). Null also if that is "
        "unknown.",
    ),
    Column(
        "breaker",
        "category",
        "The nearest living hero or standing tower of the other side, at most 1,100 map units away, when the "
        "smoke was broken; null if there was none, as after the hero's own attack. The log does not name it.",
    ),
    Column("breaker_player", "int32", "The player whose hero `breaker` is."),
    Column("breaker_distance", "float32", "How far away it was.", "map units"),
)


# Coordinates; None if unknown.
_Place = tuple[float | None, float | None]


class _Seen(NamedTuple):
    """Start or end of a hero's modifier."""

    tick: int
    hero: str | None
    team: int | None
    place: _Place
    planned: float | None
    near: tuple[str | None, int | None, float] | None


@TABLES.maker_of(SMOKES, SMOKE_MEMBERS)
class Smokes(PlayerFacts):
    jobs: ClassVar = Jobs(extra=30)

    string_tables = (NAMES, NAME_TABLE)
    fields = with_fields(
        ROSTER_FIELDS,
        HERO_LIFE_FIELDS,
        dict.fromkeys((_HEROES, _TOWERS), (*POSITION_FIELDS, NAME_FIELD, _LIFE)),
        {_TOWERS: (_TEAM,)},
    )

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._used: list[Entry] = []
        self._added: list[_Seen] = []
        self._removed: list[_Seen] = []
        self._kinds: dict[int | None, str | None] = {}
        self._deaths: list[Entry] = []
        self._lives = HeroLives.of(self.match, playback)
        feed = self.match.combat_log(playback)
        self._log = CombatEntries(feed, playback, ("DEATH",))
        # Numbers of items and modifiers that are no smoke: nearly all.
        self._others: set[int] = set()
        feed.listen(self._log.entries, _TYPES, self._others)
        playback.after_packet(self._after_packet)

    def _after_packet(self, _tick: int) -> None:
        """Keep the entries of smokes, with the present places of the heroes."""
        for entry in self._log.entries:
            if entry.type == "DEATH":
                if entry.target_is_hero and not entry.target_is_illusion:
                    self._deaths.append(entry)
                continue
            inflictor = self._kinds.get(entry.inflictor)
            if inflictor is None:
                inflictor = self._kinds[entry.inflictor] = self._log.name(entry.inflictor)
            if entry.inflictor is not None and inflictor not in (_ITEM, _MODIFIER):
                self._others.add(entry.inflictor)
                continue
            if entry.type == "ITEM":
                if inflictor == _ITEM:
                    self._used.append(entry)
            elif inflictor == _MODIFIER and entry.target_is_hero and not entry.target_is_illusion:
                hero = self._log.name(entry.target)
                team, place, over = signed(entry.target_team), self._place(hero), entry.type == "MODIFIER_REMOVE"
                near = self._nearest(team, place) if over else None
                seen = _Seen(entry.tick, hero, team, place, entry.modifier_duration, near)
                (self._removed if over else self._added).append(seen)
        self._log.entries.clear()

    def _place(self, name: str | None) -> _Place:
        player = self._roster.player_named(name)
        seat = next((seat for seat in self._roster.seats if seat.player == player), None)
        hero = None if seat is None else self._roster.hero(seat)
        return (None, None) if hero is None else position(hero)

    def _nearest(self, team: int | None, place: _Place) -> tuple[str | None, int | None, float] | None:
        """Return name, player and distance of the hero or tower that may have broken a smoke of a team."""
        entities = self._playback.entities
        if team is None:
            return None
        others: list[tuple[Entity | None, int | None]] = [
            (each.hero, each.seat.player) for each in self._roster.lineup if each.seat.team != team
        ]
        towers = entities.find_all_by_class_name(_TOWERS)
        others += [(tower, None) for tower in towers if integer(tower, _TEAM) not in (team, None)]
        found = []
        for entity, player in others:
            if entity is None or integer(entity, _LIFE):
                continue
            distance = _distance(place, position(entity))
            if distance is not None and distance <= _BREAKS_AT:
                found.append((npc_name(entities, entity), player, distance))
        return min(found, key=lambda each: each[2], default=None)

    # -- the end ----------------------------------------------------------------------------------------

    def tables(self) -> Mapping[str, pa.Table]:
        self._after_packet(0)
        self.match.finish()
        fallen = self._fallen()
        smokes: list[dict[str, Any]] = []
        for entry in self._used:
            hero = self._log.name(entry.attacker)
            player, team = self._roster.player_named(hero), signed(entry.attacker_team)
            smokes.append({"tick": entry.tick, "hero": hero, "player": player, "team": team, "members": []})
        members: list[dict[str, Any]] = []
        for seen in self._added:
            row = self._smoke_of(seen, smokes)
            if seen.hero not in row["members"]:
                row["members"].append(seen.hero)
                members.append(self._member(row, seen, fallen))
        smokes.sort(key=lambda row: int(row["tick"]))
        for row in smokes:
            ends = [member["end_tick"] for member in members if member["smoke_tick"] == row["tick"]]
            row["end_tick"] = None if not ends or None in ends else max(ends)
            row["member_players"] = [self._roster.player_named(hero) for hero in row["members"]]
            row |= self._result(row, fallen)
        return {
            SMOKES.name: self.match.table(SMOKES, smokes),
            SMOKE_MEMBERS.name: self.match.table(SMOKE_MEMBERS, members),
        }

    @staticmethod
    def _smoke_of(seen: _Seen, smokes: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the smoke that hid a hero; a new one if a courier used it."""
        near = [
            row
            for row in smokes
            if abs(row["tick"] - seen.tick) <= _SAME_SMOKE
            and (seen.team is None or row["team"] in (seen.team, None))
        ]
        if near:
            return min(near, key=lambda row: abs(int(row["tick"]) - seen.tick))
        row: dict[str, Any] = {"tick": seen.tick, "hero": None, "player": None, "team": seen.team, "members": []}
        smokes.append(row)
        return row

    def _fallen(self) -> list[tuple[int, int, int | None]]:
        """Return tick, victim and killer of each death of a player's hero."""
        clones, named = CloneDeaths(), []
        for entry in self._deaths:
            names = (self._log.name(number) for number in (entry.target, entry.damage_source, entry.attacker))
            victim, source, attacker = map(self._roster.player_named, names)
            if victim is not None:
                death = LoggedDeath(victim, entry.tick, bool(entry.will_reincarnate))
                named.append((death, attacker if source is None else source))
        counted = self._lives.counted([death for death, _ in named])
        return [
            (death.tick, death.player, killer)
            for (death, killer), counts in zip(named, counted, strict=True)
            if counts and not clones.is_clone(death.tick, death.player)
        ]

    def _result(self, smoke: Mapping[str, Any], fallen: list[tuple[int, int, int | None]]) -> dict[str, int]:
        members, first = smoke["member_players"], smoke["tick"]
        teams = {seat.player: seat.team for seat in self._roster.seats}
        then = [
            (victim, killer)
            for tick, victim, killer in fallen
            if tick >= first and self.match.seconds_between(first, tick) <= _RESULT
        ]
        return {
            "kills": sum(killer in members and opposed(teams, killer, victim) is True for victim, killer in then),
            "deaths": sum(victim in members for victim, _ in then),
        }

    def _member(
        self, smoke: Mapping[str, Any], seen: _Seen, fallen: list[tuple[int, int, int | None]]
    ) -> dict[str, Any]:
        ends = (each for each in self._removed if each.hero == seen.hero is not None and each.tick >= seen.tick)
        end = next(ends, None)
        over = (None, None) if end is None else end.place
        player = self._roster.player_named(seen.hero)
        lasted = None if end is None else self.match.seconds_between(seen.tick, end.tick)
        outcome = None
        if end is not None and lasted is not None:
            if any(victim == player and abs(tick - end.tick) <= _SAME_DEATH for tick, victim, _ in fallen):
                outcome = "died"
            elif seen.planned is not None:
                outcome = "broken" if lasted < seen.planned - _EARLY else "expired"
        breaker, breaker_player, distance = end.near if end and end.near and outcome == "broken" else (None,) * 3
        return {
            "tick": seen.tick,
            "smoke_tick": smoke["tick"],
            "hero": seen.hero,
            "player": player,
            "duration_seconds": lasted,
            "outcome": outcome,
            "breaker": breaker,
            "breaker_player": breaker_player,
            "breaker_distance": distance,
            "end_tick": None if end is None else end.tick,
            "x": seen.place[0],
            "y": seen.place[1],
            "end_x": over[0],
            "end_y": over[1],
        }


def _distance(first: _Place, second: _Place) -> float | None:
    (x, y), (other_x, other_y) = first, second
    if x is None or y is None or other_x is None or other_y is None:
        return None
    return hypot(x - other_x, y - other_y)
