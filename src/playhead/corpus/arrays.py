"""`SeriesReader`: the series of many replays as Arrow batches, or as arrays for models."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from playhead.runtime.libraries import np, pa
from playhead.runtime.records import NamedTuple

#: Columns of a series before its fields.
_KEYS = ("replay", "file", "seconds", "player")


class ReplayArrays(NamedTuple):
    """The series of one replay.

    Attributes:
        replay: SHA-256 of its bytes.
        file: its name.
        players: the players, sorted; shape (players,).
        seconds: the steps, from the first to the last of any player; shape (steps,).
        fields: names of the fields.
        values: shape (players, steps, fields), float64; NaN where `mask` is false.
        mask: whether a value is known; the shape of `values`.
    """

    replay: str
    file: str
    players: np.ndarray[Any, Any]
    seconds: np.ndarray[Any, Any]
    fields: tuple[str, ...]
    values: np.ndarray[Any, Any]
    mask: np.ndarray[Any, Any]


class SeriesReader:
    """Players at fixed time steps, read lazily and once: a `pyarrow.RecordBatchReader` (its methods and Arrow's
    C interface), or one `ReplayArrays` for each replay."""

    def __init__(self, reader: pa.RecordBatchReader) -> None:
        self._reader = reader

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return iter(self._reader)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self._reader.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<SeriesReader of {', '.join(self._reader.schema.names[len(_KEYS) :])}>"

    def numpy(self) -> Iterator[ReplayArrays]:
        """Iterate over the replays as arrays of players × steps × fields. Replays without rows are skipped."""
        held: list[pa.RecordBatch] = []
        for batch in self._reader:
            rows = pa.Table.from_batches([*held, batch])
            starts = _starts(rows["replay"])
            for first, end in pairwise(starts):
                yield _arrays(rows.slice(first, end - first))
            held = rows.slice(starts[-1]).to_batches()
        if held:
            yield _arrays(pa.Table.from_batches(held))


def _starts(column: pa.ChunkedArray) -> list[int]:
    """Return the first row of each replay; its rows lie together."""
    codes = np.concatenate([part.indices.to_numpy() for part in column.chunks])
    return [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist()]


def _arrays(rows: pa.Table) -> ReplayArrays:
    names = tuple(rows.schema.names[len(_KEYS) :])
    players, which = np.unique(rows["player"].to_numpy(), return_inverse=True)
    seconds, step = np.unique(rows["seconds"].to_numpy(), return_inverse=True)
    values = np.full((len(players), len(seconds), len(names)), np.nan)
    for place, name in enumerate(names):
        values[which, step, place] = rows[name].to_numpy()
    mask = ~np.isnan(values)
    return ReplayArrays(rows["replay"][0].as_py(), rows["file"][0].as_py(), players, seconds, names, values, mask)
