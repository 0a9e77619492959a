"""`SeriesReader`: the series of many replays as Arrow batches, as arrays, or as a data set of PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from playhead.runtime.extras import import_extra
from playhead.runtime.libraries import np, pa
from playhead.runtime.records import NamedTuple
from playhead.tables.arrow import float64_numbers, to_list

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
    codes = np.concatenate([np.array(to_list(part.indices)) for part in column.chunks])
    return [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist()]


def _numbers(column: pa.ChunkedArray) -> np.ndarray[Any, Any]:
    """Return a float64 column, NaN for null. `to_numpy` would import pandas."""
    return np.array(float64_numbers(column.combine_chunks()))


def _arrays(rows: pa.Table) -> ReplayArrays:
    names = tuple(rows.schema.names[len(_KEYS) :])
    players, which = np.unique(np.array(to_list(rows["player"]), np.int32), return_inverse=True)
    seconds, step = np.unique(_numbers(rows["seconds"]), return_inverse=True)
    values = np.full((len(players), len(seconds), len(names)), np.nan)
    for place, name in enumerate(names):
        values[which, step, place] = _numbers(rows[name])
    mask = ~np.isnan(values)
    return ReplayArrays(rows["replay"][0].as_py(), rows["file"][0].as_py(), players, seconds, names, values, mask)


#: Returns the series of some replays; a function of a module, or a partial of one, since workers unpickle it.
Read = Callable[[Sequence[str]], SeriesReader]


def torch_series(keys: Sequence[str], read: Read) -> Any:
    """Return a ``torch.utils.data.IterableDataset`` over replays.

    Each item is a dict: ``replay``, ``file``, ``fields`` and the tensors ``players`` (players,), ``seconds``
    (steps,), ``values`` (players, steps, fields; float32, 0 where unknown) and ``mask`` (bool, of the same shape).

    Args:
        keys: the replays; worker w of W of process r of R reads those with number r·W + w modulo R·W.
        read: returns their series.

    Raises:
        ModuleNotFoundError: PyTorch is not installed.
    """
    return _dataset_class()(tuple(keys), read)


@cache
def _dataset_class() -> Any:
    torch = import_extra("torch", "", "a data set of PyTorch")
    data = import_extra("torch.utils.data", "", "a data set of PyTorch")

    class SeriesData(data.IterableDataset):  # type: ignore[misc,name-defined]
        def __init__(self, keys: tuple[str, ...], read: Read) -> None:
            self._keys, self._read = keys, read

        def __reduce__(self) -> Any:
            return torch_series, (self._keys, self._read)

        def __iter__(self) -> Iterator[dict[str, Any]]:
            worker = data.get_worker_info()
            number, count = (0, 1) if worker is None else (worker.id, worker.num_workers)
            shared = torch.distributed
            if shared.is_available() and shared.is_initialized():
                number, count = shared.get_rank() * count + number, shared.get_world_size() * count
            mine = self._keys[number::count]
            for each in self._read(mine).numpy() if mine else ():
                yield {
                    "replay": each.replay,
                    "file": each.file,
                    "fields": each.fields,
                    "players": torch.from_numpy(each.players),
                    "seconds": torch.from_numpy(each.seconds),
                    "values": torch.from_numpy(each.values).float().nan_to_num(0.0),
                    "mask": torch.from_numpy(each.mask),
                }

    return SeriesData
