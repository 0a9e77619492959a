"""`Movement`: how a tee runs, jumps, hooks, pushes others and moves."""

from __future__ import annotations

import math

from playhead.runtime import cython
from playhead.teehistorian.physics.arena.arena import Arena
from playhead.teehistorian.physics.arena.body import Body, Tuning

if cython.compiled:
    from cython.cimports.playhead.teehistorian.physics.arena.single import (
        length,
        power,
        ratio,
        rounded,
        saturated,
        single,
        steps,
        whole,
    )
else:
    from playhead.teehistorian.physics.arena.arena import SLOTS
    from playhead.teehistorian.physics.arena.single import (
        length,
        power,
        ratio,
        rounded,
        saturated,
        single,
        steps,
        whole,
    )

    RETRACTED, IDLE, RETRACT_END, FLYING, GRABBED = -1, 0, 3, 4, 5
    c_atan2 = math.atan2

#: Bits of `Body.events`: what happened to a tee on the last tick.
GROUND_JUMP = 1
AIR_JUMP = 2
HOOK_LAUNCH = 4
HOOK_TEE = 8
HOOK_WALL = 16
HOOK_REFUSED = 32

_AGREES = cython.declare(cython.float, single(0.95))
_DISAGREES = cython.declare(cython.float, single(0.75))
_DOWNWARDS = cython.declare(cython.float, single(0.3))
_DAMPED = cython.declare(cython.float, single(0.85))
_NEAR = cython.declare(cython.float, single(28 * single(1.45)))
_SLOW = cython.declare(cython.float, single(0.0001))
_STOPPED = cython.declare(cython.float, single(0.001))
_STILL = cython.declare(cython.float, single(0.00001))
_ONE_AND_A_QUARTER = cython.declare(cython.float, 1.25)
_HALF = cython.declare(cython.float, 0.5)
_QUARTER = cython.declare(cython.float, 0.25)
_THREE_HALVES = cython.declare(cython.float, 1.5)
_ONE = cython.declare(cython.float, 1.0)
#: Half a turn as DDNet's ``pi``.
_PI = cython.declare(cython.float, single(math.pi))


@cython.final
@cython.cclass
class Movement:
    """The core of a tee. Attributes `slid_…` (compiled callers): place and velocity after the last `slide`.

    Attributes:
        hooks_return: a hook that came out of a teleporter and is too long ends near its tee, and grabs tees on its
            way back (before 18.2).
    """

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.tiles = arena.tiles
        self.tees = arena.tees
        self.hooks_return = False

    def core(self, tee: Body) -> cython.int:
        """Let input and gravity change the velocity, and the hook act."""
        tuning: Tuning = tee.tuning
        tee.core_restrictions = self.arena.restrictions(tee, tee.x, tee.y, -1)
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

    def _hook(self, tee: Body, aim_x: cython.float, aim_y: cython.float) -> cython.int:
        """Let a hook fly, grab and pull."""
        tuning: Tuning = tee.tuning
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
                if self.hooks_return:
                    base_x = tee.x
                    base_y = tee.y
                    dx = single(new_x - base_x)
                    dy = single(new_y - base_y)
                    far = length(dx, dy)
                far = ratio(_ONE, far)
                new_x = single(base_x + single(single(dx * far) * tuning.hook_length))
                new_y = single(base_y + single(single(dy * far) * tuning.hook_length))
            hit: cython.int = self.tiles.hook_line(tee.hook_x, tee.hook_y, new_x, new_y, self.arena.old_hooks)
            new_x = self.tiles.hit_x
            new_y = self.tiles.hit_y
            grabs: cython.bint = tee.hook_state == FLYING or not tee.new_hook or self.hooks_return
            if grabs and not tee.no_hook and tuning.player_hooking != 0:
                nearest: cython.float = 0
                line_x: cython.float = single(new_x - tee.hook_x)
                line_y: cython.float = single(new_y - tee.hook_y)
                square: cython.float = single(single(line_x * line_x) + single(line_y * line_y))
                for i in range(self.arena.count):
                    other: Body = self.tees[self.arena.present[i]]
                    if other is tee or square <= 0 or self.arena.apart(tee, other):
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
                    return self._through_teleporter(tee, aim_x, aim_y)
                if hit == 3:
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

    def _through_teleporter(self, tee: Body, aim_x: cython.float, aim_y: cython.float) -> cython.int:
        """Let a hook that met a teleporter of hooks fly on from one of its exits, in the direction of the aim."""
        places: object = self.arena.exits.get(self.tiles.hook_number)
        if not places:
            tee.hook_x = self.tiles.hit_x
            tee.hook_y = self.tiles.hit_y
            return 0
        x, y = places[self.arena.draw(tee, len(places))]
        tee.events = 0
        tee.hooked = -1
        tee.new_hook = 1
        tee.hook_x = tee.base_x = single(x + single(single(aim_x * 28) * _THREE_HALVES))
        tee.hook_y = tee.base_y = single(y + single(single(aim_y * 28) * _THREE_HALVES))
        tee.hook_dx = aim_x
        tee.hook_dy = aim_y
        return 0

    def _drag(self, tee: Body) -> cython.int:
        """Follow the hooked tee, or pull towards the hook."""
        tuning: Tuning = tee.tuning
        if tee.hooked != -1:
            other: Body = self.tees[tee.hooked]
            if other.alive and (other is tee or other.team == tee.team or other.super_tee or tee.super_tee):
                tee.hook_x = other.x
                tee.hook_y = other.y
            else:
                tee.release_hook()
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
            tee.release_hook()
        return 0

    def others(self, tee: Body) -> cython.int:
        """Push and pull tees that are near or hooked."""
        tuning: Tuning = tee.tuning
        i: cython.int
        for i in range(self.arena.count):
            other: Body = self.tees[self.arena.present[i]]
            dx: cython.float = single(tee.x - other.x)
            dy: cython.float = single(tee.y - other.y)
            # Most are far away and not hooked: no root of them.
            if tee.hooked != other.cid and (dx > 36 or dx < -36 or dy > 36 or dy < -36):
                continue
            if other is tee or self.arena.apart(tee, other):
                continue
            far: cython.float = length(dx, dy)
            if not far > 0:
                continue
            inverse: cython.float = ratio(_ONE, far)
            dx = single(dx * inverse)
            dy = single(dy * inverse)
            solid: cython.bint = not tee.no_collision and not other.no_collision and tuning.player_collision != 0
            if far < 35 and (solid or tee.super_tee or other.super_tee):
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
                self.arena.clamp(
                    other.core_restrictions,
                    saturated(-most, most, other.vel_x, single(pull_x * _THREE_HALVES)),
                    saturated(-most, most, other.vel_y, single(pull_y * _THREE_HALVES)),
                )
                other.vel_x = self.arena.clamped_x
                other.vel_y = self.arena.clamped_y
                self.arena.clamp(
                    tee.core_restrictions,
                    saturated(-most, most, tee.vel_x, single(single(-accel * dx) * _QUARTER)),
                    saturated(-most, most, tee.vel_y, single(single(-accel * dy) * _QUARTER)),
                )
                tee.vel_x = self.arena.clamped_x
                tee.vel_y = self.arena.clamped_y
        if tee.hook_state != FLYING:
            tee.new_hook = 0
        speed = length(tee.vel_x, tee.vel_y)
        if speed > 6000:
            speed = ratio(_ONE, speed)
            tee.vel_x = single(single(tee.vel_x * speed) * 6000)
            tee.vel_y = single(single(tee.vel_y * speed) * 6000)
        return 0

    def ramp(self, tee: Body) -> cython.float:
        """Return the factor of a tee's horizontal movement, which is below 1 at high speed."""
        tuning: Tuning = tee.tuning
        speed: cython.float = single(length(tee.vel_x, tee.vel_y) * 50)
        if speed < tuning.velramp_start:
            return _ONE
        return ratio(
            _ONE,
            power(tuning.velramp_curvature, ratio(single(speed - tuning.velramp_start), tuning.velramp_range)),
        )

    def move(self, tee: Body) -> cython.int:
        """Move a tee by its velocity, up to walls and other tees."""
        tuning: Tuning = tee.tuning
        ramp: cython.float = self.ramp(tee)
        tee.ramp = ramp
        vel_x: cython.float = single(tee.vel_x * ramp)
        vel_y: cython.float = tee.vel_y
        old_x: cython.float = vel_x
        if self.slide(tuning, tee.x, tee.y, vel_x, vel_y):
            tee.jumped &= ~2
            tee.jumped_total = 0
        x: cython.float = self.slid_x
        y: cython.float = self.slid_y
        vel_x = self.slid_vel_x
        vel_y = self.slid_vel_y
        tee.colliding = 0
        if -_STOPPED < vel_x < _STOPPED:
            tee.colliding = 1 if old_x > 0 else 2 if old_x < 0 else 0
        else:
            tee.left_wall = 1
        tee.vel_x = single(vel_x * ratio(_ONE, ramp))
        tee.vel_y = vel_y
        if tee.super_tee or (tuning.player_collision != 0 and not tee.no_collision and not tee.solo):
            return self._walk(tee, x, y)
        tee.x = x
        tee.y = y
        return 0

    def slide(
        self, tuning: Tuning, x: cython.float, y: cython.float, vel_x: cython.float, vel_y: cython.float
    ) -> cython.bint:
        """Move a box along walls; set `slid_x` … `slid_vel_y`. Return whether it bounced off ground."""
        bounced: cython.bint = False
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
                            bounced = True
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
        self.slid_x = x
        self.slid_y = y
        self.slid_vel_x = vel_x
        self.slid_vel_y = vel_y
        return bounced

    def _walk(self, tee: Body, new_x: cython.float, new_y: cython.float) -> cython.int:
        """Move in steps of a unit, up to the first other tee."""
        dx: cython.float = single(new_x - tee.x)
        dy: cython.float = single(new_y - tee.y)
        far: cython.float = length(dx, dy)
        near: cython.int[128]
        if not cython.compiled:
            near = [0] * SLOTS
        found: cython.int = 0
        i: cython.int
        p: cython.int
        reach: cython.float = single(far + 30)
        if far > 0:
            for i in range(self.arena.count):
                other: Body = self.tees[self.arena.present[i]]
                strong: cython.bint = tee.super_tee or other.super_tee
                if other is tee or (other.no_collision and not strong) or self.arena.apart(tee, other):
                    continue
                if abs(single(other.x - tee.x)) < reach and abs(single(other.y - tee.y)) < reach:
                    near[found] = self.arena.present[i]
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

    def quantize(self, tee: Body) -> cython.int:
        tee.x = tee.shown_x = rounded(tee.x)
        tee.y = tee.shown_y = rounded(tee.y)
        tee.vel_x = single(single(steps(tee.vel_x)) / single(256))
        tee.vel_y = single(single(steps(tee.vel_y)) / single(256))
        tee.hook_x = rounded(tee.hook_x)
        tee.hook_y = rounded(tee.hook_y)
        tee.hook_dx = single(single(rounded(single(tee.hook_dx * 256))) / single(256))
        tee.hook_dy = single(single(rounded(single(tee.hook_dy * 256))) / single(256))
        return 0
