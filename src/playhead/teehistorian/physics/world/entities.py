"""`Entities`: the things of a map besides tiles: pickups, rotating lasers, draggers, turrets.

The module is long because one more compiled module takes seconds of each installation.
"""

from __future__ import annotations

import math

from playhead.runtime import cython
from playhead.teehistorian.physics.arena.arena import Arena, Snapshot
from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.arena.tiles import Tiles, around
from playhead.teehistorian.physics.world.shots import Beam, FlyingShots, LaserBeams, Projectile

if cython.compiled:
    from cython.cimports.playhead.teehistorian.physics.arena.single import (
        cosine,
        length,
        ratio,
        sine,
        single,
        whole,
    )
else:
    from playhead.teehistorian.physics.arena.single import cosine, length, ratio, sine, single, whole

    SLOTS = 128


#: How far a turret reaches, and ticks between its shots and of their flight.
TURRET_RANGE, TURRET_TICKS = 700, 16
PLASMA_TICKS = 75


@cython.final
@cython.cclass
class Turret:
    """Shoots plasma at the nearest tee of each team, and at each solo one."""

    def __init__(self, x: int, y: int, freezes: bool, explodes: bool, number: int) -> None:
        self.x = x
        self.y = y
        self.freezes = freezes
        self.explodes = explodes
        self.number = number
        self.last = {}

    def state(self) -> dict[int, int]:
        """Return the fields that change."""
        return dict(self.last)

    def set_state(self, state: dict[int, int]) -> None:
        """Take over a `state`."""
        self.last = dict(state)

    def act(self, arena: Arena) -> list:
        """Return the plasma that is shot now. `last` has the tick of the last shot by team, and -1 - client."""
        nearest: dict = {}
        targets: set = set()
        i: cython.int
        for i in range(arena.count):
            other: Body = arena.tees[arena.order[i]]
            far: cython.float = length(single(other.shown_x - self.x), single(other.shown_y - self.y))
            key: object = -1 - other.cid if other.solo else other.team
            if (
                other.super_tee
                or not far < TURRET_RANGE + 28
                or (self.number and not arena.is_on(self.number, other.team))
                or self.last.get(key, 0) + TURRET_TICKS > arena.tick
                or arena.tiles.shot_line(self.x, self.y, other.shown_x, other.shown_y, 0)
            ):
                continue
            if other.solo:
                targets.add(other.cid)
                self.last[key] = arena.tick
            elif key not in nearest or nearest[key][0] > whole(far) or nearest[key][0] == 0:
                nearest[key] = (whole(far), other.cid)
        for team, (_, cid) in nearest.items():
            targets.add(cid)
            self.last[team] = arena.tick
        found: list = []
        for cid in sorted(targets):
            other = arena.tees[cid]
            far = ratio(1, length(single(other.shown_x - self.x), single(other.shown_y - self.y)))
            arena.made += 1
            found.append(
                Plasma(
                    self.x,
                    self.y,
                    single(single(other.shown_x - self.x) * far),
                    single(single(other.shown_y - self.y) * far),
                    self.freezes,
                    self.explodes,
                    cid,
                    arena.made,
                )
            )
        return found


@cython.final
@cython.cclass
class Plasma:
    """A shot of a turret at one client; `made`: its place among all that flies."""

    def __init__(
        self, x: float, y: float, dx: float, dy: float, freezes: bool, explodes: bool, cid: int, made: int
    ) -> None:
        self.x = x
        self.y = y
        self.dx = dx
        self.dy = dy
        self.freezes = freezes
        self.explodes = explodes
        self.cid = cid
        self.made = made
        self.left = PLASMA_TICKS

    def copy(self) -> Plasma:
        """Return a copy."""
        other = Plasma(self.x, self.y, self.dx, self.dy, self.freezes, self.explodes, self.cid, self.made)
        other.left = self.left
        return other

    def act(self, arena: Arena) -> cython.bint:
        """Fly on; return False at the end."""
        target: Body = arena.tees[self.cid]
        if self.left == 0 or not target.alive:
            return False
        self.left -= 1
        self.x = single(self.x + self.dx)
        self.y = single(self.y + self.dy)
        self.dx = single(self.dx * single(1.1))
        self.dy = single(self.dy * single(1.1))
        to_x: cython.float = single(self.x + self.dx)
        to_y: cython.float = single(self.y + self.dy)
        met: cython.int = arena.crossed(self.x, self.y, to_x, to_y, 0, -1, self.cid)
        if met >= 0:
            other: Body = arena.tees[met]
            if self.freezes:
                arena.freeze(other, arena.freeze_seconds)
            else:
                arena.thaw(other)
            if self.explodes:
                arena.explode(self.x, self.y, self.cid, True, target.team)
        wall: cython.int = arena.tiles.light_line(self.x, self.y, to_x, to_y, True)
        if wall and self.explodes:
            arena.explode(self.x, self.y, self.cid, True, target.team)
        return met < 0 and not wall


#: Numbers of entities; see `maps.game_map.MapEntity`.
_ARMOUR, _HEART, _SHOTGUN, _GRENADE, _NINJA, _LASER = 6, 7, 8, 9, 10, 11
_PICKUPS = {_ARMOUR, _HEART, _SHOTGUN, _GRENADE, _NINJA, _LASER, 35, 36, 37, 38}
#: Weapons that weapon pickups give and that shields take away.
_GIVES = {_SHOTGUN: 2, _GRENADE: 3, _LASER: 4}
_TAKES = {35: 2, 36: 3, 38: 4}
_NINJA_SHIELD = 37
_FIRST_LIGHT, _STILL_LIGHT, _LAST_LIGHT = 12, 15, 18
_SHORT, _LONG, _CLOSING, _OPENING = 19, 21, 22, 25
_TURRETS = {29: (False, True), 30: (True, False), 31: (True, True), 32: (False, False)}
_PI = cython.declare(cython.float, single(math.pi))

#: Ticks between two looks of lasers and draggers, and how far draggers reach.
_EVERY = 7
DRAGGER_RANGE = 700


@cython.final
@cython.cclass
class Light:
    """A rotating or pulsing laser that freezes."""

    def __init__(self, x: int, y: int, side: int, reach: int, turn: float, speed: int, number: int) -> None:
        self.x = self.to_x = x
        self.y = self.to_y = y
        self.angle = single(_PI / 4 * side)
        self.turn = turn
        self.reach = reach
        self.speed = speed
        self.now = 0 if speed > 0 and reach < 0 else abs(reach)
        self.reach = abs(reach)
        self.over = 0
        self.number = number

    def state(self) -> tuple[float, ...]:
        """Return the fields that change."""
        return self.to_x, self.to_y, self.angle, self.speed, self.now, self.over

    def set_state(self, state: tuple[float, ...]) -> None:
        """Take over a `state`."""
        self.to_x, self.to_y, self.angle, self.speed, self.now, self.over = state

    def act(self, arena: Arena) -> cython.int:
        """Turn, and freeze the tees on the line."""
        if arena.tick % _EVERY == 0:
            self._turn(arena.tiles)
        dx: cython.float = single(self.to_x - self.x)
        dy: cython.float = single(self.to_y - self.y)
        square: cython.float = single(single(dx * dx) + single(dy * dy))
        i: cython.int
        if not square > 0:
            return 0
        for i in range(arena.count):
            other: Body = arena.tees[arena.order[i]]
            part: cython.float = ratio(
                single(single(single(other.shown_x - self.x) * dx) + single(single(other.shown_y - self.y) * dy)),
                square,
            )
            part = 0 if part < 0 else 1 if part > 1 else part
            far: cython.float = length(
                single(other.shown_x - single(self.x + single(dx * part))),
                single(other.shown_y - single(self.y + single(dy * part))),
            )
            if far < 28 and (not self.number or arena.is_on(self.number, other.team)):
                arena.freeze(other, arena.freeze_seconds)
        return 0

    def _turn(self, tiles: Tiles) -> cython.int:
        if self.speed:
            if (self.now >= self.reach and self.speed > 0) or (self.now <= 0 and self.speed < 0):
                self.speed = -self.speed
            self.now += self.speed * _EVERY + self.over
            self.over = 0
            if self.now > self.reach:
                self.over = self.now - self.reach
                self.now = self.reach
            elif self.now < 0:
                self.over = self.now
                self.now = 0
        self.angle = single(self.angle + single(self.turn * _EVERY))
        if self.angle > single(_PI * 2):
            self.angle = single(self.angle - single(_PI * 2))
        elif self.angle < 0:
            self.angle = single(self.angle + single(_PI * 2))
        dx: cython.float = sine(self.angle)
        dy: cython.float = cosine(self.angle)
        inverse: cython.float = ratio(1, length(dx, dy))
        tiles.light_line(
            self.x,
            self.y,
            single(self.x + single(single(dx * inverse) * self.now)),
            single(self.y + single(single(dy * inverse) * self.now)),
            True,
        )
        self.to_x = tiles.hit_x
        self.to_y = tiles.hit_y
        return 0


@cython.final
@cython.cclass
class Dragger:
    """Pulls one tee of each team, and each solo one, towards itself.

    Attributes:
        pulled: clients with a beam; targets: client by team.
    """

    def __init__(self, x: int, y: int, strength: int, through: bool, number: int) -> None:
        self.x = x
        self.y = y
        self.strength = strength
        self.through = through
        self.number = number
        self.pulled = []
        self.targets = {}

    def state(self) -> tuple[list[int], dict[int, int]]:
        """Return the fields that change."""
        return list(self.pulled), dict(self.targets)

    def set_state(self, state: tuple[list[int], dict[int, int]]) -> None:
        """Take over a `state`."""
        self.pulled, self.targets = list(state[0]), dict(state[1])

    def _reaches(self, arena: Arena, other: Body) -> cython.bint:
        return not arena.tiles.light_line(self.x, self.y, other.shown_x, other.shown_y, not self.through)

    def pull(self, arena: Arena, cid: cython.int, look: cython.bint) -> cython.int:
        """Pull a client's tee, or let it go."""
        other: Body = arena.tees[cid]
        far: cython.float = length(single(other.shown_x - self.x), single(other.shown_y - self.y))
        if (
            not other.alive
            or (look and self.number and not arena.is_on(self.number, other.team))
            or far >= DRAGGER_RANGE
            or not self._reaches(arena, other)
        ):
            self.pulled.remove(cid)
        elif far > 28:
            inverse: cython.float = ratio(1, far)
            arena.push(
                other,
                single(single(single(self.x - other.shown_x) * inverse) * self.strength),
                single(single(single(self.y - other.shown_y) * inverse) * self.strength),
            )
        return 0

    def look(self, arena: Arena, beams: list) -> cython.int:
        """Choose the tees to pull: the nearest of each team, until it gets away. New ones head `beams`."""
        nearest: dict = {}
        able: set = set()
        wanted: set = set()
        i: cython.int
        for i in range(arena.count):
            other: Body = arena.tees[arena.order[i]]
            far: cython.float = length(single(other.shown_x - self.x), single(other.shown_y - self.y))
            if not far < DRAGGER_RANGE or (self.number and not arena.is_on(self.number, other.team)):
                continue
            if other.super_tee or not self._reaches(arena, other):
                continue
            if other.solo:
                wanted.add(other.cid)
                continue
            able.add(other.cid)
            if other.team not in nearest or nearest[other.team][0] > whole(far) or nearest[other.team][0] == 0:
                nearest[other.team] = (whole(far), other.cid)
        for team in {*self.targets, *nearest}:
            if self.targets.get(team) not in able:
                self.targets.pop(team, None)
                if team in nearest:
                    self.targets[team] = nearest[team][1]
        wanted |= {*self.targets.values()}
        for cid in range(SLOTS):
            if cid in wanted and cid not in self.pulled:
                self.pulled.append(cid)
                arena.made += 1
                beams.insert(0, (self, cid, arena.made))
                self.pull(arena, cid, True)
            elif cid not in wanted and cid in self.pulled:
                self.pulled.remove(cid)
        return 0


@cython.final
@cython.cclass
class Entities:
    """All entities of a map."""

    def __init__(self, arena: Arena, shots: FlyingShots, lasers: LaserBeams) -> None:
        self.arena = arena
        self.tiles = arena.tiles
        self.shots = shots
        self.lasers = lasers
        self.pickups = {}
        self._here = self._near = bytes(self.tiles.width * self.tiles.height)
        self.things = []
        self.plasma = []
        self._beams = []

    def place(self, found: tuple) -> None:
        """Make the entities of a map, given in the order in which the server makes them."""
        here = bytearray(self._here)
        for entity in found:
            cell = entity.row * self.tiles.width + entity.column
            kind = entity.kind
            if kind in _PICKUPS:
                here[cell] = 1
                self.pickups[cell] = [(kind, entity.number), *self.pickups.get(cell, ())]
            elif _FIRST_LIGHT <= kind <= _LAST_LIGHT:
                self._place_lights(entity)
            elif 42 <= kind <= 47:
                self.things.insert(0, Dragger(entity.x, entity.y, (kind - 42) % 3 + 1, kind > 44, entity.number))
            elif kind in _TURRETS:
                self.things.insert(0, Turret(entity.x, entity.y, *_TURRETS[kind], entity.number))
            elif kind == 33 or kind == 34:
                self._place_bullet(entity)
        self._here = bytes(here)
        self._near = around(self._here, self.tiles.width, 3)

    def _place_lights(self, entity) -> None:
        steps = entity.kind - _STILL_LIGHT
        degrees = (0.0, 0.5, 1.0, 2.0)[abs(steps)]
        turn = single(single(_PI / single(180.0 / degrees if degrees else 1.0)) * (-1 if steps > 0 else 1))
        for side in range(8):
            if _SHORT <= entity.beside[side] <= _LONG:
                reach, modifier, speed = 96 * (entity.beside[side] - _SHORT + 1), entity.beside[8 + side], 0
                if _CLOSING <= modifier < _OPENING:
                    speed = 1 + 2 * (modifier - _CLOSING)
                elif _OPENING <= modifier < _OPENING + 3:
                    speed = 1 + 2 * (modifier - _OPENING)
                    reach = -reach
                self.things.insert(
                    0, Light(entity.x, entity.y, side, reach, turn if degrees else 0.0, speed, entity.number)
                )

    def _place_bullet(self, entity) -> None:
        side = {0: 0, 8: 1, 3: 2}.get(entity.flags, 3)
        angle = single(side * single(_PI / 2))
        one = Projectile(2, -1, 0, -2)
        one.x, one.y, one.number = entity.x, entity.y, entity.number
        one.dx, one.dy = sine(angle), cosine(angle)
        one.freezes, one.explodes, one.bounces = 1, entity.kind == 33, 2 - side % 2
        one.zone = self.tiles.layer("tune")[entity.row * self.tiles.width + entity.column]
        self.shots.projectiles.insert(0, one)

    def save(self, snapshot: Snapshot) -> cython.int:
        """Keep the state for `restore`."""
        if self.things:
            states = [thing.state() for thing in self.things]
            snapshot.entities = (states, [one.copy() for one in self.plasma], list(self._beams))
        return 0

    def restore(self, snapshot: Snapshot) -> cython.int:
        """Return to a state."""
        if snapshot.entities is not None:
            for thing, state in zip(self.things, snapshot.entities[0], strict=True):
                thing.set_state(state)
            self.plasma = [one.copy() for one in snapshot.entities[1]]
            self._beams = list(snapshot.entities[2])
        return 0

    def act(self) -> cython.int:
        """Let all entities act on the tees, and beams of tees."""
        i: cython.int
        shot: Plasma
        look: cython.bint = self.arena.tick % _EVERY == 0
        if self.lasers.beams or self.plasma or self._beams:
            self._act_rays(look)
        for thing in self.things:
            if isinstance(thing, Light):
                cython.cast(Light, thing).act(self.arena)
            elif isinstance(thing, Dragger):
                if look:
                    cython.cast(Dragger, thing).look(self.arena, self._beams)
            else:
                for shot in cython.cast(Turret, thing).act(self.arena):
                    self.plasma.insert(0, shot)
        if self.pickups:
            for i in range(self.arena.count):
                tee: Body = self.arena.tees[self.arena.order[i]]
                self._pick_up(tee)
        return 0

    def _act_rays(self, look: cython.bint) -> cython.int:
        """Let beams of tees, plasma and beams of draggers act, the newest of all first."""
        rays: list = self.lasers.beams + self.plasma + self._beams
        beams: list = []
        plasma: list = []
        pulls: list = []
        dragger: Dragger
        if len(rays) > max(len(self.lasers.beams), len(self.plasma), len(self._beams)):
            rays.sort(key=_made, reverse=True)
        for ray in rays:
            if isinstance(ray, Beam):
                if self.lasers.act(cython.cast(Beam, ray)):
                    beams.append(ray)
            elif isinstance(ray, Plasma):
                if cython.cast(Plasma, ray).act(self.arena):
                    plasma.append(ray)
            else:
                dragger, cid, _ = ray
                if cid in dragger.pulled:
                    dragger.pull(self.arena, cid, look)
                    if cid in dragger.pulled:
                        pulls.append(ray)
        self.lasers.beams = beams
        self.plasma = plasma
        self._beams = pulls
        return 0

    def _pick_up(self, tee: Body) -> cython.int:
        """Apply the pickups near a tee, the newest first."""
        here: cython.p_const_uchar = self._here
        near: cython.p_const_uchar = self._near
        if not near[self.tiles.cell(whole(tee.shown_x), whole(tee.shown_y))]:
            return 0
        column: cython.int = whole(tee.shown_x) >> 5
        row: cython.int = whole(tee.shown_y) >> 5
        x: cython.int
        y: cython.int
        for y in range(min(row + 2, self.tiles.height - 1), max(row - 3, -1), -1):
            for x in range(min(column + 2, self.tiles.width - 1), max(column - 3, -1), -1):
                cell: cython.int = y * self.tiles.width + x
                if (
                    here[cell]
                    and length(single(tee.shown_x - (32 * x + 16)), single(tee.shown_y - (32 * y + 16))) < 48
                ):
                    for kind, number in self.pickups[cell]:
                        if not number or self.arena.is_on(number, tee.team):
                            self._give(tee, kind)
        return 0

    def _give(self, tee: Body, kind: cython.int) -> cython.int:
        if kind == _HEART:
            self.arena.freeze(tee, self.arena.freeze_seconds)
        elif kind == _ARMOUR:
            if tee.owned >> 2:
                tee.owned &= 3
                tee.former_weapon = 1
            self._end_ninja(tee)
            if tee.weapon >= 2:
                tee.weapon = 0
        elif kind == _NINJA:
            tee.ninja_start = self.arena.tick
            tee.owned |= 32
            if tee.weapon != 5:
                tee.former_weapon = tee.weapon
            tee.weapon = 5
        elif kind == _NINJA_SHIELD:
            self._end_ninja(tee)
        elif kind in _GIVES:
            weapon: cython.int = _GIVES[kind]
            tee.owned |= 1 << weapon
        else:
            weapon = _TAKES[kind]
            if tee.owned >> weapon & 1:
                tee.owned &= ~(1 << weapon)
                tee.former_weapon = 1
            if tee.weapon == weapon:
                tee.weapon = 0
        return 0

    def _end_ninja(self, tee: Body) -> cython.int:
        tee.ninja_x = tee.ninja_y = 0
        tee.ninja_start = -500
        tee.ninja_move = 0
        return 0


@cython.cfunc
def _made(ray: object) -> object:
    """Return the place of a beam, plasma or dragger's beam among all that were made."""
    return ray[2] if isinstance(ray, tuple) else ray.made
