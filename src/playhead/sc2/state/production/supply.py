"""The supply of players: each change of used and provided supply, and both at any loop."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence

from playhead.runtime import cython
from playhead.sc2.state.production.records import Step

if cython.compiled:
    from cython.cimports.cpython.array import array
    from cython.cimports.playhead.bits.checked_arrays import resize
    from cython.cimports.playhead.sc2.state.production.records import Step
else:
    # As in the .pxd. Order within one loop: the game's start, steps that begin, then steps that end.
    FIRST, BEGINS, ENDS, RANKS = 0, 1, 2, 4


@cython.final
@cython.cclass
class SupplyChanges:
    """The changes of one game, as columns."""

    def __init__(self) -> None:
        # Time (loop and rank), row of the event, player, and the amounts.
        self._times = array("q")
        self._places = array("q")
        self._players = array("q")
        self._used = array("d")
        self._made = array("d")
        self._count = 0
        self._capacity = 0

    def add(
        self,
        order: cython.longlong,
        loop: cython.longlong,
        rank: cython.int,
        player: cython.longlong,
        used: cython.double,
        made: cython.double,
    ) -> cython.int:
        """Append a change, unless it is zero: the row of its event, the loop, the player, and the amounts."""
        if used != 0 or made != 0:
            if not cython.compiled:
                for column, value in zip(
                    self._columns(), (loop * RANKS + rank, order, player, used, made), strict=True
                ):
                    column.append(value)
                return 0
            if self._count == self._capacity:
                capacity: cython.Py_ssize_t = 2 * self._capacity + 256
                for column in self._columns():
                    resize(column, capacity)
                self._capacity = capacity
            self._times.data.as_longlongs[self._count] = loop * RANKS + rank
            self._places.data.as_longlongs[self._count] = order
            self._players.data.as_longlongs[self._count] = player
            self._used.data.as_doubles[self._count] = used
            self._made.data.as_doubles[self._count] = made
            self._count += 1
        return 0

    def _columns(self) -> list:
        return [self._times, self._places, self._players, self._used, self._made]

    def sort(self) -> cython.int:
        """Sort the changes by loop, then by rank and row. Call it once, after the last one."""
        if cython.compiled:
            for column in self._columns():
                resize(column, self._count)
        times: cython.longlong[::1] = self._times
        places: cython.longlong[::1] = self._places
        place: cython.Py_ssize_t
        for place in range(1, len(times)):
            if times[place] < times[place - 1] or (
                times[place] == times[place - 1] and places[place] < places[place - 1]
            ):
                break
        else:
            return 0
        # As one number each: time, then row, which is -1 or more and has 32 bits.
        keys = [(time << 33) + row for time, row in zip(self._times, self._places, strict=True)]
        order: list = sorted(range(len(keys)), key=keys.__getitem__)
        self._times = _in_order(self._times, order)
        self._places = _in_order(self._places, order)
        self._players = _in_order(self._players, order)
        self._used = _in_order(self._used, order)
        self._made = _in_order(self._made, order)
        return 0

    # stub: def of(self, player: int) -> list[tuple[int, float, float]]: ...
    @cython.nonecheck(True)
    def of(self, player: cython.longlong) -> list:
        """Return loop of each change of a player's supply, and supply in use and provided after it."""
        players: cython.longlong[::1] = self._players
        times: cython.longlong[::1] = self._times
        more_used: cython.double[::1] = self._used
        more_made: cython.double[::1] = self._made
        used: cython.double = 0.0
        made: cython.double = 0.0
        place: cython.Py_ssize_t
        found: list = []
        for place in range(len(players)):
            if players[place] == player:
                used += more_used[place]
                made += more_made[place]
                found.append((times[place] // RANKS, used, made))
        return found

    def count(self, steps: list) -> cython.int:
        """Set the supply before each step, in the order of starts. Within one loop, steps come before changes that
        end."""
        times: cython.longlong[::1] = self._times
        places: cython.longlong[::1] = self._places
        place: cython.Py_ssize_t = 0
        used: dict = {}
        made: dict = {}
        for each in steps:
            step: Step = each
            time: cython.longlong = step.start * RANKS + BEGINS
            while place < len(times) and (
                times[place] < time or (times[place] == time and places[place] < step.order)
            ):
                player = self._players[place]
                used[player] = used.get(player, 0.0) + self._used[place]
                made[player] = made.get(player, 0.0) + self._made[place]
                place += 1
            step.supply_used = used.get(step.player, 0.0)
            step.supply_made = made.get(step.player, 0.0)
        return 0


@cython.cfunc
def _in_order(values: array, order: list) -> array:
    """Return the values at the indices of `order`."""
    return array(values.typecode, [values[place] for place in order])


def supply_at(changes: Sequence[tuple[int, float, float]], loops: Sequence[int]) -> list[tuple[float, float]]:
    """Return supply in use and provided after each of the loops; `changes` are those of `SupplyChanges.of`."""
    places = (bisect_right(changes, loop, key=lambda change: change[0]) for loop in loops)
    return [changes[place - 1][1:] if place else (0.0, 0.0) for place in places]
