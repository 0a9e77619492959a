"""Demos and ghosts of DDNet's client that mean something else: types, sizes and values of items, chunks that are
missing, numbers of the head.

The first byte chooses the file, the others what is changed.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from functools import cache
from random import Random

import meaning

from playhead.teehistorian.physics.demo.ghosts import MAGIC as GHOST
from playhead.teehistorian.physics.demo.reading import ClientDemo
from playhead.teehistorian.physics.demo.snapshots import SnapshotWriter, packed_text
from targets import teehistorian_ghost

_CHARACTER, _CLIENT_INFO, _EXTENDED = 9, 11, 30_000
_TICKS = 300
Items = dict[int, tuple[int, ...]]


def _items(tick: int) -> Items:
    found: Items = {}
    for client in range(3):
        found[_CLIENT_INFO << 16 | client] = (*packed_text(f"tee {client}", 4), *range(13))
        found[_CHARACTER << 16 | client] = (tick, *(tick * place % 97 for place in range(1, 22)))
    return found | {_EXTENDED << 16 | 7: (1, 2, tick)}


def _written(change: Callable[[int, Items], Items]) -> bytes:
    file = io.BytesIO()
    writer = SnapshotWriter(file, "floor", b"the map", "ab" * 32, "2026-11-24")
    for tick in range(1, _TICKS, 5):
        writer.snapshot(tick, change(tick, _items(tick)))
        if tick % 50 == 1:
            writer.message(b"\6\0\0hello\0")
    writer.close()
    return file.getvalue()


@cache
def sound() -> bytes:
    return _written(lambda tick, items: items)


def fuzz(data: bytes) -> None:
    if len(data) < 2:
        return
    random = Random(data[1:])
    if data[0] % 4 == 0:
        meaning.check(teehistorian_ghost.sound(), _other_ghost(random))
    elif data[0] % 4 == 1:  # its end is missing; the head tells its length in whole seconds
        whole = sound()
        chunks = list(ClientDemo(whole).chunks())
        assert chunks[-1].tick - chunks[0].tick > 250
        meaning.check(whole, whole[: random.randrange(600, len(whole) * 3 // 5)])
    else:
        # A type with another number has no rows but those of snapshot_items, as a spectator's demo has none.
        renames = random.random() < 0.3
        kind, to = random.choice((_CHARACTER, _CLIENT_INFO, _EXTENDED)), random.choice((0, 5, 21, 77, 0x7FFF))
        size, value = random.randrange(1, 25), random.choice((-1, 1 << 31, 77, -(1 << 31)))
        from_tick = random.choice((0, 150)) if renames else 0

        def change(tick: int, items: Items) -> Items:
            if tick < from_tick:
                return items
            if renames:
                return {to << 16 | key & 0xFFFF if key >> 16 == kind else key: row for key, row in items.items()}
            other = tuple(value ^ tick for _ in range(size))  # values that no longer change would give no rows
            return {key: other if key >> 16 == kind else row for key, row in items.items()}

        meaning.check(sound(), _written(change), ("positions", "players", "snapshot_items") if renames else ())


def _other_ghost(random: Random) -> bytes:
    """A ghost with another number in its head or in the head of a chunk."""
    whole = bytearray(teehistorian_ghost.sound())
    place = random.choice((len(GHOST), *range(0x5C, 0x64), *range(0x84, 0x88), *range(0x89, 0xA0)))
    if random.random() < 0.5:
        whole[place] = random.randrange(256)
    else:
        struct.pack_into(">H", whole, place, random.randrange(1 << 16))
    return bytes(whole)
