"""The ground of a map from places of tees alone: small paths, and the tiles that they show."""

from __future__ import annotations

import zlib
from typing import Any

import pyarrow as pa
import pytest

from playhead.presentation.picture import LOWEST, WALL
from playhead.teehistorian.ground import draw

TILE = 32
LETTERS = {0: ".", WALL: "#", LOWEST + 1: " "}

Rows = list[tuple[int, int, int, int]]  # player, tick, x, y


class _Replay:
    def __init__(self, *batches: Rows) -> None:
        self._batches = batches

    def batches(self, name: str) -> Any:
        assert name == "positions"
        names = ["player", "tick", "x", "y"]
        return [
            pa.RecordBatch.from_pylist([dict(zip(names, row, strict=True)) for row in b]) for b in self._batches
        ]


def drawn(*batches: Rows) -> tuple[list[str], tuple[float, ...]]:
    """Return the tiles, a letter for each, and the tiles of the edges: left, right, top, low."""
    picture = draw(_Replay(*batches))
    assert picture is not None
    assert picture.bounds is not None
    size = picture.data.index(b"IHDR") + 4
    width = int.from_bytes(picture.data[size : size + 4], "big")
    begin = picture.data.index(b"IDAT")
    length = int.from_bytes(picture.data[begin - 4 : begin], "big")
    rows = zlib.decompress(picture.data[begin + 4 : begin + 4 + length])
    lines = [rows[at + 1 : at + 1 + width] for at in range(0, len(rows), width + 1)]
    return ["".join(LETTERS[tile] for tile in line) for line in lines], tuple(e / TILE for e in picture.bounds)


def test_a_tee_clears_the_tiles_of_its_body_within_a_border() -> None:
    assert drawn([(0, 0, 80, 80)]) == (["...", ". .", "..."], (1, 4, 1, 4))
    assert drawn([(0, 0, 83, 82)]) == (["....", ".  .", "...."], (1, 5, 1, 4))  # its right side is at 96
    assert drawn([(0, 0, 82, 83)]) == (["...", ". .", ". .", "..."], (1, 4, 1, 5))


@pytest.mark.parametrize(
    ("path", "tiles"),
    [
        # A tee that runs, 15 units above a floor.
        ([(80, 81), (82, 81)], ["...", ". .", ".#."]),
        ([(80, 81), (80, 81)], ["...", ". .", "..."]),  # it stands
        ([(80, 80), (82, 80)], ["...", ". .", "..."]),  # it flies higher
        ([(80, 80), (82, 81)], ["...", ". .", "..."]),  # it falls
        # Fast tees that stop beside a wall.
        ([(78, 80), (81, 80), (81, 80)], ["...", ". #", "..."]),
        ([(79, 80), (81, 80), (81, 80)], ["...", ". .", "..."]),  # slow
        ([(77, 80), (80, 80), (80, 80)], ["...", ". .", "..."]),  # in the open
        ([(78, 80), (81, 80), (82, 80)], ["...", ". .", "..."]),  # it goes on
        ([(81, 80), (78, 80), (78, 80)], ["...", "# .", "..."]),
        ([(80, 78), (80, 81), (80, 81)], ["...", ". .", ".#."]),
        ([(80, 81), (80, 78), (80, 78)], [".#.", ". .", "..."]),
    ],
)
def test_walls(path: list[tuple[int, int]], tiles: list[str]) -> None:
    rows = [(0, tick, x, y) for tick, (x, y) in enumerate(path)]
    assert drawn(rows) == (tiles, (1, 4, 1, 4))


def test_only_ticks_in_a_row_of_one_player_show_walls() -> None:
    stopped = [(78, 80), (81, 80), (81, 80)]
    later = [(0, tick, x, y) for tick, (x, y) in zip((0, 1, 3), stopped, strict=True)]
    assert drawn(later)[0] == ["...", ". .", "..."]
    earlier = [(0, tick, x, y) for tick, (x, y) in zip((0, 2, 3), stopped, strict=True)]
    assert drawn(earlier)[0] == ["...", ". .", "..."]
    others = [(player, tick, x, y) for player, (tick, (x, y)) in zip((0, 0, 1), enumerate(stopped), strict=True)]
    assert drawn(others)[0] == ["...", ". .", "..."]
    mixed = [row for tick, (x, y) in enumerate(stopped) for row in ((0, tick, x, y), (1, tick, 80, 80))]
    assert drawn(mixed)[0] == ["...", ". #", "..."]


def test_what_a_tee_was_in_is_no_wall() -> None:
    stopped = [(0, tick, x, 80) for tick, x in enumerate((78, 81, 81))]
    assert drawn(stopped, [(1, 9, 112, 80)]) == (["....", ".  .", "...."], (1, 5, 1, 4))
    assert drawn([(1, 9, 112, 80)], stopped) == (["....", ".  .", "...."], (1, 5, 1, 4))


def test_places_far_from_any_map_are_left_out() -> None:
    far = [(1, 0, 1 << 30, 80), (2, 0, -(1 << 30), 80), (3, 0, 80, 1 << 30), (4, 0, 80, -(1 << 30))]
    assert drawn([(0, 0, 80, 80), *far]) == (["...", ". .", "..."], (1, 4, 1, 4))
    assert draw(_Replay(far)) is None
