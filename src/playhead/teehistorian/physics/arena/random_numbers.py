"""`RandomNumbers`: the server's random numbers, drawn for exits of teleporters."""

from __future__ import annotations

import re

_MASK = (1 << 64) - 1
_FACTOR = 6364136223846793005


class RandomNumbers:
    """PCG-XSH-RR as a header's ``prng_description`` starts it: 64 bits of state, 32 bits a draw.

    The state between two draws is known from their number, so a tick can be simulated again.

    Attributes:
        known: the header says how the numbers begin; without it the first exit is drawn.
        drawn: numbers drawn so far.
    """

    def __init__(self, description: str) -> None:
        """`description`: ``pcg-xsh-rr:`` and two numbers of 16 hex digits."""
        found = re.fullmatch(r"pcg-xsh-rr:([0-9a-f]{16}):([0-9a-f]{16})", description)
        self.known = found is not None
        state, stream = (int(found[1], 16), int(found[2], 16)) if found else (0, 0)
        self._increment = 2 * stream + 1 & _MASK
        self._state = state + self._increment & _MASK
        self._next()  # the server's first number belongs to the seeding
        self.drawn = 0
        self._states = [(0, self._state)]

    def _next(self) -> int:
        state = self._state
        self._state = state * _FACTOR + self._increment & _MASK
        value = ((state >> 18) ^ state) >> 27 & 0xFFFFFFFF
        turn = state >> 59
        return value >> turn | value << (-turn & 31) & 0xFFFFFFFF

    def draw(self, count: int) -> int:
        """Return a number below `count`; 0 without a draw if there is no choice."""
        if count < 2 or not self.known:
            return 0
        found = self._next() % count
        self.drawn += 1
        self._states = [*self._states[-63:], (self.drawn, self._state)]
        return found

    def return_to(self, drawn: int) -> None:
        """Take back the draws after the first `drawn`."""
        while len(self._states) > 1 and self._states[-1][0] > drawn:
            self._states.pop()
        self.drawn, self._state = self._states[-1]
