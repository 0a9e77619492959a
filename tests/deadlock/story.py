"""The written match, read again: its story, and the same recording by boon of the right version."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from tests.samples.source2.deadlock.recording import WrittenMatch

import playhead
from playhead.deadlock.replay import DeadlockReplay

Row = dict[str, Any]


class Told(NamedTuple):
    """A written match: its file, the replay, the facts that the writer knows."""

    path: Path
    replay: DeadlockReplay
    match: WrittenMatch

    @property
    def new(self) -> bool:
        """As after the update."""
        return self.match.field.new

    def story(self, table: str) -> list[Row]:
        """Return the facts of a table."""
        return list(self.match.rows[table])

    def ours(self, table: str, **options: Any) -> list[Row]:
        """Return the rows of a table of the recording."""
        rows: list[Row] = self.replay.table(table, **options).to_pylist()
        return rows


def tell(folder: Path, *, new: bool, minutes: float) -> Told:
    """Write the match into a folder, and open it.

    ``PLAYHEAD_SEED=3 pytest tests/deadlock`` asks the same of another match.
    """
    match = WrittenMatch(minutes, new=new, seed=int(os.environ.get("PLAYHEAD_SEED", "0")))
    path = folder / f"match{'_new' if new else ''}.dem"
    path.write_bytes(match.demo())
    replay = playhead.open(path)
    assert isinstance(replay, DeadlockReplay)
    return Told(path, replay, match)


def picked(rows: list[Row], names: str) -> list[tuple[Any, ...]]:
    """Return some values of each row; None where a row lacks one."""
    return [tuple(row.get(name) for name in names.split()) for row in rows]
