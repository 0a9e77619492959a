"""Absolute positions of tees from PLAYER_NEW, PLAYER_DIFF and PLAYER_OLD."""

from __future__ import annotations

from playhead.runtime import cython

if not cython.compiled:
    from playhead.teehistorian.stream.int32 import add_int32
    from playhead.teehistorian.stream.tick_messages import MAX_CLIENTS


@cython.final
@cython.cclass
class PositionTracker:
    """Positions of up to 128 tees in world units (32 to a tile, y downwards), by client id from 0 to 127.

    An invalid change (of a missing tee) returns False and changes nothing.

    Attributes:
        x, y: (compiled callers) the positions; the last ones of a tee that is gone.
    """

    def __init__(self) -> None:
        if not cython.compiled:
            self.x = [0] * MAX_CLIENTS
            self.y = [0] * MAX_CLIENTS
            self._present = [False] * MAX_CLIENTS

    def appear(self, cid: cython.int, x: cython.int, y: cython.int) -> cython.bint:
        """Set the position of a new or existing tee."""
        if cid < 0 or cid >= MAX_CLIENTS:
            raise IndexError(f"client id {cid}")
        self._present[cid] = True
        self.x[cid] = x
        self.y[cid] = y
        return True

    def move(self, cid: cython.int, dx: cython.int, dy: cython.int) -> cython.bint:
        """Move a tee; return False if there is none. Sums wrap at 32 bits, as in the server."""
        if cid < 0 or cid >= MAX_CLIENTS:
            raise IndexError(f"client id {cid}")
        if not self._present[cid]:
            return False
        self.x[cid] = add_int32(self.x[cid], dx)
        self.y[cid] = add_int32(self.y[cid], dy)
        return True

    def vanish(self, cid: cython.int) -> cython.bint:
        """Remove a tee; return False if there was none."""
        if cid < 0 or cid >= MAX_CLIENTS:
            raise IndexError(f"client id {cid}")
        if not self._present[cid]:
            return False
        self._present[cid] = False
        return True

    def get(self, cid: int) -> tuple[int, int] | None:
        """Return (x, y) of a tee; None if there is none."""
        if cid < 0 or cid >= MAX_CLIENTS or not self._present[cid]:
            return None
        return self.x[cid], self.y[cid]

    def __len__(self) -> int:
        return sum([1 for cid in range(MAX_CLIENTS) if self._present[cid]])
