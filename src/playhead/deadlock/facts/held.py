"""Table ``items_held``: from when to when a player held an item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import TIME, name_columns, person_columns, person_row
from playhead.deadlock.sources.held_items import HeldItems
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.runtime.libraries import pa
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

ITEMS_HELD = TableSchema.of(
    "items_held",
    "One row for each item that a player held, in the order in which they came: m_vecUpgrades of the "
    "controller. A component ends where the item that is made of it begins.",
    *TIME,
    *person_columns(),
    *name_columns("item", "the item"),
    Column("until_tick", "int32", "Tick at which the player held it no longer; null if to the end.", "ticks"),
)


@TABLES.add
class ItemsHeld(DeadlockFacts):
    """Table ``items_held``."""

    schemas: ClassVar[Sequence[TableSchema]] = (ITEMS_HELD,)

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._held: dict[tuple[int, int], list[dict[str, Any]]] = {}
        self._items = HeldItems(match.declared)
        self.fields = HeldItems.fields

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._items.attach(playback, self._on_change)

    def _on_change(self, controller: int, before: tuple[int, ...], now: tuple[int, ...]) -> None:
        tick = self._playback.tick
        for item in (Counter(before) - Counter(now)).elements():
            self._held[controller, item].pop(0)["until_tick"] = tick
        for item in (Counter(now) - Counter(before)).elements():
            row = {"tick": tick, "item_id": item, **person_row(self.match.people.at(controller))}
            self._rows.append(row)
            self._held.setdefault((controller, item), []).append(row)

    def tables(self) -> Mapping[str, pa.Table]:
        for row in self._rows:
            row["item"] = self.match.names.name(row["item_id"])
        return {ITEMS_HELD.name: self.match.table(ITEMS_HELD, self._rows)}
