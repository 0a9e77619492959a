"""`Doubts`: ticks whose state another input explains as well as the one that was chosen.

An input that comes too late acts on the next tick, before the input of that tick. One that equals the last
recorded input is not recorded. So where the server was late, or the client may have been, the input of a tick
may be either. Most often the positions decide: a look at the other input, at once or some ticks later, shows
whether they do. Where they do not, the state is not certain until both inputs lead to the same one again.
"""

from __future__ import annotations

from array import array

from playhead.runtime import cython
from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.rerun.given import GivenInputs
from playhead.teehistorian.physics.rerun.prediction import Prediction
from playhead.teehistorian.physics.world.world import GameWorld

if cython.compiled:
    from cython.cimports.playhead.teehistorian.physics.arena.body import Body
else:
    LATER = 10
    REFUTED, EQUAL, HOOK, OPEN = range(4)
    FLYING, HOOK_LAUNCH = 4, 4


@cython.final
@cython.cclass
class Doubts:
    """The doubts of one pass: a pass that searches finds them, a later one follows them.

    A doubt is a number: 4 times (128 times the tick, plus the client id), plus the `unsure` of `Body`.
    """

    def __init__(
        self, prediction: Prediction, world: GameWorld, given: GivenInputs, doubts: array[int] | None
    ) -> None:
        """`doubts`: the `found` of a pass that searched; None for such a pass."""
        self._prediction = prediction
        self._world = world
        self._given = given
        self._searches = doubts is None
        self._doubts = array("q") if doubts is None else doubts
        self._next = 0
        self._pending = []
        self._former = []

    def found(self) -> array[int]:
        """Return all doubts, in the order of their ticks."""
        return array("q", sorted(self._doubts))

    def look(self, exact: cython.bint, last: cython.bint) -> cython.int:
        """Judge the inputs of a tick before its tees are corrected.

        `exact`: all tees are where the recording has them; `last`: no later tick will be simulated with this one.
        """
        cid: cython.int
        prediction: Prediction = self._prediction
        if not self._searches:
            return self._follow()
        tick: cython.int = prediction.tick
        if self._pending and exact:
            waiting: list = self._pending
            self._pending = []
            for begun, client in waiting:
                if last or tick - begun == 1 or tick - begun >= LATER:
                    self._decide(begun, client, last or tick - begun >= LATER)
                else:
                    self._pending.append((begun, client))
        for cid in range(prediction.slots):
            tee: Body = self._world.tees[cid]
            doubt: cython.int = self._given.may_be_other(cid)
            if not doubt or not tee.alive or tee.paused or self._given.is_kept(tee):
                continue
            if doubt == 1 and not tee.events & HOOK_LAUNCH and not (tee.new_hook and tee.hook_state == FLYING):
                self._doubts.append(4 * (tick * 128 + cid) + 1)  # of its aim alone
            elif not exact:
                self._doubts.append(4 * (tick * 128 + cid) + 3)
            elif last:
                self._decide(tick, cid, True)
            elif doubt == 1 or self._other(cid, 0) != REFUTED:
                self._pending.append((tick, cid))
        return 0

    def settle(self) -> cython.int:
        """End all looks at past ticks: something happened that is not simulated again."""
        for tick, cid in self._pending:
            self._doubts.append(4 * (tick * 128 + cid) + 3)
        self._pending = []
        return 0

    def _decide(self, begun: cython.int, cid: cython.int, ends: cython.bint) -> cython.int:
        """Look at the other input of a past tick, and note the ticks on which it leads to another state."""
        tick: cython.int
        found: cython.int = self._other(cid, self._prediction.tick - begun)
        if found == EQUAL:
            for tick in range(begun, max(begun + 1, self._prediction.tick)):
                self._doubts.append(4 * (tick * 128 + cid) + 1)
        elif found != REFUTED and not ends:
            self._pending.append((begun, cid))
        elif found != REFUTED:
            self._doubts.append(4 * (begun * 128 + cid) + (2 if found == HOOK else 3))
        return 0

    def _other(self, cid: cython.int, age: cython.int) -> cython.int:
        """Simulate the ticks since `age` ticks ago with a client's other input, and again with the chosen one.

        Return REFUTED if that does not fit the recorded positions, EQUAL if it leads to the same state, HOOK if
        only a hook at rest differs, else OPEN.
        """
        prediction: Prediction = self._prediction
        world: GameWorld = self._world
        i: cython.int
        if age >= world.kept():
            return OPEN
        former: Body
        tee: Body
        while len(self._former) < prediction.slots:
            self._former.append(Body(len(self._former)))
        for i in range(prediction.slots):
            former = self._former[i]
            former.copy(world.tees[i])
        chosen: cython.bint = self._given.chosen(age, cid)
        self._given.choose(age, cid, not chosen)
        world.go_back(age + 1)
        left: cython.int = prediction.again(age, True)
        found: cython.int = REFUTED
        if left < 0 and not prediction.compare(0):
            found = EQUAL
            for i in range(prediction.slots):
                tee = world.tees[i]
                former = self._former[i]
                if tee.alive:
                    found = max(found, EQUAL + tee.unlike(former))
        self._given.choose(age, cid, chosen)
        world.go_back(age - max(left, 0) + 1)
        prediction.again(age, False)
        prediction.compare(0)
        return found

    def _follow(self) -> cython.int:
        """Note the doubts of the tick at its tees."""
        cid: cython.int
        tee: Body
        for cid in range(self._prediction.slots):
            tee = self._world.tees[cid]
            tee.unsure = tee.unheard and tee.unsure == 1
        doubts = self._doubts
        while self._next < len(doubts) and doubts[self._next] >> 9 <= self._prediction.tick:
            if doubts[self._next] >> 9 == self._prediction.tick:
                tee = self._world.tees[doubts[self._next] >> 2 & 127]
                tee.unsure = max(tee.unsure, doubts[self._next] & 3)
            self._next += 1
        return 0
