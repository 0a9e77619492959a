"""Positions over a whole recording: their number in each cell (heat), and the path of a player."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from playhead.runtime.libraries import pa, pc
from playhead.tables.value_arrays import scalar_of

if TYPE_CHECKING:
    from playhead.replay import Replay

#: Cells along the longer side of the ground, limit of the cells of an answer, and points of a path.
CELLS = 96
MOST_CELLS = 9000
POINTS = 6000


def heat(replay: Replay, cell: float, player: int | None = None) -> dict[str, Any]:
    """Return the number of positions in each cell of side `cell`: column, row, count; of one player or all.

    Raises:
        ValueError: the side is zero or negative.
        KeyError: the format has no positions.
    """
    if not cell > 0:
        raise ValueError(f"expected a side above 0, got {cell}")
    most = sorted(count_cells(replay, cell, player).items(), key=lambda item: (-item[1], item[0]))[:MOST_CELLS]
    return {"cell": cell, "cells": [[x, y, count] for (x, y), count in most]}


def count_cells(replay: Replay, side: float, player: int | None = None) -> dict[tuple[int, int], int]:
    """Return the number of positions by column and row of the cell."""
    counted: dict[tuple[int, int], int] = {}
    for found in _positions(replay, player):
        length = scalar_of(side, pa.float64())
        x, y = (
            pc.floor(pc.divide(found[axis].cast(pa.float64()), length)).cast(pa.int32()) for axis in ("x", "y")
        )
        groups = pa.table({"x": x, "y": y}).group_by(["x", "y"]).aggregate([([], "count_all")])
        columns = (groups[name].to_pylist() for name in ("x", "y", "count_all"))
        for one, two, count in zip(*columns, strict=True):
            counted[one, two] = counted.get((one, two), 0) + count
    return counted


def path(replay: Replay, player: int) -> dict[str, Any]:
    """Return the positions of a player as ticks, x and y, evenly thinned to about `POINTS`.

    Raises:
        KeyError: the format has no positions.
    """
    every = 1
    kept: dict[str, list[Any]] = {"tick": [], "x": [], "y": []}
    seen = 0
    for found in _positions(replay, player):
        first = -seen % every
        seen += found.num_rows
        for name, values in kept.items():
            values += found[name].to_pylist()[first::every]
        while len(kept["tick"]) > 2 * POINTS:  # drop every second one, now and from now on
            every *= 2
            kept = {name: values[::2] for name, values in kept.items()}
    return {"player": player, "every": every, **kept}


def _positions(replay: Replay, player: int | None) -> Iterator[pa.Table]:
    """Yield the rows of table `positions` with a place; of a player, only those of its own unit."""
    for batch in replay.batches("positions"):
        found = replay.presentation.map.drawn(replay, pa.Table.from_batches([batch]))
        if player is not None:
            found = found.filter(pc.equal(found["player"], scalar_of(player, found["player"].type)))
            if "main" in found.schema.names:
                found = found.filter(pc.fill_null(found["main"], scalar_of(False, pa.bool_())))
        yield found.select(["tick", "x", "y"]).drop_null()
