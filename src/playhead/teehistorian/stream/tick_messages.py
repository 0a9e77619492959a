# cython: auto_pickle=True
# Records are values that a user may pickle.
"""The most frequent messages: time, positions, inputs.

`stream.messages` has the other messages and describes all. These are compiled because creating a record takes
longer than decoding its message.
"""

from __future__ import annotations

from collections.abc import Sequence

from playhead.runtime import cython

if not cython.compiled:
    # As in the .pxd. Slots of a server: client ids go from 0 to this number less one (64 before DDNet 19.1).
    MAX_CLIENTS = 128
    # Numbers of an input.
    INPUT_LENGTH = 10
    # Codes of a position row's event; no client, no extension; no last tick.
    APPEARED, MOVED, GONE = 0, 1, 2
    NOTHING = -1
    NO_LIMIT = 0x7FFFFFFF


@cython.dataclasses.dataclass
@cython.final
@cython.freelist(64)
@cython.cclass
class PlayerDiff:
    """A tee moved by (dx, dy) world units, 32 to a tile; sums wrap at 32 bits."""

    cid: cython.int
    dx: cython.int
    dy: cython.int


@cython.dataclasses.dataclass
@cython.final
@cython.freelist(64)
@cython.cclass
class TickSkip:
    """Time passes: `dt` ticks without messages, and one more."""

    dt: cython.int


@cython.dataclasses.dataclass
@cython.final
@cython.freelist(64)
@cython.cclass
class PlayerNew:
    """A tee appears at (x, y) world units."""

    cid: cython.int
    x: cython.int
    y: cython.int


@cython.dataclasses.dataclass
@cython.final
@cython.freelist(64)
@cython.cclass
class PlayerOld:
    """A tee disappears: death, leaving, spectating, pause."""

    cid: cython.int


@cython.cfunc
def _ten_ints(values: cython.p_int) -> tuple:
    v = values
    return v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]


@cython.cfunc
@cython.exceptval(-1, check=False)
def _set_ten_ints(target: cython.p_int, values: object) -> cython.int:
    if len(values) != INPUT_LENGTH:
        raise ValueError(f"expected the ten numbers of an input, got {len(values)}")
    if min(values) < -0x80000000 or max(values) >= 0x80000000:
        raise ValueError(f"expected 32-bit integers, got {values}")
    i: cython.int
    for i in range(INPUT_LENGTH):
        target[i] = values[i]
    return 0


@cython.freelist(64)
@cython.cclass
class TenNumbers:
    """Ten numbers of a client's input."""

    __match_args__ = ("cid", "values")

    def __init__(self, cid: cython.int, values: Sequence[int]) -> None:
        if not cython.compiled:
            self._values = [0] * INPUT_LENGTH
        self.cid = cid
        self.values = values

    @property
    def values(self) -> tuple[int, ...]:
        return _ten_ints(self._values)

    @values.setter
    def values(self, values: Sequence[int]) -> None:
        _set_ten_ints(self._values, values)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return (self.cid, self.values) == (other.cid, other.values)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(cid={self.cid}, values={self.values})"

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.cid, self.values)


@cython.final
@cython.cclass
class InputDiff(TenNumbers):
    """Ten differences to the client's last recorded input; sums wrap at 32 bits."""


@cython.final
@cython.cclass
class InputNew(TenNumbers):
    """The ten numbers of an input; `playhead.teehistorian.stream.trackers.INPUT_FIELDS` names them."""
