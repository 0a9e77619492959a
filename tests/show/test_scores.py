"""The score by kills of a game."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from playhead.presentation.stage import kill_scores


class _Replay:
    def table(self, name: str, columns: list[str]) -> pa.Table:
        assert name == "kills"
        pairs = [(2, 3), (3, 2), (2, 2), (None, 3), (2, None), (None, None), (2, 3)]
        values: list[Any] = [list(range(len(pairs))), *map(list, zip(*pairs, strict=True))]
        return pa.table(dict(zip(columns, values, strict=True)))


def test_a_kill_counts_if_both_sides_are_known_and_differ() -> None:
    replay: Any = _Replay()
    assert [tuple(score) for score in kill_scores(replay)] == [(0, 2, 1), (1, 3, 1), (6, 2, 2)]
