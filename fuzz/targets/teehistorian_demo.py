"""A demo of DDNet's client: its head, snapshots and messages."""

from __future__ import annotations

import io
from random import Random

import mutation

from playhead.teehistorian.physics.demo.reading import MAGIC, ClientDemo, extended_types
from playhead.teehistorian.physics.demo.snapshots import SnapshotWriter


def fuzz(data: bytes) -> None:
    for chunk in ClientDemo(data).chunks():
        if chunk.items is not None:
            extended_types(chunk.items)


def sound() -> bytes:
    """Return a demo of twelve ticks with tees, a message and a small map."""
    file = io.BytesIO()
    writer = SnapshotWriter(file, "floor", b"the map", "ab" * 32, "2026-11-24")
    for tick in range(1, 13):
        items = {9 << 16 | cid: tuple(tick * cid + place for place in range(22)) for cid in range(1 + tick % 3)}
        writer.snapshot(tick * 30, {**items, 30_000 << 16 | tick: (1, 2, tick)})
    writer.message(b"\6\0\0hello\0")
    writer.close()
    return file.getvalue()


def mutate(data: bytes, random: Random) -> bytes:
    """Change something behind the map, or in the head."""
    whole = data if data.startswith(MAGIC) else sound()
    head = random.choice((len(MAGIC) + 1, 470))
    return whole[:head] + mutation.change(whole[head:], random)
