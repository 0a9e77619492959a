"""A recording played again on a small map that has every kind of tile and entity."""

from __future__ import annotations

import contextlib
import tempfile
from array import array
from pathlib import Path
from random import Random

import playhead
from playhead.teehistorian.physics.arena.tiles import BYTES, Tiles
from playhead.teehistorian.physics.game_map import GameMap, MapEntity
from playhead.teehistorian.physics.simulation import Simulation
from playhead.teehistorian.stream.feed import Feed, read_source_header
from playhead.teehistorian.stream.header import MAGIC
from targets import LIMITS, teehistorian_recording

_SIDE = 24


def _map() -> GameMap:
    random = Random(1)
    layers = {
        name: bytes(random.choice((0, 0, 0, 1, 3, random.randrange(256))) for _ in range(_SIDE**2))
        for name in BYTES
    }
    layers["special"] = bytes([1]) * _SIDE**2
    tiles = Tiles(_SIDE, _SIDE, layers, array("h", [45] * _SIDE**2))
    exits = {number: [(100, 100), (200, 300)] for number in range(256)}
    entities = tuple(
        MapEntity(kind, random.randrange(_SIDE), random.randrange(_SIDE), 8, number % 3, (19, 20, 21, 22) * 4)
        for number, kind in enumerate([*range(6, 19), *range(29, 39), *range(42, 48)] * 2)
    )
    return GameMap("fuzz.map", b"", "00" * 32, tiles, entities, exits, exits, ("tune_zone 1 gravity 2",), True)


_MAP = _map()


def fuzz(data: bytes) -> None:
    if data[: len(MAGIC)] != MAGIC:
        return
    with playhead.open(data, limits=LIMITS) as replay:
        header = read_source_header(replay.source, LIMITS)
        simulation = Simulation(header, lambda: Feed(replay.source, header, LIMITS), LIMITS, _MAP)
        counts = simulation.exactness
        assert 0 <= counts["exact"] <= counts["compared"]
        assert len(simulation.table("hits")) <= 1 << 20
        with tempfile.TemporaryDirectory() as folder, contextlib.suppress(ValueError):
            simulation.write_demo(Path(folder) / "fuzz.demo", end=60)


mutate = teehistorian_recording.mutate
