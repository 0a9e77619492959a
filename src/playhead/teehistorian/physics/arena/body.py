"""`Body`: the state of one tee between two ticks; `Tuning`: what a server, map or zone can change of it."""

from __future__ import annotations

import math

from playhead.runtime import cython

#: Names and defaults of all values that movement or shots depend on.
DEFAULTS = {
    "ground_control_speed": 10.0,
    "ground_control_accel": 2.0,
    "ground_friction": 0.5,
    "ground_jump_impulse": 13.2,
    "air_jump_impulse": 12.0,
    "air_control_speed": 5.0,
    "air_control_accel": 1.5,
    "air_friction": 0.95,
    "hook_length": 380.0,
    "hook_fire_speed": 80.0,
    "hook_drag_accel": 3.0,
    "hook_drag_speed": 15.0,
    "gravity": 0.5,
    "velramp_start": 550.0,
    "velramp_range": 2000.0,
    "velramp_curvature": 1.4,
    "player_collision": 1.0,
    "player_hooking": 1.0,
    "jetpack_strength": 400.0,
    "hammer_strength": 1.0,
    "hook_duration": 1.25,
    "hammer_fire_delay": 125.0,
    "gun_fire_delay": 125.0,
    "shotgun_fire_delay": 500.0,
    "grenade_fire_delay": 500.0,
    "laser_fire_delay": 800.0,
    "ninja_fire_delay": 800.0,
    "hammer_hit_fire_delay": 320.0,
    "gun_curvature": 0.0,
    "gun_speed": 1400.0,
    "gun_lifetime": 2.0,
    "shotgun_curvature": 0.0,
    "shotgun_speed": 500.0,
    "shotgun_strength": 10.0,
    "grenade_curvature": 7.0,
    "grenade_speed": 1000.0,
    "grenade_lifetime": 2.0,
    "laser_reach": 800.0,
    "laser_bounce_delay": 150.0,
    "laser_bounce_num": 1000.0,
    "laser_bounce_cost": 0.0,
    "explosion_strength": 6.0,
    "ground_elasticity_x": 0.0,
    "ground_elasticity_y": 0.0,
}

#: Largest value: hooks and tees move in steps of one unit, and a hostile value must not take for ever.
MOST = 10_000.0


@cython.final
@cython.cclass
class Tuning:
    """Values in units and ticks, except delays (milliseconds) and `hook_duration` (seconds)."""

    def __init__(self, unknown: tuple[str, ...] = ()) -> None:
        """`unknown`: names that the server does not know; they keep their defaults."""
        self._unknown = ()
        self.reset()
        self._unknown = unknown

    def reset(self) -> None:
        """Set all values to their defaults."""
        for name in DEFAULTS:
            self.change(name, DEFAULTS[name])

    def change(self, name: str, value: float) -> bool:
        """Set one value, in steps of a hundredth; return False if no movement depends on that name.

        The server drops digits after the second. A value that is no number, or above `MOST`, is cut to it.
        """
        if name not in DEFAULTS or name in self._unknown:
            return False
        if not math.isfinite(value):
            value = 0.0
        from playhead.teehistorian.physics.arena.single import single

        hundredths = int(single(single(max(-MOST, min(MOST, value))) * 100.0))
        setattr(self, name, single(hundredths / 100.0))
        return True

    def fire_delay(self, weapon: cython.int) -> cython.float:
        """Return the delay after a shot, in milliseconds."""
        if weapon == 0:
            return self.hammer_fire_delay
        if weapon == 1:
            return self.gun_fire_delay
        if weapon == 2:
            return self.shotgun_fire_delay
        if weapon == 3:
            return self.grenade_fire_delay
        if weapon == 4:
            return self.laser_fire_delay
        return self.ninja_fire_delay


#: Numbers that belong to the player, not to the tee.
_OF_PLAYER = (
    *("team", "paused", "sword", "inputs", "in_wanted", "wanted", "aim_x", "aim_y"),
    *("fire", "next_weapon", "prev_weapon"),
    *("saved_direction", "saved_x", "saved_y", "saved_jump", "saved_fire", "saved_hook"),
    *("last_fire", "last_next", "last_prev"),
)


@cython.final
@cython.cclass
class Body:
    """One tee. Between two ticks every number is a whole one, velocities and `hook_dx`, `hook_dy` in 256ths.

    Attributes:
        x, y, vel_x, vel_y: position and velocity of the core, units and units a tick.
        shown_x, shown_y: where others find it: the position at the end of the last tick.
        former_x, former_y: position before the last movement; the tiles between both act.
        jumped: 1 while jump is held, 2 if all jumps in the air are used up.
        hook_state: -1 retracted, 0 idle, 1 to 3 retracting, 4 flying, 5 grabbed.
        hooked: client id of the hooked tee; -1 for none.
        in_…: the input that moves; saved_…: the last one received; aim_x … last_prev: those of weapons.
        ramp: factor of the last horizontal movement, which is below 1 at high speed.
        owned: bits of the weapons it has (0 hammer, 1 gun, 2 shotgun, 3 grenade, 4 laser, 5 ninja).
        no_hits: bits of the weapons that do not hit others.
        ninja_start, ninja_move, ninja_x, ninja_y, ninja_speed: tick of its pickup; ticks left of a dash, its
            direction, and the speed before it; met_low, met_high: bits of the clients that it hit.
        super_tee: it is in the team of all teams: touches all others, never freezes, jumps without end.
        sword: its client wants the jetpack to look like a ninja's sword, which shoots nothing.
        freeze_hammer: its hammer freezes whom it hits.
        telegun: bits of weapons whose shots teleport (1 gun, 2 grenade, 4 laser).
        gun_state: a shot takes the tee to (gun_x, gun_y) on this tick: 1, or 2 with its velocity.
        attack_tick: tick of the last shot.
        born: tick of its spawn.
        safe: a copy of the tee when it last stood where the server saves it, to which a rescue returns; else None.
            Its `freeze_start` and `ninja_start` count back from that tick.
        holder, outcome: of the client, not copied: the session; 1 if its position was predicted, 0 if it was
            elsewhere, 2 if it was not compared.
        thawed: freeze ended on the last tick.
        known: the state is certain since the spawn or the last correction.
        unsure: the input of the tick may be another one: 1 if that changes nothing later, 2 if it changes the hook
            until its next launch, 3 if it may change everything.
        unheard: no input of its client moved it on the last tick, so an uncertain aim stays.
        old_hook: the last launch of the hook is uncertain, or was before the state was lost.
    """

    def __init__(self, cid: int) -> None:
        self.cid = cid
        self.holder = -1
        self.outcome = 2
        self.tuning = self.safe = None
        self.alive = self.team = self.paused = self.sword = self.unheard = self.known = self.unsure = (
            self.old_hook
        ) = 0
        self.forget_inputs()
        self.reset(0, 0)
        self.alive = 0

    def forget_inputs(self) -> None:
        """Begin with inputs of zero, as a new connection does."""
        self.in_direction = self.in_x = self.in_y = self.in_jump = self.in_fire = self.in_hook = self.in_wanted = 0
        self.saved_direction = self.saved_x = self.saved_y = self.saved_jump = self.saved_fire = (
            self.saved_hook
        ) = 0
        self.aim_x = self.aim_y = self.fire = self.next_weapon = self.prev_weapon = self.wanted = 0
        self.last_fire = self.last_next = self.last_prev = 0

    def let_go(self) -> cython.int:
        """Release direction, jump and fire, as old servers do for a client that pauses or chats."""
        self.saved_direction = self.saved_jump = 0
        if self.saved_fire & 1:
            self.saved_fire += 1
        self.fire = self.last_fire = self.saved_fire
        return 0

    def release_hook(self) -> cython.int:
        """Let the hook return, until its key is released."""
        self.hooked = self.hook_state = -1
        self.hook_x = self.x
        self.hook_y = self.y
        return 0

    def place(self, x: cython.int, y: cython.int) -> cython.int:
        """Put the tee at (x, y), at rest and without its hook."""
        self.x = self.shown_x = self.former_x = x
        self.y = self.shown_y = self.former_y = y
        self.vel_x = self.vel_y = 0
        self.hook_state = 0
        self.hooked = -1
        self.hook_x = x
        self.hook_y = y
        self.known = 0
        return 0

    def reset(self, x: cython.int, y: cython.int) -> cython.int:
        """Spawn at (x, y); the last input stays, its aim does not."""
        self.direction = self.angle = self.jumped = self.jumped_total = self.events = self.grounded = (
            self.inputs
        ) = 0
        self.hook_state = self.hook_ticks = self.new_hook = self.reload = self.refilled = 0
        self.freeze_ticks = self.freeze_start = self.thawed = self.deep = self.live = self.solo = (
            self.super_tee
        ) = 0
        self.no_collision = self.no_hook = self.no_hits = self.endless_hook = self.endless_jump = self.jetpack = 0
        self.freeze_hammer = self.tele_checkpoint = self.tune_zone = self.restrictions = self.core_restrictions = 0
        self.colliding = self.left_wall = self.ninja_start = self.ninja_move = 0
        self.vel_x = self.vel_y = self.hook_x = self.hook_y = self.hook_dx = self.hook_dy = 0
        self.base_x = self.base_y = self.ninja_x = self.ninja_y = self.ninja_speed = 0
        self.met_low = self.met_high = 0
        self.telegun = self.gun_state = self.attack_tick = self.born = 0
        self.gun_x = self.gun_y = 0
        self.safe = None
        self.x = self.shown_x = self.former_x = x
        self.y = self.shown_y = self.former_y = y
        self.alive = 1
        self.unsure = self.old_hook = 0
        self.ramp = 1
        self.jumps = 2
        self.hooked = -1
        self.weapon = self.former_weapon = 1
        self.queued = -1
        self.owned = 3
        self.in_x = self.saved_x = self.aim_x = 0
        self.in_y = self.saved_y = self.aim_y = -1
        return 0

    def copy(self, other: Body) -> cython.int:
        """Take over the state of another tee, except its client id."""
        if cython.compiled:
            self.tuning = other.tuning
            self.safe = other.safe
            copy_numbers(self, other)
        else:
            vars(self).update(vars(other), cid=self.cid, holder=self.holder, outcome=self.outcome)
        return 0

    def keep_safe(self, tick: cython.int) -> cython.int:
        """Keep the present state, at `tick`, for a rescue."""
        kept: Body = Body.__new__(Body)
        kept.cid = self.cid
        kept.holder = kept.outcome = 0
        kept.copy(self)
        kept.safe = None
        kept.freeze_start = tick - self.freeze_start
        if self.ninja_start:
            kept.ninja_start = tick - self.ninja_start
        self.safe = kept
        return 0

    def exchange(self, other: Body) -> cython.int:
        """Take over the state of another tee, except what belongs to the player: inputs, team, pause."""
        mine: Body = Body(self.cid)
        mine.copy(self)
        self.copy(other)
        for name in _OF_PLAYER:
            setattr(self, name, getattr(mine, name))
        return 0

    def unlike(self, other: Body) -> cython.int:
        """Compare two states: return 0 if they go on alike, 1 if only their hooks differ, at rest, else 2."""
        if (
            self.x != other.x
            or self.y != other.y
            or self.vel_x != other.vel_x
            or self.vel_y != other.vel_y
            or self.direction != other.direction
            or self.angle != other.angle
            or self.jumped != other.jumped
            or self.jumped_total != other.jumped_total
            or self.weapon != other.weapon
            or self.queued != other.queued
            or self.reload != other.reload
        ):
            return 2
        if (
            self.hook_state == other.hook_state
            and self.hooked == other.hooked
            and self.hook_ticks == other.hook_ticks
            and self.hook_x == other.hook_x
            and self.hook_y == other.hook_y
            and self.hook_dx == other.hook_dx
            and self.hook_dy == other.hook_dy
        ):
            return 0
        return 1 if self.hook_state < 4 and other.hook_state < 4 else 2

    def near(self, other: Body) -> cython.bint:
        """Whether two tees are close, or one hooks the other: one may have moved the other."""
        return (
            self.hooked == other.cid
            or other.hooked == self.cid
            or (abs(other.x - self.x) < 100 and abs(other.y - self.y) < 100)
        )
