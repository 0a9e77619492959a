"""Tables ``smoke_uses`` and ``smoke_members``: each Smoke of Deceit, its user, and the hidden heroes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.combat_log import ENTRY_TABLES, CombatEntries
from playhead.dota2.sources.combat_log_entry import Entry, signed
from playhead.dota2.sources.entities import POSITION_FIELDS, position
from playhead.dota2.sources.match import PlayerFacts
from playhead.dota2.sources.roster import ROSTER_FIELDS, with_fields
from playhead.runtime.libraries import pa
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_ITEM, _MODIFIER = "item_smoke_of_deceit", "modifier_smoke_of_deceit"

#: Largest distance, in ticks, between the use of a smoke and the start of a hero's modifier.
_SAME_SMOKE = 15

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
    *words("hero player x y end_x end_y"),
)


class _Seen(NamedTuple):
    """Start or end of a hero's modifier."""

    tick: int
    hero: str | None
    team: int | None
    place: tuple[float | None, float | None]


@TABLES.maker_of(SMOKES, SMOKE_MEMBERS)
class Smokes(PlayerFacts):
    """Tables ``smoke_uses`` and ``smoke_members``."""

    string_tables = ENTRY_TABLES
    fields = with_fields(ROSTER_FIELDS, {"CDOTA_Unit_Hero_*": POSITION_FIELDS})

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._used: list[Entry] = []
        self._added: list[_Seen] = []
        self._removed: list[_Seen] = []
        self._kinds: dict[int | None, str | None] = {}
        self._log = CombatEntries(
            self.match.combat_log(playback), playback, ("ITEM", "MODIFIER_ADD", "MODIFIER_REMOVE")
        )
        playback.after_packet(self._after_packet)

    def _after_packet(self, _tick: int) -> None:
        """Keep the entries of smokes, with the present places of the heroes."""
        for entry in self._log.entries:
            inflictor = self._kinds.get(entry.inflictor)
            if inflictor is None:
                inflictor = self._kinds[entry.inflictor] = self._log.name(entry.inflictor)
            if entry.type == "ITEM":
                if inflictor == _ITEM:
                    self._used.append(entry)
            elif inflictor == _MODIFIER and entry.target_is_hero and not entry.target_is_illusion:
                hero = self._log.name(entry.target)
                seen = _Seen(entry.tick, hero, signed(entry.target_team), self._place(hero))
                (self._added if entry.type == "MODIFIER_ADD" else self._removed).append(seen)
        self._log.entries.clear()

    def _place(self, name: str | None) -> tuple[float | None, float | None]:
        player = self._roster.player_named(name)
        seat = next((seat for seat in self._roster.seats if seat.player == player), None)
        hero = None if seat is None else self._roster.hero(seat)
        return (None, None) if hero is None else position(hero)

    # -- the end ----------------------------------------------------------------------------------------

    def tables(self) -> Mapping[str, pa.Table]:
        self._after_packet(0)
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
                members.append(self._member(row, seen))
        smokes.sort(key=lambda row: int(row["tick"]))
        for row in smokes:
            ends = [member["end_tick"] for member in members if member["smoke_tick"] == row["tick"]]
            row["end_tick"] = None if not ends or None in ends else max(ends)
            row["member_players"] = [self._roster.player_named(hero) for hero in row["members"]]
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
            if abs(row["tick"] - seen.tick) <= _SAME_SMOKE and row["team"] in (seen.team, None)
        ]
        if near:
            return min(near, key=lambda row: abs(int(row["tick"]) - seen.tick))
        row: dict[str, Any] = {"tick": seen.tick, "hero": None, "player": None, "team": seen.team, "members": []}
        smokes.append(row)
        return row

    def _member(self, smoke: Mapping[str, Any], seen: _Seen) -> dict[str, Any]:
        end = next((each for each in self._removed if each.hero == seen.hero and each.tick >= seen.tick), None)
        over = (None, None) if end is None else end.place
        return {
            "tick": seen.tick,
            "smoke_tick": smoke["tick"],
            "hero": seen.hero,
            "player": self._roster.player_named(seen.hero),
            "end_tick": None if end is None else end.tick,
            "x": seen.place[0],
            "y": seen.place[1],
            "end_x": over[0],
            "end_y": over[1],
        }
