"""The messages of every tick: time, positions, inputs; and the inputs and positions of all clients after them.

`stream.messages` has the other messages and describes all. These are compiled because creating a record takes
longer than decoding its message.

An input recorded in the section of tick T acts on tick T + 1. Unchanged inputs are not recorded. Before
version_minor 4 (DDNet 16.2) a slot has one INPUT_NEW, and the first input of the next player in the slot is a
difference to the last input of the previous player: the state belongs to the slot and outlives a DROP.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from playhead.runtime import cython

if not cython.compiled:
    from playhead.teehistorian.stream.int32 import add_int32

    # As in the .pxd. Slots of a server: client ids go from 0 to this number less one (64 before DDNet 19.1).
    MAX_CLIENTS = 128
    # Numbers of an input.
    INPUT_LENGTH = 10
    INPUT_VALUES = MAX_CLIENTS * INPUT_LENGTH
    # Codes of a position row's event; no client, no extension; no last tick.
    APPEARED, MOVED, GONE = 0, 1, 2
    NOTHING = -1
    NO_LIMIT = 0x7FFFFFFF


@cython.dataclasses.dataclass
@cython.auto_pickle(True)
@cython.final
@cython.freelist(64)
@cython.cclass
class PlayerDiff:
    """A tee moved by (dx, dy) world units, 32 to a tile; sums wrap at 32 bits."""

    cid: cython.int
    dx: cython.int
    dy: cython.int


@cython.dataclasses.dataclass
@cython.auto_pickle(True)
@cython.final
@cython.freelist(64)
@cython.cclass
class TickSkip:
    """Time passes: `dt` ticks without messages, and one more."""

    dt: cython.int


@cython.dataclasses.dataclass
@cython.auto_pickle(True)
@cython.final
@cython.freelist(64)
@cython.cclass
class PlayerNew:
    """A tee appears at (x, y) world units."""

    cid: cython.int
    x: cython.int
    y: cython.int


@cython.dataclasses.dataclass
@cython.auto_pickle(True)
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
    """The ten numbers of an input; `playhead.teehistorian.stream.ticks.INPUT_FIELDS` names them."""


class Input(NamedTuple):
    """One whole input. Clients are not checked: each field can contain any 32-bit integer.

    Attributes:
        direction: -1 left, 0, 1 right.
        cursor_x, cursor_y: aim, relative to the tee, in cursor units.
        jump: 1 while pressed.
        fire: counts presses and releases (odd: pressed); the game compares it modulo 64.
        hook: 1 while pressed.
        player_flags: sum of 1 playing, 2 in menu, 4 chatting, 8 scoreboard, 16 aim line, 32 spectator camera, 64
            absolute input, 128 manual input.
        wanted_weapon_id: 0 none, else number of the weapon plus 1.
        next_weapon, prev_weapon: counters like `fire`.
    """

    direction: int
    cursor_x: int
    cursor_y: int
    jump: int
    fire: int
    hook: int
    player_flags: int
    wanted_weapon_id: int
    next_weapon: int
    prev_weapon: int


#: Names of the ten numbers, in the order of the file.
INPUT_FIELDS: tuple[str, ...] = Input._fields


@cython.final
@cython.cclass
class InputTracker:
    """The last recorded input of each slot, by client id from 0 to 127.

    Attributes:
        values: (compiled callers) ten numbers per slot, slot by slot.
    """

    def __init__(self) -> None:
        if not cython.compiled:
            self.values = [0] * INPUT_VALUES
            self._known = [False] * MAX_CLIENTS

    def set(self, cid: cython.int, values: cython.p_int) -> cython.bint:
        """Apply INPUT_NEW; `values` points at the client id, which the ten numbers follow."""
        if cid < 0 or cid >= MAX_CLIENTS:
            raise IndexError(f"client id {cid}")
        i: cython.int
        for i in range(INPUT_LENGTH):
            self.values[INPUT_LENGTH * cid + i] = values[i + 1]
        self._known[cid] = True
        return True

    def add(self, cid: cython.int, values: cython.p_int) -> cython.bint:
        """Apply INPUT_DIFF, `values` as for `set`; return False, without a change, if the slot had no input."""
        if cid < 0 or cid >= MAX_CLIENTS:
            raise IndexError(f"client id {cid}")
        if not self._known[cid]:
            return False
        i: cython.int
        for i in range(INPUT_LENGTH):
            self.values[INPUT_LENGTH * cid + i] = add_int32(self.values[INPUT_LENGTH * cid + i], values[i + 1])
        return True

    def replace(self, cid: int, values: Sequence[int]) -> bool:
        """Set a slot's input to ten values."""
        return self._call(cid, values, False)

    def change(self, cid: int, differences: Sequence[int]) -> bool:
        """Change a slot's input by ten differences; sums wrap at 32 bits.

        Return False, without a change, if the slot had no input before.
        """
        return self._call(cid, differences, True)

    def _call(self, cid: int, values: Sequence[int], difference: bool) -> bool:
        if len(values) != INPUT_LENGTH:
            raise ValueError(f"expected the ten numbers of an input, got {len(values)}")
        if cython.compiled:
            record: cython.int[11]  # client id and the ten numbers
            for i in range(INPUT_LENGTH):
                record[i + 1] = values[i]
            return self.add(cid, record) if difference else self.set(cid, record)
        listed = [cid, *values]
        return self.add(cid, listed) if difference else self.set(cid, listed)

    def get(self, cid: int) -> Input | None:
        """Return the slot's last recorded input; None if there was none."""
        if cid < 0 or cid >= MAX_CLIENTS or not self._known[cid]:
            return None
        return Input(*[self.values[INPUT_LENGTH * cid + i] for i in range(INPUT_LENGTH)])


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
        """Move a tee; return False if it is absent. Sums wrap at 32 bits, as in the server."""
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
        """Return (x, y) of a tee; None without one."""
        if cid < 0 or cid >= MAX_CLIENTS or not self._present[cid]:
            return None
        return self.x[cid], self.y[cid]

    def __len__(self) -> int:
        return sum([1 for cid in range(MAX_CLIENTS) if self._present[cid]])
