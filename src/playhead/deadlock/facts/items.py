"""Tables ``item_events`` and ``items_held``; `HeldItems` follows the items of each player."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import DeclaredNames, names_of, number, number_of
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.deadlock.sources.people import CONTROLLER, PAWN, person_columns, person_row
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.messages.definitions import enumeration
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_ITEMS = "m_vecUpgrades"
# More items than a player holds.
_MOST = 32

#: Called with the index of the controller, its items before, and now.
ItemHandler = Callable[[int, tuple[int, ...], tuple[int, ...]], None]


class HeldItems:
    """Follows m_vecUpgrades of all controllers."""

    fields: Mapping[str, Sequence[str]] = {CONTROLLER: names_of((_ITEMS, f"{_ITEMS}.????"))}

    def __init__(self, declared: DeclaredNames) -> None:
        self._field = declared.name(CONTROLLER, _ITEMS) or _ITEMS
        self._held: dict[int, tuple[int, ...]] = {}
        self._handler: ItemHandler | None = None

    def attach(self, playback: Playback, handler: ItemHandler | None = None) -> None:
        """Follow a playback, which has to keep `fields`; `handler` is called at each change."""
        self._handler = handler
        names = (self._field, *(f"{self._field}.{place:04}" for place in range(_MOST)))
        playback.entities.on_entity(FieldWatch(names, self._on_controller), CONTROLLER)

    def _on_controller(self, controller: Entity, op: EntityOp) -> None:
        before = self._held.get(controller.index, ())
        now = () if op & EntityOp.DELETED else self.read(controller)
        if now != before:
            self._held[controller.index] = now
            if self._handler is not None:
                self._handler(controller.index, before, now)

    def read(self, controller: Entity) -> tuple[int, ...]:
        """Return the present items of a controller."""
        count = min(number(controller, self._field) or 0, _MOST)
        found = (number(controller, f"{self._field}.{place:04}") for place in range(count))
        return tuple(item for item in found if item)


_SOULS, _SPENT = "m_nCurrencies.0000", "m_nSpentCurrencies.0000"

# Tick of the last change of a player's souls, and the souls, and those spent, before and after it.
_Change = tuple[int | None, int | None, int | None, int | None, int | None]
_UNKNOWN: _Change = (None, None, None, None, None)

#: Words of AbilitiesChanged.change; 4 depends on the build.
CHANGES: Mapping[int, str] = {0: "purchase", 1: "upgrade", 2: "sale", 3: "swap", 5: "failure"}
#: First client version in which change 4 is a level; before, it is a failure.
_LEVELS_SINCE = 6711
ITEM_EVENTS = TableSchema.of(
    "item_events",
    "One row for each message AbilitiesChanged: an item or ability was bought, upgraded, sold or swapped, or the "
    "purchase failed.",
    *words("tick! seconds game_seconds"),
    *person_columns(),
    word("item", "Abilities too."),
    *words("item_id"),
    word(
        "change",
        "purchase, upgrade, sale, swap, failure or level_up; number 4 is failure before client 6711, level_up "
        "from there on, and null if the recording does not say its version.",
    ),
    Column("change_id", "int64", "The message's number of the change."),
    Column("upgraded_from", "list<string>", "Components that went into it, by name or number."),
    Column("upgraded_from_ids", "list<int64>", "Numbers of the items lost in the same packet."),
    word(
        "cost",
        "Souls that a purchase or an upgrade took: the rise of m_nSpentCurrencies[0] of the body in the packet; "
        "null if the player bought several things in it. No recording has the shop's prices.",
    ),
    Column("souls_before", "int32", "m_nCurrencies[0] of the body before the packet.", "souls"),
    Column("souls_after", "int32", "m_nCurrencies[0] of the body after the packet.", "souls"),
)
ITEMS_HELD = TableSchema.of(
    "items_held",
    "One row for each item that a player held, in the order in which they came: m_vecUpgrades of the "
    "controller. A component ends where the item that is made of it begins.",
    *words("tick! seconds game_seconds end_tick end_seconds end_game_seconds"),
    *person_columns(),
    *words("item item_id"),
)


def change_word(change: int | None, version: int | None) -> str | None:
    """Return the word of a number of AbilitiesChanged.change in a client's version; None if unknown."""
    if change == 4:
        return None if version is None else "failure" if version < _LEVELS_SINCE else "level_up"
    return None if change is None else CHANGES.get(change)


@TABLES.maker_of(ITEM_EVENTS)
class DeadlockItemEvents(DeadlockFacts):
    jobs: ClassVar = Jobs(4, extra=33)
    fields: Mapping[str, Sequence[str]] = {PAWN: names_of((_SOULS, _SPENT)), **HeldItems.fields}

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._changes: dict[int, _Change] = {}
        self._lost: dict[int, tuple[int, tuple[int, ...]]] = {}
        self._items = HeldItems(match.declared)
        self._numbers: Mapping[Any, Any] = enumeration("CCitadelUserMsg_AbilitiesChanged.Change", match.game)
        self._field = match.declared.name(PAWN, _SOULS) or _SOULS
        self._spent_field = match.declared.name(PAWN, _SPENT) or _SPENT

    def attach(self, playback: Playback) -> None:
        self.match.on_fields(playback, "k_EUserMsg_AbilitiesChanged", self._on_message)
        self._items.attach(playback, self._on_items)
        self.match.watch((self._field, self._spent_field), self._on_souls, PAWN)

    def _on_message(self, tick: int, fields: Mapping[Any, Any]) -> None:
        get = fields.get
        slot, item = get("purchaser_player_slot"), get("ability_id")
        change = self._numbers.get(get("change"), get("change"))
        row: dict[str, Any] = {"tick": tick, "item_id": item or None, "change_id": change}
        row["change"] = change_word(change, self.match.client)
        row |= person_row(self.match.people.slot(slot))
        row.setdefault("player", slot)
        if row["change"] in ("purchase", "upgrade"):
            lost_at, lost = self._lost.get(row["player"], (None, ()))
            row["upgraded_from_ids"] = list(lost) if lost_at == tick else []
        changed_at, before, after, spent_before, spent = self._changes.get(row["player"], _UNKNOWN)
        row["souls_before"] = before if changed_at == tick else after
        row["souls_after"] = after
        if changed_at == tick and None not in (spent_before, spent) and row["change"] in ("purchase", "upgrade"):
            row["cost"] = spent - spent_before  # type: ignore[operator]
        self._rows.append(row)

    def _on_souls(self, pawn: Entity, _op: EntityOp) -> None:
        person = self.match.people.at(pawn.index)
        if person is not None:
            get, (_, _, before, _, spent_before) = pawn.get, self._changes.get(person.player, _UNKNOWN)
            souls, spent = number_of(get(self._field)), number_of(get(self._spent_field))
            self._changes[person.player] = self.match.tick, before, souls, spent_before, spent

    def _on_items(self, controller: int, before: tuple[int, ...], now: tuple[int, ...]) -> None:
        lost = tuple((Counter(before) - Counter(now)).elements())
        self._lost[controller - 1] = self.match.tick, lost

    def tables(self) -> Mapping[str, pa.Table]:
        name = self.match.names.name
        bought = Counter((row["tick"], row["player"]) for row in self._rows if "cost" in row)
        for row in self._rows:
            if bought[row["tick"], row["player"]] > 1:
                row.pop("cost", None)
        for row in self._rows:
            if "upgraded_from_ids" in row:
                row["upgraded_from"] = [name(item) or str(item) for item in row["upgraded_from_ids"]]
        return super().tables()


@TABLES.maker_of(ITEMS_HELD)
class ItemsHeld(DeadlockFacts):
    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._held: dict[tuple[int, int], list[dict[str, Any]]] = {}
        self._items = HeldItems(match.declared)
        self.fields = HeldItems.fields

    def attach(self, playback: Playback) -> None:
        self._items.attach(playback, self._on_change)

    def _on_change(self, controller: int, before: tuple[int, ...], now: tuple[int, ...]) -> None:
        tick = self.match.tick
        for item in (Counter(before) - Counter(now)).elements():
            self._held[controller, item].pop(0)["end_tick"] = tick
        for item in (Counter(now) - Counter(before)).elements():
            row = {"tick": tick, "item_id": item, **person_row(self.match.people.at(controller))}
            self._rows.append(row)
            self._held.setdefault((controller, item), []).append(row)
