"""`GivenInputs`: the inputs of all clients on the last ticks and on the next one, and which of them moves a tee.

All inputs of a tick fire; the first moves. A first input that equals the last recorded one is not recorded, so two
readings fit a tick: the first recorded input moved, or the last one before it did (the *alternative*).
"""

from __future__ import annotations

from typing import Any

from playhead.runtime import cython
from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.world.world import GameWorld
from playhead.teehistorian.stream.ticks import InputTracker

if cython.compiled:
    from cython.cimports.cpython.mem import PyMem_Calloc, PyMem_Free
else:
    from playhead.teehistorian.physics.arena.arena import SLOTS
    from playhead.teehistorian.stream.ticks import INPUT_LENGTH

    AGES, KEPT = 16, 64
    #: Bits of a player's flags: chatting, looking through the spectators' camera; and those that the game shows.
    CHATS, CAMERA, SHOWN = 4, 32, 31
    CELLS, VALUES = AGES * SLOTS, AGES * SLOTS * (1 + KEPT) * INPUT_LENGTH


@cython.final
@cython.cclass
class GivenInputs:
    """A ring of ticks: age 0 is the tick that is simulated, 1 the one before it; the next one takes inputs.

    A cell is one client on one tick: the last input before the tick, and up to `KEPT` inputs of the tick.
    """

    if cython.compiled:

        def __cinit__(self, *_args: Any, **_kwargs: Any) -> None:
            self._values = cython.cast("int *", PyMem_Calloc(VALUES, cython.sizeof(cython.int)))
            if self._values == cython.NULL:
                raise MemoryError

        def __dealloc__(self) -> None:
            PyMem_Free(self._values)

    def __init__(self, rules: Any) -> None:
        """`rules`: `Rules` of the server."""
        self._repeats = rules.repeats_input
        self._one_input = rules.one_input
        self._pause_resets = rules.pause_resets
        self._camera_cuts = rules.camera_cuts
        self._now = 0
        if not cython.compiled:
            self._count, self._most = [0] * CELLS, [0] * AGES
            self._other, self._known = ([False] * CELLS for _ in range(2))
            self._values = [0] * VALUES

    def flags_of(self, cid: int) -> int:
        """Return the flags of a player's last input, of those that the game shows."""
        return self._values[self._place(self.cell(0, cid), 0) + 6] & SHOWN if 0 <= cid < SLOTS else 0

    def forget(self, cid: int) -> None:
        """Begin with inputs of zero for a new client in a slot."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        i: cython.int
        cell: cython.int = self.cell(0, cid)
        for i in range(INPUT_LENGTH):
            self._values[self._place(cell, 0) + i] = 0
        self._known[cell] = False

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def cell(self, age: cython.int, cid: cython.int) -> cython.int:
        """Return the place of a client's cell; those of a tick are in a row."""
        return (self._now - age & AGES - 1) * SLOTS + cid

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _place(self, cell: cython.int, number: cython.int) -> cython.int:
        """Return where an input of a cell begins; number 0 is the last one before the tick.

        Those of all clients lie together, since most have one.
        """
        return (cell + (cell & -SLOTS) * KEPT + number * SLOTS) * INPUT_LENGTH

    def append(self, cid: cython.int, inputs: InputTracker) -> cython.int:
        """Add the present input of a client to those of the next tick."""
        i: cython.int
        cell: cython.int = self.cell(-1, cid)
        count: cython.int = min(self._count[cell] + 1, KEPT)
        self._count[cell] = count
        i = self._now + 1 & AGES - 1
        self._most[i] = max(self._most[i], count)
        place: cython.int = self._place(cell, count)
        for i in range(INPUT_LENGTH):
            self._values[place + i] = inputs.values[INPUT_LENGTH * cid + i]
        return 0

    def spawn(self, tee: Body) -> cython.int:
        """Give a new tee the last input that its client sent, also one that did not move its tee."""
        cell: cython.int = self.cell(0, tee.cid)
        place: cython.int = self._place(cell, self._count[cell])
        tee.forget_inputs()
        tee.in_y = tee.saved_y = tee.aim_y = -1
        if not self._repeats or not (self._known[cell] or self._count[cell]):
            return 0
        tee.saved_direction = self._values[place]
        tee.saved_jump = self._values[place + 3]
        tee.saved_fire = tee.fire = tee.last_fire = self._values[place + 4]
        tee.saved_hook = self._values[place + 5]
        tee.in_wanted = tee.wanted = self._values[place + 7]
        tee.next_weapon = tee.last_next = self._values[place + 8]
        tee.prev_weapon = tee.last_prev = self._values[place + 9]
        return 0

    def count(self, cid: cython.int) -> cython.int:
        """Return the number of inputs of a client on the tick."""
        return self._count[self.cell(0, cid)]

    def give(self, world: GameWorld, age: cython.int, slots: cython.int) -> cython.int:
        """Give the tees the inputs of a tick: all fire, one moves.

        An input that is not recorded fires too: a weapon that waits is taken, before the next input changes it.
        """
        cid: cython.int
        i: cython.int
        likely: cython.int = self.late(age)
        for cid in range(slots):
            cell: cython.int = self.cell(age, cid)
            count: cython.int = self._count[cell]
            for i in range(0 if self._other[cell] and count else 1, count + 1):
                self._early(world, world.tees[cid], self._place(cell, i))
            if 0 < count < likely and not self._other[cell]:
                self._early(world, world.tees[cid], self._place(cell, count))
            if not count and self._known[cell] and self._repeats:
                self._early(world, world.tees[cid], self._place(cell, 0))
        for cid in range(slots):
            cell = self.cell(age, cid)
            count = self._count[cell]
            if count and not self._other[cell]:
                i = 1
            elif self._known[cell] and (self._repeats or self._other[cell]):
                i = 0
            else:
                continue
            flags: cython.int = self._values[self._place(cell, count) + 6]
            self._moves(world, world.tees[cid], self._place(cell, i), flags)
        return 0

    def _early(self, world: GameWorld, tee: Body, place: cython.int) -> cython.int:
        """Let the input at `place` switch weapons and fire."""
        flags: cython.int = self._values[place + 6]
        if tee.paused or flags & CHATS or (flags & CAMERA and self._camera_cuts):
            return 0
        return world.weapons.early_input(
            tee.cid,
            self._values[place + 4],
            self._values[place + 1],
            self._values[place + 2],
            self._values[place + 7],
            self._values[place + 8],
            self._values[place + 9],
        )

    def _moves(self, world: GameWorld, tee: Body, place: cython.int, flags: cython.int) -> cython.int:
        """Let the input at `place` move a tee; `flags` are those after all inputs of the tick."""
        mine: cython.int = self._values[place + 6]
        if (flags & CHATS and mine & CHATS) or tee.paused or (mine & CAMERA and self._camera_cuts):
            if self._pause_resets:
                tee.let_go()
            tee.unheard = 1
            return 0
        tee.unheard = 0
        return world.weapons.moving_input(
            tee.cid,
            self._values[place],
            self._values[place + 1],
            self._values[place + 2],
            self._values[place + 3],
            self._values[place + 4],
            self._values[place + 5],
            self._values[place + 7],
        )

    def is_open(self, age: cython.int, cid: cython.int) -> cython.bint:
        """Return whether the alternative moves a tee in another way."""
        cell: cython.int = self.cell(age, cid)
        place: cython.int = self._place(cell, 0)
        first: cython.int = self._place(cell, 1)
        i: cython.int
        if self._one_input or not self._known[cell]:
            return False
        if not self._count[cell]:
            return not self._repeats  # what moves is not the last input after a spawn, a pause, or two inputs
        differences: cython.int = 0
        for i in range(8):
            differences += self._values[place + i] != self._values[first + i]
        return differences > 0

    def may_be_other(self, cid: cython.int) -> cython.int:
        """Return whether another input may have moved a tee on the tick: 0 no, 1 one with another aim, 2 yes.

        A server that was late got no input for the tick before, and two of some clients for this one or that one.
        A client that was late has none on the tick before.
        """
        now: cython.int = self._most[self._now]
        before: cython.int = self._most[self._now - 1 & AGES - 1]
        if (now < 2 and before == 1 and self._count[self.cell(1, cid)]) or not self.is_open(0, cid):
            return 0
        cell: cython.int = self.cell(0, cid)
        place: cython.int = self._place(cell, 0)
        first: cython.int = self._place(cell, 1)
        i: cython.int
        for i in (0, 3, 5, 7):
            if self._values[place + i] != self._values[first + i]:
                return 2
        i = self._values[place + 1] != self._values[first + 1]
        return i or self._values[place + 2] != self._values[first + 2]

    def is_kept(self, tee: Body) -> cython.bint:
        """Return whether a tee keeps the last input before the tick, whichever input of the tick came first."""
        place: cython.int = self._place(self.cell(0, tee.cid), 0)
        values = self._values
        return tee.unheard and (
            values[place + 6] & (CHATS | CAMERA if self._camera_cuts else CHATS)
            or (
                tee.saved_direction == values[place]
                and tee.saved_x == values[place + 1]
                and tee.saved_y == values[place + 2]
                and tee.saved_jump == values[place + 3]
                and tee.saved_fire == values[place + 4]
                and tee.saved_hook == values[place + 5]
            )
        )

    def late(self, age: cython.int) -> cython.int:
        """Return how many inputs each client is likely to have on a tick: after ticks without
        inputs, when the server was late, as many as any client sent."""
        now: cython.int = self._now - age
        most: cython.int = self._most[now & AGES - 1]
        gap: cython.int = 0
        while gap < most - 1 and gap + age < AGES - 2 and not self._most[now - gap - 1 & AGES - 1]:
            gap += 1
        return min(gap + 1, most)

    def likely_other(self, cid: cython.int, inputs: cython.int) -> cython.bint:
        """Return whether the alternative is likelier, of so many inputs on the tick: those that are not recorded
        equal the last one, and each place is as likely for a recorded one."""
        count: cython.int = self._count[self.cell(0, cid)]
        return 0 < 2 * count < inputs and self.is_open(0, cid)

    def chosen(self, age: cython.int, cid: cython.int) -> cython.bint:
        """Return whether the alternative is chosen."""
        return self._other[self.cell(age, cid)]

    def choose(self, age: cython.int, cid: cython.int, other: cython.bint) -> cython.int:
        """Choose the alternative, or not."""
        self._other[self.cell(age, cid)] = other
        return 0

    def advance(self, slots: cython.int) -> cython.int:
        """Go on to the next tick: its last input is the one that came last."""
        cid: cython.int
        i: cython.int
        for cid in range(slots):
            cell: cython.int = self.cell(0, cid)
            after: cython.int = self.cell(-1, cid)
            count: cython.int = self._count[cell]
            place: cython.int = self._place(cell, count)
            begins: cython.int = self._place(after, 0)
            for i in range(INPUT_LENGTH):
                self._values[begins + i] = self._values[place + i]
            self._known[after] = self._known[cell] or count > 0
            self._count[self.cell(-2, cid)] = 0
            self._other[self.cell(-2, cid)] = False
        self._now = self._now + 1 & AGES - 1
        self._most[self._now + 1 & AGES - 1] = 0
        return 0
