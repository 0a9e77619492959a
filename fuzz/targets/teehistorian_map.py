"""A map file, and some ticks of a game on it."""

from __future__ import annotations

import struct
import zlib
from random import Random

from playhead.errors import LimitExceeded
from playhead.teehistorian.physics.arena.body import Tuning
from playhead.teehistorian.physics.game_map import LAYERS, decode_map
from playhead.teehistorian.physics.world.world import GameWorld

_WIDTH, _HEIGHT = 12, 8
_MOST_TILES = 1 << 14


def fuzz(data: bytes) -> None:
    found = decode_map(data, "fuzz.map", "fuzz", "", True)
    if found.tiles.width * found.tiles.height > _MOST_TILES:
        raise LimitExceeded("a large map takes long here")
    world = GameWorld(found.tiles, [Tuning() for _ in range(256)])
    world.exits, world.checkpoint_exits = found.exits, found.checkpoint_exits
    world.entities.place(found.entities)
    for cid in range(3):
        world.appear(cid, 60 + 80 * cid, 60)
    for tick in range(1, 40):
        world.keep()
        world.tick = tick
        for cid in range(3):
            world.weapons.moving_input(cid, cid - 1, 50 * (tick % 5 - 2), -70, tick & 1, 0, tick // 3 & 1, 0)
            world.weapons.early_input(cid, tick, 40, 30, tick % 6, 0, 0)
        world.step()
        if tick % 9 == 0:
            world.go_back(1)


def sound() -> bytes:
    """Return a map with all layers."""
    random = Random(3)
    kinds = (0, 0, 0, 0, 1, 3, 9, 26, 29, 60, 62, 191 + 7, 191 + 12, 191 + 20, 191 + 31, 191 + 43, 191 + 49)
    items, blocks = [], []
    for flag, named, _, size in LAYERS.values():
        numbers = [0, 2, 0, 3, _WIDTH, _HEIGHT, flag, *[0] * 11, *[-1] * 5]
        numbers[named] = len(blocks)
        items.append(struct.pack("<2i23i", 5 << 16 | len(items), 92, *numbers))
        tiles = bytearray()
        for _ in range(_WIDTH * _HEIGHT):
            kind = random.choice(kinds)
            tiles += {2: bytes([1, kind]), 4: bytes([kind, 0, 0, 0]), 6: bytes([kind, 5, 28, 0, 45, 0])}[size]
        blocks.append(bytes(tiles))
    return container(items, blocks)


def container(items: list[bytes], blocks: list[bytes]) -> bytes:
    """Return a file of version 4 with these items and blocks."""
    packed = [zlib.compress(block) for block in blocks]
    ends = [sum(map(len, items[:place])) for place in range(len(items))]
    starts = [sum(map(len, packed[:place])) for place in range(len(packed))]
    sizes = [len(block) for block in blocks]
    head = (4, 0, 0, 1, len(items), len(blocks), sum(map(len, items)), sum(map(len, packed)))
    numbers = (*head, 5, 0, len(items), *ends, *starts, *sizes)
    return b"DATA" + struct.pack(f"<{len(numbers)}i", *numbers) + b"".join(items) + b"".join(packed)


def mutate(data: bytes, random: Random) -> bytes:
    """Change a few tiles, and keep the container sound."""
    if data[:4] != b"DATA":
        return data
    seeds = sound()
    at = len(seeds) - random.randrange(1, 200)
    return seeds[:at] + bytes([random.randrange(256)]) + seeds[at + 1 :]
