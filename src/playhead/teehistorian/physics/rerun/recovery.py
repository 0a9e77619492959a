"""`Recovery`: velocities of tees that were elsewhere than predicted, narrowed by the positions that follow.

A tee's place is a whole number after each tick, so its way tells its velocity to half a unit. Gravity and keys
change a wrong velocity as they change the right one: the difference stays, or friction shrinks it. So what each
tick allows is cut with what the ticks before it allowed.
"""

from __future__ import annotations

from playhead.runtime import cython
from playhead.teehistorian.physics.arena.body import Body

if cython.compiled:
    from cython.cimports.playhead.teehistorian.physics.arena.body import Body
    from cython.cimports.playhead.teehistorian.physics.arena.single import ratio, rounded, single
else:
    from playhead.teehistorian.physics.arena.arena import SLOTS
    from playhead.teehistorian.physics.arena.single import ratio, rounded, single

#: A tee that is farther away on the next tick was teleported: its velocity is not its change of place.
FAR = 250
_HALF = cython.declare(cython.float, 0.5)
#: Most above the whole way that still rounds to it: velocities are multiples of 1/256.
_BELOW = cython.declare(cython.float, 127 / 256)


@cython.final
@cython.cclass
class Recovery:
    """For each client how much lower and higher its tee's velocity may be than the simulated one, along x and y.

    Attributes:
        open: the velocity of a client's tee is one of several that fit.
    """

    def __init__(self) -> None:
        if not cython.compiled:
            self.open = [False] * SLOTS
            self._least, self._most = [0.0] * (2 * SLOTS), [0.0] * (2 * SLOTS)

    def close(self, cid: cython.int) -> cython.int:
        """Note that the velocity of a client's tee is certain."""
        self.open[cid] = False
        return 0

    def follow(self, tee: Body, moved_x: cython.int, moved_y: cython.int) -> cython.int:
        """Narrow the open velocity of a tee that was predicted, and moved so far."""
        self._narrow(2 * tee.cid, tee.vel_x, moved_x, tee.ramp)
        self._narrow(2 * tee.cid + 1, tee.vel_y, moved_y, 1)
        return 0

    def correct(self, tee: Body, moved_x: cython.int, moved_y: cython.int) -> cython.int:
        """Give a tee that moved so far a velocity that explains it, and that the ticks before allow."""
        tee.vel_x = self._along(2 * tee.cid, tee.vel_x, moved_x, tee.ramp, tee.known)
        tee.vel_y = self._along(2 * tee.cid + 1, tee.vel_y, moved_y, 1, tee.known)
        self.open[tee.cid] = True
        return 0

    def _narrow(
        self, place: cython.int, predicted: cython.float, moved: cython.int, ramp: cython.float
    ) -> cython.int:
        """Cut what is left with what a way allows; nothing is left open by a velocity that a wall changed."""
        low: cython.float = single(ratio(single(moved - _HALF), ramp) - predicted)
        high: cython.float = single(ratio(single(moved + _BELOW), ramp) - predicted)
        stopped: cython.bint = low > 0 or high < 0
        self._least[place] = 0 if stopped else max(low, self._least[place])
        self._most[place] = 0 if stopped else min(high, self._most[place])
        return 0

    def _along(
        self, place: cython.int, predicted: cython.float, moved: cython.int, ramp: cython.float, known: cython.bint
    ) -> cython.float:
        """Return the velocity along an axis, and keep how much lower and higher it may be; 0 for a teleport.

        It is the predicted one if that fits. Else the middle of those that fit, if the velocity was `known`, so
        that something else happened, or was narrowed before; and the nearest of them for any other.
        """
        if moved > FAR or moved < -FAR:
            self._least[place] = self._most[place] = 0
            return 0
        least: cython.float = ratio(single(moved - _HALF), ramp)
        most: cython.float = ratio(single(moved + _BELOW), ramp)
        middle: cython.bint = known
        if self.open[place >> 1]:
            low: cython.float = max(least, single(predicted + self._least[place]))
            high: cython.float = min(most, single(predicted + self._most[place]))
            if low <= high:
                least = low
                most = high
                middle = True
        found: cython.float = predicted
        if predicted < least or predicted > most:
            found = least if predicted < least else most
            if middle:
                found = single(single(least + most) * _HALF)
            found = ratio(rounded(single(found * 256)), 256)
        self._least[place] = single(least - found)
        self._most[place] = single(most - found)
        return found
