"""Commands that put a tee elsewhere: to its last safe place, with all that the server saves, or to another tee."""

from __future__ import annotations

from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.world.world import GameWorld
from playhead.teehistorian.stream.text import number

#: Attributes of `Body` that the server saves. Aim, angle and the input that fires stay those of the player.
_SAVED = (
    *("x", "y", "shown_x", "shown_y", "former_x", "former_y", "solo"),
    *("owned", "weapon", "former_weapon", "queued", "reload"),
    *("endless_jump", "endless_hook", "jetpack", "telegun", "no_hits", "no_collision", "no_hook"),
    *("freeze_ticks", "freeze_start", "deep", "live", "tune_zone", "tele_checkpoint"),
    *("jumped", "jumped_total", "jumps", "hook_x", "hook_y", "hook_dx", "hook_dy", "base_x", "base_y"),
    *("hook_ticks", "new_hook", "ninja_start", "ninja_move", "ninja_x", "ninja_y", "ninja_speed"),
)
#: Directions of the commands that move a tee by tiles, and the size of a tile.
_WAYS, _TILE = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}, 32
#: Longest way of such a command.
_FARTHEST = 10_000


def rescue(world: GameWorld, tee: Body) -> None:
    """Return a tee to its safe state, as a command between two ticks does."""
    safe = tee.safe
    if not tee.alive or tee.super_tee or safe is None:
        return
    for name in _SAVED:
        setattr(tee, name, getattr(safe, name))
    tee.freeze_start = world.tick - safe.freeze_start
    if safe.ninja_start:
        tee.ninja_start = world.tick - safe.ninja_start
    tee.vel_x = tee.vel_y = tee.hook_state = 0
    tee.hooked = -1
    tee.saved_direction = tee.saved_jump = tee.saved_hook = 0
    tee.saved_fire = safe.saved_fire + (safe.saved_fire & 1) & 63
    tee.paused = 0
    world.thaw(tee)


def stop(world: GameWorld, tee: Body) -> None:
    """Let a tee teleport to the place where its client looks, which is its own: it stops and thaws."""
    if tee.alive:
        tee.former_x, tee.former_y = tee.x, tee.y
        tee.vel_x = tee.vel_y = 0
        world.thaw(tee)


def move(world: GameWorld, cid: int, name: str, arguments: tuple[str, ...]) -> None:
    """Let an administrator move a tee by tiles, or put one where another tee is."""
    numbers = [int(max(-_FARTHEST, min(_FARTHEST, number(one)))) for one in arguments]
    if name in ("tele", "teleport") and len(numbers) == 2:
        if not all(0 <= one < len(world.tees) and world.tees[one].alive for one in numbers):
            return
        tee, other = (world.tees[one] for one in numbers)
        tee.x = tee.shown_x = tee.former_x = other.shown_x
        tee.y = tee.shown_y = tee.former_y = other.shown_y
    elif name in _WAYS and 0 <= cid < len(world.tees):
        way_x, way_y = _WAYS[name]
        tiles = numbers[0] if numbers else 1
        world.tees[cid].x += way_x * tiles * _TILE
        world.tees[cid].y += way_y * tiles * _TILE
