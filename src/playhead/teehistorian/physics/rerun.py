"""`Rerun`: one pass over a recording that simulates each tick and compares it with the recorded positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playhead.errors import LimitExceeded, ReplayError
from playhead.runtime import cython
from playhead.tables.int32_columns import Int32Columns
from playhead.teehistorian.physics.body import Body
from playhead.teehistorian.physics.tiles import Tiles
from playhead.teehistorian.physics.world import GameWorld
from playhead.teehistorian.stream.inputs import InputTracker
from playhead.teehistorian.stream.positions import PositionTracker
from playhead.teehistorian.stream.reader import MessageReader

if cython.compiled:
    from cython.cimports.playhead.tables.int32_columns import Int32Columns
    from cython.cimports.playhead.teehistorian.physics.body import Body
    from cython.cimports.playhead.teehistorian.physics.single import ratio, rounded, single, whole
    from cython.cimports.playhead.teehistorian.physics.tiles import Tiles
    from cython.cimports.playhead.teehistorian.physics.world import GameWorld
    from cython.cimports.playhead.teehistorian.stream.inputs import InputTracker
    from cython.cimports.playhead.teehistorian.stream.positions import PositionTracker
    from cython.cimports.playhead.teehistorian.stream.reader import MessageReader
else:
    from playhead.teehistorian.physics.single import ratio, rounded, single, whole
    from playhead.teehistorian.stream.reader import (
        INPUT_DIFF,
        INPUT_NEW,
        NET_MESSAGE,
        PLAYER_DIFF,
        PLAYER_NEW,
        PLAYER_OLD,
    )
    from playhead.teehistorian.stream.tick_messages import INPUT_LENGTH

    SLOTS, BASE, KEPT, BANK = 128, 128, 8, 20480

#: Rows for ticks without a message that one recording may have: a tee that stands still for eleven hours.
MOST_IDLE = 2_000_000
#: A tee that is farther away on the next tick was teleported: its velocity is not what it moved.
_FAR = 250
_HALF = cython.declare(cython.float, 0.5)

#: What `Rerun.causes` counts: why a certain state was lost.
CAUSES = ("teleport", "inputs", "contact", "other")


@cython.final
@cython.cclass
class Rerun:
    """Drives a `MessageReader` and a `GameWorld`, and fills columns with a row for each tee and tick.

    Attributes:
        world: the simulated world after the last finished tick.
        positions, inputs: what is recorded up to the last message.
        tick: the tick whose section is being read.
        compared, exact: ticks of tees that were there on the tick before, and those predicted exactly.
        guessed: exact ones thanks to an input that the file does not have.
        breaks: inexact ticks of tees that were exact on the tick before.
        respawns: kills and spawns within a tick.
        causes: breaks by likely cause, in the order of `CAUSES`: the tee moved farther than any tee can; its tick
            had several inputs, or inputs stand at their arrival; another tee was near or hooked; none of these.
        bodies, hooks, states: columns of the rows; see `table`.
        emits: whether rows are kept.
        moments: (kind, tick, …) of hooks, shots, hits and freezes since they were taken; see `moments`. None if
            they are not kept.
        watcher: called with each tick after it was simulated; None for nobody.
        race: who crosses start and finish; None if nobody asks.
        finished: the last tick was simulated.
        killing: clients that asked to be killed since the last tick.
    """

    def __init__(
        self,
        reader: MessageReader,
        world: GameWorld,
        rules: Any,
        listener: Callable[[int, Any], object],
        foresee: Callable[[list[tuple[int, Any]]], object],
        spawns: frozenset[tuple[int, int]],
    ) -> None:
        """
        Args:
            reader: at the first message.
            world: without tees.
            rules: `Rules` of the server.
            listener: called with (tick, message) of rare messages, after the tick was simulated.
            foresee: called with a list of the same before it is simulated.
            spawns: places where a tee can spawn.
        """
        self._reader = reader
        self.world = world
        self.positions = PositionTracker()
        self.inputs = InputTracker()
        self._listener = listener
        self._foresee = foresee
        self._spawns = spawns
        self._repeats = rules.repeats_input
        self._one_input = rules.one_input
        self._pause_resets = rules.pause_resets
        self._camera_cuts = rules.camera_cuts
        self._at_end = rules.positions_at_end
        self._for_tick = rules.recorded_for_tick
        self.tick = 0
        self.rows = self.compared = self.exact = self.guessed = self.breaks = self.respawns = 0
        self.idle_left = MOST_IDLE
        self.emits = True
        self.causes = [0] * len(CAUSES)
        self.moments = None
        self.race = None
        self.watcher = None
        self._bank = self._slots = 0
        self.finished = False
        self._rare = []
        self.bodies = Int32Columns(13)
        self.hooks = Int32Columns(13)
        self.states = Int32Columns(13)
        if not cython.compiled:
            self._given_count = [0] * (2 * SLOTS)
            for name in (
                "_former_x",
                "_former_y",
                "_hook_start",
                "_grab_tick",
                "_freeze_start",
                "_freeze_left",
                "_miss",
                "_former_miss",
            ):
                setattr(self, name, [0] * SLOTS)
            for name in (
                "_has_input",
                "_appeared",
                "_gone",
                "_there",
                "_checked",
                "_wrong",
                "_other",
                "killing",
                "_loading",
            ):
                setattr(self, name, [False] * SLOTS)
            self._given = [0] * BANK
            self._last = [0] * (SLOTS * INPUT_LENGTH)
            self._holder = [-1] * SLOTS
            self._tee_holder = [-1] * SLOTS
            self._grabbed = [-1] * SLOTS
            self._was_deep = [False] * SLOTS
        i: cython.int
        for i in range(SLOTS):
            self._holder[i] = self._tee_holder[i] = -1
            self._hook_start[i] = self._freeze_start[i] = 0

    def set_holder(self, cid: int, holder: int, of_tee: bool) -> None:
        """As `ColumnPass.set_holder`."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        self._holder[cid] = holder
        if of_tee:
            self._tee_holder[cid] = holder

    def holder_of(self, cid: int) -> int:
        """Return the holder of a tee; see `Holders`."""
        return self._tee_holder[cid] if 0 <= cid < SLOTS else -1

    def flags_of(self, cid: int) -> int:
        """Return the flags of a player's last input, of those that the game shows."""
        return self._last[INPUT_LENGTH * cid + 6] & 31 if 0 <= cid < SLOTS else 0

    def kill(self, cid: int) -> None:
        """Note that a client asked to be killed; the next position shows whether it was."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        self.killing[cid] = True

    def load(self, cid: int, x: int, y: int) -> None:
        """Note that a saved tee returns at (x, y) on the next simulated tick."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        if (self.positions.x[cid], self.positions.y[cid]) == (x, y):
            self._loading[cid] = True

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
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        i: cython.int
        for i in range(INPUT_LENGTH):
            self._last[INPUT_LENGTH * cid + i] = 0
        self._has_input[cid] = False
        self.world.tees[cid].forget_inputs()

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def run(self, count: cython.longlong) -> cython.bint:
        """Process up to `count` messages; return False after the last one. Errors are those of `MessageReader`."""
        try:
            return self._run(count)
        except ReplayError as error:
            self._reader.locate(error)
            raise

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    @cython.nonecheck(True)
    def _run(self, count: cython.longlong) -> cython.bint:
        while count > 0:
            if not self._reader.step():
                return False
            count -= 1
            if self._reader.tick > self.tick:
                self._end_section(self._reader.tick)
            self._take(self._reader.kind)
        return True

    def finish(self) -> None:
        """Simulate the last section."""
        self._end_section(self.tick + 1)
        self.finished = True

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _take(self, kind: cython.int) -> cython.int:
        cid: cython.int = self._reader.cid
        i: cython.int
        if cid >= self._slots and cid < SLOTS:
            self._slots = cid + 1
        if kind == PLAYER_DIFF:
            self.positions.move(cid, self._reader.values[0], self._reader.values[1])
        elif kind in (INPUT_DIFF, INPUT_NEW):
            if kind == INPUT_NEW:
                self.inputs.set(cid, self._reader.values)
            elif not self.inputs.add(cid, self._reader.values):
                return 0
            slot: cython.int = BASE * (1 - self._bank) + cid
            place: cython.int = self._given_count[slot]
            if place < KEPT:
                self._given_count[slot] = place + 1
            else:
                place = KEPT - 1
            for i in range(INPUT_LENGTH):
                self._given[(slot * KEPT + place) * INPUT_LENGTH + i] = self.inputs.values[INPUT_LENGTH * cid + i]
        elif kind == PLAYER_NEW:
            self._rare.append((self._reader.tick, self._reader.message()))
            self.positions.appear(cid, self._reader.values[1], self._reader.values[2])
            self._appeared[cid] = True
        elif kind == PLAYER_OLD:
            if self.positions.vanish(cid):
                self._gone[cid] = True
        elif kind <= NET_MESSAGE:
            self._rare.append((self._reader.tick, self._reader.message()))
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _end_section(self, next_tick: cython.int) -> cython.int:
        """Simulate the tick whose section was read, let its other messages act, and the idle ticks after it."""
        if self.tick > 0:
            if self._rare:
                self._foresee(self._rare)
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
                self.tick = next_tick - 1
                self.world.tick = self.tick
                self._commit()
                if self.idle_left <= 0:
                    raise LimitExceeded(f"there are more than {MOST_IDLE} ticks without a message")
                break
            self.idle_left -= self.world.count
            if self.idle_left < 0:
                raise LimitExceeded(f"there are more than {MOST_IDLE} rows for ticks without a message")
            self._simulate(False)
        self.tick = next_tick
        return 0

    # -- a tick -------------------------------------------------------------------------------------------

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _simulate(self, with_section: cython.bint) -> cython.int:
        """Simulate `tick`; `with_section`: it has messages, and the section before it may have inputs."""
        world: GameWorld = self.world
        tee: Body
        cid: cython.int
        for cid in range(self._slots):
            tee = world.tees[cid]
            self._wrong[cid] = self._other[cid] = False
            if not with_section:
                self._gone[cid] = self._appeared[cid] = False
            if not self._at_end and self._appeared[cid] and not tee.alive:
                self._spawn_late(cid)
            self._there[cid] = self._checked[cid] = tee.alive and not self._gone[cid] and not self._appeared[cid]
            if tee.alive:
                self._former_x[cid] = whole(tee.shown_x)
                self._former_y[cid] = whole(tee.shown_y)
                world.aim_for(cid, self.positions.x[cid], self.positions.y[cid])
                if self._loading[cid]:
                    self._checked[cid] = False
                if self.killing[cid] and self._checked[cid] and self._at_end and self._is_spawn(cid):
                    self._respawn(cid)
            self.killing[cid] = False
        if self._one_input:
            world.forget()
        else:
            world.keep()
        self._attempt()
        if self._compare():
            self._guess()
            self._correct()
        self._commit()
        for cid in range(self._slots):
            if self._loading[cid]:
                tee = world.tees[cid]
                tee.place(self.positions.x[cid], self.positions.y[cid])
            if self._gone[cid] and not self._appeared[cid]:
                self._end_moments(cid, False)
                world.vanish(cid)
            elif self._appeared[cid] and (self._at_end or not self._there[cid]):
                self._appear(cid)
        if self.moments is not None:
            self._note()
        if self.emits:
            self._add_rows()
        if self.watcher is not None:
            self.watcher(self.tick)
        for cid in range(self._slots):
            self._appeared[cid] = self._gone[cid] = self._loading[cid] = False
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _appear(self, cid: cython.int) -> cython.int:
        tee: Body = self.world.tees[cid]
        self._end_moments(cid, False)
        if self._at_end or not tee.alive:
            if not self._repeats:
                tee.forget_inputs()
            self.world.appear(cid, self.positions.x[cid], self.positions.y[cid])
            tee.known = 1
        self._tee_holder[cid] = self._holder[cid]
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
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
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _respawn(self, cid: cython.int) -> cython.int:
        """Take a tee out that was killed before the tick and spawns at its end."""
        self._checked[cid] = False
        self._appeared[cid] = True
        self.respawns += 1
        self.world.vanish(cid)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _is_spawn(self, cid: cython.int) -> cython.bint:
        return (self.positions.x[cid], self.positions.y[cid]) in self._spawns

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _attempt(self) -> cython.int:
        cid: cython.int
        tee: Body
        for cid in range(self._slots):
            tee = self.world.tees[cid]
            if self._gone[cid] and tee.alive:
                self.world.doom(cid)
        self.world.tick = self.tick
        self._give_inputs()
        self.world.step()
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _give_inputs(self) -> cython.int:
        """Give every client's inputs: all fire, one moves."""
        cid: cython.int
        i: cython.int
        count: cython.int
        tee: Body
        chat: cython.int
        for cid in range(self._slots):
            if not self._has_input[cid] and not self._given_count[BASE * self._bank + cid]:
                continue
            count = self._given_count[BASE * self._bank + cid]
            for i in range(count):
                self._early(cid, self._place(cid, i), False)
            if not count and self._repeats:
                self._early(cid, INPUT_LENGTH * cid, True)
        for cid in range(self._slots):
            if not self._has_input[cid] and not self._given_count[BASE * self._bank + cid]:
                continue
            count = self._given_count[BASE * self._bank + cid]
            tee = self.world.tees[cid]
            chat = self._flags_now(cid)
            if count and not self._other[cid]:
                self._moves(tee, self._place(cid, 0), False, chat)
            elif (count and self._other[cid]) or self._repeats or self._other[cid]:
                self._moves(tee, INPUT_LENGTH * cid, True, chat)
        return 0

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _place(self, cid: cython.int, number: cython.int) -> cython.int:
        """Return where an input of this tick begins in `_given`."""
        return ((BASE * self._bank + cid) * KEPT + number) * INPUT_LENGTH

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _value(self, place: cython.int, former: cython.bint, field: cython.int) -> cython.int:
        """Return a number of an input of this tick, or of the last one before it."""
        return self._last[place + field] if former else self._given[place + field]

    @cython.cfunc
    @cython.exceptval(check=False)
    def _flags_now(self, cid: cython.int) -> cython.int:
        """Return the player flags after all early inputs of the tick."""
        count: cython.int = self._given_count[BASE * self._bank + cid]
        if count:
            return self._given[self._place(cid, count - 1) + 6]
        return self._last[INPUT_LENGTH * cid + 6]

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _early(self, cid: cython.int, place: cython.int, former: cython.bint) -> cython.int:
        flags: cython.int = self._value(place, former, 6)
        tee: Body = self.world.tees[cid]
        if tee.paused or flags & 4 or (flags & 32 and self._camera_cuts):
            return 0
        self.world.weapons.early_input(
            cid,
            self._value(place, former, 4),
            self._value(place, former, 1),
            self._value(place, former, 2),
            self._value(place, former, 7),
            self._value(place, former, 8),
            self._value(place, former, 9),
        )
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _moves(self, tee: Body, place: cython.int, former: cython.bint, flags: cython.int) -> cython.int:
        mine: cython.int = self._value(place, former, 6)
        cut: cython.bint = tee.paused or (mine & 32 and self._camera_cuts)
        if (flags & 4 and mine & 4) or cut:
            if self._pause_resets:
                tee.let_go()
            return 0
        self.world.weapons.moving_input(
            tee.cid,
            self._value(place, former, 0),
            self._value(place, former, 1),
            self._value(place, former, 2),
            self._value(place, former, 3),
            self._value(place, former, 4),
            self._value(place, former, 5),
            self._value(place, former, 7),
        )
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _compare(self) -> cython.int:
        """Return how many tees are not where the recording has them."""
        wrong: cython.int = 0
        cid: cython.int
        tee: Body
        for cid in range(self._slots):
            if self._checked[cid]:
                tee = self.world.tees[cid]
                self._wrong[cid] = tee.x != self.positions.x[cid] or tee.y != self.positions.y[cid]
                self._miss[cid] = whole(abs(tee.x - self.positions.x[cid])) + whole(
                    abs(tee.y - self.positions.y[cid])
                )
                wrong += self._wrong[cid]
        return wrong

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _guess(self) -> cython.int:
        """Simulate the tick again with what the file leaves open: a first input that equals the last recorded one
        is not recorded."""
        before: cython.int = 0
        tried: cython.int = 0
        cid: cython.int
        for cid in range(self._slots):
            if self._wrong[cid]:
                before += 1
                count: cython.int = self._given_count[BASE * self._bank + cid]
                if self._has_input[cid] and not self._one_input and (count or not self._repeats):
                    self._other[cid] = True
                    self._former_miss[cid] = self._miss[cid]
                    tried += 1
        if not tried:
            return 0
        self.world.go_back()
        self._attempt()
        after: cython.int = self._compare()
        if not after:
            self.guessed += tried
            return 0
        for cid in range(self._slots):
            if self._other[cid] and self._wrong[cid] and self._miss[cid] >= self._former_miss[cid]:
                self._other[cid] = False
                tried -= 1
        self.world.go_back()
        self._attempt()
        after = self._compare()
        if after > before:
            for cid in range(self._slots):
                self._other[cid] = False
            self.world.go_back()
            self._attempt()
            self._compare()
        else:
            self.guessed += tried
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _likely(self, predicted: cython.float, moved: cython.int, ramp: cython.float) -> cython.float:
        """Return the velocity nearest to the predicted one that moves a tee so far; 0 for a teleport."""
        if moved > _FAR or moved < -_FAR:
            return 0
        least: cython.float = ratio(single(moved - _HALF), ramp)
        most: cython.float = ratio(single(moved + _HALF), ramp)
        if predicted < least:
            predicted = least
        if predicted > most:
            predicted = most
        return ratio(rounded(single(predicted * 256)), 256)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _correct(self) -> cython.int:
        """Take the recorded positions of the tees that are elsewhere, and velocities that lead there."""
        cid: cython.int
        tee: Body
        for cid in range(self._slots):
            if not self._wrong[cid]:
                continue
            tee = self.world.tees[cid]
            if self._at_end and self._is_spawn(cid):
                # Killed by a command, or in a way that the map does not show.
                self._end_moments(cid, False)
                self.world.appear(cid, self.positions.x[cid], self.positions.y[cid])
                tee.known = 0
                continue
            if tee.known:
                self.breaks += 1
                self.causes[self._cause(cid)] += 1
            tee.known = 0
            tee.vel_x = self._likely(tee.vel_x, self.positions.x[cid] - self._former_x[cid], tee.ramp)
            tee.vel_y = self._likely(tee.vel_y, self.positions.y[cid] - self._former_y[cid], 1)
            tee.x = tee.shown_x = self.positions.x[cid]
            tee.y = tee.shown_y = self.positions.y[cid]
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _cause(self, cid: cython.int) -> cython.int:
        """Return the likely cause of a break, a place in `CAUSES`."""
        tee: Body = self.world.tees[cid]
        other: Body
        i: cython.int
        if (
            abs(self.positions.x[cid] - self._former_x[cid]) > _FAR
            or abs(self.positions.y[cid] - self._former_y[cid]) > _FAR
        ):
            return 0
        if not self._for_tick or self._given_count[BASE * self._bank + cid] > 1:
            return 1
        for i in range(self.world.count):
            other = self.world.tees[self.world.present[i]]
            if other is not tee and (
                tee.hooked == other.cid
                or other.hooked == cid
                or (abs(other.x - tee.x) < 100 and abs(other.y - tee.y) < 100)
            ):
                return 2
        return 3

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _note(self) -> cython.int:
        """Note shots, hits, and hooks and freezes that began or ended on this tick."""
        world: GameWorld = self.world
        moments: list = self.moments
        place: cython.int
        cid: cython.int
        tee: Body
        for event in world.events:
            cid = event[1]
            if event[0] == 0:
                moments.append(("shots", self.tick, self._tee_holder[cid], *event[1:]))
            else:
                place = event[2]
                moments.append(("hits", self.tick, self._tee_holder[cid], *event[1:], self._tee_holder[place]))
        for place in range(world.count):
            cid = world.present[place]
            tee = world.tees[cid]
            if tee.hook_state == 4 or tee.hook_state == 5:
                if not self._hook_start[cid]:
                    self._hook_start[cid] = self.tick
                    self._grab_tick[cid] = 0
                if tee.hook_state == 5 and not self._grab_tick[cid]:
                    self._grab_tick[cid] = self.tick
                    self._grabbed[cid] = tee.hooked
            elif self._hook_start[cid]:
                self._end_hook(cid)
            if self.race is not None and world.tiles.has_race:
                self._touch(tee)
            if tee.freeze_ticks > 0 or tee.deep:
                if not self._freeze_start[cid]:
                    self._freeze_start[cid] = self.tick
                    self._was_deep[cid] = False
                self._was_deep[cid] = self._was_deep[cid] or tee.deep != 0
                self._freeze_left[cid] = tee.freeze_ticks
            elif self._freeze_start[cid]:
                self._end_freeze(cid, True)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _touch(self, tee: Body) -> cython.int:
        """Note the start and finish lines that the centre of a tee touches on its way."""
        tiles: Tiles = self.world.tiles
        dx: cython.float = single(tee.shown_x - tee.former_x)
        dy: cython.float = single(tee.shown_y - tee.former_y)
        steps: cython.int = 1 + whole(abs(dx) + abs(dy)) // 8
        part: cython.float
        seen: cython.int = 0
        i: cython.int
        for i in range(min(steps, 1000) + 1):
            part = ratio(i, steps)
            seen |= tiles.race(single(tee.former_x + single(dx * part)), single(tee.former_y + single(dy * part)))
        for i in range(1, 3):
            if seen & i:
                run = self.race.touch(self.tick + 1, tee.cid, 32 + i, self.world.tees)
                if run is not None:
                    self.moments.append(run)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _end_moments(self, cid: cython.int, alive: cython.bint) -> cython.int:
        """End the hook and the freeze of a tee that disappears."""
        if self.moments is not None:
            if self.race is not None:
                self.race.forget(cid)
            if self._hook_start[cid]:
                self._end_hook(cid)
            if self._freeze_start[cid]:
                self._end_freeze(cid, alive)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _end_hook(self, cid: cython.int) -> cython.int:
        grabbed: cython.int = self._grabbed[cid] if self._grab_tick[cid] else -1
        self.moments.append(
            (
                *("hooks", self._hook_start[cid], self._tee_holder[cid], cid, self.tick),
                *(self._grab_tick[cid], grabbed, -1 if grabbed < 0 else self._tee_holder[grabbed]),
            )
        )
        self._hook_start[cid] = 0
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _end_freeze(self, cid: cython.int, alive: cython.bint) -> cython.int:
        thawed: cython.bint = alive and self._freeze_left[cid] > 2
        self.moments.append(
            (
                *("freezes", self._freeze_start[cid], self._tee_holder[cid], cid, self.tick),
                *(self._was_deep[cid], 0 if not alive else 1 if thawed else 2),
            )
        )
        self._freeze_start[cid] = 0
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _commit(self) -> cython.int:
        """Count the tick, and make its last inputs those before the next."""
        cid: cython.int
        i: cython.int
        count: cython.int
        tee: Body
        for cid in range(self._slots):
            count = self._given_count[BASE * self._bank + cid]
            if count:
                for i in range(INPUT_LENGTH):
                    self._last[INPUT_LENGTH * cid + i] = self._given[self._place(cid, count - 1) + i]
                self._has_input[cid] = True
                self._given_count[BASE * self._bank + cid] = 0
            if self._checked[cid]:
                self.compared += 1
                if not self._wrong[cid]:
                    self.exact += 1
                    tee = self.world.tees[cid]
                    if tee.vel_x == 0 and tee.vel_y == 0 and tee.grounded and tee.hook_state == 0:
                        tee.known = 1
        self._bank = 1 - self._bank
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _add_rows(self) -> cython.int:
        """Append a row for each tee that is there."""
        world: GameWorld = self.world
        place: cython.int
        tee: Body
        hooked: cython.int
        left: cython.int
        hook: cython.int
        exact: cython.int
        for place in range(world.count):
            tee = world.tees[world.present[place]]
            exact = 2 if not self._checked[tee.cid] else 0 if self._wrong[tee.cid] else 1
            left = 0 if tee.jumped & 2 else tee.jumps - 1 - tee.jumped_total
            if left < 0:
                left = 0
            hook = tee.hook_state
            hook = 4 if hook < 0 else 0 if hook == 0 else 3 if hook < 4 else hook - 3
            hooked = -1 if tee.hooked < 0 else self._tee_holder[tee.hooked]
            self.rows += 1
            put(
                self.bodies,
                self.tick,
                self._tee_holder[tee.cid],
                tee.cid,
                whole(tee.x),
                whole(tee.y),
                rounded(single(tee.vel_x * 256)),
                rounded(single(tee.vel_y * 256)),
                tee.grounded,
                tee.events & 1,
                left,
                tee.direction,
                tee.angle,
                exact,
            )
            put(
                self.hooks,
                hook,
                whole(tee.hook_x),
                whole(tee.hook_y),
                hooked,
                tee.hook_ticks,
                tee.weapon,
                tee.reload,
                max(0, tee.ninja_start + 751 - self.tick) if tee.weapon == 5 else 0,
                tee.freeze_ticks,
                tee.deep,
                tee.live,
                tee.solo,
                tee.tune_zone,
            )
            put(
                self.states,
                tee.tele_checkpoint,
                tee.known,
                tee.jumped,
                rounded(single(tee.hook_dx * 256)),
                rounded(single(tee.hook_dy * 256)),
                tee.hooked,
                tee.hook_state,
                tee.team,
                0,
                0,
                0,
                0,
                0,
            )
        return 0


@cython.cfunc
@cython.inline
@cython.exceptval(-1, check=False)
def put(
    columns: Int32Columns,
    a: cython.int,
    b: cython.int,
    c: cython.int,
    d: cython.int,
    e: cython.int,
    f: cython.int,
    g: cython.int,
    h: cython.int,
    i: cython.int,
    j: cython.int,
    k: cython.int,
    n: cython.int,
    m: cython.int,
) -> cython.int:
    """Append a row of 13 numbers."""
    if cython.compiled:
        row: cython.Py_ssize_t = add_row(columns)
        columns._data[0][row] = a
        columns._data[1][row] = b
        columns._data[2][row] = c
        columns._data[3][row] = d
        columns._data[4][row] = e
        columns._data[5][row] = f
        columns._data[6][row] = g
        columns._data[7][row] = h
        columns._data[8][row] = i
        columns._data[9][row] = j
        columns._data[10][row] = k
        columns._data[11][row] = n
        columns._data[12][row] = m
    else:
        columns.append([a, b, c, d, e, f, g, h, i, j, k, n, m])
    return 0
