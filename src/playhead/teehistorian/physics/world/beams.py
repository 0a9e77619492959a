"""`LaserBeams`: beams of lasers and shotguns in flight."""

from __future__ import annotations

from playhead.runtime import cython
from playhead.teehistorian.physics.arena.arena import HIT, Arena, Snapshot
from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.arena.tiles import Tiles
from playhead.teehistorian.physics.arena.tuning import Tuning

if cython.compiled:
    from cython.cimports.playhead.teehistorian.physics.arena.single import length, ratio, single
else:
    from playhead.teehistorian.physics.arena.single import length, ratio, single

#: Beams in flight at once; further ones of a damaged recording replace the oldest.
MOST_BEAMS = 4096
_LASER = 4

#: Velocity of a tee that a shotgun hits from its very centre, as on the server.
_FLUNG = cython.declare(cython.float, -2147483648.0)


@cython.final
@cython.cclass
class Beam:
    """A laser or shotgun beam; `from_x` … is its last line, `energy` the rest of its reach, `made` its place
    among all that flies."""

    def __init__(self, kind: cython.int, owner: cython.int, made: cython.int) -> None:
        self.kind = kind
        self.owner = owner
        self.made = made
        self.seen = self.bounces = self.was_tele = self.zero = self.cancelled = self.blue = self.zone = 0
        self.x = self.y = self.dx = self.dy = self.from_x = self.from_y = self.tele_x = self.tele_y = 0
        self.energy = 0

    def copy(self) -> Beam:
        """Return a copy."""
        other: Beam = Beam(self.kind, self.owner, self.made)
        other.seen = self.seen
        other.bounces = self.bounces
        other.was_tele = self.was_tele
        other.zero = self.zero
        other.cancelled = self.cancelled
        other.blue = self.blue
        other.zone = self.zone
        other.x = self.x
        other.y = self.y
        other.dx = self.dx
        other.dy = self.dy
        other.from_x = self.from_x
        other.from_y = self.from_y
        other.tele_x = self.tele_x
        other.tele_y = self.tele_y
        other.energy = self.energy
        return other


@cython.final
@cython.cclass
class LaserBeams:
    """All beams, the newest first, in `beams`; `old`: they never hit their owner (``sv_old_laser``)."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.tiles = arena.tiles
        self.tees = arena.tees
        self.beams = []
        self.old = False

    def save(self, snapshot: Snapshot) -> cython.int:
        """Keep the beams for `restore`."""
        snapshot.beams = _copies(self.beams)
        return 0

    def restore(self, snapshot: Snapshot) -> cython.int:
        """Return to the beams of a state."""
        self.beams = _copies(snapshot.beams)
        return 0

    def act(self, beam: Beam) -> cython.bint:
        """Let a beam bounce when its time comes; return whether it flies on."""
        tuning: Tuning = self.arena.tunings[beam.zone]
        if self.arena.tick - beam.seen > single(50 * tuning.laser_bounce_delay) / 1000:
            if beam.energy < 0:
                return False
            self._bounce(beam)
        return True

    def shoot(self, tee: Body, dx: cython.float, dy: cython.float) -> cython.int:
        """Shoot a laser or shotgun; its first line is at once."""
        tuning: Tuning = tee.tuning
        self.arena.made += 1
        one: Beam = Beam(tee.weapon, tee.cid, self.arena.made)
        one.x = tee.shown_x
        one.y = tee.shown_y
        one.dx = dx
        one.dy = dy
        one.energy = tuning.laser_reach
        one.zone = self.tiles.zone(one.x, one.y)
        self.beams.insert(0, one)
        del self.beams[MOST_BEAMS:]
        return self._bounce(one)

    def _bounce(self, one: Beam) -> cython.int:
        """Follow a beam to the next wall or tee."""
        tuning: Tuning = self.arena.tunings[one.zone]
        tiles: Tiles = self.tiles
        one.seen = self.arena.now
        if one.was_tele:
            one.x = one.tele_x
            one.y = one.tele_y
        begin_x: cython.float = one.x
        begin_y: cython.float = one.y
        wall: cython.int = tiles.shot_line(
            one.x,
            one.y,
            single(one.x + single(one.dx * one.energy)),
            single(one.y + single(one.dy * one.energy)),
            26 if self.arena.old_shots else 14,
        )
        tile_x: cython.float = tiles.hit_x
        tile_y: cython.float = tiles.hit_y
        to_x: cython.float = tiles.last_x
        to_y: cython.float = tiles.last_y
        teleporter: cython.int = tiles.hook_number
        hits_self: cython.bint = one.bounces > 0 or one.was_tele
        if self._hit(one, begin_x, begin_y, to_x, to_y):
            pass
        elif wall:
            one.from_x = one.x
            one.from_y = one.y
            one.x = to_x
            one.y = to_y
            self._reflect(one)
            far: cython.float = length(single(one.from_x - one.x), single(one.from_y - one.y))
            if far == 0 and one.zero:
                one.energy = -1
            else:
                one.energy = single(one.energy - single(far + tuning.laser_bounce_cost))
            one.zero = far == 0
            places: object = self.arena.exits.get(teleporter) if wall == 14 else None
            if places:
                x, y = places[self.arena.random.draw(len(places))]
                one.tele_x = x
                one.tele_y = y
                one.was_tele = 1
            else:
                one.bounces += 1
                one.was_tele = 0
            if one.bounces > tuning.laser_bounce_num:
                one.energy = -1
        else:
            one.from_x = one.x
            one.from_y = one.y
            one.x = to_x
            one.y = to_y
            one.energy = -1
        if one.kind == _LASER:
            self._carry(one, tile_x, tile_y, to_x, to_y, hits_self)
        return 0

    def _reflect(self, one: Beam) -> cython.int:
        """Turn a beam around at a wall, four units on."""
        tiles: Tiles = self.tiles
        vel_x: cython.float = single(one.dx * 4)
        vel_y: cython.float = single(one.dy * 4)
        if tiles.solid(single(one.x + vel_x), single(one.y + vel_y)):
            affected: cython.bint = False
            turned_x: cython.float = vel_x
            turned_y: cython.float = vel_y
            if tiles.solid(single(one.x + vel_x), one.y):
                turned_x = -vel_x
                affected = True
            if tiles.solid(one.x, single(one.y + vel_y)):
                turned_y = -vel_y
                affected = True
            if not affected:
                turned_x = -vel_x
                turned_y = -vel_y
            vel_x = turned_x
            vel_y = turned_y
        else:
            one.x = single(one.x + vel_x)
            one.y = single(one.y + vel_y)
        inverse: cython.float = ratio(1, length(vel_x, vel_y))
        one.dx = single(vel_x * inverse)
        one.dy = single(vel_y * inverse)
        return 0

    def _hit(
        self, one: Beam, begin_x: cython.float, begin_y: cython.float, to_x: cython.float, to_y: cython.float
    ) -> cython.bint:
        """Let a beam hit the first tee before (to_x, to_y); return whether there is one."""
        shooter: Body = self.tees[one.owner]
        bit: cython.int = 1 << one.kind
        spares: cython.bint = shooter.alive and (self.old or (not one.bounces and not one.was_tele))
        spared: cython.int = one.owner if spares else -1
        disabled: cython.bint = shooter.no_hits & bit != 0 if shooter.alive else not self.arena.hits
        met: cython.int = self.arena.crossed(one.x, one.y, to_x, to_y, 0, spared, one.owner)
        if met < 0 or (disabled and met != one.owner):
            return False
        other: Body = self.tees[met]
        one.from_x = one.x
        one.from_y = one.y
        one.x = self.arena.met_x
        one.y = self.arena.met_y
        one.energy = -1
        self.arena.events.append((HIT, one.owner, met, one.kind))
        if one.kind == _LASER:
            self.arena.thaw(other)
            return True
        tuning: Tuning = self.arena.tunings[one.zone]
        if self.old:  # towards the owner
            begin_x = shooter.x if shooter.alive else other.x
            begin_y = shooter.y if shooter.alive else other.y
        dx: cython.float = single(begin_x - other.x)
        dy: cython.float = single(begin_y - other.y)
        far: cython.float = length(dx, dy)
        if far > 0:
            far = ratio(1, far)
            self.arena.push(
                other,
                single(single(dx * far) * tuning.shotgun_strength),
                single(single(dy * far) * tuning.shotgun_strength),
            )
        elif shooter.alive or not self.old:
            self.arena.clamp(other.restrictions, _FLUNG, _FLUNG)
            other.vel_x = self.arena.clamped_x
            other.vel_y = self.arena.clamped_y
        return True

    def _carry(
        self,
        one: Beam,
        tile_x: cython.float,
        tile_y: cython.float,
        to_x: cython.float,
        to_y: cython.float,
        hits_self: cython.bint,
    ) -> cython.int:
        """Let the end of a telegun's laser take its owner along."""
        shooter: Body = self.tees[one.owner]
        if one.energy <= 0 and not one.cancelled and shooter.alive and shooter.telegun & 4:
            met: cython.int = self.arena.crossed(
                one.x, one.y, to_x, to_y, 0, -1 if hits_self else one.owner, one.owner
            )
            other: Body = self.tees[met] if met >= 0 else None
            found: cython.bint = (
                self.tiles.air_above(other.shown_x, other.shown_y)
                if other is not None
                else self.tiles.air_near(one.x, one.y, one.from_x, one.from_y)
            )
            if found:
                shooter.gun_x = self.tiles.air_x
                shooter.gun_y = self.tiles.air_y
                shooter.gun_state = 2 if one.blue else 1
            return 0
        cell: cython.int = self.tiles.tile_at(tile_x, tile_y)
        if not (self.tiles.tele[cell] == 14 and self.tiles.tele_number[cell]):
            allowed: cython.int = self.tiles.telegun(cell, _LASER)
            one.blue = allowed == 2
            one.cancelled = allowed == 0
        return 0


@cython.cfunc
def _copies(beams: list) -> list:
    beam: Beam
    copied: list = []
    for beam in beams:
        copied.append(beam.copy())
    return copied
