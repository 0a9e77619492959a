"""Chunks of a demo, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from playhead.teehistorian.physics.demo.reading import DemoChunk as Chunk
from playhead.teehistorian.physics.demo.reading import DemoFile, Items

__all__ = ["HEAD", "Chunk", "Items", "read_demo"]

HEAD = 8 + 64 + 64 + 4 + 4 + 8 + 4 + 20 + 4 + 4 * 64 + 16 + 32


def read_demo(path: Path) -> Iterator[Chunk]:
    """Yield snapshots and messages in order."""
    return DemoFile(path.read_bytes()).chunks()
