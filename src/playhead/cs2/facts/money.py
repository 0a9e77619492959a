"""Tables ``economy`` and ``item_events``: money and loadouts of each round, purchases, the ground."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import Any, ClassVar

from playhead.cs2.facts import PLACE, TABLES, TIME, person
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import (
    ARMOR,
    CONTROLLER,
    LOADOUT_FIELDS,
    MOST_WEAPONS,
    MY_WEAPONS,
    PAWN,
    PLACE_FIELDS,
    WEAPON_INDEX,
    place,
    weapon_name,
    weapons_of,
)
from playhead.cs2.sources.people import Person, columns_of
from playhead.cs2.sources.words import weapon_of
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
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
    "One row for each player of a side and round: money and equipment at the end of freeze time (`tick`), "
    "also of rounds that do not count (`counts`).",
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
    jobs: ClassVar = Jobs(extra=3)

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


_SELLBACK = "m_pBuyServices.m_vecSellbackPurchaseEntries"
_NUMBER, _COST, _ITEM = "m_unDefIdx", "m_nCost", "m_hItem"
_XUID = ("m_OriginalOwnerXuidLow", "m_OriginalOwnerXuidHigh")
#: More purchases than a buy time has.
_MOST_PURCHASES = 32

ITEM_EVENTS = TableSchema.of(
    "item_events",
    "One row for each item that a player bought, gave back, dropped or picked up. Purchases and refunds come "
    "from the list of items that can be sold back (m_vecSellbackPurchaseEntries), so events need not be recorded; "
    "drops and pickups from the weapons of the pawns. Weapons that a round starts with have no row.",
    *TIME,
    word("change", "purchase, refund, drop, pickup."),
    *person(),
    word("item", "The weapon's word, or vest, vesthelm, defuser."),
    word("cost", "Of a purchase; money given back for a refund; null for others."),
    word("entity"),
    Column("original_account", "string", "Account of the first owner; null for none, and for armour."),
    *PLACE,
)

_Entry = tuple[int, int, int]


@TABLES.maker_of(ITEM_EVENTS)
class ItemEvents(Cs2Facts):
    jobs: ClassVar = Jobs(55, extra=177)
    fields = MappingProxyType(
        {
            PAWN: (*PLACE_FIELDS, MY_WEAPONS, f"{MY_WEAPONS}.????", _SELLBACK, f"{_SELLBACK}.????.*"),
            CONTROLLER: (_MONEY,),
            "C*": (WEAPON_INDEX, *_XUID),
        }
    )

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._entities = playback.entities
        self._changed: set[int] = set()
        self._had: dict[int, dict[int, Entity]] = {}
        self._bought: dict[int, list[_Entry]] = {}
        self._money: dict[int, int] = {}
        self._rises: dict[int, tuple[int, int]] = {}
        self._born: dict[int, int] = {}
        weapons = [f"{MY_WEAPONS}.{number:04}" for number in range(MOST_WEAPONS)]
        entries = [
            f"{_SELLBACK}.{number:04}.{name}"
            for number in range(_MOST_PURCHASES)
            for name in (_NUMBER, _COST, _ITEM)
        ]
        self._entities.on_entity(FieldWatch((MY_WEAPONS, *weapons, _SELLBACK, *entries), self._on_pawn), PAWN)
        self._entities.on_entity(FieldWatch((_MONEY,), self._on_controller), CONTROLLER)
        self._entities.on_entity(self._on_created, "C*", EntityOp.CREATED)
        playback.after_packet(self._after)

    def _on_pawn(self, pawn: Entity, op: EntityOp) -> None:
        if op & EntityOp.DELETED:
            for known in (self._had, self._bought):
                known.pop(pawn.index, None)
            self._changed.discard(pawn.index)
        else:
            self._changed.add(pawn.index)

    def _on_created(self, entity: Entity, _op: EntityOp) -> None:
        self._born[entity.index] = self._playback.tick

    # -- after the packet -------------------------------------------------------------------------------

    def _after(self, tick: int) -> None:
        if not self._changed:
            return
        changed, self._changed = self._changed, set()
        for index in sorted(changed):
            pawn = self._entities.find(index)
            if pawn is not None:
                self._compare(pawn, tick)

    def _compare(self, pawn: Entity, tick: int) -> None:
        """Add the rows of one pawn."""
        people = self.match.people
        owner = people.of_pawn(pawn.handle)
        entries = _entries(pawn)
        # Purchases before the recording have no row.
        had_entries = self._bought.get(pawn.index, entries)
        self._bought[pawn.index] = entries
        for entry in _without(entries, had_entries):
            self._add_purchase("purchase", owner, pawn, entry)
        # If money came back, entries that are gone were refunded. The list is also emptied, without money, at the
        # end of buy time.
        gone = _without(had_entries, entries)
        if gone and self._rise(owner) == sum(cost for _, cost, _ in gone):
            for entry in gone:
                self._add_purchase("refund", owner, pawn, entry)
        now = {weapon.index: weapon for weapon in weapons_of(self._entities, pawn)}
        before = self._had.get(pawn.index)
        self._had[pawn.index] = now
        if before is None:
            return
        for index, weapon in now.items():
            if index not in before and self._born.get(index) != tick:
                self._add("pickup", owner, pawn, weapon)
        for index, weapon in before.items():
            kept = self._entities.find(index)
            # The knife of the dead leaves the list before its entity is deleted.
            if index not in now and kept is weapon and not (weapon_name(weapon) or "").startswith("knife"):
                self._add("drop", owner, pawn, weapon)

    def _rise(self, owner: Person | None) -> int:
        """Return by how much the money of a person rose in this packet."""
        tick, rise = (-1, 0) if owner is None else self._rises.get(owner.slot, (-1, 0))
        return rise if tick == self._playback.tick else 0

    def _on_controller(self, controller: Entity, op: EntityOp) -> None:
        slot, money = controller.index - 1, controller.get_int(_MONEY) or 0
        if not op & (EntityOp.CREATED | EntityOp.DELETED):
            self._rises[slot] = (self._playback.tick, money - self._money.get(slot, money))
        self._money[slot] = money

    def _add_purchase(self, change: str, owner: Person | None, pawn: Entity, entry: _Entry) -> None:
        number, cost, handle = entry
        weapon = self._entities.find_by_handle(handle)
        row = self._row(change, owner, pawn, weapon)
        self._rows.append(row | {"item": weapon_of(number), "cost": cost})

    def _add(self, change: str, owner: Person | None, pawn: Entity, weapon: Entity) -> None:
        self._rows.append(self._row(change, owner, pawn, weapon) | {"item": weapon_name(weapon)})

    def _row(self, change: str, owner: Person | None, pawn: Entity, weapon: Entity | None) -> dict[str, Any]:
        low, high = (0, 0) if weapon is None else (weapon.get_int(name) or 0 for name in _XUID)
        return {
            "tick": self._playback.tick,
            "change": change,
            **columns_of(owner, ""),
            "entity": None if weapon is None else weapon.index,
            "original_account": str(low | high << 32) if low or high else None,
            **dict(zip("xyz", place(pawn), strict=True)),
        }


def _entries(pawn: Entity) -> list[_Entry]:
    """Return the items that can be sold back: number, cost, handle."""
    count = pawn.get(_SELLBACK)
    found = []
    for number in range(min(count, _MOST_PURCHASES) if isinstance(count, int) else 0):
        values = [pawn.get(f"{_SELLBACK}.{number:04}.{name}") for name in (_NUMBER, _COST, _ITEM)]
        number_, cost, handle = (value if isinstance(value, int) else 0 for value in values)
        found.append((number_, cost, handle))
    return found


def _without(entries: list[_Entry], others: list[_Entry]) -> list[_Entry]:
    """Return the entries that are not among the others, each as often as it is more."""
    return list((Counter(entries) - Counter(others)).elements())
