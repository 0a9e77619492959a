"""Tees that continue from what the server saved: from the text of a save, a safe place, or where another tee is.

A line of a save is one tee, its fields between tabs; later versions appended fields. A tee that hooked another one
keeps it if that one is in the save; other hooks of tees fly on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from playhead.runtime.records import NamedTuple
from playhead.teehistorian.physics.arena.body import Body
from playhead.teehistorian.physics.arena.single import single
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


#: Most tees and switches of a save.
_TEES, _SWITCHES = 128, 255
#: Most lines that are read of a save.
MOST_LINES = 1 + _TEES + _SWITCHES
_GREATEST = 1 << 29
_FASTEST = 6000.0
_FLYING, _GRABBED = 4, 5


def _following(names: Mapping[int, str]) -> Mapping[int, str]:
    """Return the name at each place, of names that follow each other from some places on."""
    return {place: name for first, row in names.items() for place, name in enumerate(row.split(), first)}


#: Whole fields by their place, and the attributes of `Body` that have the same meaning.
_SAME = _following(
    {
        30: "former_weapon queued endless_jump jetpack",
        37: "deep endless_hook",
        42: "tune_zone",
        48: "former_x former_y tele_checkpoint",
        56: "weapon jumped jumped_total jumps hook_x hook_y",
        64: "base_x base_y hook_ticks",
        102: "new_hook",
        107: "reload",
        109: "live",
        113: "ninja_move",
    }
)
#: Attributes with a smallest and a greatest value that the simulation relies on.
_BOUNDS = {"weapon": (0, 5), "former_weapon": (0, 5), "queued": (-1, 5), "jumped": (0, 3)}
_BOUNDS |= dict.fromkeys(("tune_zone", "tele_checkpoint"), (0, 255))
#: Fields with fractions, rounded to 32 bits.
_FRACTIONS = _following({54: "vel_x vel_y", 62: "hook_dx hook_dy", 110: "ninja_x ninja_y", 114: "ninja_speed"})


class SavedTee(NamedTuple):
    """A tee of a save: its name, its place, and all fields of its line."""

    name: str
    x: int
    y: int
    fields: tuple[str, ...]

    def restore(self, tee: Any, tick: int, client_of: Callable[[int], int | None]) -> None:
        """Give a `Body` this state, as on `tick`; `client_of` returns the client of a tee by its number."""
        whole = partial(_whole, self.fields)
        tee.place(self.x, self.y)
        for place, name in _SAME.items():
            low, high = _BOUNDS.get(name, (-_GREATEST, _GREATEST))
            setattr(tee, name, max(low, min(high, whole(place, getattr(tee, name)))))
        for place, name in _FRACTIONS.items():
            found = number(self.fields[place]) if place < len(self.fields) else 0.0
            setattr(tee, name, single(max(-_FASTEST, min(_FASTEST, found))))
        tee.paused = whole(2) != 0
        tee.solo = whole(5)
        tee.owned = sum(1 << weapon for weapon in range(6) if whole(9 + 4 * weapon))
        tee.freeze_ticks = max(0, whole(35))
        tee.freeze_start = tick - max(0, whole(36))
        hits = whole(40)
        tee.no_hits = hits & 1 | (hits & 14) << 1  # hammer, then shotgun, grenade, laser; guns hit nobody
        tee.no_collision = not whole(41, 1)
        tee.no_hook = not whole(44, 1)
        tee.telegun = bool(whole(97)) | bool(whole(98)) << 1 | bool(whole(99)) << 2
        tee.ninja_start = tick - max(0, whole(112)) if whole(112) else 0
        tee.hook_state = max(-1, min(_GRABBED, whole(67)))
        hooked = client_of(whole(101, -1)) if whole(101, -1) >= 0 else None
        tee.hooked = -1 if hooked is None or tee.hook_state != _GRABBED else hooked
        if tee.hook_state == _GRABBED and whole(101, -1) >= 0 and hooked is None:
            tee.hook_state = _FLYING
        tee.known = 1


def _whole(fields: Sequence[str], place: int, default: int = 0) -> int:
    """Return a field as a whole number; `default` if it is missing or damaged."""
    try:
        found = int(fields[place])
    except (IndexError, ValueError):
        return default
    return max(-_GREATEST, min(_GREATEST, found))


class Save(NamedTuple):
    """Tees of a save by their number, and its switches: (number, on, ticks until it turns back, or 0)."""

    tees: Mapping[int, SavedTee]
    switches: tuple[tuple[int, bool, int], ...]


def read_save(text: str) -> Save:
    """Read a save; skip lines that are cut or damaged."""
    lines = text.split("\n", MOST_LINES)[:MOST_LINES]
    count = max(_whole(lines[0].split("\t"), 1), 0)
    tees, switches = {}, []
    for place, line in enumerate(lines[1 : 1 + min(count, _TEES)]):
        fields = tuple(line.split("\t", 200))
        if len(fields) > 67:
            tees[place] = SavedTee(fields[0], _whole(fields, 46), _whole(fields, 47), fields)
    for switch, line in enumerate(lines[1 + count :][:_SWITCHES], 1):
        status = line.split("\t", 3)
        if len(status) == 3:
            switches.append((switch, _whole(status, 0) != 0, -_whole(status, 1)))
    return Save(tees, tuple(switches))
