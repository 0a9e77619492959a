"""The map's ground: marks, tiles, picture; positions over a whole recording: heat, the path of a player."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.errors import ReplayError
from playhead.presentation import bounds_of
from playhead.presentation.map import FOLDER
from playhead.presentation.picture import MOST_BYTES, MapPicture
from playhead.runtime.libraries import pa, pc
from playhead.tables.value_arrays import scalar_of
from playhead.view.browse import within

if TYPE_CHECKING:
    from playhead.presentation import PresentedReplay

#: Limit of the tiles that the page gets.
_TILES = 60_000
#: Limit of the effects of an answer.
MOST_EFFECTS = 20_000
#: Cells along the longer side of the ground, limit of the cells of an answer, and points of a path.
CELLS = 96
MOST_CELLS = 9000
POINTS = 6000
#: Cells from the middle of the map to a place that counts: a damaged recording has places at 1e38.
_FARTHEST = float(1 << 31)


def pictures(replay: PresentedReplay) -> dict[str, str]:
    """Return pictures of characters and weapons in an installed game as addresses, by name; none if it cannot be
    read."""
    with suppress(ReplayError, OSError, ImportError):
        return {name: _address(data) for name, data in replay.presentation.stage.pictures(replay).items()}
    return {}


def _address(data: bytes) -> str:
    kind = "svg+xml" if data.startswith(b"<svg") else "png"
    return f"data:image/{kind};base64,{b64encode(data).decode()}"


def heat(
    replay: PresentedReplay, cell: float, player: int | None = None, ticks: tuple[int, int] | None = None
) -> dict[str, Any]:
    """Return the number of positions in each cell of side `cell`: column, row, count; of one player or all, with
    `ticks` from the first to the last of them.

    Raises:
        ValueError: the side is zero or negative.
        KeyError: the format has no positions.
    """
    if not cell > 0:
        raise ValueError(f"expected a side above 0, got {cell}")
    most = sorted(count_cells(replay, cell, player, ticks).items(), key=lambda item: (-item[1], item[0]))[
        :MOST_CELLS
    ]
    return {"cell": cell, "cells": [[x, y, count] for (x, y), count in most]}


def count_cells(
    replay: PresentedReplay, side: float, player: int | None = None, ticks: tuple[int, int] | None = None
) -> dict[tuple[int, int], int]:
    """Return the number of positions by column and row of the cell; of those nearer than `_FARTHEST` cells."""
    counted: dict[tuple[int, int], int] = {}
    for found in _positions(replay, player):
        if ticks is not None:
            found = within(found, ticks)
        length = scalar_of(side, pa.float64())
        cells = pa.table(
            {axis: pc.floor(pc.divide(found[axis].cast(pa.float64()), length)) for axis in ("x", "y")}
        )
        for axis in ("x", "y"):  # neither numbers beyond it nor what is no number
            cells = cells.filter(pc.less(pc.abs(cells[axis]), scalar_of(_FARTHEST, pa.float64())))
        groups = cells.group_by(["x", "y"]).aggregate([([], "count_all")])
        columns = (groups[name].to_pylist() for name in ("x", "y", "count_all"))
        for one, two, count in zip(*columns, strict=True):
            cell = int(one), int(two)
            counted[cell] = counted.get(cell, 0) + count
    return counted


def path(replay: PresentedReplay, player: int) -> dict[str, Any]:
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


def _positions(replay: PresentedReplay, player: int | None) -> Iterator[pa.Table]:
    """Yield the rows of table `positions` with a place; of a player, only those of its own unit."""
    for batch in replay.batches("positions"):
        found = replay.presentation.map.drawn(replay, pa.Table.from_batches([batch]))
        if player is not None:
            found = found.filter(pc.equal(found["player"], scalar_of(player, found["player"].type)))
            if "main" in found.schema.names:
                found = found.filter(pc.fill_null(found["main"], scalar_of(False, pa.bool_())))
        yield found.select(["tick", "x", "y"]).drop_null()


def ground(replay: PresentedReplay, fixed: Iterable[tuple[str, float, float]]) -> dict[str, Any]:
    """Return marks (kind, x, y, team, label), tiles with positions, bounds (left, right, low, high), and the
    picture that the game draws of the ground; without one, tiles with positions."""
    look = replay.presentation.map
    replay.read_tables([name for name in look.tables if name in replay.tables])
    picture: MapPicture | None = None
    with suppress(ImportError):  # NumPy is missing
        picture = look.ground(replay)
    marks: list[list[Any]] = [[kind, x, y, None, ""] for kind, x, y in fixed]
    marks += [[*mark] for mark in look.marks(replay)]
    places = [(mark[1], mark[2]) for mark in marks]
    tiles: list[list[int]] = []
    if picture is not None and picture.bounds is not None:
        left, right, low, high = picture.bounds
        places += [(left, low), (right, high)]
    elif look.tile is not None:
        tiles = _tiles(replay, look.tile)
        places += [((x + 0.5) * look.tile, (y + 0.5) * look.tile) for x, y, _ in tiles]
    places += look.extent(replay)
    shown = picture and picture.as_dict()
    return {"marks": marks, "tiles": tiles, "bounds": bounds_of(places), "picture": shown}


def effects(replay: PresentedReplay, ticks: tuple[int, int] | None = None) -> list[list[Any]]:
    """Return what is on the map for a while, as lists with the fields of `Effect`, in order; of more than
    `MOST_EFFECTS`, the longest; with `ticks` those that are there from the first to the last of them."""
    first, last = ticks or (0, 1 << 62)
    found = [each for each in replay.presentation.map.effects(replay) if each.tick <= last and each.end >= first]
    found.sort(key=lambda each: each.tick - each.end)
    return [list(each) for each in sorted(found[:MOST_EFFECTS], key=lambda each: each.tick)]


def _tiles(replay: PresentedReplay, side: float) -> list[list[int]]:
    """Return the tiles with positions, the most frequent first: column, row, number of positions."""
    most = sorted(count_cells(replay, side).items(), key=lambda item: -item[1])[:_TILES]
    return [[x, y, count] for (x, y), count in most]


def read_picture(path: str | Path, replay: PresentedReplay, bounds: Sequence[float] | None = None) -> MapPicture:
    """Return the picture in a map file of the replay's game, or in an image file.

    Args:
        path: the file, or a folder of maps if the game finds its map in one.
        replay: the recording whose map it is.
        bounds: left, right, low and high of the picture in the recording's units, if the user gave them.

    Raises:
        ValueError: the file is the file of another map, too large, or not a picture.
        ModuleNotFoundError: a library that reads it is not installed (extra ``view``).
        ReplayError, OSError: it cannot be read.
    """
    path = Path(path)
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path.name}: expected at most {MOST_BYTES >> 20} MiB")
    given = None if bounds is None else (bounds[0], bounds[1], bounds[2], bounds[3])
    reader = replay.presentation.map.files.get(FOLDER if path.is_dir() else path.suffix.lower())
    return (
        MapPicture.of_file(path.read_bytes(), path.name, given) if reader is None else reader(path, replay, given)
    )
