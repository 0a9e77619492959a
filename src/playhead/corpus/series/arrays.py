"""The series of many replays as Arrow batches, as arrays, as pairs with actions, or as a data set of PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from playhead.events import choose_names
from playhead.runtime.extras import import_extra
from playhead.runtime.libraries import np, pa, pc
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
        seconds: all steps from the first to the last of any player, evenly spaced; shape (steps,).
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

    def __init__(self, reader: pa.RecordBatchReader, every: float) -> None:
        self._reader = reader
        self._every = every

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
                yield _arrays(rows.slice(first, end - first), self._every)
            held = rows.slice(starts[-1]).to_batches()
        if held:
            yield _arrays(pa.Table.from_batches(held), self._every)


def _starts(column: pa.ChunkedArray) -> list[int]:
    """Return the first row of each replay; its rows lie together."""
    codes = np.concatenate([np.array(to_list(part.indices)) for part in column.chunks])
    return [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist()]


def _numbers(column: pa.ChunkedArray) -> np.ndarray[Any, Any]:
    """Return a float64 column, NaN for null. `to_numpy` would import pandas."""
    return np.array(float64_numbers(column.combine_chunks()))


def _arrays(rows: pa.Table, every: float) -> ReplayArrays:
    names = tuple(rows.schema.names[len(_KEYS) :])
    players, which = np.unique(np.array(to_list(rows["player"]), np.int32), return_inverse=True)
    step = np.rint(_numbers(rows["seconds"]) / every).astype(np.int64)
    seconds = np.arange(step.min(), step.max() + 1) * every  # also the steps that no player has
    step -= step.min()
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


#: The prefix of columns of the state.
STATE = "state_"


def state_action_pairs(game: ReplayArrays, inputs: pa.Table, kinds: Iterable[str] | None) -> pa.Table:
    """Return the actions of a replay, each with the state of its player at the last step before it.

    Actions of nobody, and of a player without a known state then, are left out. The columns of `inputs` come
    first, then ``state_seconds``, ``is_new`` and ``state_FIELD`` for each field that the replay has.

    Args:
        game: the series of one replay.
        inputs: its table ``inputs``.
        kinds: kinds of actions, or patterns; None for all.

    Raises:
        KeyError: there is no action of that kind.
    """
    if kinds is not None:
        there = pc.unique(inputs["kind"].cast(pa.string())).to_pylist()
        chosen = sorted(choose_names(kinds, [each for each in there if each], "action of kind"))
        inputs = inputs.filter(pc.is_in(inputs["kind"].cast(pa.string()), value_set=pa.array(chosen, pa.string())))
    inputs = inputs.filter(pc.and_(pc.is_valid(inputs["player"]), pc.is_valid(inputs["seconds"])))
    players = np.array(inputs["player"].to_pylist(), np.int32)
    times = np.array(float64_numbers(inputs["seconds"].combine_chunks()), np.float64)
    rows = np.minimum(np.searchsorted(game.players, players), len(game.players) - 1)
    steps = np.searchsorted(game.seconds, times, side="left") - 1
    every = np.diff(game.seconds[:2]).sum() or np.inf
    known = (game.players[rows] == players) & (steps >= 0) & (times <= game.seconds[steps] + every)
    known[known] = game.mask[rows[known], steps[known]].any(axis=1)
    rows, steps, inputs = rows[known], steps[known], inputs.filter(pa.array(known.tolist(), pa.bool_()))
    values = game.values[rows, steps]
    told = [place for place, name in enumerate(game.fields) if name != "game_seconds"]
    found = inputs.append_column(f"{STATE}seconds", pa.array(game.seconds[steps].tolist(), pa.float64()))
    found = found.append_column("is_new", pa.array(_changed(rows, values[:, told]).tolist(), pa.bool_()))
    for place, name in enumerate(game.fields):
        if game.mask[:, :, place].any():
            column = [None if value != value else value for value in values[:, place].tolist()]
            found = found.append_column(f"{STATE}{name}", pa.array(column, pa.float64()))
    return found


def _changed(rows: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return for each action whether its state differs from that of its player's previous action."""
    changed = np.ones(len(rows), bool)
    for row in np.unique(rows):
        mine = np.flatnonzero(rows == row)
        before, after = values[mine[:-1]], values[mine[1:]]
        changed[mine[1:]] = ((before != after) & ~(np.isnan(before) & np.isnan(after))).any(axis=1)
    return changed
