"""`GameWorld`: all tees of a server, and one tick of their movement, hooks and hammers."""

from __future__ import annotations

import math

from playhead.runtime import cython
from playhead.teehistorian.physics.body import Body
from playhead.teehistorian.physics.tiles import Tiles
from playhead.teehistorian.physics.tuning import Tuning

if cython.compiled:
    from cython.cimports.playhead.teehistorian.physics.body import Body
    from cython.cimports.playhead.teehistorian.physics.single import (
        length,
        power,
        ratio,
        rounded,
        saturated,
        single,
        whole,
    )
    from cython.cimports.playhead.teehistorian.physics.tiles import Tiles
else:
    from playhead.teehistorian.physics.single import length, power, ratio, rounded, saturated, single, whole
    from playhead.teehistorian.physics.tiles import CANT_DOWN, CANT_LEFT, CANT_RIGHT, CANT_UP

    SLOTS = 128
    RETRACTED, IDLE, RETRACT_END, FLYING, GRABBED = -1, 0, 3, 4, 5
    c_atan2 = math.atan2

    def presses(before: int, now: int) -> int:
        """Count the presses of a counter modulo 64, odd while pressed."""
        found = 0
        before &= 63
        now &= 63
        while before != now:
            before = (before + 1) & 63
            found += before & 1
        return found


#: Bits of `Body.events`: what happened to a tee on the last tick.
GROUND_JUMP, AIR_JUMP, HOOK_LAUNCH, HOOK_TEE, HOOK_WALL, HOOK_REFUSED = 1, 2, 4, 8, 16, 32

_AGREES = cython.declare(cython.float, single(0.95))
_DISAGREES = cython.declare(cython.float, single(0.75))
_DOWNWARDS = cython.declare(cython.float, single(0.3))
_DAMPED = cython.declare(cython.float, single(0.85))
_UPWARDS = cython.declare(cython.float, single(-1.1))
_NEAR = cython.declare(cython.float, single(40.6))
_SLOW = cython.declare(cython.float, single(0.0001))
_STOPPED = cython.declare(cython.float, single(0.001))
_STILL = cython.declare(cython.float, single(0.00001))
_ONE_AND_A_QUARTER = cython.declare(cython.float, 1.25)
_HALF = cython.declare(cython.float, 0.5)
_QUARTER = cython.declare(cython.float, 0.25)
_THREE_HALVES = cython.declare(cython.float, 1.5)
_ONE = cython.declare(cython.float, 1.0)
_JETPACK_DIVISOR = cython.declare(cython.float, single(6.11))
#: Half a turn as DDNet's ``pi``.
_PI = cython.declare(cython.float, single(math.pi))


@cython.final
@cython.cclass
class GameWorld:
    """All tees; a call of `step` is a tick.

    Attributes:
        tiles: the map.
        tees: by client id.
        tunings: by tune zone; 0 is everywhere else.
        tick: number of the last tick.
        strong_hooks: `sv_no_weak_hook`: hooks act after all tees have ticked.
        freeze_seconds: how long a freeze lasts.
        leaving: team of each client that changes it within the next tick, in its tile part: who finishes leaves.
        hits: hits of hammers of the last tick: (client, hit client, weapon).
        exits, checkpoint_exits: exits of teleporters by number.
    """

    def __init__(self, tiles: Tiles, tunings: list) -> None:
        if len(tunings) != 256:
            raise ValueError("expected a tuning for each of 256 zones")
        self.tiles = tiles
        self.tunings = tunings
        self.tees = [Body(cid) for cid in range(SLOTS)]
        self._former = [Body(cid) for cid in range(SLOTS)]
        for tee in self.tees:
            tee.tuning = tunings[0]
        self.tick = 0
        self.strong_hooks = self.old_pause = False
        self.freeze_seconds = 3
        self.count = self._former_count = self._former_tick = 0
        self.hits = []
        self.exits = {}
        self.leaving = {}
        self.checkpoint_exits = {}
        if not cython.compiled:
            self.order = [0] * SLOTS
            self.present = [0] * SLOTS
            self.doomed = [0] * SLOTS
            self._former_order = [0] * SLOTS
            self.recorded_x = [0] * SLOTS
            self.recorded_y = [0] * SLOTS
        i: cython.int
        for i in range(SLOTS):
            self.doomed[i] = 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def appear(self, cid: cython.int, x: cython.int, y: cython.int) -> cython.int:
        """Spawn a tee: it acts before all others."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        tee: Body = self.tees[cid]
        if tee.alive:
            self.vanish(cid)
        tee.reset(x, y)
        tee.tuning = self.tunings[0]
        i: cython.int
        for i in range(self.count, 0, -1):
            self.order[i] = self.order[i - 1]
        self.order[0] = cid
        self.count += 1
        self.doomed[cid] = 0
        return self._sort()

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def vanish(self, cid: cython.int) -> cython.int:
        """Take a tee out of the world."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        tee: Body = self.tees[cid]
        if not tee.alive:
            return 0
        tee.alive = 0
        kept: cython.int = 0
        i: cython.int
        for i in range(self.count):
            if self.order[i] != cid:
                self.order[kept] = self.order[i]
                kept += 1
        self.count = kept
        return self._sort()

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def doom(self, cid: cython.int) -> cython.int:
        """Let a tee die on the next tick, after it acted."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        self.doomed[cid] = 1
        return 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def aim_for(self, cid: cython.int, x: cython.int, y: cython.int) -> cython.int:
        """Tell where a tee is at the end of the next tick, which decides between exits of a teleporter."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        self.recorded_x[cid] = x
        self.recorded_y[cid] = y
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _sort(self) -> cython.int:
        """List the tees by client id."""
        place: cython.int = 0
        cid: cython.int
        tee: Body
        for cid in range(SLOTS):
            tee = self.tees[cid]
            if tee.alive:
                self.present[place] = cid
                place += 1
        return 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def save(self) -> cython.int:
        """Keep the present state for `restore`."""
        i: cython.int
        tee: Body
        former: Body
        for i in range(self.count):
            self._former_order[i] = self.order[i]
            tee = self.tees[self.order[i]]
            former = self._former[self.order[i]]
            former.copy(tee)
        self._former_count = self.count
        self._former_tick = self.tick
        return 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def restore(self) -> cython.int:
        """Return to the state of the last `save`."""
        i: cython.int
        tee: Body
        former: Body
        for i in range(self.count):
            tee = self.tees[self.order[i]]
            tee.alive = 0
        for i in range(self._former_count):
            self.order[i] = self._former_order[i]
            tee = self.tees[self.order[i]]
            former = self._former[self.order[i]]
            tee.copy(former)
        self.count = self._former_count
        self.tick = self._former_tick
        self.hits = []
        return self._sort()

    # -- a tick -------------------------------------------------------------------------------------------

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def step(self) -> cython.int:
        """Simulate one tick; inputs are set before."""
        order: cython.int[128]
        if not cython.compiled:
            order = [0] * SLOTS
        count: cython.int = self.count
        i: cython.int
        tee: Body
        self.tick += 1
        for i in range(count):
            order[i] = self.order[i]
            if self.strong_hooks:
                tee = self.tees[order[i]]
                self._before_core(tee)
                self._core(tee)
        for i in range(count):
            tee = self.tees[order[i]]
            if self.strong_hooks:
                self._others(tee)
            else:
                self._before_core(tee)
                self._core(tee)
                self._others(tee)
            self._weapons(tee)
            self._after_core(tee)
            if self.leaving and tee.cid in self.leaving:
                tee.team = self.leaving[tee.cid]
            tee.former_x = tee.x
            tee.former_y = tee.y
            if self.doomed[tee.cid]:
                self.doomed[tee.cid] = 0
                self.vanish(tee.cid)
        for i in range(count):
            tee = self.tees[order[i]]
            if tee.alive:
                self._move(tee)
                self._quantize(tee)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _before_core(self, tee: Body) -> cython.int:
        """Count freeze down, take the input, find the tune zone."""
        tee.in_direction = tee.saved_direction
        tee.in_x = tee.saved_x
        tee.in_y = tee.saved_y
        tee.in_jump = tee.saved_jump
        tee.in_fire = tee.saved_fire
        tee.in_hook = tee.saved_hook
        if tee.live:
            tee.in_direction = tee.in_jump = 0
        if tee.freeze_ticks > 0:
            tee.freeze_ticks -= 1
            tee.in_direction = tee.in_jump = tee.in_hook = 0
            if tee.freeze_ticks == 1:
                self._thaw(tee)
        zone: cython.int = 0
        if self.tiles.has_specials:
            zone = self.tiles.tune[self.tiles.cell(whole(tee.shown_x), whole(tee.shown_y))]
        tee.tune_zone = zone
        tee.tuning = self.tunings[zone]
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _core(self, tee: Body) -> cython.int:
        tuning: Tuning = tee.tuning
        tee.core_restrictions = self.tiles.restrictions(tee.x, tee.y, 18, -1)
        tee.events = 0
        grounded: cython.bint = self.tiles.solid(single(tee.x + 14), single(tee.y + 19)) or self.tiles.solid(
            single(tee.x - 14), single(tee.y + 19)
        )
        tee.grounded = grounded
        aim_x: cython.float = tee.in_x
        aim_y: cython.float = tee.in_y
        inverse: cython.float = ratio(_ONE, length(aim_x, aim_y))
        aim_x = single(aim_x * inverse)
        aim_y = single(aim_y * inverse)
        tee.vel_y = single(tee.vel_y + tuning.gravity)
        most: cython.float = tuning.ground_control_speed if grounded else tuning.air_control_speed
        accel: cython.float = tuning.ground_control_accel if grounded else tuning.air_control_accel
        friction: cython.float = tuning.ground_friction if grounded else tuning.air_friction
        tee.direction = tee.in_direction
        turn: cython.float = single(c_atan2(tee.in_y, tee.in_x))
        if turn < single(-single(_PI * _HALF)):
            turn = single(turn + single(_PI * 2))
        tee.angle = whole(single(turn * 256))
        if tee.in_jump:
            if not tee.jumped & 1:
                if grounded and (not tee.jumped & 2 or tee.jumps != 0):
                    tee.events |= GROUND_JUMP
                    tee.vel_y = -tuning.ground_jump_impulse
                    tee.jumped |= 1 if tee.jumps > 1 else 3
                    tee.jumped_total = 0
                elif not tee.jumped & 2:
                    tee.events |= AIR_JUMP
                    tee.vel_y = -tuning.air_jump_impulse
                    tee.jumped |= 3
                    tee.jumped_total += 1
        else:
            tee.jumped &= ~1
        if not tee.in_hook:
            tee.hooked = -1
            tee.hook_state = IDLE
            tee.hook_x = tee.x
            tee.hook_y = tee.y
        elif tee.hook_state == IDLE:
            tee.hook_state = FLYING
            tee.hook_x = single(tee.x + single(single(aim_x * 28) * _THREE_HALVES))
            tee.hook_y = single(tee.y + single(single(aim_y * 28) * _THREE_HALVES))
            tee.hook_dx = aim_x
            tee.hook_dy = aim_y
            tee.hooked = -1
            tee.hook_ticks = whole(single(50 * single(_ONE_AND_A_QUARTER - tuning.hook_duration)))
            tee.events |= HOOK_LAUNCH
        if grounded:
            tee.jumped &= ~2
            tee.jumped_total = 0
        if tee.direction < 0:
            tee.vel_x = saturated(-most, most, tee.vel_x, -accel)
        elif tee.direction > 0:
            tee.vel_x = saturated(-most, most, tee.vel_x, accel)
        else:
            tee.vel_x = single(tee.vel_x * friction)
        return self._hook(tee, aim_x, aim_y)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _hook(self, tee: Body, aim_x: cython.float, aim_y: cython.float) -> cython.int:
        """Let a hook fly, grab and pull."""
        tuning: Tuning = tee.tuning
        other: Body
        i: cython.int
        if tee.hook_state == IDLE:
            tee.hooked = -1
            tee.hook_x = tee.x
            tee.hook_y = tee.y
        elif 1 <= tee.hook_state < RETRACT_END:
            tee.hook_state += 1
        elif tee.hook_state == RETRACT_END:
            tee.hook_state = RETRACTED
        elif tee.hook_state == FLYING:
            new_x: cython.float = single(tee.hook_x + single(tee.hook_dx * tuning.hook_fire_speed))
            new_y: cython.float = single(tee.hook_y + single(tee.hook_dy * tuning.hook_fire_speed))
            base_x: cython.float = tee.base_x if tee.new_hook else tee.x
            base_y: cython.float = tee.base_y if tee.new_hook else tee.y
            dx: cython.float = single(new_x - base_x)
            dy: cython.float = single(new_y - base_y)
            far: cython.float = length(dx, dy)
            if far > tuning.hook_length:
                tee.hook_state = 1
                far = ratio(_ONE, far)
                new_x = single(base_x + single(single(dx * far) * tuning.hook_length))
                new_y = single(base_y + single(single(dy * far) * tuning.hook_length))
            hit: cython.int = self.tiles.hook_line(tee.hook_x, tee.hook_y, new_x, new_y)
            new_x = self.tiles.hit_x
            new_y = self.tiles.hit_y
            if not tee.no_hook and tuning.player_hooking != 0 and (tee.hook_state == FLYING or not tee.new_hook):
                nearest: cython.float = 0
                line_x: cython.float = single(new_x - tee.hook_x)
                line_y: cython.float = single(new_y - tee.hook_y)
                square: cython.float = single(single(line_x * line_x) + single(line_y * line_y))
                for i in range(self.count):
                    other = self.tees[self.present[i]]
                    if other is tee or square <= 0 or self._apart(tee, other):
                        continue
                    part: cython.float = ratio(
                        single(
                            single(single(other.x - tee.hook_x) * line_x)
                            + single(single(other.y - tee.hook_y) * line_y)
                        ),
                        square,
                    )
                    part = 0 if part < 0 else 1 if part > 1 else part
                    dx = single(other.x - single(tee.hook_x + single(line_x * part)))
                    dy = single(other.y - single(tee.hook_y + single(line_y * part)))
                    if length(dx, dy) < 30:
                        far = length(single(tee.hook_x - other.x), single(tee.hook_y - other.y))
                        if tee.hooked == -1 or far < nearest:
                            tee.events |= HOOK_TEE
                            tee.hook_state = GRABBED
                            tee.hooked = other.cid
                            nearest = far
            if tee.hook_state == FLYING:
                if hit == 15:
                    tee.known = 0  # exits of hooks are drawn by lot
                elif hit == 3:
                    tee.events |= HOOK_REFUSED
                    tee.hook_state = 1
                elif hit:
                    tee.events |= HOOK_WALL
                    tee.hook_state = GRABBED
                tee.hook_x = new_x
                tee.hook_y = new_y
        if tee.hook_state == GRABBED:
            return self._drag(tee)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _drag(self, tee: Body) -> cython.int:
        """Follow the hooked tee, or pull towards the hook."""
        tuning: Tuning = tee.tuning
        other: Body
        if tee.hooked != -1:
            other = self.tees[tee.hooked]
            if other.alive and (other is tee or other.team == tee.team):
                tee.hook_x = other.x
                tee.hook_y = other.y
            else:
                tee.hooked = -1
                tee.hook_state = RETRACTED
                tee.hook_x = tee.x
                tee.hook_y = tee.y
        dx: cython.float = single(tee.hook_x - tee.x)
        dy: cython.float = single(tee.hook_y - tee.y)
        far: cython.float = length(dx, dy)
        if tee.hooked == -1 and far > 46:
            far = ratio(_ONE, far)
            pull_x: cython.float = single(single(dx * far) * tuning.hook_drag_accel)
            pull_y: cython.float = single(single(dy * far) * tuning.hook_drag_accel)
            if pull_y > 0:
                pull_y = single(pull_y * _DOWNWARDS)
            if (pull_x < 0 and tee.direction < 0) or (pull_x > 0 and tee.direction > 0):
                pull_x = single(pull_x * _AGREES)
            else:
                pull_x = single(pull_x * _DISAGREES)
            pull_x = single(tee.vel_x + pull_x)
            pull_y = single(tee.vel_y + pull_y)
            speed: cython.float = length(pull_x, pull_y)
            if speed < tuning.hook_drag_speed or speed < length(tee.vel_x, tee.vel_y):
                tee.vel_x = pull_x
                tee.vel_y = pull_y
        tee.hook_ticks += 1
        if tee.hooked != -1 and tee.hook_ticks > 60:
            tee.hooked = -1
            tee.hook_state = RETRACTED
            tee.hook_x = tee.x
            tee.hook_y = tee.y
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _apart(self, one: Body, other: Body) -> cython.bint:
        """Whether two tees cannot touch each other."""
        return one.team != other.team or one.solo != 0 or other.solo != 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _others(self, tee: Body) -> cython.int:
        """Push and pull tees that are near or hooked."""
        tuning: Tuning = tee.tuning
        other: Body
        i: cython.int
        for i in range(self.count):
            other = self.tees[self.present[i]]
            if other is tee or self._apart(tee, other):
                continue
            dx: cython.float = single(tee.x - other.x)
            dy: cython.float = single(tee.y - other.y)
            # Most are far away and not hooked: no root of them.
            if tee.hooked != other.cid and (dx > 36 or dx < -36 or dy > 36 or dy < -36):
                continue
            far: cython.float = length(dx, dy)
            if not far > 0:
                continue
            inverse: cython.float = ratio(_ONE, far)
            dx = single(dx * inverse)
            dy = single(dy * inverse)
            if far < 35 and not tee.no_collision and not other.no_collision and tuning.player_collision != 0:
                push: cython.float = single(_NEAR - far)
                share: cython.float = _HALF
                speed: cython.float = length(tee.vel_x, tee.vel_y)
                if speed > _SLOW:
                    speed = ratio(_ONE, speed)
                    share = single(single(single(tee.vel_x * speed) * dx) + single(single(tee.vel_y * speed) * dy))
                    share = single(1 - single(single(share + 1) * _HALF))
                share = single(share * _DISAGREES)
                tee.vel_x = single(single(tee.vel_x + single(single(dx * push) * share)) * _DAMPED)
                tee.vel_y = single(single(tee.vel_y + single(single(dy * push) * share)) * _DAMPED)
            if not tee.no_hook and tee.hooked == other.cid and tuning.player_hooking != 0 and far > 42:
                accel: cython.float = single(tuning.hook_drag_accel * ratio(far, tuning.hook_length))
                most: cython.float = tuning.hook_drag_speed
                pull_x: cython.float = single(accel * dx)
                pull_y: cython.float = single(accel * dy)
                self._clamp(
                    other.core_restrictions,
                    saturated(-most, most, other.vel_x, single(pull_x * _THREE_HALVES)),
                    saturated(-most, most, other.vel_y, single(pull_y * _THREE_HALVES)),
                )
                other.vel_x = self._clamped_x
                other.vel_y = self._clamped_y
                self._clamp(
                    tee.core_restrictions,
                    saturated(-most, most, tee.vel_x, single(single(-accel * dx) * _QUARTER)),
                    saturated(-most, most, tee.vel_y, single(single(-accel * dy) * _QUARTER)),
                )
                tee.vel_x = self._clamped_x
                tee.vel_y = self._clamped_y
        if tee.hook_state != FLYING:
            tee.new_hook = 0
        speed = length(tee.vel_x, tee.vel_y)
        if speed > 6000:
            speed = ratio(_ONE, speed)
            tee.vel_x = single(single(tee.vel_x * speed) * 6000)
            tee.vel_y = single(single(tee.vel_y * speed) * 6000)
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _clamp(self, restrictions: cython.int, x: cython.float, y: cython.float) -> cython.int:
        """Set `_clamped_x` and `_clamped_y` to a velocity without what stoppers forbid."""
        if restrictions:
            if (x > 0 and restrictions & CANT_RIGHT) or (x < 0 and restrictions & CANT_LEFT):
                x = 0
            if (y > 0 and restrictions & CANT_DOWN) or (y < 0 and restrictions & CANT_UP):
                y = 0
        self._clamped_x = x
        self._clamped_y = y
        return 0

    # -- movement -----------------------------------------------------------------------------------------

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _move(self, tee: Body) -> cython.int:
        """Move a tee by its velocity, up to walls and other tees."""
        tuning: Tuning = tee.tuning
        speed: cython.float = single(length(tee.vel_x, tee.vel_y) * 50)
        ramp: cython.float = _ONE
        if speed >= tuning.velramp_start:
            ramp = ratio(
                _ONE,
                power(tuning.velramp_curvature, ratio(single(speed - tuning.velramp_start), tuning.velramp_range)),
            )
        tee.ramp = ramp
        vel_x: cython.float = single(tee.vel_x * ramp)
        vel_y: cython.float = tee.vel_y
        old_x: cython.float = vel_x
        x: cython.float = tee.x
        y: cython.float = tee.y
        far: cython.float = length(vel_x, vel_y)
        if far > _STILL:
            steps: cython.int = whole(far)
            if steps > 10_000:
                steps = 10_000
            part: cython.float = ratio(_ONE, single(steps + 1))
            _i: cython.int
            for _i in range(steps + 1):
                if vel_x == 0 and vel_y == 0:
                    break
                new_x: cython.float = single(x + single(vel_x * part))
                new_y: cython.float = single(y + single(vel_y * part))
                if new_x == x and new_y == y:
                    break
                if self.tiles.box(new_x, new_y):
                    hit: cython.bint = False
                    if self.tiles.box(x, new_y):
                        hit = True
                        if tuning.ground_elasticity_y > 0 and vel_y > 0:
                            tee.jumped &= ~2
                            tee.jumped_total = 0
                        new_y = y
                        vel_y = single(vel_y * -tuning.ground_elasticity_y)
                    if self.tiles.box(new_x, y):
                        hit = True
                        new_x = x
                        vel_x = single(vel_x * -tuning.ground_elasticity_x)
                    if not hit:
                        new_x = x
                        new_y = y
                        vel_x = single(vel_x * -tuning.ground_elasticity_x)
                        vel_y = single(vel_y * -tuning.ground_elasticity_y)
                x = new_x
                y = new_y
        tee.colliding = 0
        if -_STOPPED < vel_x < _STOPPED:
            tee.colliding = 1 if old_x > 0 else 2 if old_x < 0 else 0
        else:
            tee.left_wall = 1
        tee.vel_x = single(vel_x * ratio(_ONE, ramp))
        tee.vel_y = vel_y
        if tuning.player_collision != 0 and not tee.no_collision and not tee.solo:
            return self._walk(tee, x, y)
        tee.x = x
        tee.y = y
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _walk(self, tee: Body, new_x: cython.float, new_y: cython.float) -> cython.int:
        """Move in steps of a unit, up to the first other tee."""
        dx: cython.float = single(new_x - tee.x)
        dy: cython.float = single(new_y - tee.y)
        far: cython.float = length(dx, dy)
        near: cython.int[128]
        if not cython.compiled:
            near = [0] * SLOTS
        found: cython.int = 0
        other: Body
        i: cython.int
        p: cython.int
        reach: cython.float = single(far + 30)
        if far > 0:
            for i in range(self.count):
                other = self.tees[self.present[i]]
                if other is tee or other.no_collision or self._apart(tee, other):
                    continue
                if abs(single(other.x - tee.x)) < reach and abs(single(other.y - tee.y)) < reach:
                    near[found] = self.present[i]
                    found += 1
        if found:
            last_x: cython.float = tee.x
            last_y: cython.float = tee.y
            for i in range(whole(single(far + 1))):
                part: cython.float = ratio(i, far)
                x: cython.float = single(tee.x + single(dx * part))
                y: cython.float = single(tee.y + single(dy * part))
                for p in range(found):
                    other = self.tees[near[p]]
                    d: cython.float = length(single(x - other.x), single(y - other.y))
                    if d < 28:
                        if part > 0:
                            tee.x = last_x
                            tee.y = last_y
                        elif length(single(new_x - other.x), single(new_y - other.y)) > d:
                            tee.x = new_x
                            tee.y = new_y
                        return 0
                last_x = x
                last_y = y
        tee.x = new_x
        tee.y = new_y
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _quantize(self, tee: Body) -> cython.int:
        tee.x = tee.shown_x = rounded(tee.x)
        tee.y = tee.shown_y = rounded(tee.y)
        tee.vel_x = single(single(rounded(single(tee.vel_x * 256))) / single(256))
        tee.vel_y = single(single(rounded(single(tee.vel_y * 256))) / single(256))
        tee.hook_x = rounded(tee.hook_x)
        tee.hook_y = rounded(tee.hook_y)
        tee.hook_dx = single(single(rounded(single(tee.hook_dx * 256))) / single(256))
        tee.hook_dy = single(single(rounded(single(tee.hook_dy * 256))) / single(256))
        return 0

    # -- tiles --------------------------------------------------------------------------------------------

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _after_core(self, tee: Body) -> cython.int:
        """Apply the rules of jumps and the tiles below the tee."""
        if tee.endless_hook:
            tee.hook_ticks = 0
        tee.thawed = 0
        if tee.deep:
            self._freeze(tee, self.freeze_seconds)
        if tee.jumps == -1 or tee.jumps == 0 or (tee.jumps == 1 and tee.jumped > 0):
            tee.jumped |= 2
        elif tee.jumped_total < tee.jumps - 1 and tee.jumped > 1:
            tee.jumped = 1
        if tee.endless_jump and tee.jumped > 1:
            tee.jumped = 1
        if not self.tiles.has_specials:
            tee.restrictions = 0
            tee.refilled = 0
            return 0
        return self._tiles_between(tee)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _tiles_between(self, tee: Body) -> cython.int:
        """Apply every tile between the last two positions, in order."""
        here: cython.int = self.tiles.cell(whole(tee.shown_x), whole(tee.shown_y))
        if self.tiles.special[here] and self.tiles.speedup_force[here]:
            self._speedup(tee, here)
        dx: cython.float = single(tee.shown_x - tee.former_x)
        dy: cython.float = single(tee.shown_y - tee.former_y)
        far: cython.float = length(dx, dy)
        former_x: cython.float = tee.former_x
        former_y: cython.float = tee.former_y
        last: cython.int = 0
        visited: cython.int = 0
        i: cython.int
        cell: cython.int
        if far == 0:
            if self.tiles.special[here]:
                self._tile(tee, here)
                visited = 1
        else:
            for i in range(min(whole(single(far + 1)), 20_000)):
                part: cython.float = ratio(i, far)
                cell = self.tiles.cell(
                    whole(single(former_x + single(dx * part))), whole(single(former_y + single(dy * part)))
                )
                if self.tiles.special[cell] and cell != last:
                    last = cell
                    visited += 1
                    self._tile(tee, cell)
        if not visited:
            if self.tiles.special[here]:
                self._tile(tee, here)
            else:
                tee.restrictions = self.tiles.restrictions(tee.shown_x, tee.shown_y, 18, -1)
                tee.refilled = 0
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _speedup(self, tee: Body, cell: cython.int) -> cython.int:
        """Apply a speedup, with its angles in double precision where the server has them so."""
        force: cython.int = self.tiles.speedup_force[cell]
        most: cython.int = self.tiles.speedup_most[cell]
        angle: cython.float = single(self.tiles.speedup_angle[cell] * single(_PI / single(180)))
        x: cython.float = single(math.cos(angle))
        y: cython.float = single(math.sin(angle))
        if force == 255 and most:
            tee.vel_x = single(x * (most // 5))
            tee.vel_y = single(y * (most // 5))
            return 0
        amount: cython.float = force
        if most > 0:
            if most < 5:
                most = 5
            speed: cython.float = single(math.sqrt(tee.vel_x * tee.vel_x + tee.vel_y * tee.vel_y))
            turn: cython.float = single(_turn(x, y) - _turn(tee.vel_x, tee.vel_y))
            left: cython.float = single(single(single(most) / single(5)) - single(single(math.cos(turn)) * speed))
            if abs(whole(left)) <= force:
                amount = left
            elif not left > 0:
                amount = -force
        self._clamp(
            tee.restrictions, single(tee.vel_x + single(x * amount)), single(tee.vel_y + single(y * amount))
        )
        tee.vel_x = self._clamped_x
        tee.vel_y = self._clamped_y
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _tile(self, tee: Body, cell: cython.int) -> cython.int:
        """Apply one tile."""
        tile: cython.int = self.tiles.game[cell]
        front: cython.int = self.tiles.front[cell]
        tee.restrictions = self.tiles.restrictions(tee.shown_x, tee.shown_y, 18, cell)
        if self.tiles.tele[cell] == 29:
            tee.tele_checkpoint = self.tiles.tele_number[cell]
        if tile == 9 or front == 9:
            if not tee.deep:
                self._freeze(tee, self.freeze_seconds)
        elif (tile == 11 or front == 11) and not tee.deep:
            self._thaw(tee)
        # Pairs of tiles that turn something on and off; the one that acts first is named first.
        if tile == 12 or front == 12:
            tee.deep = 1
        elif tile == 13 or front == 13:
            tee.deep = 0
        if tile == 144 or front == 144:
            tee.live = 1
        elif tile == 145 or front == 145:
            tee.live = 0
        if tile == 17 or front == 17:
            tee.endless_hook = 1
        elif tile == 18 or front == 18:
            tee.endless_hook = 0
        if tile == 19 or front == 19:
            tee.no_hits = 0
        elif tile == 20 or front == 20:
            tee.no_hits = 31
        if tile == 21 or front == 21:
            tee.solo = 1
        elif tile == 22 or front == 22:
            tee.solo = 0
        if tile == 88 or front == 88:
            tee.no_collision = 1
        elif tile == 104 or front == 104:
            tee.no_collision = 0
        if tile == 89 or front == 89:
            tee.endless_jump = 0
        elif tile == 105 or front == 105:
            tee.endless_jump = 1
        if tile == 90 or front == 90:
            tee.jetpack = 0
        elif tile == 106 or front == 106:
            tee.jetpack = 1
        if tile == 91 or front == 91:
            tee.no_hook = 1
        elif tile == 107 or front == 107:
            tee.no_hook = 0
        if (tile == 16 or front == 16) and tee.vel_y > 0 and tee.colliding and tee.left_wall:
            tee.left_wall = 0
            tee.jumped_total = tee.jumps - 2 if tee.jumps >= 2 else 0
            tee.jumped = 1
        if tile == 32 or front == 32:
            if not tee.refilled:
                tee.jumped_total = tee.jumped = 0
            tee.refilled = 1
        else:
            tee.refilled = 0
        if tee.vel_y > 0 and tee.restrictions & CANT_DOWN:
            tee.jumped = tee.jumped_total = 0
        self._clamp(tee.restrictions, tee.vel_x, tee.vel_y)
        tee.vel_x = self._clamped_x
        tee.vel_y = self._clamped_y
        kind: cython.int = self.tiles.switch[cell]
        if kind and not self.tiles.switch_number[cell]:
            delay: cython.int = self.tiles.switch_delay[cell]
            if kind == 9:
                self._freeze(tee, delay)
            elif kind == 12 or kind == 13:
                tee.deep = kind == 12
            elif kind == 144 or kind == 145:
                tee.live = kind == 144
        if kind == 7:
            tee.jumps = -1 if self.tiles.switch_delay[cell] == 255 else self.tiles.switch_delay[cell]
        elif kind == 20 or kind == 19:
            bit: cython.int = 1 << (self.tiles.switch_delay[cell] & 7)
            tee.no_hits = tee.no_hits | bit if kind == 20 else tee.no_hits & ~bit
        if self.tiles.tele[cell]:
            return self._teleport(tee, cell)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _teleport(self, tee: Body, cell: cython.int) -> cython.int:
        """Move a tee to the exit nearest to where the recording has it next: exits are drawn by lot."""
        kind: cython.int = self.tiles.tele[cell]
        number: cython.int
        places: list
        if kind == 26 or kind == 10:
            places = self.exits.get(self.tiles.tele_number[cell])
        elif kind == 31 or kind == 63:
            places = None
            for number in range(tee.tele_checkpoint, 0, -1):
                places = self.checkpoint_exits.get(number)
                if places:
                    break
        else:
            return 0
        if not places:
            if kind == 31 or kind == 63:
                tee.known = 0  # it goes to a spawn
            return 0
        nearest: object = None
        best: object = None
        x: object
        y: object
        for x, y in places:
            far = (x - self.recorded_x[tee.cid]) ** 2 + (y - self.recorded_y[tee.cid]) ** 2
            if best is None or far < best:
                best = far
                nearest = (x, y)
        tee.x, tee.y = nearest
        if kind == 10 or kind == 63:
            tee.vel_x = tee.vel_y = 0
            i: cython.int
            other: Body
            for i in range(self.count):
                other = self.tees[self.present[i]]
                if other.hooked == tee.cid:
                    other.hooked = -1
                    other.hook_state = RETRACTED
        tee.hooked = -1
        tee.hook_state = RETRACTED
        tee.hook_x = tee.x
        tee.hook_y = tee.y
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _freeze(self, tee: Body, seconds: cython.int) -> cython.bint:
        if seconds <= 0 or tee.freeze_ticks > seconds * 50 or tee.freeze_start >= self.tick - 50:
            return False
        tee.freeze_ticks = seconds * 50
        tee.freeze_start = self.tick
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def _thaw(self, tee: Body) -> cython.bint:
        if tee.freeze_ticks <= 0:
            return False
        if not tee.owned >> tee.weapon & 1:
            tee.weapon = 1
        tee.freeze_ticks = tee.freeze_start = 0
        tee.thawed = 1
        return True

    # -- inputs and weapons -------------------------------------------------------------------------------

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def moving_input(
        self,
        cid: cython.int,
        direction: cython.int,
        x: cython.int,
        y: cython.int,
        jump: cython.int,
        fire: cython.int,
        hook: cython.int,
        wanted: cython.int,
    ) -> cython.int:
        """Set the input that moves a tee from the next tick on."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        tee: Body = self.tees[cid]
        tee.saved_direction = direction
        tee.saved_x = x
        tee.saved_y = -1 if x == 0 and y == 0 else y
        tee.saved_jump = jump
        tee.saved_fire = fire
        tee.saved_hook = hook
        tee.in_wanted = wanted
        return 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def early_input(
        self,
        cid: cython.int,
        fire: cython.int,
        aim_x: cython.int,
        aim_y: cython.int,
        wanted: cython.int,
        next: cython.int,
        prev: cython.int,
    ) -> cython.int:
        """Switch weapons and fire, before the world moves; the first input after a spawn does neither."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        tee: Body = self.tees[cid]
        tee.fire = fire
        tee.aim_x = aim_x
        tee.aim_y = -1 if aim_x == 0 and aim_y == 0 else aim_y
        tee.wanted = wanted
        tee.next_weapon = next
        tee.prev_weapon = prev
        tee.inputs += 1
        if tee.alive and tee.inputs > 1:
            self._switch_weapon(tee)
            self._fire(tee)
        tee.last_fire = fire
        tee.last_next = next
        tee.last_prev = prev
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _switch_weapon(self, tee: Body) -> cython.int:
        wanted: cython.int = tee.weapon if tee.queued == -1 else tee.queued
        if not tee.owned & 31:
            return 0
        i: cython.int = presses(tee.last_next, tee.next_weapon)
        while i:
            wanted = (wanted + 1) % 6
            if tee.owned >> wanted & 1:
                i -= 1
        i = presses(tee.last_prev, tee.prev_weapon)
        while i:
            wanted = 5 if wanted == 0 else wanted - 1
            if tee.owned >> wanted & 1:
                i -= 1
        if tee.wanted:
            wanted = tee.in_wanted - 1 if -7 < tee.in_wanted < 8 else -1
        if 0 <= wanted < 6 and wanted != tee.weapon and tee.owned >> wanted & 1:
            tee.queued = wanted
        return self._take_queued(tee)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _take_queued(self, tee: Body) -> cython.int:
        if tee.reload or tee.queued == -1 or tee.owned & 32 or not tee.owned >> tee.queued & 1:
            return 0
        if tee.queued != tee.weapon:
            tee.former_weapon = tee.weapon
            tee.weapon = tee.queued
            tee.queued = -1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _weapons(self, tee: Body) -> cython.int:
        """Let the jetpack push, count the reload down, fire again while the button is held."""
        if tee.jetpack and tee.weapon == 1 and tee.fire & 1 and not tee.freeze_ticks:
            x: cython.float = tee.aim_x
            y: cython.float = tee.aim_y
            inverse: cython.float = ratio(_ONE, length(x, y))
            strength: cython.float = single(single(tee.tuning.jetpack_strength / single(100)) / _JETPACK_DIVISOR)
            self._push(
                tee,
                single(single(single(x * inverse) * -1) * strength),
                single(single(single(y * inverse) * -1) * strength),
            )
        if tee.reload:
            tee.reload -= 1
            return 0
        return self._fire(tee)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _push(self, tee: Body, x: cython.float, y: cython.float) -> cython.int:
        """Add to a velocity, as far as stoppers let it."""
        self._clamp(tee.restrictions, single(tee.vel_x + x), single(tee.vel_y + y))
        tee.vel_x = self._clamped_x
        tee.vel_y = self._clamped_y
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _fire(self, tee: Body) -> cython.int:
        if tee.reload:
            return 0
        self._take_queued(tee)
        held: cython.bint = tee.thawed or 2 <= tee.weapon <= 4 or (tee.jetpack and tee.weapon == 1)
        if not presses(tee.last_fire, tee.fire) and not (held and tee.fire & 1):
            return 0
        if tee.freeze_ticks:
            return 0
        if tee.weapon == 0:
            x: cython.float = tee.aim_x
            y: cython.float = tee.aim_y
            inverse: cython.float = ratio(_ONE, length(x, y))
            self._hammer(
                tee,
                single(tee.shown_x + single(single(single(x * inverse) * 28) * _DISAGREES)),
                single(tee.shown_y + single(single(single(y * inverse) * 28) * _DISAGREES)),
            )
        if not tee.reload:
            tee.reload = whole(single(single(tee.tuning.fire_delay(tee.weapon) * 50) / single(1000)))
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _hammer(self, tee: Body, x: cython.float, y: cython.float) -> cython.int:
        """Hit the tees near (x, y)."""
        if tee.no_hits & 1:
            return 0
        i: cython.int
        other: Body
        for i in range(self.count):
            other = self.tees[self.order[i]]
            if other is tee or self._apart(tee, other):
                continue
            if not length(single(other.shown_x - x), single(other.shown_y - y)) < 42:
                continue
            dx: cython.float = single(other.shown_x - tee.shown_x)
            dy: cython.float = single(other.shown_y - tee.shown_y)
            far: cython.float = length(dx, dy)
            if far > 0:
                far = ratio(_ONE, far)
                dx = single(dx * far)
                dy = single(dy * far)
            else:
                dx = 0
                dy = -1
            dy = single(dy + _UPWARDS)
            far = ratio(_ONE, length(dx, dy))
            self._clamp(
                other.restrictions,
                single(other.vel_x + single(single(dx * far) * 10)),
                single(other.vel_y + single(single(dy * far) * 10)),
            )
            dx = single(self._clamped_x - other.vel_x)
            dy = single(single(self._clamped_y - other.vel_y) - 1)
            strength: cython.float = tee.tuning.hammer_strength
            self._push(other, single(dx * strength), single(dy * strength))
            self._thaw(other)
            self.hits.append((tee.cid, other.cid, 0))
            tee.reload = whole(single(single(tee.tuning.hammer_hit_fire_delay * 50) / single(1000)))
        return 0


@cython.cfunc
@cython.exceptval(check=False)
def _turn(x: cython.float, y: cython.float) -> cython.double:
    """Return the angle of a direction as speedups count it, from 0 to a full turn, as a 32-bit float."""
    quarter: cython.double = math.asin(1.0)
    angle: cython.float
    if x > 1e-7:
        angle = single(-math.atan(ratio(y, x)))
    elif x < 0:
        angle = single(math.atan(ratio(y, x)) + 2 * quarter)
    else:
        angle = single(quarter) if y > 1e-7 else single(-quarter)
    return single(4 * quarter + angle) if angle < 0 else angle
