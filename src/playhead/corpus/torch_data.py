"""Series as a data set of PyTorch: each worker of a loader reads other replays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from playhead.corpus.arrays import SeriesReader
from playhead.runtime.extras import import_extra

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
