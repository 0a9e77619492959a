"""A ghost of DDNet's client. What can be read is written again, and read as the same."""

from __future__ import annotations

import io
from random import Random

import mutation

from playhead.teehistorian.physics.demo.ghosts import MAGIC, Ghost, GhostTee, read_ghost, write_ghost


def fuzz(data: bytes) -> None:
    ghost = read_ghost(data)
    if not ghost.tees or not ghost.map_sha256 or ghost.start_tick is None:
        return
    file = io.BytesIO()
    write_ghost(file, ghost)
    assert read_ghost(file.getvalue()).tees == ghost.tees


def sound() -> bytes:
    """Return a ghost of a hundred ticks."""
    tees = tuple(GhostTee(*(tick * step % 97 for step in range(11)), tick) for tick in range(100))
    file = io.BytesIO()
    write_ghost(file, Ghost("anna", "floor", "ab" * 32, 2000, 5, (0,) * 9, tees))
    return file.getvalue()


def mutate(data: bytes, random: Random) -> bytes:
    """Change something behind the marker."""
    whole = data if data.startswith(MAGIC) else sound()
    return whole[: len(MAGIC)] + mutation.change(whole[len(MAGIC) :], random)
