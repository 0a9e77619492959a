"""`TeeItems`: the tees of a tick as items of a snapshot."""

from __future__ import annotations

from collections.abc import Callable, Collection

from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.demo import snapshots
from playhead.teehistorian.physics.demo.scenery import EXTENDED
from playhead.teehistorian.physics.world.world import GameWorld
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND

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
