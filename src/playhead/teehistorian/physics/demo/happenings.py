"""`Happenings`: things that one snapshot shows or plays: spawns, deaths, explosions, stars, sounds."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import Any

from playhead.teehistorian.physics.arena.arena import EXPLOSION, HIT, SHOT, SPARKS
from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.arena.single import whole
from playhead.teehistorian.physics.demo import snapshots
from playhead.teehistorian.physics.demo.tee_items import freeze_at_start
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
