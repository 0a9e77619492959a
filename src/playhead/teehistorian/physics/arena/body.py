"""`Body`: the state of one tee between two ticks."""

from __future__ import annotations

from playhead.runtime import cython


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
        telegun: bits of weapons whose shots teleport (1 gun, 2 grenade, 4 laser).
        gun_state: a shot takes the tee to (gun_x, gun_y) on this tick: 1, or 2 with its velocity.
        attack_tick: tick of the last shot.
        holder, outcome: of the client, not copied: the session; 1 if its position was predicted, 0 if it was
            elsewhere, 2 if it was not compared.
        thawed: freeze ended on the last tick.
        known: the state is certain since the spawn or the last correction.
    """

    def __init__(self, cid: int) -> None:
        self.cid = cid
        self.holder = -1
        self.outcome = 2
        self.tuning = None
        self.alive = self.team = self.paused = self.chatting = self.known = 0
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
        self.direction = 0
        self.angle = 0
        self.jumped = 0
        self.jumped_total = 0
        self.hook_state = 0
        self.hook_ticks = 0
        self.events = 0
        self.grounded = 0
        self.inputs = 0
        self.reload = 0
        self.freeze_ticks = 0
        self.freeze_start = 0
        self.thawed = 0
        self.deep = 0
        self.live = 0
        self.solo = 0
        self.super_tee = 0
        self.no_collision = 0
        self.no_hook = 0
        self.no_hits = 0
        self.endless_hook = 0
        self.endless_jump = 0
        self.jetpack = 0
        self.refilled = 0
        self.tele_checkpoint = 0
        self.tune_zone = 0
        self.restrictions = 0
        self.core_restrictions = 0
        self.colliding = 0
        self.left_wall = 0
        self.ninja_start = 0
        self.ninja_move = 0
        self.new_hook = 0
        self.vel_x = 0
        self.vel_y = 0
        self.hook_x = 0
        self.hook_y = 0
        self.hook_dx = 0
        self.hook_dy = 0
        self.base_x = 0
        self.base_y = 0
        self.ninja_x = 0
        self.ninja_y = 0
        self.ninja_speed = 0
        self.met_low = self.met_high = 0
        self.telegun = self.gun_state = self.attack_tick = 0
        self.gun_x = self.gun_y = 0
        self.x = self.shown_x = self.former_x = x
        self.y = self.shown_y = self.former_y = y
        self.alive = 1
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
        self.tuning = other.tuning
        self.alive = other.alive
        self.team = other.team
        self.direction = other.direction
        self.angle = other.angle
        self.jumped = other.jumped
        self.jumped_total = other.jumped_total
        self.jumps = other.jumps
        self.hook_state = other.hook_state
        self.hook_ticks = other.hook_ticks
        self.hooked = other.hooked
        self.events = other.events
        self.grounded = other.grounded
        self.in_direction = other.in_direction
        self.in_x = other.in_x
        self.in_y = other.in_y
        self.in_jump = other.in_jump
        self.in_fire = other.in_fire
        self.in_hook = other.in_hook
        self.in_wanted = other.in_wanted
        self.saved_direction = other.saved_direction
        self.saved_x = other.saved_x
        self.saved_y = other.saved_y
        self.saved_jump = other.saved_jump
        self.saved_fire = other.saved_fire
        self.saved_hook = other.saved_hook
        self.aim_x = other.aim_x
        self.aim_y = other.aim_y
        self.fire = other.fire
        self.next_weapon = other.next_weapon
        self.prev_weapon = other.prev_weapon
        self.wanted = other.wanted
        self.last_fire = other.last_fire
        self.last_next = other.last_next
        self.last_prev = other.last_prev
        self.inputs = other.inputs
        self.weapon = other.weapon
        self.queued = other.queued
        self.former_weapon = other.former_weapon
        self.reload = other.reload
        self.owned = other.owned
        self.freeze_ticks = other.freeze_ticks
        self.freeze_start = other.freeze_start
        self.thawed = other.thawed
        self.deep = other.deep
        self.live = other.live
        self.solo = other.solo
        self.super_tee = other.super_tee
        self.no_collision = other.no_collision
        self.no_hook = other.no_hook
        self.no_hits = other.no_hits
        self.endless_hook = other.endless_hook
        self.endless_jump = other.endless_jump
        self.jetpack = other.jetpack
        self.refilled = other.refilled
        self.tele_checkpoint = other.tele_checkpoint
        self.tune_zone = other.tune_zone
        self.restrictions = other.restrictions
        self.core_restrictions = other.core_restrictions
        self.colliding = other.colliding
        self.left_wall = other.left_wall
        self.ninja_start = other.ninja_start
        self.ninja_move = other.ninja_move
        self.paused = other.paused
        self.chatting = other.chatting
        self.new_hook = other.new_hook
        self.known = other.known
        self.x = other.x
        self.y = other.y
        self.vel_x = other.vel_x
        self.vel_y = other.vel_y
        self.hook_x = other.hook_x
        self.hook_y = other.hook_y
        self.hook_dx = other.hook_dx
        self.hook_dy = other.hook_dy
        self.base_x = other.base_x
        self.base_y = other.base_y
        self.shown_x = other.shown_x
        self.shown_y = other.shown_y
        self.former_x = other.former_x
        self.former_y = other.former_y
        self.ninja_x = other.ninja_x
        self.ninja_y = other.ninja_y
        self.ninja_speed = other.ninja_speed
        self.ramp = other.ramp
        self.met_low = other.met_low
        self.met_high = other.met_high
        self.telegun = other.telegun
        self.gun_state = other.gun_state
        self.gun_x = other.gun_x
        self.gun_y = other.gun_y
        self.attack_tick = other.attack_tick
        return 0

    def exchange(self, other: Body) -> cython.int:
        """Take over the state of another tee, except what belongs to the player: inputs, team, pause."""
        mine: Body = Body(self.cid)
        mine.copy(self)
        self.copy(other)
        self.team = mine.team
        self.paused = mine.paused
        self.saved_direction = mine.saved_direction
        self.saved_x = mine.saved_x
        self.saved_y = mine.saved_y
        self.saved_jump = mine.saved_jump
        self.saved_fire = mine.saved_fire
        self.saved_hook = mine.saved_hook
        self.in_wanted = mine.in_wanted
        self.aim_x = mine.aim_x
        self.aim_y = mine.aim_y
        self.fire = mine.fire
        self.last_fire = mine.last_fire
        self.next_weapon = mine.next_weapon
        self.prev_weapon = mine.prev_weapon
        self.last_next = mine.last_next
        self.last_prev = mine.last_prev
        self.wanted = mine.wanted
        self.inputs = mine.inputs
        return 0

    def near(self, other: Body) -> cython.bint:
        """Whether two tees are close, or one hooks the other: one may have moved the other."""
        return (
            self.hooked == other.cid
            or other.hooked == self.cid
            or (abs(other.x - self.x) < 100 and abs(other.y - self.y) < 100)
        )
