"""The ground that a recording itself tells: cells, edges, walls."""

from __future__ import annotations

import io
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import playhead
from playhead.presentation.picture import EDGE, LEVELS, LOWEST, WALL, Places, cells_picture, ground_picture
from playhead.teehistorian import ground as tees
from playhead.view.match import Match

np = pytest.importorskip("numpy", reason="NumPy is not installed")
Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


def cells(found: Any) -> Any:
    """Return the numbers of a picture's colours, rows from the top."""
    return np.asarray(Image.open(io.BytesIO(found.data)))


def test_a_picture_has_the_cells() -> None:
    made = np.array([[0, EDGE, WALL], [LOWEST, LOWEST + LEVELS - 1, 0]], np.uint8)
    found = cells_picture(made, (0.0, 3.0, 0.0, 2.0), smooth=False)
    assert (cells(found) == made).all()
    assert Image.open(io.BytesIO(found.data)).convert("RGBA").getpixel((0, 0))[3] == 0


def test_two_plateaus_have_an_edge_below_the_upper_one() -> None:
    """Places on a plane of 8 x 4 cells; the right half is higher. Rows from the top: y grows upwards."""
    plane = [(x + 0.5, y + 0.5, 0.0 if x < 4 else 5.0) for x in range(8) for y in range(4)]
    found = ground_picture(Places.of(plane), cell=1.0, step=1.0, near=0, bounds=(0.0, 8.0, 0.0, 4.0))
    assert found is not None
    low, high = LOWEST, LOWEST + LEVELS - 1
    assert cells(found).tolist() == [[low, low, low, EDGE, high, high, high, high]] * 4
    assert found.bounds == (0.0, 8.0, 0.0, 4.0)


def test_cells_near_a_place_are_ground_of_its_height() -> None:
    places = Places.of(
        [(2.5, 2.5, 0.0), (9.5, 2.5, 9.0), (5.5, 2.5, None), (math.nan, 1.0, 1.0), (1e30, 0.0, 0.0)]
    )
    found = ground_picture(places, cell=1.0, step=99.0, near=1, bounds=(0.0, 12.0, 0.0, 5.0))
    assert found is not None
    ground = cells(found)
    assert (ground[:, 1:4] > 0).sum() == 9
    assert ground[2, 2] == LOWEST
    assert ground[2, 9] == LOWEST + LEVELS - 1
    assert LOWEST < ground[2, 5] < LOWEST + LEVELS - 1, "the middle level without a height"
    assert ground[:, 7].max() == 0


def test_without_places_there_is_no_picture() -> None:
    assert ground_picture(Places.of([]), cell=1.0, step=1.0) is None
    assert ground_picture(Places.of([(math.inf, 0.0, 0.0)]), cell=1.0, step=1.0) is None


def test_far_places_do_not_make_a_large_picture() -> None:
    places = Places.of([(x, -x, None) for x in (-1e300, 0.0, 1e300, 5.0)])
    found = ground_picture(places, cell=1.0, step=1.0)
    assert found is not None
    assert max(cells(found).shape) <= 300


def moving(rows: list[tuple[int, int, int, int]]) -> Any:
    table = pa.table(dict(zip(("player", "tick", "x", "y"), map(list, zip(*rows, strict=True)), strict=True)))
    return SimpleNamespace(batches=lambda name: table.to_batches(max_chunksize=1000))


def test_walls_are_where_tees_stop() -> None:
    """A tee falls on a floor, runs into a wall, and jumps to a ceiling. Another stops where a third flies."""
    rows = [(0, tick, 100, y) for tick, y in enumerate((200, 230, 241, 241))]
    rows += [(0, 4 + tick, x, 241) for tick, x in enumerate((110, 120, 130, 145, 145))]
    rows += [(0, 20 + tick, 145, y) for tick, y in enumerate((241, 200, 174, 174))]
    rows += [(1, tick, 500 + 10 * tick, 300) for tick in range(6)]
    rows += [(2, tick, x, 300) for tick, x in enumerate((520, 529, 529))]
    found = tees.draw(moving(rows))
    assert found is not None
    left, _, top, _ = found.bounds or (0.0,) * 4
    ground = cells(found)
    walls = {(int(x + left / 32), int(y + top / 32)) for y, x in zip(*np.nonzero(ground == WALL), strict=True)}
    assert walls == {(3, 8), (4, 8), (5, 7), (4, 4)}


def test_tees_that_are_far_off_are_left_out() -> None:
    assert tees.draw(moving([(0, 0, 2**31 - 1, 0), (0, 1, -(2**31), 0)])) is None
    found = tees.draw(moving([(0, 0, 100, 100), (0, 1, 2**31 - 1, 0)]))
    assert found is not None
    assert found.bounds == (32.0, 160.0, 32.0, 160.0)


@pytest.mark.parametrize("name", ["source2", "sc2", "teehistorian"])
def test_every_sample_has_a_ground(samples: dict[str, Path], name: str) -> None:
    found = Match(playhead.open(samples[name])).ground()
    left, right, low, high = found["picture"]["bounds"]
    assert left < right
    assert low < high
    assert found["picture"]["source"]
    assert found["picture_error"] is None
