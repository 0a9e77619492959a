"""`Scenery`: the things of a map, shots and beams of a tick as items of a snapshot, as DDNet 16.4 writes them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.arena.single import single, whole
from playhead.teehistorian.physics.demo import snapshots
from playhead.teehistorian.physics.game_map import DOOR, LASER_LONG, LASER_SHORT, GameMap, MapEntity
from playhead.teehistorian.physics.world.entities import DRAGGER_RANGE, PLASMA_TICKS, Dragger, Light
from playhead.teehistorian.physics.world.shots import Projectile
from playhead.teehistorian.physics.world.world import GameWorld

_PROJECTILE, _LASER, _PICKUP = 2, 3, 4
#: Extended items, and their numbers in a demo.
EXTENDED = (
    *("gameinfo@netobj.ddnet.tw", "player@netobj.ddnet.tw", "character@netobj.ddnet.tw"),
    *("projectile@netobj.ddnet.tw", "laser@netobj.ddnet.tw", "entity-ex@netobj.ddnet.tw"),
    "switch-state@netobj.ddnet.tw",
)
_OWNED_PROJECTILE, _OWNED_LASER, _ENTITY, _SWITCHES = (
    snapshots.extended_type(EXTENDED, name) for name in EXTENDED[3:]
)
#: Classes of things with a switch, or that newer clients draw in their own way.
_PROJECTILE_CLASS, _DOOR_CLASS, _DRAGGER_CLASS, _PICKUP_CLASS = 0, 1, 2, 10
_TURRET_CLASSES = {29: 5, 31: 6, 30: 7, 32: 8}
_GAME_LAYER, _SWITCH_LAYER = 0, 4
#: Type and weapon of the pickups of a map, by entity.
_PICKUPS = {6: (1, 0), 7: (0, 0), 8: (2, 2), 9: (2, 3), 10: (3, 5), 11: (2, 4)}
_PICKUPS |= {35 + shield: (4 + shield, 0) for shield in range(4)}
#: Flags of a projectile whose owner is known; the lowest eight bits are its owner.
_NO_OWNER, _IS_DDNET, _SIDEWAYS, _EXPLODES, _FREEZES = 1 << 8, 1 << 9, 1 << 10, 1 << 12, 1 << 13
_SHOTGUN = 2
#: Oldest start of a beam that lasts, in ticks ago; ticks between two turns of a light.
_OLDEST, _EVERY = 4, 7
#: A snapshot has the end of a switch's time so many ticks before it, and of so many switches.
_SOON, _MOST_TIMED = 150, 4

_Key = tuple[Any, ...]


class _Thing(NamedTuple):
    """A thing that never changes: type of its item, fields, and its extended fields."""

    kind: int
    fields: tuple[int, ...]
    extended: tuple[int, int, int] | None


class Scenery:
    """Makes the items of each tick; the same thing has the same number on each."""

    def __init__(self, world: GameWorld, game_map: GameMap) -> None:
        self._world = world
        self._numbers: dict[_Key, int] = {}
        self._still = [thing for entity in game_map.entities for thing in _still(entity, game_map)]
        self._resting = {
            (entity.x, entity.y): _extended(entity, _DRAGGER_CLASS + (entity.kind - 42) % 3)
            for entity in game_map.entities
            if 42 <= entity.kind <= 47
        }
        self._highest = max(game_map.tiles.layer("switch_number"), default=0)
        self._ends: dict[int, int] = {}
        self._beams: dict[tuple[int, int], int] = {}

    def items(self) -> snapshots.Items:
        """Return the items of the world's present tick."""
        world = self._world
        items: snapshots.Items = {}
        numbers: dict[_Key, int] = {}
        for one in world.shots.projectiles:
            key = (0, one.owner, one.aim_x, one.aim_y, one.kind, one.start, one.x, one.y, one.dx, one.dy)
            kind, fields = _projectile(one)
            number = self._number(numbers, key)
            items[kind << 16 | number] = fields
            if one.owner < 0:
                layer = _SWITCH_LAYER if one.number else _GAME_LAYER
                items[_ENTITY << 16 | number] = (one.number, layer, _PROJECTILE_CLASS)
        for beam in world.lasers.beams:
            line = (whole(beam.x), whole(beam.y), whole(beam.from_x), whole(beam.from_y), beam.seen)
            number = self._number(numbers, (1, beam.kind, beam.owner, *line))
            items[_OWNED_LASER << 16 | number] = (*line, beam.owner, int(beam.kind == _SHOTGUN))
        for place, plasma in enumerate(world.entities.plasma):
            start = world.tick - PLASMA_TICKS + plasma.left
            at = (whole(plasma.x), whole(plasma.y))
            items[_LASER << 16 | self._number(numbers, (2, start, plasma.cid, place))] = (*at, *at, start)
        for place, thing in enumerate(world.entities.things):
            if isinstance(thing, Light):
                line = (whole(thing.x), whole(thing.y), whole(thing.to_x), whole(thing.to_y), self._turned())
                items[_LASER << 16 | self._number(numbers, (3, place))] = line
            elif isinstance(thing, Dragger):
                self._add_dragger(items, numbers, place, thing)
        for place, still in enumerate(self._still):
            number = self._number(numbers, (4, place))
            items[still.kind << 16 | number] = still.fields
            if still.extended is not None:
                items[_ENTITY << 16 | number] = still.extended
        if self._highest:
            items[_SWITCHES << 16] = self._switches()
        self._numbers = numbers
        self._beams = {key[1:]: self._beams[key[1:]] for key in numbers if key[0] == 5}
        return items

    def _turned(self) -> int:
        """Return when lights turned last, as in snapshots."""
        tick = self._world.tick
        return max(tick - tick % _EVERY, tick - _OLDEST)

    def _add_dragger(self, items: snapshots.Items, numbers: dict[_Key, int], place: int, dragger: Dragger) -> None:
        x, y = whole(dragger.x), whole(dragger.y)
        tick = self._world.tick
        pulled = [cid for cid in dragger.pulled if _is_near(dragger, self._world.tees[cid], tick)]
        for cid in pulled:
            tee = self._world.tees[cid]
            began = self._beams.setdefault((place, cid), tick)
            line = (x, y, whole(tee.x), whole(tee.y), max(began, tick - _OLDEST))
            items[_LASER << 16 | self._number(numbers, (5, place, cid))] = line
        if not dragger.pulled:
            number = self._number(numbers, (6, place))
            items[_LASER << 16 | number] = (x, y, x, y, 0)
            items[_ENTITY << 16 | number] = self._resting[x, y]

    def _switches(self) -> tuple[int, ...]:
        """Return the state of the switches of those without a team."""
        on, timed = self._world.switches_of(0)
        on &= (2 << self._highest) - 1
        words = [snapshots.signed(on >> 32 * place & 0xFFFFFFFF) for place in range(8)]
        tick = self._world.tick
        # One that a tee touches has a new end on each tick.
        soon = [(end, number) for end, number in timed if end < tick + _SOON and self._ends.get(number) == end]
        soon = soon[:_MOST_TIMED] + [(0, 0)] * (_MOST_TIMED - len(soon))
        self._ends = {number: end for end, number in timed}
        return (self._highest, *words, *(number for _, number in soon), *(end for end, _ in soon))

    def _number(self, numbers: dict[_Key, int], key: _Key) -> int:
        """Return the id of a shot or thing: the same on each tick, otherwise the first free one."""
        number = self._numbers.get(key)
        if number is None:
            used = {*self._numbers.values(), *numbers.values()}
            number = next(free for free in range(1 << 16) if free not in used)
        numbers[key] = number
        return number


def _is_near(dragger: Dragger, tee: Body, tick: int) -> bool:
    """Return whether clients see the beam: its tee did not spawn on this tick, and is in reach at its end."""
    return tee.born < tick and math.hypot(tee.x - dragger.x, tee.y - dragger.y) < DRAGGER_RANGE


def _still(entity: MapEntity, game_map: GameMap) -> list[_Thing]:
    """Return the items of a pickup, turret or door."""
    kind, place = entity.kind, (entity.x, entity.y)
    if kind in _PICKUPS:
        extended = _extended(entity, _PICKUP_CLASS) if entity.number else None
        return [_Thing(_PICKUP, (*place, *_PICKUPS[kind]), extended)]
    if kind in _TURRET_CLASSES:
        return [_Thing(_LASER, (*place, *place, 0), _extended(entity, _TURRET_CLASSES[kind]))]
    doors = []
    for side in range(8):
        if kind == DOOR and LASER_SHORT <= entity.beside[side] <= LASER_LONG:
            angle, reach = single(single(math.pi) / 4 * side), 96 * (entity.beside[side] - LASER_SHORT + 1)
            to = (
                single(entity.x + single(math.sin(angle) * reach)),
                single(entity.y + single(math.cos(angle) * reach)),
            )
            end = game_map.tiles.beam_end(*place, *to)
            line = (*place, whole(end[0]), whole(end[1]), 0)
            doors.append(_Thing(_LASER, line, (entity.number, _GAME_LAYER, _DOOR_CLASS)))
    return doors


def _extended(entity: MapEntity, kind: int) -> tuple[int, int, int]:
    return entity.number, _SWITCH_LAYER if entity.number else _GAME_LAYER, kind


def _projectile(one: Projectile) -> tuple[int, tuple[int, ...]]:
    """Return type and fields of a projectile; one that is too far away for them has no owner."""
    x, y = whole(single(one.x * 100)), whole(single(one.y * 100))
    if not (-(1 << 31) <= x < 1 << 31 and -(1 << 31) <= y < 1 << 31):
        return _PROJECTILE, (
            whole(one.x),
            whole(one.y),
            whole(one.dx * 100),
            whole(one.dy * 100),
            one.kind,
            one.start,
        )
    flags = abs(one.owner) & 255 | _IS_DDNET | (one.bounces & 3) * _SIDEWAYS
    flags |= _NO_OWNER * (one.owner < 0) | _EXPLODES * bool(one.explodes) | _FREEZES * bool(one.freezes)
    angle = whole(single(single(-math.atan2(one.dx, one.dy)) * 1_000_000))
    return _OWNED_PROJECTILE, (x, y, angle, flags, one.kind, one.start)
