"""Chunks of a demo, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from playhead.teehistorian.physics.demo.reading import ClientDemo, Items
from playhead.teehistorian.physics.demo.reading import DemoChunk as Chunk

__all__ = ["HEAD", "Chunk", "Items", "read_demo"]

HEAD = 8 + 64 + 64 + 4 + 4 + 8 + 4 + 20 + 4 + 4 * 64 + 16 + 32


def read_demo(path: Path) -> Iterator[Chunk]:
    """Yield snapshots and messages in order."""
    return ClientDemo(path.read_bytes()).chunks()
