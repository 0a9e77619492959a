"""`GameWorld`: tees, shots and entities of a server, and one tick of them; `TileRules`: what tiles do to tees.

The module is long because one more compiled module takes seconds of each installation.
"""

from __future__ import annotations

import math

from playhead.runtime import cython
from playhead.teehistorian.physics.arena.arena import Arena, Snapshot
from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.arena.tiles import Tiles
from playhead.teehistorian.physics.world.entities import Entities
from playhead.teehistorian.physics.world.movement import Movement
from playhead.teehistorian.physics.world.shots import FlyingShots, LaserBeams
from playhead.teehistorian.physics.world.weapons import Weapons

if cython.compiled:
    from cython.cimports.playhead.teehistorian.physics.arena.single import (
        arctangent,
        cosine,
        length,
        ratio,
        rounded,
        sine,
        single,
        whole,
    )
else:
    from playhead.teehistorian.physics.arena.arena import SLOTS
    from playhead.teehistorian.physics.arena.single import (
        arctangent,
        cosine,
        length,
        ratio,
        rounded,
        sine,
        single,
        whole,
    )
    from playhead.teehistorian.physics.arena.tiles import CANT_DOWN

    MOST_KEPT = 13


#: Half a turn as DDNet's ``pi``.
_PI = cython.declare(cython.float, single(math.pi))
_NOT_A_NUMBER = cython.declare(cython.float, math.nan)


@cython.final
@cython.cclass
class TileRules:
    """The tile part of a tick."""

    def __init__(self, arena: Arena, movement: Movement) -> None:
        self.arena = arena
        self.movement = movement
        self.tiles = arena.tiles

    def act(self, tee: Body) -> cython.int:
        """Apply the rules of jumps and the tiles below the tee."""
        if tee.endless_hook:
            tee.hook_ticks = 0
        tee.thawed = 0
        if tee.deep and not tee.super_tee:
            self.arena.freeze(tee, self.arena.freeze_seconds)
        if (not tee.super_tee and (tee.jumps == -1 or tee.jumps == 0)) or (tee.jumps == 1 and tee.jumped > 0):
            tee.jumped |= 2
        elif tee.jumped_total < tee.jumps - 1 and tee.jumped > 1:
            tee.jumped = 1
        if (tee.endless_jump or tee.super_tee) and tee.jumped > 1:
            tee.jumped = 1
        deadly: cython.bint = (
            self.tiles.has_deaths and not tee.super_tee and self.tiles.kills(tee.shown_x, tee.shown_y)
        )
        if deadly:
            if tee.team in self.arena.practice:
                self.arena.freeze(tee, self.arena.freeze_seconds)
            elif self.arena.doomed[tee.cid]:
                return 0  # it dies before other tiles act
        if not self.tiles.has_specials:
            tee.restrictions = 0
            tee.refilled = 0
            return 0
        here: cython.int = self.tiles.cell(whole(tee.shown_x), whole(tee.shown_y))
        if not deadly and self.tiles.special[here] and self.tiles.speedup_force[here]:
            self._speedup(tee, here)
        self._tiles_between(tee, here)
        if tee.gun_state:
            tee.x = tee.gun_x
            tee.y = tee.gun_y
            if tee.gun_state == 1:
                tee.vel_x = tee.vel_y = 0
            tee.gun_state = 0
        return 0

    def _tiles_between(self, tee: Body, here: cython.int) -> cython.int:
        """Apply every tile between the last two positions, in order; `here` is the last of them."""
        dx: cython.float = single(tee.shown_x - tee.former_x)
        dy: cython.float = single(tee.shown_y - tee.former_y)
        far: cython.float = length(dx, dy)
        former_x: cython.float = tee.former_x
        former_y: cython.float = tee.former_y
        last: cython.int = 0
        visited: cython.int = 0
        i: cython.int
        if far == 0:
            if self.tiles.special[here]:
                self._tile(tee, here)
                visited = 1
        else:
            for i in range(min(whole(single(far + 1)), 20_000)):
                part: cython.float = ratio(i, far)
                cell: cython.int = self.tiles.cell(
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
                tee.restrictions = self.arena.restrictions(tee, tee.shown_x, tee.shown_y, -1)
                tee.refilled = 0
        return 0

    def _speedup(self, tee: Body, cell: cython.int) -> cython.int:
        """Apply a speedup."""
        force: cython.int = self.tiles.speedup_force[cell]
        most: cython.int = self.tiles.speedup_most[cell]
        angle: cython.float = single(self.tiles.speedup_angle[cell] * single(_PI / single(180)))
        x: cython.float = cosine(angle)
        y: cython.float = sine(angle)
        if force == 255 and most:
            tee.vel_x = single(x * (most // 5))
            tee.vel_y = single(y * (most // 5))
            return 0
        amount: cython.float = force
        if most > 0:
            if most < 5:
                most = 5
            if tee.vel_x == 0 and tee.vel_y == 0:  # as in a ninja's dash: the server divides by zero
                tee.vel_x = tee.vel_y = _NOT_A_NUMBER
                return 0
            vel_x: cython.double = tee.vel_x  # squared in double precision
            vel_y: cython.double = tee.vel_y
            speed: cython.float = single(math.sqrt(vel_x * vel_x + vel_y * vel_y))
            turn: cython.float = single(_turn(x, y) - _turn(tee.vel_x, tee.vel_y))
            left: cython.float = single(single(single(most) / single(5)) - single(cosine(turn) * speed))
            if abs(whole(left)) <= force:
                amount = left
            elif not left > 0:
                amount = -force
        self.arena.clamp(
            tee.restrictions, single(tee.vel_x + single(x * amount)), single(tee.vel_y + single(y * amount))
        )
        tee.vel_x = self.arena.clamped_x
        tee.vel_y = self.arena.clamped_y
        return 0

    def _tile(self, tee: Body, cell: cython.int) -> cython.int:
        """Apply one tile."""
        tile: cython.int = self.tiles.game[cell]
        front: cython.int = self.tiles.front[cell]
        tee.restrictions = self.arena.restrictions(tee, tee.shown_x, tee.shown_y, cell)
        if self.tiles.tele[cell] == 29:
            tee.tele_checkpoint = self.tiles.tele_number[cell]
        if tile == 9 or front == 9:
            if not tee.deep:
                self.arena.freeze(tee, self.arena.freeze_seconds)
        elif (tile == 11 or front == 11) and not tee.deep:
            self.arena.thaw(tee)
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
        self.arena.clamp(tee.restrictions, tee.vel_x, tee.vel_y)
        tee.vel_x = self.arena.clamped_x
        tee.vel_y = self.arena.clamped_y
        if front >= 96 or tile >= 96:
            self._teleguns(tee, tile, front)
        if self.tiles.switch[cell]:
            self._switch(tee, cell)
        if self.tiles.tele[cell]:
            return self._teleport(tee, cell)
        return 0

    def _teleguns(self, tee: Body, tile: cython.int, front: cython.int) -> cython.int:
        """Turn shots that teleport on or off: a bit each for gun, grenade and laser."""
        if tile == 96 or front == 96:
            tee.telegun |= 1
        elif tile == 97 or front == 97:
            tee.telegun &= ~1
        if tile == 112 or front == 112:
            tee.telegun |= 2
        elif tile == 113 or front == 113:
            tee.telegun &= ~2
        if tile == 128 or front == 128:
            tee.telegun |= 4
        elif tile == 129 or front == 129:
            tee.telegun &= ~4
        return 0

    def _switch(self, tee: Body, cell: cython.int) -> cython.int:
        """Apply a tile of the switch layer."""
        kind: cython.int = self.tiles.switch[cell]
        number: cython.int = self.tiles.switch_number[cell]
        delay: cython.int = self.tiles.switch_delay[cell]
        if 22 <= kind <= 25:
            if number:
                self.arena.turn(
                    number * SLOTS + (tee.team & 127),
                    kind == 22 or kind == 24,
                    self.arena.tick + 1 + delay * 50 if kind < 24 else 0,
                )
        elif kind == 7:
            tee.jumps = -1 if delay == 255 else delay
        elif kind == 20 or kind == 19:
            if delay == 0 or 2 <= delay <= 4:
                tee.no_hits = tee.no_hits | 1 << delay if kind == 20 else tee.no_hits & ~(1 << delay)
        elif not number or self.arena.is_on(number, tee.team):
            if kind == 9:
                self.arena.freeze(tee, delay)
            elif kind == 12 or kind == 13:
                tee.deep = kind == 12
            elif kind == 144 or kind == 145:
                tee.live = kind == 144
        return 0

    def _teleport(self, tee: Body, cell: cython.int) -> cython.int:
        """Move a tee to the exit nearest to where the recording has it next: exits are drawn by lot."""
        kind: cython.int = self.tiles.tele[cell]
        number: cython.int
        old: cython.bint = self.arena.old_hooks or self.arena.old_shots
        if (kind == 26 and not old) or kind == 10:
            places: list = self.arena.exits.get(self.tiles.tele_number[cell])
        elif kind == 31 or kind == 63:
            places = None
            for number in range(tee.tele_checkpoint, 0, -1):
                places = self.arena.checkpoint_exits.get(number)
                if places:
                    break
        else:
            return 0
        drawn: object = None
        if places:
            drawn = places[self.arena.random.draw(len(places))]
        elif kind == 31 or kind == 63:
            places = self.arena.spawns
        if not places:
            return 0
        nearest: object = None
        best: object = None
        x: object
        y: object
        # A tee keeps its velocity, and moves on this tick, unless the teleporter is an evil one. The old settings
        # leave those without checkpoints to hooks or shots, and let the evil ones change the place alone.
        keeps: cython.bint = kind == 26 or kind == 31 or (kind == 10 and old)
        to_x: cython.int = self.arena.recorded_x[tee.cid]
        to_y: cython.int = self.arena.recorded_y[tee.cid]
        ramp: cython.float = self.movement.ramp(tee) if keeps else 0
        for x, y in places:
            self.movement.slide(tee.tuning, x, y, single(tee.vel_x * ramp), tee.vel_y if keeps else 0)
            far = (rounded(self.movement.slid_x) - to_x) ** 2 + (rounded(self.movement.slid_y) - to_y) ** 2
            if best is None or far < best or (far == best and (x, y) == drawn):
                best = far
                nearest = (x, y)
        tee.x, tee.y = nearest
        if kind == 10 and old:
            return 0
        if kind == 10 or kind == 63:
            tee.vel_x = tee.vel_y = 0
            if not self.arena.keeps_hook:
                self.arena.release_hooked(tee.cid)
        if not self.arena.keeps_hook:
            tee.release_hook()
        if self.arena.takes_weapons and (kind == 26 or kind == 10):
            tee.owned &= ~28
            if 2 <= tee.weapon <= 4:
                tee.weapon = 1
        return 0


@cython.cfunc
@cython.exceptval(check=False)
def _turn(x: cython.float, y: cython.float) -> cython.float:
    """Return the angle of a direction as speedups count it, from 0 to a full turn, as a 32-bit float."""
    if x > 1e-7:
        angle: cython.float = -arctangent(ratio(y, x))
    elif x != 0:
        angle = single(arctangent(ratio(y, x)) + _PI)
    else:
        angle = single(single(_PI / 2) + _PI) if y > 0 else single(_PI / 2)
    return single(single(_PI * 2) + angle) if angle < 0 else angle


@cython.final
@cython.cclass
class GameWorld(Arena):
    """All of a game: `begin`, inputs, `step` are a tick.

    Attributes:
        rescues: tees without a team can be rescued (``sv_rescue``).
        strong_hooks: `sv_no_weak_hook`: hooks act after all tees have ticked.
        pauses: clients that an admin paused, and the tick after which their pauses end.
        leaving: team of each client that changes it within the next tick, in its tile part, as finishers do.
        shots, lasers, entities, weapons: the other parts of the game.
    """

    def __init__(self, tiles: Tiles, tunings: list) -> None:
        Arena.__init__(self, tiles, tunings)
        self.strong_hooks = self.rescues = False
        self.leaving = {}
        self.pauses = {}
        self._history = []
        self._spare = []
        self.movement = Movement(self)
        self.rules = TileRules(self, self.movement)
        self.shots = FlyingShots(self)
        self.lasers = LaserBeams(self)
        self.weapons = Weapons(self, self.movement, self.shots, self.lasers)
        self.entities = Entities(self, self.shots, self.lasers)

    def keep(self) -> cython.int:
        """Keep the present state for `go_back`, and as many before it as `MOST_KEPT` allows."""
        if len(self._history) >= MOST_KEPT:
            self._spare.append(self._history.pop(0))
        snapshot: Snapshot = self._spare.pop() if self._spare else Snapshot()
        self.save(snapshot)
        self.entities.save(snapshot)
        self.shots.save(snapshot)
        self.lasers.save(snapshot)
        self._history.append(snapshot)
        return 0

    def kept(self) -> cython.int:
        """Return the number of states that `go_back` can return to."""
        return len(self._history)

    def go_back(self, ticks: cython.int) -> cython.int:
        """Return to the state before the last `keep` (1), or before an earlier one; later ones are forgotten."""
        for _ in range(1, ticks):
            snapshot: Snapshot = self._history.pop()
            self.undo(snapshot)
            self._spare.append(snapshot)
        snapshot = self._history[len(self._history) - 1]
        self.restore(snapshot)
        self.entities.restore(snapshot)
        self.shots.restore(snapshot)
        return self.lasers.restore(snapshot)

    def forget_history(self) -> cython.int:
        """Forget all states: something happened that is not simulated again."""
        self._spare += self._history
        self._history = []
        return 0

    @cython.nonecheck(True)
    def step(self) -> cython.int:
        """Simulate the rest of the tick; `tick` and inputs are set before."""
        order: cython.int[128]
        if not cython.compiled:
            order = [0] * SLOTS
        count: cython.int = self.count
        i: cython.int
        for i in range(count):
            order[i] = self.order[i]
        self.now = self.tick
        self.shots.act()
        self.entities.act()
        if self.strong_hooks:
            for i in range(count):
                tee: Body = self.tees[order[i]]
                self._before_core(tee)
                self.movement.core(tee)
        for i in range(count):
            tee = self.tees[order[i]]
            if not self.strong_hooks:
                self._before_core(tee)
                self.movement.core(tee)
            self.movement.others(tee)
            self.weapons.act(tee)
            self.rules.act(tee)
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
                self.movement.move(tee)
                self.movement.quantize(tee)
        if self._timed:
            return self.end_timers()
        return 0

    def pause(self, cid: int, ticks: int) -> None:
        """Pause a client for some ticks; its tee leaves the world as soon as it is at rest."""
        self.pauses[cid] = self.tick + ticks
        self.tees[cid].paused = 1

    @cython.nonecheck(True)
    def follow_pauses(self) -> cython.int:
        """Take paused tees at rest out of the world, and put those back whose pause ends.

        A tee that is out of the world keeps its place; it comes back at rest, and acts before all others.
        """
        for cid, end in [*self.pauses.items()]:
            tee: Body = self.tees[cid]
            if self.tick > end:
                del self.pauses[cid]
                tee.paused = 0
                if cid in self.outside:
                    tee.vel_x = tee.vel_y = 0
                    self.enter(cid)
            elif tee.alive and self.stands(tee):
                self.leave(cid)
                self.outside.add(cid)
                if tee.hooked >= 0:
                    tee.release_hook()
                    self.release_hooked(cid)
        return 0

    @cython.nonecheck(True)
    def rest(self, tick: cython.int) -> cython.int:
        """Let lasers turn and bullets fly up to a tick while nobody is there; return the number of ticks."""
        begun: cython.int = self.tick
        if not self.entities.things and not self.shots.projectiles and not self.lasers.beams:
            return 0
        while self.tick < tick:
            self.tick += 1
            self.now = self.tick
            self.shots.act()
            self.entities.act()
        return self.tick - begun

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
                self.thaw(tee)
        tee.tune_zone = self.tiles.zone(tee.shown_x, tee.shown_y)
        tee.tuning = self.tunings[tee.tune_zone]
        if (tee.team > 0 or self.rescues) and not tee.deep and self._is_safe(tee):
            return tee.keep_safe(self.tick)
        return 0

    def _is_safe(self, tee: Body) -> cython.bint:
        """Whether the server saves a tee for a rescue: on ground or a stopper, and not on a tile that freezes."""
        tiles: Tiles = self.tiles
        here: cython.int = tiles.tile_at(tee.shown_x, tee.shown_y)
        i: cython.int
        for i in (9, 12):
            if tiles.game[here] == i or tiles.front[here] == i or tiles.switch[here] == i:
                return False
        return self.grounded(tee)
