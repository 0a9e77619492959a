"""`Prediction`: a tick simulated from the recorded inputs, and again with alternatives that the file leaves open.

Where positions differ, the alternative of an input is tried (see `GivenInputs`): on the tick itself, then on
earlier ticks, since a hook that flew too early shows only when it pulls. The first alternative with fewer
differences is chosen. One pass searches through the recording, a second one repeats its choices.

`Doubts` are ticks whose state another input explains as well as the one that was chosen. An input that comes too
late acts on the next tick, before the input of that tick, and one that equals the last recorded input is not
recorded: where the server was late, or the client may have been, the input of a tick may be either. Most often the
positions decide, at once or some ticks later. Where they do not, the state is uncertain until both inputs lead to
the same one again.

`Recovery` narrows the velocities of tees that were elsewhere than predicted, by the positions that follow. A tee's
place is a whole number after each tick, so its way gives its velocity to half a unit. Gravity and keys change a
wrong velocity as they change the right one: the difference stays, or friction shrinks it. So the range of each
tick is cut with that of the ticks before it.

The module is long because one more compiled module takes seconds of each installation.
"""

from __future__ import annotations

from array import array

from playhead.runtime import cython
from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.rerun.given import GivenInputs
from playhead.teehistorian.physics.world.world import GameWorld

if cython.compiled:
    from cython.cimports.playhead.teehistorian.physics.arena.single import ratio, rounded, single, whole
else:
    from playhead.teehistorian.physics.arena.arena import SLOTS
    from playhead.teehistorian.physics.arena.single import ratio, rounded, single, whole
    from playhead.teehistorian.physics.rerun.given import CELLS
    from playhead.teehistorian.physics.world.world import MOST_KEPT

    NEIGHBOURS = 3
    LATER = 10
    REFUTED, EQUAL, HOOK, OPEN = range(4)
    FLYING, HOOK_LAUNCH = 4, 4


#: Most units that a tee moves on the tick after a command put it elsewhere.
_FAR = cython.declare(cython.int, 6000)

#: A tee that is farther away on the next tick was teleported: its velocity is not its change of place.
TELEPORTED = 250
_HALF = cython.declare(cython.float, 0.5)
#: Most above the whole way that still rounds to it: velocities are multiples of 1/256.
_BELOW = cython.declare(cython.float, 127 / 256)


@cython.final
@cython.cclass
class Prediction:
    """Predicts one tick after another, and knows which tees are not where the recording has them.

    Attributes (of compiled callers):
        checked: clients whose positions are compared on this tick; gone: those that die on it.
        wrong: those that are elsewhere.
        tick: the tick.
        slots: above the highest client id so far.
        searches: alternatives are tried, and noted in `found`.
        guessed: inputs whose alternative was chosen.
    """

    def __init__(self, world: GameWorld, given: GivenInputs, alternatives: array[int] | None) -> None:
        """`alternatives`: the `found` of a pass that searched; None for such a pass."""
        self._world = world
        self._given = given
        self.searches = alternatives is None
        self.slots = self.tick = 0
        self._alternatives = array("q") if alternatives is None else alternatives
        self._next_chosen = self.guessed = 0
        self._jumps = False
        if not cython.compiled:
            self._recorded_x, self._recorded_y = [0] * CELLS, [0] * CELLS
            self._miss, self._former_miss = [0] * SLOTS, [0] * SLOTS
            self.checked, self.gone, self.wrong, self._landed = ([False] * SLOTS for _ in range(4))
            self._turned, self._teleported = [False] * SLOTS, [False] * SLOTS
            self._start_x, self._start_y = [0] * SLOTS, [0] * SLOTS

    def found(self) -> array[int]:
        """Return the chosen alternatives: 128 times the tick, plus the client id."""
        return self._alternatives

    def jump(self, moved: int = -1) -> None:
        """Note that a command put tees elsewhere since the last tick, or a client `moved` its own, which ends its
        freeze."""
        self._jumps = True
        if 0 <= moved < SLOTS:
            self._teleported[moved] = True

    def expect(self, cid: cython.int, x: cython.int, y: cython.int) -> cython.int:
        """Set the recorded position of a tee at the end of the tick."""
        place: cython.int = self._given.cell(0, cid)
        self._recorded_x[place] = x
        self._recorded_y[place] = y
        return 0

    def predict(self) -> cython.bint:
        """Simulate the tick; return whether all tees are where the recording has them."""
        cid: cython.int
        jumps: cython.bint = self._jumps
        self._jumps = False
        if self.searches or jumps:
            self._world.keep()
        else:
            self._world.forget()
        if self.searches:
            self._expect_late()
        else:
            self._follow()
        self._attempt(0)
        left: cython.int = self.compare(0)
        if jumps:
            if left:
                left = self._land()
                self._doubt_landings()
            for cid in range(self.slots):
                self._teleported[cid] = False
        if left and self.searches:
            left = self._guess()
            if left:
                self._search()
                left = self.compare(0)
        if jumps and not self.searches:
            self._world.forget_history()
        return left == 0

    def probe(self) -> cython.int:
        """Simulate the tick and compare it, then return to the state before it and forget all states before."""
        self._world.keep()
        self._attempt(0)
        self.compare(0)
        self._world.go_back(1)
        return self._world.forget_history()

    def advance(self) -> cython.int:
        """Go on to the next tick. The choice for the oldest tick that is kept does not change any more."""
        if self.searches:
            self._settle_tick(MOST_KEPT)
        self._given.advance(self.slots)
        return 0

    def ends(self) -> cython.bint:
        """Return whether a tee dies on the tick."""
        cid: cython.int
        found: cython.bint = False
        for cid in range(self.slots):
            found |= self.gone[cid]
        return found

    def settle(self) -> cython.int:
        """End the search for alternatives of all ticks so far: something happened that is not simulated again."""
        age: cython.int
        if self.searches:
            for age in range(MOST_KEPT, -1, -1):
                self._settle_tick(age)
            self._world.forget_history()
        return 0

    def _settle_tick(self, age: cython.int) -> cython.int:
        """Add the alternatives of a tick to those that were found: they do not change any more."""
        cid: cython.int
        for cid in range(self.slots):
            if self._given.chosen(age, cid):
                self._alternatives.append((self.tick - age) * 128 + cid)
                self._given.choose(age, cid, False)
        return 0

    def _follow(self) -> cython.int:
        """Choose the alternatives that a search found."""
        chosen = self._alternatives
        while self._next_chosen < len(chosen) and chosen[self._next_chosen] >> 7 <= self.tick:
            if chosen[self._next_chosen] >> 7 == self.tick:
                self._given.choose(0, chosen[self._next_chosen] & 127, True)
                self.guessed += 1
            self._next_chosen += 1
        return 0

    def _expect_late(self) -> cython.int:
        """Choose the likelier alternatives of a tick on which the server was late."""
        cid: cython.int
        inputs: cython.int = self._given.late(0)
        if inputs > 1:
            for cid in range(self.slots):
                if self._given.likely_other(cid, inputs):
                    self._given.choose(0, cid, True)
        return 0

    def _attempt(self, age: cython.int) -> cython.int:
        """Simulate the tick that was `age` ticks ago, from the state before it."""
        world: GameWorld = self._world
        cid: cython.int
        place: cython.int = self._given.cell(age, 0)
        leaving: dict = world.leaving
        if age:
            world.leaving = {}
        for cid in range(self.slots):
            tee: Body = world.tees[cid]
            if tee.alive:
                world.aim_for(cid, self._recorded_x[place + cid], self._recorded_y[place + cid])
                if self.gone[cid] and not age:
                    world.doom(cid)
        world.tick = self.tick - age
        self._given.give(world, age, self.slots)
        world.step()
        world.leaving = leaving
        return 0

    def compare(self, age: cython.int) -> cython.int:
        """Return how many tees are not where the recording has them, `age` ticks ago."""
        found: cython.int = 0
        cid: cython.int
        place: cython.int = self._given.cell(age, 0)
        for cid in range(self.slots):
            tee: Body = self._world.tees[cid]
            if age:
                found += tee.alive and (
                    tee.x != self._recorded_x[place + cid] or tee.y != self._recorded_y[place + cid]
                )
            elif self.checked[cid]:
                self._miss[cid] = whole(abs(tee.x - self._recorded_x[place + cid])) + whole(
                    abs(tee.y - self._recorded_y[place + cid])
                )
                self.wrong[cid] = tee.x != self._recorded_x[place + cid] or tee.y != self._recorded_y[place + cid]
                found += self.wrong[cid]
            else:
                self.wrong[cid] = False
        return found

    def _land(self) -> cython.int:
        """Simulate the tick from where a command may have put the tees that are elsewhere: first from the recorded
        position, then from where the tick ends there. Return how many.
        """
        world: GameWorld = self._world
        cid: cython.int
        _attempt: cython.int
        left: cython.int = 0
        place: cython.int = self._given.cell(0, 0)
        for cid in range(self.slots):
            self._start_x[cid] = self._recorded_x[place + cid]
            self._start_y[cid] = self._recorded_y[place + cid]
            self._landed[cid] = self.wrong[cid]
        for _attempt in range(3):
            world.go_back(1)
            for cid in range(self.slots):
                if self._landed[cid]:
                    tee: Body = world.tees[cid]
                    if self._teleported[cid]:
                        tee.place(self._start_x[cid], self._start_y[cid])
                        tee.freeze_ticks = tee.freeze_start = 0
                    tee.x = tee.shown_x = tee.former_x = self._start_x[cid]
                    tee.y = tee.shown_y = tee.former_y = self._start_y[cid]
            self._attempt(0)
            left = self.compare(0)
            if not left:
                return 0
            for cid in range(self.slots):
                if self._landed[cid] and self.wrong[cid]:
                    tee = world.tees[cid]
                    dx: cython.longlong = self._recorded_x[place + cid]
                    dy: cython.longlong = self._recorded_y[place + cid]
                    dx -= whole(tee.x)
                    dy -= whole(tee.y)
                    if -_FAR < dx < _FAR and -_FAR < dy < _FAR:
                        self._start_x[cid] += dx
                        self._start_y[cid] += dy
        return left

    def _doubt_landings(self) -> cython.int:
        """Note that the place where a command put a tee is not certain, nor its effect on those near it."""
        world: GameWorld = self._world
        cid: cython.int
        i: cython.int
        for cid in range(self.slots):
            if self._landed[cid]:
                tee: Body = world.tees[cid]
                for i in range(self.slots):
                    other: Body = world.tees[i]
                    if i == cid or (other.alive and tee.near(other)):
                        other.known = 0
        return 0

    def _guess(self) -> cython.int:
        """Try the alternative of the tick for all tees that are elsewhere; return how many still are."""
        before: cython.int = 0
        tried: cython.int = 0
        cid: cython.int
        for cid in range(self.slots):
            self._former_miss[cid] = self._miss[cid]
            before += self.wrong[cid]
            self._turned[cid] = self.wrong[cid] and self._given.is_open(0, cid)
            if self._turned[cid]:
                self._given.choose(0, cid, not self._given.chosen(0, cid))
                tried += 1
        if not tried:
            return before
        after: cython.int = self._retry()
        if not after:
            return 0
        for cid in range(self.slots):
            if self._turned[cid] and self.wrong[cid] and self._miss[cid] >= self._former_miss[cid]:
                self._turn_back(cid)
        after = self._retry()
        if after > before:
            for cid in range(self.slots):
                self._turn_back(cid)
            after = self._retry()
        return after

    def _turn_back(self, cid: cython.int) -> cython.int:
        """Take back that the other alternative of the tick was tried."""
        if self._turned[cid]:
            self._given.choose(0, cid, not self._given.chosen(0, cid))
            self._turned[cid] = False
        return 0

    def _retry(self) -> cython.int:
        """Simulate the tick again with the present choices; return how many tees are elsewhere."""
        self._world.go_back(1)
        self._attempt(0)
        return self.compare(0)

    def _search(self) -> cython.int:
        """Try the alternatives of earlier inputs of each tee that is elsewhere, then of tees near it."""
        world: GameWorld = self._world
        cid: cython.int
        i: cython.int
        age: cython.int
        for cid in range(self.slots):
            if not self.wrong[cid]:
                continue
            before: cython.int = self.compare(0)
            for age in range(1, world.kept()):
                if self._explains(cid, age, before):
                    break
            if not self.wrong[cid]:
                continue
            tee: Body = world.tees[cid]
            left: cython.int = NEIGHBOURS
            for i in range(self.slots):
                other: Body = world.tees[i]
                if left and i != cid and other.alive and tee.near(other):
                    left -= 1
                    for age in range(world.kept()):
                        if self._explains(i, age, before):
                            break
                    if not self.wrong[cid]:
                        break
        return 0

    def _explains(self, cid: cython.int, age: cython.int, before: cython.int) -> cython.bint:
        """Choose the alternative of an input `age` ticks ago, if fewer tees than `before` are elsewhere now."""
        if not self._given.is_open(age, cid):
            return False
        other: cython.bint = not self._given.chosen(age, cid)
        self._given.choose(age, cid, other)
        self._world.go_back(age + 1)
        left: cython.int = self.again(age, True)
        if left < 0 and self.compare(0) < before:
            return True
        self._given.choose(age, cid, not other)
        self._world.go_back(age - max(left, 0) + 1)
        self.again(age, False)
        self.compare(0)
        return False

    def again(self, age: cython.int, checks: cython.bint) -> cython.int:
        """Simulate all ticks since `age` ticks ago; return the age at which a check fails, else -1."""
        while True:
            self._attempt(age)
            if checks and age and self.compare(age):
                return age
            if not age:
                return -1
            age -= 1
            self._world.keep()


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
        """Cut the open range with that of a way; a velocity that a wall changed leaves nothing open."""
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
        if moved > TELEPORTED or moved < -TELEPORTED:
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
