"""`Selected`: the units that a user had selected when an order was given."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from playhead.sc2.events.columns import EventStream
from playhead.sc2.events.commands import ACTIVE, GROUP_RECALL, ControlGroupUpdateEvent, SelectionDeltaEvent
from playhead.sc2.state.selections.timeline import SelectionTimeline

if TYPE_CHECKING:
    from array import array

    import pyarrow as pa

#: A user's last selection is a few changes before an order; hostile files could have millions of other users'.
_FARTHEST = 4_096


class _Changes(NamedTuple):
    orders: Sequence[int]
    numbers: array[int]
    wanted: int
    units: pa.Array


class Selected:
    """The active selections of a replay's users, by the row of an event.

    Args:
        game: the stream of game events.
    """

    def __init__(self, game: EventStream) -> None:
        self._users = game.rows.heads[1]
        self._parts = []
        for type_, name, wanted in (
            (SelectionDeltaEvent, "group", ACTIVE),
            (ControlGroupUpdateEvent, "action", GROUP_RECALL),
        ):
            if game.has(type_):
                done = game.of(type_)
                units = game.once("selections", SelectionTimeline).units_after(
                    uses=type_ is ControlGroupUpdateEvent
                )
                self._parts.append(_Changes(done.orders, done.numbers(name), wanted, units))

    def before(self, row: int) -> tuple[int, ...]:
        """Return the unit tags that the user of an event had selected before it; empty if unknown."""
        user = self._users[row]
        best, found = -1, None
        for part in self._parts:
            place = bisect_left(part.orders, row) - 1
            last = max(-1, place - _FARTHEST)
            while place > last and part.orders[place] > best:
                if self._users[part.orders[place]] == user and part.numbers[place] == part.wanted:
                    best, found = part.orders[place], part.units[place]
                    break
                place -= 1
        return () if found is None else tuple(found.as_py())
