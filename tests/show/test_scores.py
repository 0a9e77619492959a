"""The score by kills of a game."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pyarrow as pa

from playhead.presentation.stage import kill_scores


class _Replay:
    players = (SimpleNamespace(player=0, team=2), SimpleNamespace(player=1, team=3))

    def table(self, name: str, columns: list[str]) -> pa.Table:
        assert name == "kills"
        rows = [
            (2, 3, None),
            (3, 2, []),
            (2, 2, None),
            (None, 3, []),
            (2, None, [0]),
            (None, None, [0]),
            (2, 3, [1]),
        ]
        rows += [(None, 3, [0]), (None, 3, [1]), (None, 2, [9])]
        values: list[Any] = [list(range(len(rows))), *map(list, zip(*rows, strict=True))]
        return pa.table(dict(zip(columns, values, strict=True)))


def test_a_kill_counts_if_both_sides_are_known_and_differ() -> None:
    """The side of a kill without an attacker is the one of the players that took part."""
    replay: Any = _Replay()
    assert [tuple(score) for score in kill_scores(replay)] == [(0, 2, 1), (1, 3, 1), (6, 2, 2), (7, 2, 3)]
