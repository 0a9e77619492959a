"""Table ``economy``: money and loadout of each player in each round."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, ClassVar

from playhead.cs2.facts import TABLES, TIME, person
from playhead.cs2.sources.loadouts import LOADOUT_FIELDS
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import ARMOR, CONTROLLER, PAWN, weapon_name, weapons_of
from playhead.cs2.sources.people import columns_of
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_SERVICES = "m_pInGameMoneyServices."
_MONEY, _START = f"{_SERVICES}m_iAccount", f"{_SERVICES}m_iStartAccount"
_SPENT, _WORTH = f"{_SERVICES}m_iCashSpentThisRound", "m_unCurrentEquipmentValue"
_HELMET, _KIT = "m_pItemServices.m_bHasHelmet", "m_pItemServices.m_bHasDefuser"

ECONOMY = TableSchema.of(
    "economy",
    "One row for each player of a side and round: money and equipment at the end of freeze time (`tick`).",
    *TIME,
    *person(),
    word("start_money", "When the round started (m_iStartAccount)."),
    word("money", "Left at the end of freeze time (m_iAccount)."),
    Column("spent", "int32", "Money spent by the end of the round or recording (m_iCashSpentThisRound).", "$"),
    word("equipment_value", "m_unCurrentEquipmentValue."),
    *words("armor has_helmet has_defuser"),
    Column("loadout", "list<string>", "All weapons, in the order of the entity."),
)


@TABLES.maker_of(ECONOMY)
class Economy(Cs2Facts):
    """Table ``economy``."""

    jobs: ClassVar = Jobs(extra=3)

    entities: ClassVar = True
    fields = MappingProxyType(
        {
            CONTROLLER: (_MONEY, _START, _SPENT),
            PAWN: (*LOADOUT_FIELDS[PAWN], ARMOR, _WORTH, _HELMET, _KIT),
            "C*": LOADOUT_FIELDS["C*"],
        }
    )

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._open: dict[int, dict[str, Any]] = {}
        self._due: list[str] = []
        self.match.rounds.on_change(self._on_rules)
        playback.after_packet(self._after)

    def _on_rules(self, _tick: int, before: dict[str, Any], now: dict[str, Any]) -> None:
        if before and before.get("m_nRoundEndCount") != now["m_nRoundEndCount"]:
            self._due.append("end")
        if before and before.get("m_bFreezePeriod") and now["m_bFreezePeriod"] is False:
            self._due.append("live")

    def _after(self, tick: int) -> None:
        due, self._due = self._due, []
        for what in due:
            if what == "live":
                self._open_rows(tick)
            else:
                self._close()

    def _open_rows(self, tick: int) -> None:
        self._open = {}
        people = self.match.people
        for each in people.playing:
            controller, pawn = each.controller, people.pawn(each)
            row = {"tick": tick, **columns_of(each, "")}
            if controller is not None:
                row |= {"start_money": controller.get_int(_START), "money": controller.get_int(_MONEY)}
                row["spent"] = controller.get_int(_SPENT)
            if pawn is not None:
                row |= {"equipment_value": pawn.get_int(_WORTH), "armor": pawn.get_int(ARMOR)}
                row |= {"has_helmet": pawn.get(_HELMET), "has_defuser": pawn.get(_KIT)}
                row["loadout"] = [weapon_name(weapon) for weapon in weapons_of(self._playback.entities, pawn)]
            self._open[each.player] = row
            self._rows.append(row)

    def _close(self) -> None:
        for each in self.match.people.playing:
            row = self._open.get(each.player)
            if row is not None and each.controller is not None:
                row["spent"] = each.controller.get_int(_SPENT)
        self._open = {}

    def rows(self) -> list[dict[str, Any]]:
        self._close()
        return self._rows
