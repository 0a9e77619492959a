"""`FlyingShots`: bullets and grenades, also those of the map; `LaserBeams`: beams of lasers and shotguns.

The module is long because one more compiled module takes seconds of each installation.
"""

from __future__ import annotations

from playhead.runtime import cython
from playhead.teehistorian.physics.arena.arena import HIT, SPARKS, Arena, Snapshot
from playhead.teehistorian.physics.arena.body import Body, Tuning
from playhead.teehistorian.physics.arena.tiles import Tiles

if cython.compiled:
    from cython.cimports.playhead.teehistorian.physics.arena.single import length, ratio, rounded, single, whole
else:
    from playhead.teehistorian.physics.arena.single import length, ratio, rounded, single, whole


_GUN, _SHOTGUN, _GRENADE, _LASER = 1, 2, 3, 4
#: Projectiles and beams in flight at once; further ones of a damaged recording replace the oldest.
MOST_SHOTS = MOST_BEAMS = 4096

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
        snapshot.beams = _copied_beams(self.beams)
        return 0

    def restore(self, snapshot: Snapshot) -> cython.int:
        """Return to the beams of a state."""
        self.beams = _copied_beams(snapshot.beams)
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
def _copied_beams(beams: list) -> list:
    beam: Beam
    copied: list = []
    for beam in beams:
        copied.append(beam.copy())
    return copied


@cython.final
@cython.cclass
class Projectile:
    """A bullet or grenade.

    Attributes:
        kind: number of the weapon; 2 is a bullet of the map that freezes.
        owner: client id, -1 for the map.
        x, y, dx, dy: where it began, and its direction.
        start: tick on which it began.
        life: ticks left; below -1 for ever.
        zone: tune zone where it began.
        freezes, explodes, bounces: of bullets of the map; `bounces`: 1 sideways, 2 up and down.
        number: switch that turns it off; 0 for none.
        team: team of its owner at the shot.
    """

    def __init__(self, kind: cython.int, owner: cython.int, start: cython.int, life: cython.int) -> None:
        self.kind = kind
        self.owner = owner
        self.start = start
        self.life = life
        self.zone = self.freezes = self.explodes = self.bounces = self.number = self.aim_x = self.aim_y = 0
        self.x = self.y = self.dx = self.dy = 0

    def copy(self) -> Projectile:
        """Return a copy."""
        other: Projectile = Projectile(self.kind, self.owner, self.start, self.life)
        other.x = self.x
        other.y = self.y
        other.dx = self.dx
        other.dy = self.dy
        other.zone = self.zone
        other.freezes = self.freezes
        other.explodes = self.explodes
        other.bounces = self.bounces
        other.number = self.number
        other.aim_x = self.aim_x
        other.aim_y = self.aim_y
        return other


@cython.final
@cython.cclass
class FlyingShots:
    """All shots, the newest first.

    Attributes:
        projectiles: `Projectile` objects.
        outlive: grenades fly on after the death of their owner (``sv_destroy_bullets_on_death 0``).
    """

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.tiles = arena.tiles
        self.tees = arena.tees
        self.projectiles = []
        self.outlive = False

    def save(self, snapshot: Snapshot) -> cython.int:
        """Keep the shots for `restore`."""
        snapshot.shots = _copies(self.projectiles)
        return 0

    def restore(self, snapshot: Snapshot) -> cython.int:
        """Return to the shots of a state."""
        self.projectiles = _copies(snapshot.shots)
        return 0

    def act(self) -> cython.int:
        """Move everything by a tick."""
        if not self.projectiles:
            return 0
        one: Projectile
        kept: list = []
        for one in self.projectiles:
            if self._fly(one):
                kept.append(one)
        self.projectiles = kept
        return 0

    def places(self) -> list[tuple[Projectile, float, float]]:
        """Return bullets and grenades with their places at the end of the last tick."""
        one: Projectile
        found: list = []
        for one in self.projectiles:
            self._at(one, self.arena.tick - one.start)
            found.append((one, self._x, self._y))
        return found

    def launch(
        self, tee: Body, x: cython.float, y: cython.float, dx: cython.float, dy: cython.float
    ) -> cython.int:
        """Shoot a bullet or grenade from (x, y)."""
        tuning: Tuning = tee.tuning
        lifetime: cython.float = tuning.grenade_lifetime if tee.weapon == _GRENADE else tuning.gun_lifetime
        one: Projectile = Projectile(tee.weapon, tee.cid, self.arena.now, whole(single(50 * lifetime)))
        one.x = x
        one.y = y
        one.dx = dx
        one.dy = dy
        one.aim_x = tee.aim_x
        one.aim_y = tee.aim_y
        one.explodes = tee.weapon == _GRENADE
        one.zone = self.tiles.zone(x, y)
        self.projectiles.insert(0, one)
        del self.projectiles[MOST_SHOTS:]
        return 0

    def _at(self, one: Projectile, ticks: cython.int) -> cython.int:
        """Set `_x` and `_y` to the place of a projectile so many ticks after its start."""
        tuning: Tuning = self.arena.tunings[one.zone]
        curvature: cython.float = tuning.gun_curvature
        speed: cython.float = tuning.gun_speed
        if one.kind == _GRENADE:
            curvature = tuning.grenade_curvature
            speed = tuning.grenade_speed
        elif one.kind == _SHOTGUN:
            curvature = tuning.shotgun_curvature
            speed = tuning.shotgun_speed
        time: cython.float = single(single(ticks / single(50)) * speed)
        self._x = single(one.x + single(one.dx * time))
        self._y = single(
            single(one.y + single(one.dy * time)) + single(single(curvature / single(10000)) * single(time * time))
        )
        return 0

    def _clipped(self, x: cython.float, y: cython.float) -> cython.bint:
        """Whether a place is far outside the map."""
        column: cython.int = rounded(x) // 32
        row: cython.int = rounded(y) // 32
        return not (-200 <= column <= self.tiles.width + 200 and -200 <= row <= self.tiles.height + 200)

    def _fly(self, one: Projectile) -> cython.bint:
        """Move a projectile; return whether it flies on."""
        arena: Arena = self.arena
        shooter: Body = self.tees[one.owner] if one.owner >= 0 else None
        alive: cython.bint = shooter is not None and shooter.alive
        target: Body = None
        self._at(one, arena.tick - one.start - 1)
        old_x: cython.float = self._x
        old_y: cython.float = self._y
        self._at(one, arena.tick - one.start)
        new_x: cython.float = self._x
        new_y: cython.float = self._y
        wall: cython.int = self.tiles.shot_line(old_x, old_y, new_x, new_y, 0)
        hit_x: cython.float = self.tiles.hit_x
        hit_y: cython.float = self.tiles.hit_y
        free_x: cython.float = self.tiles.last_x
        free_y: cython.float = self.tiles.last_y
        met: cython.int = -1
        if not shooter.no_hits & 8 if alive else arena.hits:
            met = arena.crossed(
                old_x, old_y, hit_x, hit_y, 1 if one.freezes else 6, one.owner if alive else -1, one.owner
            )
        if met >= 0:
            target = self.tees[met]
            hit_x = arena.met_x
            hit_y = arena.met_y
        if one.life > -1:
            one.life -= 1
        if one.owner >= 0 and not alive and (one.kind != _GRENADE or not self.outlive):
            return False
        if target is not None or wall or self._clipped(new_x, new_y):
            if one.explodes and (target is None or not one.freezes or (one.kind == _SHOTGUN and wall)):
                arena.explode(hit_x, hit_y, one.owner, one.owner == -1, -1 if target is None else target.team)
            elif one.freezes:
                self._freeze_at(one, new_x, new_y)
            elif target is not None and one.owner >= 0:
                arena.events.append((HIT, one.owner, target.cid, one.kind))
            if alive and (
                (one.kind == _GRENADE and shooter.telegun & 2) or (one.kind == _GUN and shooter.telegun & 1)
            ):
                if target is not None:
                    self._teleport(one, shooter, target.shown_x, target.shown_y, True, wall, free_x, free_y)
                elif not self._clipped(hit_x, hit_y):
                    self._teleport(one, shooter, hit_x, hit_y, False, wall, free_x, free_y)
            if wall and one.bounces:
                one.start = arena.tick
                one.x = single(free_x + -single(one.dx * 4))
                one.y = single(free_y + -single(one.dy * 4))
                if one.bounces == 1:
                    one.dx = -one.dx
                else:
                    one.dy = -one.dy
                if -1e-6 < one.dx < 1e-6:
                    one.dx = 0
                if -1e-6 < one.dy < 1e-6:
                    one.dy = 0
                one.x = single(one.x + one.dx)
                one.y = single(one.y + one.dy)
            elif one.kind == _GUN or not one.freezes:
                if one.kind == _GUN:
                    arena.events.append((SPARKS, one.owner, whole(new_x), whole(new_y), one.dx, one.dy))
                return False
        if one.life == -1:
            if one.explodes:
                arena.explode(hit_x, hit_y, one.owner, one.owner == -1, shooter.team if alive else -1)
            return False
        if self.tiles.has_specials:
            cell: cython.int = self.tiles.cell(whole(old_x), whole(old_y))
            if self.tiles.tele[cell] == (26 if arena.old_shots else 14) and self.tiles.tele_number[cell]:
                places: object = arena.exits.get(self.tiles.tele_number[cell])
                if places:
                    x, y = places[arena.random.draw(len(places))]
                    one.x = x
                    one.y = y
                    one.start = arena.tick
        return True

    def _freeze_at(self, one: Projectile, x: cython.float, y: cython.float) -> cython.int:
        """Freeze the tees that a bullet of the map touches."""
        i: cython.int
        for i in range(self.arena.count):
            other: Body = self.tees[self.arena.order[i]]
            if length(single(other.shown_x - x), single(other.shown_y - y)) < 29 and (
                not one.number or self.arena.is_on(one.number, other.team)
            ):
                self.arena.freeze(other, self.arena.freeze_seconds)
        return 0

    def _teleport(
        self,
        one: Projectile,
        shooter: Body,
        at_x: cython.float,
        at_y: cython.float,
        met: cython.bint,
        wall: cython.int,
        free_x: cython.float,
        free_y: cython.float,
    ) -> cython.int:
        """Let a telegun's shot take its owner along, if the tile that it hit allows it or it `met` a tee."""
        allowed: cython.int = self.tiles.telegun(self.tiles.tile_at(at_x, at_y), one.kind)
        if not allowed and not met:
            return 0
        self._at(one, self.arena.tick - one.start)
        found: cython.bint = (
            self.tiles.air_near(free_x, free_y, self._x, self._y) if wall else self.tiles.air_above(at_x, at_y)
        )
        if found:
            shooter.gun_x = self.tiles.air_x
            shooter.gun_y = self.tiles.air_y
            shooter.gun_state = 2 if allowed == 2 else 1
        return 0


@cython.cfunc
def _copies(projectiles: list) -> list:
    one: Projectile
    copied: list = []
    for one in projectiles:
        copied.append(one.copy())
    return copied
