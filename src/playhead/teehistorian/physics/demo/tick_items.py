"""`TeeItems`, `Happenings`: tees and what happens in a tick (deaths, stars, sounds) as items of a snapshot."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from typing import Any

from playhead.teehistorian.physics.arena.arena import EXPLOSION, HIT, SHOT, SPARKS
from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.arena.single import whole
from playhead.teehistorian.physics.demo import snapshots
from playhead.teehistorian.physics.demo.scenery import EXTENDED
from playhead.teehistorian.physics.world.movement import GROUND_JUMP, HOOK_REFUSED, HOOK_TEE, HOOK_WALL
from playhead.teehistorian.physics.world.world import GameWorld
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

_EXPLOSION, _SPAWN, _HAMMER_HIT, _DEATH, _SOUND, _STAR = 14, 15, 16, 17, 19, 20
#: Sounds by number: of weapons, of a grenade's end, of a tee.
_FIRES = (3, 0, 1, 2, 8, 5)
_GRENADE_ENDS, _DIES = 6, 16
_OF_TEE = {GROUND_JUMP: 15, HOOK_WALL: 21, HOOK_TEE: 22, HOOK_REFUSED: 23}
#: Stars around a place: how many bullets leave, and how far they are apart from the top, in radians.
_SPARKS, _SPREAD = 10, math.pi / 3
#: How far from the middle of a tee a hammer hits it.
_REACH = 14

_Item = tuple[int, tuple[int, ...]]


class Happenings:
    """Follows the tees of a world and makes the items of each tick."""

    def __init__(self, world: GameWorld) -> None:
        self._world = world
        self._places: dict[int, tuple[int, int]] = {}
        self._frozen: dict[int, int] = {}
        self._blows: dict[int, tuple[int, int]] = {}

    def items(self, shown: Collection[int], born: Collection[int]) -> snapshots.Items:
        """Return the items of the world's present tick about some clients; `born` spawned on it."""
        world = self._world
        found: list[_Item] = []
        tees = {cid: world.tees[cid] for cid in world.in_order() if cid in shown}
        for cid, place in self._places.items():
            if cid in shown and (cid not in tees or cid in born):
                found += [(_DEATH, (*place, cid)), (_SOUND, (*place, _DIES))]
        for event in world.events:
            if event[1] < 0 or event[1] in shown:
                found += self._of_event(event)
        for cid, tee in tees.items():
            place = _place(tee)
            if cid in born:
                found.append((_SPAWN, place))
                continue
            found += [(_SOUND, (*place, sound)) for bit, sound in _OF_TEE.items() if tee.events & bit]
            left = freeze_at_start(tee, self._frozen.get(cid, 0), world.freeze_seconds)
            if left % TICKS_PER_SECOND == TICKS_PER_SECOND - 1:
                found += _stars(self._places.get(cid, place), 0, (left + 1) // TICKS_PER_SECOND)
        self._places = {cid: _place(tee) for cid, tee in tees.items()}
        self._frozen = {cid: tee.freeze_ticks for cid, tee in tees.items()}
        return {kind << 16 | number: fields for number, (kind, fields) in enumerate(found)}

    def _of_event(self, event: tuple[Any, ...]) -> Iterator[_Item]:
        kind, cid, *about = event
        if kind == EXPLOSION:
            yield _EXPLOSION, (about[0], about[1])
            if cid >= 0:
                yield _SOUND, (about[0], about[1], _GRENADE_ENDS)
        elif kind == SPARKS:
            yield from _stars((about[0], about[1]), -math.atan2(about[2], about[3]), _SPARKS)
        elif kind == SHOT and cid in self._places:
            self._blows[cid] = (about[1], about[2])
            yield _SOUND, (*self._places[cid], _FIRES[about[0]])
        elif kind == HIT and about[1] == 0 and about[0] in self._places:
            x, y = self._places[about[0]]
            from_x, from_y = self._blows.get(cid, (x, y))
            part = _REACH / max(math.hypot(x - from_x, y - from_y), 1)
            yield _HAMMER_HIT, (int(x - (x - from_x) * part), int(y - (y - from_y) * part))


def _place(tee: Body) -> tuple[int, int]:
    return whole(tee.x), whole(tee.y)


def _stars(place: tuple[int, int], angle: float, count: int) -> Iterator[_Item]:
    """Yield so many stars above a place, turned by an angle."""
    middle = math.pi * 1.5 + angle
    for number in range(1, count + 1):
        part = number / (count + 2)
        yield _STAR, (*place, int((middle - _SPREAD + 2 * _SPREAD * part) * 256))


_CHARACTER = 9
_DDNET_CHARACTER = snapshots.extended_type(EXTENDED, EXTENDED[2])
#: Eyes of a tee.
_NORMAL, _PAIN, _HAPPY, _BLINK = 0, 1, 2, 5
#: Tiles that freeze or kill.
_FREEZES = frozenset({2, 9, 12, 144})
#: Most shields of a tee, and ticks of freeze for each of them.
_SHIELDS, _FREEZE_OF_SHIELD = 10, 15
_GUN, _NINJA = 1, 5
#: Ammunition of a jetpack that looks like a ninja's sword.
_SWORD = 10


class TeeItems:
    """Follows the tees of a world and makes the items of each tick."""

    def __init__(self, world: GameWorld) -> None:
        self._world = world
        self._frozen: dict[int, int] = {}

    def items(
        self, shown: Collection[int], born: Collection[int], flags_of: Callable[[int], int]
    ) -> snapshots.Items:
        """Return the items of the world's present tick for some clients.

        Args:
            born: those who spawned on it.
            flags_of: gives the flags of a client's input.
        """
        items: snapshots.Items = {}
        world, tick = self._world, self._world.tick
        # The server counts places before tees spawn; a new one has 0.
        older = [cid for cid in world.in_order() if cid not in born]
        places = dict.fromkeys(born, 0) | {cid: place for place, cid in enumerate(older)}
        for cid, place in places.items():
            if cid in shown:
                tee = world.tees[cid]
                items[_CHARACTER << 16 | cid] = _character(tee, tick, flags_of(cid), self._shields(tee))
                items[_DDNET_CHARACTER << 16 | cid] = (self._flags(tee), *_state(tee, tick, place))
        self._frozen = {cid: world.tees[cid].freeze_ticks for cid in places}
        return items

    def _shields(self, tee: Body) -> int:
        """Return the shields of a tee, which show its freeze."""
        left = freeze_at_start(tee, self._frozen.get(tee.cid, 0), self._world.freeze_seconds)
        return min(max(_SHIELDS - left // _FREEZE_OF_SHIELD, 0), _SHIELDS)

    def _flags(self, tee: Body) -> int:
        flags = (
            *(tee.solo, tee.jetpack, tee.no_collision, tee.endless_hook, tee.endless_jump, tee.super_tee),
            *(tee.no_hits & 1, tee.no_hits & 4, tee.no_hits & 8, tee.no_hits & 16, tee.no_hook),
            *(tee.telegun & 1, tee.telegun & 2, tee.telegun & 4),
            *(tee.owned & 1, tee.owned & 2, tee.owned & 4, tee.owned & 8, tee.owned & 16, tee.weapon == _NINJA),
            *(tee.live, self._is_in_freeze(tee), tee.team in self._world.practice),
        )
        return sum(1 << bit for bit, flag in enumerate(flags) if flag)

    def _is_in_freeze(self, tee: Body) -> bool:
        """Return whether a tile that freezes or kills was below a tee at the start of the tick."""
        tiles = self._world.tiles
        column = min(max(int(tee.former_x) // 32, 0), tiles.width - 1)
        row = min(max(int(tee.former_y) // 32, 0), tiles.height - 1)
        cell = row * tiles.width + column
        return any(tiles.layer(name)[cell] in _FREEZES for name in ("game", "front", "switch"))


def freeze_at_start(tee: Body, before: int, seconds: int) -> int:
    """Return the ticks of freeze that a tee had left when it acted.

    Args:
        before: those at the end of the last tick; things of the map act before the tees.
        seconds: how long a freeze lasts.
    """
    left = tee.freeze_ticks
    return left + 1 if 0 < left < seconds * TICKS_PER_SECOND else before


def _character(tee: Body, tick: int, flags: int, shields: int) -> tuple[int, ...]:
    frozen = tee.freeze_ticks > 0 or tee.deep or tee.live
    eyes = _PAIN if tee.deep or tee.live else _BLINK if frozen else _NORMAL
    sword = (
        tee.sword and tee.jetpack and tee.weapon == _GUN and not (tee.freeze_ticks or tee.deep or tee.telegun & 1)
    )
    if sword and eyes == _NORMAL:
        eyes = _HAPPY
    if tee.paused:
        eyes = _NORMAL if frozen else _BLINK
    return (
        *(tick, int(tee.x), int(tee.y), round(tee.vel_x * 256), round(tee.vel_y * 256), tee.angle, tee.direction),
        *(tee.jumped, tee.hooked, tee.hook_state, tee.hook_ticks, int(tee.hook_x), int(tee.hook_y)),
        *(round(tee.hook_dx * 256), round(tee.hook_dy * 256), flags),
        *((10, shields, _SWORD, _NINJA) if sword else (10, shields, 0, tee.weapon)),
        *(eyes, tee.attack_tick),
    )


def _state(tee: Body, tick: int, place: int) -> tuple[int, ...]:
    """Return the fields of DDNet's character after its flags."""
    freeze_end = -1 if tee.deep else tick + tee.freeze_ticks if tee.freeze_ticks else 0
    return (
        *(freeze_end, tee.jumps, tee.tele_checkpoint, place, tee.jumped_total),
        *(tee.ninja_start, tee.freeze_start, tee.in_x, tee.in_y),
    )
