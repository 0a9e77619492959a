"""`Arena`: all tees of a server, its switches, and what every part of a tick does to them."""

from __future__ import annotations

from playhead.runtime import cython
from playhead.teehistorian.physics.arena.body import Body, Tuning
from playhead.teehistorian.physics.arena.random_numbers import RandomNumbers
from playhead.teehistorian.physics.arena.tiles import Tiles

if cython.compiled:
    from cython.cimports.playhead.teehistorian.physics.arena.single import length, ratio, single, whole
else:
    from playhead.teehistorian.physics.arena.single import length, ratio, single, whole
    from playhead.teehistorian.physics.arena.tiles import CANT_DOWN, CANT_LEFT, CANT_RIGHT, CANT_UP

    SLOTS = 128
    SWITCHES = 256 * SLOTS

#: Kinds of `Arena.events`: (kind, client, …). A shot: weapon, x, y, aim x, aim y. A hit: the other client, weapon.
#: An explosion: x, y; its client is -1 if a thing of the map caused it. The end of a bullet: x, y, direction.
SHOT = 0
HIT = 1
EXPLOSION = 2
SPARKS = 3

#: Tiles of switches that close again, and the tiles that they become.
_TIMED_OPEN, _TIMED_CLOSE = 22, 23


@cython.final
@cython.cclass
class Snapshot:
    """The state of a game before a tick.

    Attributes:
        changed: switches that changed since then: place, whether it was off, its timer.
        shots, beams, entities: what `FlyingShots`, `LaserBeams` and `Entities` keep.
    """

    def __init__(self) -> None:
        self._bodies = [None] * SLOTS
        self._count = self._tick = 0
        self._drawn = 0
        self.changed = []
        self.shots = []
        self.beams = []
        self.entities = None
        if not cython.compiled:
            self._order = [0] * SLOTS


@cython.cclass
class Arena:
    """The state that movement, tiles, weapons and entities share.

    Attributes:
        tiles: the map.
        tees: by client id.
        tunings: by tune zone; 0 is everywhere else.
        tick: number of the tick that is simulated, or was last.
        now: tick of the server's clock: one less than `tick` while inputs fire, which it does before it counts.
        freeze_seconds: how long a freeze lasts.
        events: what happened since the last `save`; see `SHOT`.
        exits, checkpoint_exits: exits of teleporters by number, in units.
        spawns, random: places where a tee can spawn; the server's random numbers.
        outside: clients whose tees are out of the world, and come back.
        practice: teams in practice, whose tees death tiles freeze.
        hits, endless_hook: a new tee hits others (``sv_hit``), its hook lasts without end (``sv_endless_drag``).
        keeps_hook, takes_weapons: teleporters do (``sv_teleport_hold_hook``, ``sv_teleport_lose_weapons``).
        old_hooks, old_shots: hooks or shots use the teleporters of tees (``sv_old_teleport_hook``, ``…_weapons``).
        deep_hammer: hammers of deeply frozen tees hit (``sv_deepfly``).
    """

    def __init__(self, tiles: Tiles, tunings: list) -> None:
        if len(tunings) != 256:
            raise ValueError("expected a tuning for each of 256 zones")
        self.tiles = tiles
        self.tunings = tunings
        self.tees = [Body(cid) for cid in range(SLOTS)]
        for tee in self.tees:
            tee.tuning = tunings[0]
        self.tick = self.now = 0
        self.freeze_seconds = 3
        self.count = 0
        self.events = []
        self.exits = {}
        self.checkpoint_exits = {}
        self.spawns = []
        self.random = RandomNumbers("")
        self.practice = set()
        self.outside = set()
        self.hits = self.deep_hammer = True
        self.endless_hook = self.keeps_hook = self.takes_weapons = self.old_hooks = self.old_shots = False
        self.made = 0
        self._changed = []
        self._timed = {}
        self._switched = False
        if not cython.compiled:
            self.order = [0] * SLOTS
            self.present = [0] * SLOTS
            self.doomed = [0] * SLOTS
            self.recorded_x = [0] * SLOTS
            self.recorded_y = [0] * SLOTS
            self._off = [0] * SWITCHES
        i: cython.int
        for i in range(SLOTS):
            self.doomed[i] = 0

    def appear(self, cid: cython.int, x: cython.int, y: cython.int) -> cython.int:
        """Spawn a tee: it acts before all others."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        tee: Body = self.tees[cid]
        if tee.alive:
            self.vanish(cid)
        tee.reset(x, y)
        tee.tuning = self.tunings[0]
        tee.no_hits = 0 if self.hits else 31
        tee.endless_hook = self.endless_hook
        tee.born = self.tick
        self.doomed[cid] = 0
        return self.enter(cid)

    def enter(self, cid: cython.int) -> cython.int:
        """Put a tee at the head of all others."""
        tee: Body = self.tees[cid]
        i: cython.int
        for i in range(self.count, 0, -1):
            self.order[i] = self.order[i - 1]
        self.order[0] = cid
        self.count += 1
        tee.alive = 1
        self.outside.discard(cid)
        return self._sort()

    def in_order(self) -> list:
        """Return the client ids of all tees in the order in which they act."""
        i: cython.int
        found = []
        for i in range(self.count):
            found.append(self.order[i])
        return found

    def vanish(self, cid: cython.int) -> cython.int:
        """Take a tee out of the world."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        tee: Body = self.tees[cid]
        self.outside.discard(cid)
        if not tee.alive:
            return 0
        tee.solo = 0
        return self.leave(cid)

    def leave(self, cid: cython.int) -> cython.int:
        """Take a tee out of the world, as it is."""
        tee: Body = self.tees[cid]
        tee.alive = 0
        kept: cython.int = 0
        i: cython.int
        for i in range(self.count):
            if self.order[i] != cid:
                self.order[kept] = self.order[i]
                kept += 1
        self.count = kept
        return self._sort()

    def doom(self, cid: cython.int) -> cython.int:
        """Let a tee die on the next tick, after it acted."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        self.doomed[cid] = 1
        return 0

    def aim_for(self, cid: cython.int, x: cython.int, y: cython.int) -> cython.int:
        """Set where a tee is at the end of the next tick, which decides between exits of a teleporter."""
        if cid < 0 or cid >= SLOTS:
            raise IndexError(f"client id {cid}")
        self.recorded_x[cid] = x
        self.recorded_y[cid] = y
        return 0

    @cython.final
    def _sort(self) -> cython.int:
        """List the tees by client id."""
        place: cython.int = 0
        cid: cython.int
        for cid in range(SLOTS):
            tee: Body = self.tees[cid]
            if tee.alive:
                self.present[place] = cid
                place += 1
        return 0

    def save(self, snapshot: Snapshot) -> cython.int:
        """Keep the present state, and forget the events."""
        i: cython.int
        cid: cython.int
        for i in range(self.count):
            cid = snapshot._order[i] = self.order[i]
            if snapshot._bodies[cid] is None:
                snapshot._bodies[cid] = Body(cid)
            body: Body = snapshot._bodies[cid]
            body.copy(self.tees[cid])
        snapshot._count = self.count
        snapshot._tick = self.tick
        snapshot._drawn = self.random.drawn
        self._changed = snapshot.changed = []
        self.events = []
        return 0

    def forget(self) -> cython.int:
        """Forget the events, and how switches were before."""
        if self.events:
            self.events = []
        if self._changed:
            self._changed = []
        return 0

    def undo(self, snapshot: Snapshot) -> cython.int:
        """Turn switches back that turned between a snapshot and the next one."""
        for place, was_off, timer in reversed(snapshot.changed):
            self._off[place] = was_off
            if timer is None:
                self._timed.pop(place, None)
            else:
                self._timed[place] = timer
        return 0

    def restore(self, snapshot: Snapshot) -> cython.int:
        """Return to the state that was saved last."""
        i: cython.int
        cid: cython.int
        for i in range(self.count):
            tee: Body = self.tees[self.order[i]]
            tee.alive = 0
        for i in range(snapshot._count):
            cid = self.order[i] = snapshot._order[i]
            tee = self.tees[cid]
            tee.copy(snapshot._bodies[cid])
        self.count = snapshot._count
        self.tick = snapshot._tick
        self.random.return_to(snapshot._drawn)
        self.undo(snapshot)
        self._changed = snapshot.changed = []
        self.events = []
        return self._sort()

    # -- switches: a place is number * SLOTS + team -------------------------------------------------------

    @cython.cfunc
    @cython.final
    @cython.inline
    @cython.exceptval(check=False)
    def is_on(self, number: cython.int, team: cython.int) -> cython.bint:
        """Whether a switch is on for a team, as all are at first: doors are closed, entities act."""
        return not self._off[number * SLOTS + (team & 127)]

    @cython.final
    def turn(self, place: cython.int, on: cython.bint, end: cython.int) -> cython.int:
        """Turn a switch; `end`: tick on which it turns back, 0 for never."""
        timer: object = self._timed.get(place)
        if bool(self._off[place]) == (not on) and timer is None and not end:
            return 0
        self._switched = True
        self._changed.append((place, self._off[place], timer))
        self._off[place] = not on
        if end:
            self._timed[place] = end
        elif timer is not None:
            del self._timed[place]
        return 0

    @cython.final
    def end_timers(self) -> cython.int:
        """Turn timed switches back at the end of a tick."""
        for place in [place for place, end in self._timed.items() if end <= self.tick]:
            self.turn(place, bool(self._off[place]), 0)
        return 0

    def set_switch(self, number: int, team: int, on: bool, end: int) -> None:
        """Turn a switch of a team; `end`: tick on which it turns back, 0 for never."""
        if not 0 <= number < 256:
            raise IndexError(f"switch {number}")
        self.turn(number * SLOTS + (team & 127), on, end)

    def switches_of(self, team: int) -> tuple[int, list[tuple[int, int]]]:
        """Return the switches that are on for a team, as bits, and (tick, number) of those that turn back."""
        places = range(team & 127, SWITCHES, SLOTS)
        timed = sorted((end, place // SLOTS) for place, end in self._timed.items() if place in places)
        return sum(1 << number for number, place in enumerate(places) if not self._off[place]), timed

    def reset_switches(self, team: int) -> None:
        """Turn all switches of a team on, as the server does when the last member leaves it."""
        for number in range(256 if self._switched else 0):
            self.turn(number * SLOTS + (team & 127), True, 0)

    @cython.final
    def draw(self, tee: Body, count: cython.int) -> cython.int:
        """Draw one of `count` exits by lot, for a hook or shot of a tee."""
        if count > 1 and not self.random.known:
            tee.known = 0
        return self.random.draw(count)

    # -- what happens to one tee --------------------------------------------------------------------------

    @cython.cfunc
    @cython.final
    @cython.inline
    @cython.exceptval(check=False)
    def apart(self, one: Body, other: Body) -> cython.bint:
        """Whether two tees cannot touch each other."""
        return not (one.super_tee or other.super_tee) and (one.team != other.team or one.solo or other.solo)

    @cython.final
    def clamp(self, restrictions: cython.int, x: cython.float, y: cython.float) -> cython.int:
        """Set `clamped_x` and `clamped_y` to a velocity without what stoppers forbid."""
        if restrictions:
            if (x > 0 and restrictions & CANT_RIGHT) or (x < 0 and restrictions & CANT_LEFT):
                x = 0
            if (y > 0 and restrictions & CANT_DOWN) or (y < 0 and restrictions & CANT_UP):
                y = 0
        self.clamped_x = x
        self.clamped_y = y
        return 0

    @cython.final
    def push(self, tee: Body, x: cython.float, y: cython.float) -> cython.int:
        """Add to a velocity, as far as stoppers let it."""
        self.clamp(tee.restrictions, single(tee.vel_x + x), single(tee.vel_y + y))
        tee.vel_x = self.clamped_x
        tee.vel_y = self.clamped_y
        return 0

    @cython.final
    def restrictions(self, tee: Body, x: cython.float, y: cython.float, centre: cython.int) -> cython.int:
        """Return the directions in which stoppers and closed doors stop a tee; see `Tiles.restrictions`."""
        found: cython.int = self.tiles.restrictions(x, y, 18, centre)
        if self.tiles.has_doors:
            side: cython.int
            for side in range(1, 5):
                cell: cython.int = self.tiles.beside(x, y, 18, side)
                if self.tiles.door[cell] and self.is_on(self.tiles.door_number[cell], tee.team):
                    found |= self.tiles.stops(62, 0, side)
        return found

    @cython.final
    def stands(self, tee: Body) -> cython.bint:
        """Whether a tee is on ground and did not move on the last tick."""
        return tee.x == tee.former_x and tee.y == tee.former_y and self.grounded(tee)

    @cython.final
    def grounded(self, tee: Body) -> cython.bint:
        """Whether a tee is on ground, or a stopper."""
        below: cython.float = single(tee.y + 19)
        return (
            self.tiles.solid(single(tee.x + 14), below)
            or self.tiles.solid(single(tee.x - 14), below)
            or self.tiles.restrictions(tee.x, single(tee.y + 18), 0, -1) & CANT_DOWN != 0
        )

    @cython.final
    def freeze(self, tee: Body, seconds: cython.int) -> cython.bint:
        """Freeze a tee, unless it is frozen for longer or since less than a second."""
        if tee.super_tee or seconds <= 0 or tee.freeze_ticks > seconds * 50 or tee.freeze_start >= self.tick - 50:
            return False
        tee.freeze_ticks = seconds * 50
        tee.freeze_start = self.tick
        return True

    def thaw(self, tee: Body) -> cython.bint:
        """End a freeze."""
        if tee.freeze_ticks <= 0:
            return False
        if not tee.owned >> tee.weapon & 1:
            tee.weapon = 1
        tee.freeze_ticks = tee.freeze_start = 0
        tee.thawed = 1
        return True

    @cython.final
    def release_hooked(self, cid: cython.int) -> cython.int:
        """Let go of a tee that others hooked."""
        i: cython.int
        for i in range(self.count):
            other: Body = self.tees[self.present[i]]
            if other.hooked == cid:
                other.hooked = -1
                other.hook_state = -1
        return 0

    @cython.final
    def crossed(
        self,
        x0: cython.float,
        y0: cython.float,
        x1: cython.float,
        y1: cython.float,
        radius: cython.float,
        spared: cython.int,
        owner: cython.int,
    ) -> cython.int:
        """Return the client id of the first tee that a line meets, -1 without one; set `met_x`, `met_y`.

        `spared`: client id that is not met; `owner`: only tees that can touch this client's, -1 for all.
        """
        found: cython.int = -1
        dx: cython.float = single(x1 - x0)
        dy: cython.float = single(y1 - y0)
        square: cython.float = single(single(dx * dx) + single(dy * dy))
        least: cython.float = single(length(dx, dy) * 100)
        i: cython.int
        if not square > 0:
            return -1
        near: cython.float = single(29 + radius)
        least_x: cython.float = single((x0 if dx > 0 else x1) - near)
        most_x: cython.float = single((x1 if dx > 0 else x0) + near)
        least_y: cython.float = single((y0 if dy > 0 else y1) - near)
        most_y: cython.float = single((y1 if dy > 0 else y0) + near)
        for i in range(self.count):
            other: Body = self.tees[self.order[i]]
            # Most are far away: no division for them.
            if (
                other.shown_x < least_x
                or other.shown_x > most_x
                or other.shown_y < least_y
                or other.shown_y > most_y
            ):
                continue
            if other.cid == spared or not other.alive:
                continue
            if owner >= 0 and owner != other.cid:
                shooter: Body = self.tees[owner]
                if self.apart(shooter, other):
                    continue
            part: cython.float = ratio(
                single(single(single(other.shown_x - x0) * dx) + single(single(other.shown_y - y0) * dy)),
                square,
            )
            part = 0 if part < 0 else 1 if part > 1 else part
            x: cython.float = single(x0 + single(dx * part))
            y: cython.float = single(y0 + single(dy * part))
            if length(single(other.shown_x - x), single(other.shown_y - y)) < single(28 + radius):
                far: cython.float = length(single(x0 - x), single(y0 - y))
                if far < least:
                    least = far
                    found = other.cid
                    self.met_x = x
                    self.met_y = y
        return found

    @cython.final
    def explode(
        self, x: cython.float, y: cython.float, owner: cython.int, once: cython.bint, team: cython.int
    ) -> cython.int:
        """Push the tees around an explosion.

        `owner`: client id, -1 for none; `once`: at most one tee of a team; `team`: without an owner, the only one.
        """
        shooter: Body = self.tees[owner] if owner >= 0 else None
        hits: cython.bint = not shooter.no_hits & 8 if shooter is not None and shooter.alive else self.hits
        tuning: Tuning = self.tunings[shooter.tune_zone if shooter is not None else 0]
        strength: cython.float = tuning.explosion_strength
        met: set = set()
        self.events.append((EXPLOSION, -1 if once else owner, whole(x), whole(y)))
        i: cython.int
        for i in range(self.count):
            other: Body = self.tees[self.order[i]]
            dx: cython.float = single(other.shown_x - x)
            dy: cython.float = single(other.shown_y - y)
            far: cython.float = length(dx, dy)
            if not other.alive or not far < 163:
                continue
            if far > 0:
                inverse: cython.float = ratio(1, far)
                dx = single(dx * inverse)
                dy = single(dy * inverse)
            else:
                dx = 0
                dy = 1
            far = ratio(single(far - 48), 87)
            far = single(1 - (0 if far < 0 else 1 if far > 1 else far))
            force: cython.float = single(strength * far)
            if -1 < force < 1 or not (hits or once or owner == other.cid):
                continue
            if owner != -1 and owner != other.cid and self.apart(shooter, other):
                continue
            if owner == -1 and team != -1 and other.team != team:
                continue
            if not hits or once:
                if other.team in met:
                    continue
                met.add(other.team)
            self.push(other, single(single(dx * force) * 2), single(single(dy * force) * 2))
            if owner >= 0 and not once:
                self.events.append((HIT, owner, other.cid, 3))
        return 0
