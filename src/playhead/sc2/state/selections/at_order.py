"""`Selected`: the units that a user had selected when an order was given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from playhead.runtime.libraries import pa
from playhead.sc2.events.columns import EventStream
from playhead.sc2.events.commands import ACTIVE, GROUP_RECALL, ControlGroupUpdateEvent, SelectionDeltaEvent
from playhead.sc2.state.selections.timeline import SelectionTimeline

if TYPE_CHECKING:
    from array import array


class _Changes:
    """The changes of one kind, read in file order."""

    def __init__(self, orders: Sequence[int], numbers: array[int], wanted: int, units: pa.Array) -> None:
        self._orders = orders
        self._numbers = numbers
        self._wanted = wanted
        self._next = 0
        self.units = units

    def advance(self, row: int, users: Sequence[int], last: dict[int, tuple[int, _Changes, int]]) -> None:
        """Enter the changes of active selections before a row as the last of their users."""
        place, orders = self._next, self._orders
        while place < len(orders) and orders[place] < row:
            if self._numbers[place] == self._wanted:
                user, order = users[orders[place]], orders[place]
                if user not in last or last[user][0] < order:
                    last[user] = (order, self, place)
            place += 1
        self._next = place


class Selected:
    """The active selections of a replay's users, by the row of an event; rows are asked for in ascending order.

    Args:
        game: the stream of game events.
    """

    def __init__(self, game: EventStream) -> None:
        self._users = game.rows.heads[1]
        self._last: dict[int, tuple[int, _Changes, int]] = {}
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
        for part in self._parts:
            part.advance(row, self._users, self._last)
        found = self._last.get(self._users[row])
        return () if found is None else tuple(found[1].units[found[2]].as_py())
