"""`Queues`: when the products of buildings were ordered, and items that were cancelled in a queue.

The tracker has neither. An order belongs to a product if the building was selected, can make it, and either begins
it in the loop of the order or had something to do from the order to the start; the first such order counts. An
order without a product is an item that was cancelled if the player then cancelled the last item of the building,
unless the building began something meanwhile that was ordered later.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from playhead.runtime.records import dataclass

#: A product may begin so many loops before its order or after its predecessor.
_SLACK = 2
#: Waiting orders that are compared: a real queue has at most eight items a building.
_MOST_WAITING = 256


@dataclass(slots=True)
class QueueItem:
    """An order to make something.

    Attributes:
        loop: of the order.
        product: unit type, upgrade, or type that the building becomes.
        buildings: unit tags of the selected buildings that can make it.
        begun: whether a product belongs to it, or the cancelling.
    """

    loop: int
    product: str
    buildings: Sequence[int]
    begun: bool = False


class BegunProduct(NamedTuple):
    """A product: loops of start and end (None if never), unit tag of the building, and product."""

    start: int
    end: int | None
    building: int
    product: str


class CancelledItem(NamedTuple):
    """An item that was cancelled: unit tag of the building, product, loops of its order and of the cancelling."""

    building: int
    product: str
    ordered: int
    loop: int


class Queues:
    """The queues of all buildings.

    Args:
        begun: products in order of their starts.
        items: in order of time.

    Attributes:
        ordered: for each product the loop of its order; None if unknown.
    """

    def __init__(self, begun: Sequence[BegunProduct], items: Sequence[QueueItem]) -> None:
        self._items = items
        waiting: dict[str, list[QueueItem]] = {}
        for item in items:
            waiting.setdefault(item.product, []).append(item)
        busy_since: dict[int, int] = {}
        free_at: dict[int, int] = {}
        #: By building, the starts of products, and the latest order among them so far.
        self._latest: dict[int, tuple[list[int], list[int]]] = {}
        self.ordered: list[int | None] = []
        for start, end, building, product in begun:
            if start > free_at.get(building, -_SLACK - 1) + _SLACK:
                busy_since[building] = start - _SLACK
            known = _first(waiting.get(product, []), building, busy_since[building], start + 1)
            self.ordered.append(known)
            free_at[building] = max(free_at.get(building, -1), start if end is None else end)
            if known is not None:
                starts, latest = self._latest.setdefault(building, ([], []))
                starts.append(start)
                latest.append(max(known, latest[-1] if latest else known))

    def cancelled(
        self, cancels: Iterable[tuple[int, Sequence[int]]], queued: Container[str]
    ) -> list[CancelledItem]:
        """Return the items that were cancelled.

        Args:
            cancels: loop and selected buildings of each order to cancel the last item, in order of time.
            queued: the products that buildings can have in a queue.
        """
        found, place = [], 0
        open_: list[QueueItem] = []
        for loop, buildings in cancels:
            while place < len(self._items) and self._items[place].loop <= loop:
                item = self._items[place]
                if not item.begun and item.product in queued:
                    open_.append(item)
                place += 1
            for item in reversed(open_[-_MOST_WAITING:]):
                there = [tag for tag in item.buildings if tag in buildings and not self._is_past(tag, item, loop)]
                if not item.begun and there:
                    item.begun = True
                    found.append(CancelledItem(there[0], item.product, item.loop, loop))
                    break
        return found

    def _is_past(self, building: int, item: QueueItem, loop: int) -> bool:
        """Return whether a building has begun, until a loop, something that was ordered after an item."""
        starts, latest = self._latest.get(building, ([], []))
        before = bisect_right(starts, loop)
        return before > 0 and latest[before - 1] > item.loop


def _first(waiting: list[QueueItem], building: int, since: int, until: int) -> int | None:
    """Return the loop of the first order for a building in a span of loops, which begins then."""
    while waiting and (waiting[0].begun or (len(waiting) > _MOST_WAITING and waiting[_MOST_WAITING].loop < since)):
        del waiting[0]
    for item in waiting[:_MOST_WAITING]:
        if item.loop > until:
            break
        if not item.begun and item.loop >= since and building in item.buildings:
            item.begun = True
            return item.loop
    return None
