"""Table ``smokes``: each Smoke of Deceit, its user, and the hidden heroes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.columns import GAME_SECONDS
from playhead.dota2.sources.combat_log import ENTRY_TABLES, CombatEntries
from playhead.dota2.sources.combat_log_entry import signed
from playhead.dota2.sources.match import FactCollector
from playhead.dota2.sources.roster import ROSTER_FIELDS
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK

if TYPE_CHECKING:
    import pyarrow as pa

_ITEM, _MODIFIER = "item_smoke_of_deceit", "modifier_smoke_of_deceit"

#: Largest distance, in ticks, between the use of a smoke and the start of a hero's modifier.
_SAME_SMOKE = 15

SMOKES = TableSchema(
    name="smokes",
    version=1,
    doc="One row for each Smoke of Deceit used: the combat log's ITEM entry of item_smoke_of_deceit, and the "
    "MODIFIER_ADD entries of modifier_smoke_of_deceit of the same side within half a second. A courier's use has "
    "no ITEM entry: its row begins at the first MODIFIER_ADD entry, and `hero` and `player` are null.",
    columns=(
        TICK,
        SECONDS,
        GAME_SECONDS,
        Column("hero", "category", "Its user: attacker of the ITEM entry; null for a courier."),
        Column("player", "int32", "The player whose hero that is; null if none."),
        Column(
            "team",
            "int32",
            "attacker_team of the entry, target_team of MODIFIER_ADD for a courier: 2 is Radiant, 3 is Dire.",
        ),
        Column("members", "list<string>", "Heroes that it hid: targets of the MODIFIER_ADD entries."),
        Column("until_tick", "int32", "When the last of them was seen again (MODIFIER_REMOVE); or null.", "ticks"),
    ),
)


class _Seen(NamedTuple):
    """Start or end of a hero's modifier."""

    tick: int
    hero: str | None
    team: int | None


@TABLES.add
class Smokes(FactCollector):
    """Table ``smokes``."""

    schemas = (SMOKES,)
    entities = True
    string_tables = ENTRY_TABLES
    fields = ROSTER_FIELDS

    def attach(self, playback: Playback) -> None:
        self._roster = self.match.roster(playback)
        self._log = CombatEntries(
            self.match.combat_log(playback), playback, ("ITEM", "MODIFIER_ADD", "MODIFIER_REMOVE")
        )

    def tables(self) -> Mapping[str, pa.Table]:
        name = self._log.name
        used: list[dict[str, Any]] = []
        added: list[_Seen] = []
        removed: list[_Seen] = []
        for entry in self._log.entries:
            inflictor = name(entry.inflictor)
            if entry.type == "ITEM" and inflictor == _ITEM:
                hero = name(entry.attacker)
                player, team = self._roster.player_named(hero), signed(entry.attacker_team)
                used.append({"tick": entry.tick, "hero": hero, "player": player, "team": team, "members": []})
            elif inflictor == _MODIFIER and entry.target_is_hero:
                seen = _Seen(entry.tick, name(entry.target), signed(entry.target_team))
                (added if entry.type == "MODIFIER_ADD" else removed).append(seen)
        for tick, hero, team in added:
            near = [row for row in used if abs(row["tick"] - tick) <= _SAME_SMOKE and row["team"] in (team, None)]
            row = min(near, key=lambda row: abs(row["tick"] - tick), default=None)
            if row is None:
                row = {"tick": tick, "hero": None, "player": None, "team": team, "members": []}
                used.append(row)
            if hero not in row["members"]:
                row["members"].append(hero)
        used.sort(key=lambda row: int(row["tick"]))
        for row in used:
            last = [
                next((tick for tick, hero, _ in removed if hero == member and tick >= row["tick"]), None)
                for member in row["members"]
            ]
            row["until_tick"] = (
                None if not last or None in last else max(tick for tick in last if tick is not None)
            )
        return {SMOKES.name: SMOKES.build_rows(self.match.rows(used))}
