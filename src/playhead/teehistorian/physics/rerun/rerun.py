"""`Rerun`: one pass over a recording that simulates each tick and compares it with the recorded positions."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

from playhead.errors import LimitExceeded, ReplayError
from playhead.runtime import cython
from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.arena.tiles import Tiles
from playhead.teehistorian.physics.rerun.given import GivenInputs
from playhead.teehistorian.physics.rerun.prediction import TELEPORTED, Doubts, Prediction, Recovery
from playhead.teehistorian.physics.world.world import GameWorld
from playhead.teehistorian.stream.reader import MessageReader
from playhead.teehistorian.stream.ticks import InputTracker, PositionTracker

if cython.compiled:
    from cython.cimports.playhead.teehistorian.physics.arena.single import single, whole
else:
    from playhead.teehistorian.physics.arena.arena import SLOTS
    from playhead.teehistorian.physics.arena.single import single, whole
    from playhead.teehistorian.stream.reader import (
        INPUT_DIFF,
        INPUT_NEW,
        NET_MESSAGE,
        PLAYER_DIFF,
        PLAYER_NEW,
        PLAYER_OLD,
    )

    HOOK_LAUNCH = 4

#: Rows for ticks without a message that one recording may have: a tee at rest for eleven hours.
MOST_IDLE = 2_000_000

#: What `Rerun.causes` counts: why a certain state was lost.
CAUSES = ("teleport", "inputs", "contact", "other")


@cython.final
@cython.cclass
class Rerun:
    """Drives a `MessageReader` and a `GameWorld`.

    Attributes:
        world: the simulated world after the last finished tick.
        given, prediction, doubts: the inputs of the last ticks, the simulation of each tick, its open choices.
        positions, inputs: the recorded ones up to the last message.
        tick: the tick whose section is being read.
        compared, exact: ticks of tees that were there on the tick before, and those predicted exactly.
        breaks: inexact ticks of tees that were exact on the tick before.
        respawns: kills and spawns within a tick.
        causes: breaks by likely cause, in the order of `CAUSES`: the tee moved farther than any tee can; its tick
            had several inputs, or the server records inputs at their arrival; another tee was near or hooked; none
            of these.
        rows: a row for each tee and tick; None if not requested.
        notes: hooks, shots, hits, freezes and runs; None if not requested.
        watcher: called with each tick after it was simulated; None for no call.
        finished: the last tick was simulated.
        rows_left: how many more rows for ticks with messages the recording may have.
    """

    def __init__(
        self,
        reader: MessageReader,
        world: GameWorld,
        rules: Any,
        listener: Callable[[int, Any], object],
        foresee: Callable[[list[tuple[int, Any]]], object],
        spawns: frozenset[tuple[int, int]],
        found: tuple[array[int], array[int]] | None,
    ) -> None:
        """
        Args:
            reader: at the first message.
            world: without tees.
            rules: `Rules` of the server.
            listener: called with (tick, message) of rare messages, after the tick was simulated.
            foresee: called with a list of the same before it is simulated.
            spawns: places where a tee can spawn.
            found: the `alternatives` and `doubts` of a pass that searched; None for such a pass.
        """
        self._reader = reader
        self.world = world
        self.given = GivenInputs(rules)
        self.prediction = Prediction(world, self.given, None if found is None else found[0])
        self.doubts = Doubts(self.prediction, world, self.given, None if found is None else found[1])
        self._recovery = Recovery()
        self.positions = PositionTracker()
        self.inputs = InputTracker()
        self._listener = listener
        self._foresee = foresee
        self._spawns = spawns
        self._at_end = rules.positions_at_end
        self._for_tick = rules.recorded_for_tick
        self._one_input = rules.one_input
        self.tick = 0
        self.compared = self.exact = self.breaks = self.respawns = 0
        self.idle_left = MOST_IDLE
        self.rows_left = 1 << 62
        self.causes = [0] * len(CAUSES)
        self.rows = self.notes = self.watcher = None
        self.finished = False
        self._rare = []
        self._loads = {}
        if not cython.compiled:
            self._former_x, self._former_y, self._holder = ([0] * SLOTS for _ in range(3))
            self._appeared, self._there, self._killing, self._silent = ([False] * SLOTS for _ in range(4))
        i: cython.int
        for i in range(SLOTS):
            self._holder[i] = -1

    @property
    def guessed(self) -> int:
        """Exact ticks thanks to an input that the file does not have."""
        return self.prediction.guessed

    @cython.nonecheck(True)
    def set_holder(self, cid: int, holder: int, of_tee: bool) -> None:
        """As `ColumnPass.set_holder`."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        self._holder[cid] = holder
        if of_tee:
            tee: Body = self.world.tees[cid]
            tee.holder = holder

    def kill(self, cid: int, reason: str = "kill") -> None:
        """Note that a tee may die before the next tick; `reason`: of table ``deaths``, empty if unknown."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        self._killing[cid] = True
        if reason and self.notes is not None:
            self.notes.deaths.expect(self.tick, cid, reason)

    def set_silent(self, cid: int, silent: bool) -> None:
        """Set whether the server keeps silent about clients that join the spectators."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        self._silent[cid] = silent

    @cython.nonecheck(True)
    def place_of(self, cid: int) -> tuple[int, int]:
        """Return the recorded position of a client's tee."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        return self.positions.x[cid], self.positions.y[cid]

    def load(self, cid: int, restore: Callable[[Body, int], object]) -> None:
        """Note that a saved tee returns at the end of the next simulated tick: `restore` gets it and the tick."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        self._loads[cid] = restore

    @cython.nonecheck(True)
    def swap(self, one: int, other: int) -> None:
        """Exchange two tees: everything but inputs, team and pause."""
        if not (0 <= one < SLOTS and 0 <= other < SLOTS) or one == other:
            return
        first: Body = self.world.tees[one]
        second: Body = self.world.tees[other]
        if not first.alive or not second.alive:
            return
        spare: Body = Body(one)
        spare.copy(first)
        first.exchange(second)
        second.exchange(spare)

    @cython.nonecheck(True)
    def forget(self, cid: int) -> None:
        """Begin with inputs of zero for a new client in a slot."""
        self.given.forget(cid)
        self.world.pauses.pop(cid, None)
        self.world.tees[cid].forget_inputs()

    def run(self, count: cython.longlong) -> cython.bint:
        """Process up to `count` messages; return False after the last one. Errors are those of `MessageReader`."""
        try:
            return self._run(count)
        except ReplayError as error:
            self._reader.locate(error)
            raise

    @cython.nonecheck(True)
    def _run(self, count: cython.longlong) -> cython.bint:
        while count > 0:
            if not self._reader.step():
                return False
            count -= 1
            if self._reader.tick > self.tick:
                self._end_section(self._reader.tick)
            self._on_message(self._reader.kind)
        return True

    @cython.nonecheck(True)
    def finish(self) -> None:
        """Simulate the last section."""
        self._end_section(self.tick + 1)
        self.prediction.tick = self.tick
        self._settle()
        if self.notes is not None:
            self.notes.finish()
        self.finished = True

    def _on_message(self, kind: cython.int) -> cython.int:
        cid: cython.int = self._reader.cid
        if cid >= self.prediction.slots and cid < SLOTS:
            self.prediction.slots = cid + 1
        if kind == PLAYER_DIFF:
            self.positions.move(cid, self._reader.values[0], self._reader.values[1])
        elif kind in (INPUT_DIFF, INPUT_NEW):
            if kind == INPUT_NEW:
                self.inputs.set(cid, self._reader.values)
            elif not self.inputs.add(cid, self._reader.values):
                return 0
            self.given.append(cid, self.inputs)
        elif kind == PLAYER_NEW:
            self._rare.append((self._reader.tick, self._reader.message()))
            self.positions.appear(cid, self._reader.values[1], self._reader.values[2])
            self._appeared[cid] = True
        elif kind == PLAYER_OLD:
            if self.positions.vanish(cid):
                self.prediction.gone[cid] = True
        elif kind <= NET_MESSAGE:
            self._rare.append((self._reader.tick, self._reader.message()))
        return 0

    def _end_section(self, next_tick: cython.int) -> cython.int:
        """Simulate the tick whose section was read, let its other messages act, and the idle ticks after it."""
        if self.tick > 0:
            if self._rare:
                self._foresee(self._rare)
            self.rows_left -= self.world.count
            if self.rows_left < 0:
                raise LimitExceeded("there are more rows than a small compressed recording may have")
            self._simulate(True)
        if self._rare:
            rare: list = self._rare
            self._rare = []
            for tick, message in rare:
                self._listener(tick, message)
        while self.tick + 1 < next_tick:
            self.tick += 1
            if not self.world.count:
                self.idle_left -= self.world.rest(min(next_tick - 1, self.tick + self.idle_left))
                self.prediction.tick = self.tick
                self._settle()
                self.prediction.advance()
                self.tick = next_tick - 1
                self.world.tick = self.tick
                if self.idle_left <= 0:
                    raise LimitExceeded(f"there are more than {MOST_IDLE} ticks without a message")
                break
            self.idle_left -= self.world.count
            if self.idle_left < 0:
                raise LimitExceeded(f"there are more than {MOST_IDLE} rows for ticks without a message")
            self._simulate(False)
        self.tick = next_tick
        return 0

    def _settle(self) -> cython.int:
        """End the search in past ticks."""
        self.doubts.settle()
        return self.prediction.settle()

    # -- a tick -------------------------------------------------------------------------------------------

    def _simulate(self, with_section: cython.bint) -> cython.int:
        """Simulate `tick`; `with_section`: it has messages, and the section before it may have inputs."""
        self.prediction.tick = self.tick
        steady: cython.bint = self._begin(with_section)
        if not steady:
            self._settle()
        exact: cython.bint = self.prediction.predict()
        if not self._one_input:
            self.doubts.look(exact, bool(self._rare) or not steady or self.prediction.ends())
        if not exact:
            self._correct()
            steady = False
        self._count()
        if not (self._end() and steady and not self._rare):
            self._settle()
        self.prediction.advance()
        if self.notes is not None:
            self.notes.note()
        if self.rows is not None:
            self.rows.add(self.world)
        if self.watcher is not None:
            self.watcher(self.tick)
        return 0

    def _begin(self, with_section: cython.bint) -> cython.bint:
        """Spawn and kill tees before the tick, and set the places of the others after it; return whether no tee
        did anything that a search could not repeat."""
        world: GameWorld = self.world
        prediction: Prediction = self.prediction
        cid: cython.int
        steady: cython.bint = True
        asks: cython.bint = False
        for cid in range(prediction.slots):
            tee: Body = world.tees[cid]
            if not with_section:
                prediction.gone[cid] = self._appeared[cid] = False
            if not self._at_end and self._appeared[cid] and not tee.alive:
                self._spawn_late(cid)
                steady = False
            self._there[cid] = tee.alive and not prediction.gone[cid] and not self._appeared[cid]
            prediction.checked[cid] = self._there[cid]
            if tee.alive:
                self._former_x[cid] = whole(tee.shown_x)
                self._former_y[cid] = whole(tee.shown_y)
                prediction.expect(cid, self.positions.x[cid], self.positions.y[cid])
                if self._loads and cid in self._loads:
                    prediction.checked[cid] = False
                if not self._killing[cid]:
                    if not (prediction.gone[cid] and self._silent[cid] and self._leaves_unsaid(tee)):
                        continue
                    if self.notes is not None:
                        self.notes.deaths.expect(self.tick, cid, "spectators")
                if prediction.gone[cid]:
                    # It was killed before the tick.
                    steady = False
                    world.vanish(cid)
                asks = asks or prediction.checked[cid]
        steady &= not (asks and self._at_end and self._respawn())
        for cid in range(prediction.slots):
            self._killing[cid] = False
        return steady

    def _respawn(self) -> cython.bint:
        """Let tees that were killed before the tick spawn at its end; return whether one may have been.

        Exits of teleporters can be places to spawn too: a tee that gets there without a death lives on.
        """
        cid: cython.int
        found: cython.bint = False
        for cid in range(self.prediction.slots):
            self._killing[cid] = self._killing[cid] and self.prediction.checked[cid] and self._is_spawn(cid)
            found |= self._killing[cid]
        if found:
            self.prediction.probe()
        for cid in range(self.prediction.slots):
            if self._killing[cid] and self.prediction.wrong[cid]:
                self.prediction.checked[cid] = False
                self._appeared[cid] = True
                self.respawns += 1
                self.world.vanish(cid)
            elif self._killing[cid]:
                self.world.tees[cid].known = 0
        return found

    def _leaves_unsaid(self, tee: Body) -> cython.bint:
        """Return whether a tee that is gone after the tick joined the spectators: no death tile is near it, and no
        other tee of its team is gone."""
        tiles: Tiles = self.world.tiles
        i: cython.int
        if tiles.near_death[tiles.tile_at(tee.x, tee.y)]:
            return False
        if tiles.near_death[tiles.tile_at(single(tee.x + tee.vel_x), single(tee.y + tee.vel_y))]:
            return False
        for i in range(self.prediction.slots):
            other: Body = self.world.tees[i]
            if i != tee.cid and self.prediction.gone[i] and tee.team and other.team == tee.team:
                return False
        return True

    def _end(self) -> cython.bint:
        """Take tees out of the world and put new and loaded ones into it; return whether there were none."""
        cid: cython.int
        steady: cython.bint = True
        for cid in range(self.prediction.slots):
            if not (self.prediction.gone[cid] or self._appeared[cid]):
                continue
            steady = False
            if self.prediction.gone[cid] and not self._appeared[cid]:
                if self.notes is not None:
                    self.notes.end(cid)
                self.world.vanish(cid)
            elif self._appeared[cid] and (self._at_end or not self._there[cid]):
                self._appear(cid)
            self._appeared[cid] = self.prediction.gone[cid] = False
        for cid, restore in self._loads.items():
            steady = False
            tee: Body = self.world.tees[cid]
            if tee.alive:
                restore(tee, self.tick)
                self._recovery.close(cid)
        self._loads = {}
        if self.world.pauses:
            steady = False
            self.world.follow_pauses()
        return steady

    def _appear(self, cid: cython.int) -> cython.int:
        tee: Body = self.world.tees[cid]
        if self.notes is not None:
            self.notes.end(cid)
        if self._at_end or not tee.alive:
            self.world.appear(cid, self.positions.x[cid], self.positions.y[cid])
            self.given.spawn(tee)
            tee.known = 1
            self._recovery.close(cid)
        tee.holder = self._holder[cid]
        return 0

    def _spawn_late(self, cid: cython.int) -> cython.int:
        """Spawn a tee of an old server, which records it after its first movement, at the nearest spawn."""
        best: cython.longlong = 1 << 60
        x: cython.int = self.positions.x[cid]
        y: cython.int = self.positions.y[cid]
        near_x: cython.int = x
        near_y: cython.int = y
        for spawn_x, spawn_y in self._spawns:
            far: cython.longlong = (spawn_x - x) ** 2 + (spawn_y - y) ** 2
            if far < best and far < 10_000:
                best = far
                near_x = spawn_x
                near_y = spawn_y
        tee: Body = self.world.tees[cid]
        tee.forget_inputs()
        self.world.appear(cid, near_x, near_y)
        tee.known = 1
        self._recovery.close(cid)
        return 0

    def _is_spawn(self, cid: cython.int) -> cython.bint:
        return (self.positions.x[cid], self.positions.y[cid]) in self._spawns

    def _correct(self) -> cython.int:
        """Take the recorded positions of the tees that are elsewhere, and velocities that lead there."""
        cid: cython.int
        for cid in range(self.prediction.slots):
            if not self.prediction.wrong[cid]:
                continue
            tee: Body = self.world.tees[cid]
            if tee.known:
                self.breaks += 1
                self.causes[self._cause(cid)] += 1
            self._recovery.correct(tee, self._moved_x(cid), self._moved_y(cid))
            tee.known = 0
            tee.old_hook = 1
            tee.x = tee.shown_x = self.positions.x[cid]
            tee.y = tee.shown_y = self.positions.y[cid]
        return 0

    def _moved_x(self, cid: cython.int) -> cython.int:
        return self.positions.x[cid] - self._former_x[cid]

    def _moved_y(self, cid: cython.int) -> cython.int:
        return self.positions.y[cid] - self._former_y[cid]

    def _cause(self, cid: cython.int) -> cython.int:
        """Return the likely cause of a break, a place in `CAUSES`."""
        tee: Body = self.world.tees[cid]
        i: cython.int
        if abs(self._moved_x(cid)) > TELEPORTED or abs(self._moved_y(cid)) > TELEPORTED:
            return 0
        if not self._for_tick or self.given.count(cid) > 1:
            return 1
        for i in range(self.world.count):
            other: Body = self.world.tees[self.world.present[i]]
            if other is not tee and tee.near(other):
                return 2
        return 3

    def _count(self) -> cython.int:
        """Count the tees that were compared, and note the outcome of each."""
        cid: cython.int
        for cid in range(self.prediction.slots):
            tee: Body = self.world.tees[cid]
            if not self.prediction.checked[cid]:
                tee.outcome = 2
                continue
            self.compared += 1
            tee.outcome = not self.prediction.wrong[cid]
            if tee.outcome:
                self.exact += 1
                if self._recovery.open[cid]:
                    self._recovery.follow(tee, self._moved_x(cid), self._moved_y(cid))
                if tee.events & HOOK_LAUNCH and not tee.unsure:
                    tee.old_hook = 0
                if tee.vel_x == 0 and tee.vel_y == 0 and tee.grounded and tee.hook_state == 0:
                    tee.known = 1
                    self._recovery.close(cid)
                if tee.unsure > 1:
                    tee.old_hook = 1
                if tee.unsure > 2:
                    tee.known = 0
        return 0
