"""`Weapons`: inputs that switch weapons and fire, hammers, ninja and jetpack."""

from __future__ import annotations

from playhead.runtime import cython
from playhead.teehistorian.physics.arena.arena import HIT, SHOT, Arena
from playhead.teehistorian.physics.arena.body import Body, Tuning
from playhead.teehistorian.physics.world.movement import Movement
from playhead.teehistorian.physics.world.shots import FlyingShots, LaserBeams

if cython.compiled:
    from cython.cimports.playhead.teehistorian.physics.arena.single import length, ratio, single, whole
else:
    from playhead.teehistorian.physics.arena.single import length, ratio, single, whole

    SLOTS = 128

    def presses(before: int, now: int) -> int:
        """Count the presses of a counter modulo 64, odd while pressed."""
        found = 0
        before &= 63
        now &= 63
        while before != now:
            before = (before + 1) & 63
            found += before & 1
        return found


#: Weapons by number.
HAMMER, GUN, SHOTGUN, GRENADE, LASER, NINJA = range(6)
#: Ticks that a ninja lasts and that one of its dashes takes, and its speed.
NINJA_TICKS, _DASH_TICKS, _DASH_SPEED = 750, 10, 50

_DISAGREES = cython.declare(cython.float, single(0.75))
_UPWARDS = cython.declare(cython.float, single(-1.1))
_ONE = cython.declare(cython.float, 1.0)
_JETPACK_DIVISOR = cython.declare(cython.float, single(6.11))


@cython.final
@cython.cclass
class Weapons:
    """The weapons of all tees.

    Attributes:
        clamps_ninja: stoppers stop a dash (19.6).
    """

    def __init__(self, arena: Arena, movement: Movement, shots: FlyingShots, lasers: LaserBeams) -> None:
        self.arena = arena
        self.movement = movement
        self.shots = shots
        self.lasers = lasers
        self.tees = arena.tees
        self.clamps_ninja = False

    @cython.nonecheck(True)
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

    @cython.nonecheck(True)
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
        self.arena.now = self.arena.tick - 1
        if tee.alive and tee.inputs > 1:
            self._switch_weapon(tee)
            self._fire(tee)
        tee.last_fire = fire
        tee.last_next = next
        tee.last_prev = prev
        return 0

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

    def _take_queued(self, tee: Body) -> cython.int:
        if tee.reload or tee.queued == -1 or tee.owned & 32 or not tee.owned >> tee.queued & 1:
            return 0
        if tee.queued != tee.weapon:
            tee.former_weapon = tee.weapon
            tee.weapon = tee.queued
            tee.queued = -1
        return 0

    def act(self, tee: Body) -> cython.int:
        """Let ninja and jetpack push, count the reload down, fire again while the button is held."""
        if tee.weapon == NINJA:
            self._dash(tee)
        if tee.jetpack and tee.weapon == 1 and tee.fire & 1 and not tee.freeze_ticks:
            x: cython.float = tee.aim_x
            y: cython.float = tee.aim_y
            inverse: cython.float = ratio(_ONE, length(x, y))
            strength: cython.float = single(single(tee.tuning.jetpack_strength / single(100)) / _JETPACK_DIVISOR)
            self.arena.push(
                tee,
                single(single(single(x * inverse) * -1) * strength),
                single(single(single(y * inverse) * -1) * strength),
            )
        if tee.reload:
            tee.reload -= 1
            return 0
        return self._fire(tee)

    def _fire(self, tee: Body) -> cython.int:
        if tee.reload:
            return 0
        self._take_queued(tee)
        held: cython.bint = tee.thawed or 2 <= tee.weapon <= 4 or (tee.jetpack and tee.weapon == 1)
        if not presses(tee.last_fire, tee.fire) and not (held and tee.fire & 1):
            return 0
        if tee.freeze_ticks or (tee.weapon == HAMMER and tee.deep and not self.arena.deep_hammer):
            return 0
        x: cython.float = tee.aim_x
        y: cython.float = tee.aim_y
        inverse: cython.float = ratio(_ONE, length(x, y))
        x = single(x * inverse)
        y = single(y * inverse)
        start_x: cython.float = single(tee.shown_x + single(single(x * 28) * _DISAGREES))
        start_y: cython.float = single(tee.shown_y + single(single(y * 28) * _DISAGREES))
        self.arena.events.append((SHOT, tee.cid, tee.weapon, whole(start_x), whole(start_y), tee.aim_x, tee.aim_y))
        tee.attack_tick = self.arena.now
        if tee.weapon == HAMMER:
            self._hammer(tee, start_x, start_y)
        elif tee.weapon == GUN or tee.weapon == GRENADE:
            if tee.weapon == GRENADE or not (tee.jetpack and tee.sword) or tee.telegun & 1:
                self.shots.launch(tee, start_x, start_y, x, y)
        elif tee.weapon == NINJA:
            tee.met_low = tee.met_high = 0
            tee.ninja_x = x
            tee.ninja_y = y
            tee.ninja_move = _DASH_TICKS
            tee.ninja_speed = whole(length(tee.vel_x, tee.vel_y))
        else:
            self.lasers.shoot(tee, x, y)
        if not tee.reload:
            tee.reload = whole(single(single(tee.tuning.fire_delay(tee.weapon) * 50) / single(1000)))
        return 0

    def _hammer(self, tee: Body, x: cython.float, y: cython.float) -> cython.int:
        """Hit the tees near (x, y)."""
        if tee.no_hits & 1:
            return 0
        i: cython.int
        for i in range(self.arena.count):
            other: Body = self.tees[self.arena.order[i]]
            if other is tee or self.arena.apart(tee, other):
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
            self.arena.clamp(
                other.restrictions,
                single(other.vel_x + single(single(dx * far) * 10)),
                single(other.vel_y + single(single(dy * far) * 10)),
            )
            dx = single(self.arena.clamped_x - other.vel_x)
            dy = single(single(self.arena.clamped_y - other.vel_y) - 1)
            strength: cython.float = tee.tuning.hammer_strength
            self.arena.push(other, single(dx * strength), single(dy * strength))
            self.arena.thaw(other)
            if tee.freeze_hammer and self.arena.freeze(other, self.arena.freeze_seconds):
                other.freeze_start = self.arena.now
            self.arena.events.append((HIT, tee.cid, other.cid, HAMMER))
            tee.reload = whole(single(single(tee.tuning.hammer_hit_fire_delay * 50) / single(1000)))
        return 0

    def _dash(self, tee: Body) -> cython.int:
        """Let a ninja end or dash, and hit the tees on its way."""
        tuning: Tuning = tee.tuning
        i: cython.int
        if self.arena.tick - tee.ninja_start > NINJA_TICKS:
            tee.ninja_move = 0
            tee.ninja_x = tee.ninja_y = tee.ninja_speed = 0
            tee.owned &= ~32
            tee.weapon = tee.former_weapon
            return 0
        if tee.ninja_move <= 0:
            return 0
        tee.ninja_move -= 1
        if tee.ninja_move == 0:
            tee.vel_x = single(tee.ninja_x * tee.ninja_speed)
            tee.vel_y = single(tee.ninja_y * tee.ninja_speed)
            if self.clamps_ninja:
                self.arena.push(tee, 0, 0)
            return 0
        vel_x: cython.float = single(tee.ninja_x * _DASH_SPEED)
        vel_y: cython.float = single(tee.ninja_y * _DASH_SPEED)
        if self.clamps_ninja:
            self.arena.clamp(tee.restrictions, vel_x, vel_y)
            vel_x = self.arena.clamped_x
            vel_y = self.arena.clamped_y
        self.movement.slide(tuning, tee.x, tee.y, vel_x, vel_y)
        tee.x = self.movement.slid_x
        tee.y = self.movement.slid_y
        tee.vel_x = tee.vel_y = 0
        if tee.solo:
            return 0
        for i in range(self.arena.count):
            other: Body = self.tees[self.arena.order[i]]
            if other is tee or not (other.team == tee.team or other.super_tee or tee.super_tee):
                continue
            # Both are compared as they were shown: within 84 of the start to be looked at, within 56 to be hit.
            if not length(single(other.shown_x - tee.shown_x), single(other.shown_y - tee.shown_y)) <= 56:
                continue
            if other.solo:
                return 0
            if other.cid < 64:
                if tee.met_low >> other.cid & 1:
                    continue
                tee.met_low |= cython.cast(cython.longlong, 1) << other.cid
            else:
                if tee.met_high >> (other.cid - 64) & 1:
                    continue
                tee.met_high |= cython.cast(cython.longlong, 1) << (other.cid - 64)
            self.arena.push(other, 0, -10)
            self.arena.events.append((HIT, tee.cid, other.cid, NINJA))
        return 0
