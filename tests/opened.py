"""Opens a replay whose format the test knows."""

from __future__ import annotations

from typing import Any, TypeVar

import playhead

R = TypeVar("R", bound=playhead.Replay)


def open_as(kind: type[R], target: Any, **options: Any) -> R:
    """Return `playhead.open(target)`, which must be of this class."""
    replay = playhead.open(target, **options)
    assert isinstance(replay, kind), f"expected {kind.__name__}, got {type(replay).__name__}"
    return replay
