"""Rows of a lake's table, replay by replay in file order; each row group is read once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Self

from playhead.corpus.facts import REPLAY
from playhead.io.store import Store
from playhead.runtime.libraries import pa, pc, pq

_THREADS = 8


class ReplayRows:
    """The rows of single replays in data files; a context manager. Holds one row group at a time."""

    def __init__(self, store: Store, files: Iterable[tuple[str, Sequence[str]]], columns: Sequence[str]) -> None:
        """Locate the replays.

        Args:
            files: names in the store, each with the replays whose rows in it are superseded.
            columns: the columns to read; columns that a file lacks are skipped.
        """
        self._store = store
        self._columns = list(columns)
        self._places: dict[str, list[tuple[str, int]]] = {}
        files = list(files)
        with ThreadPoolExecutor(_THREADS) as threads:
            found = threads.map(lambda each: _groups(store, each[0]), files)
            for (name, without), groups in zip(files, found, strict=True):
                for number, replays in enumerate(groups):
                    for replay in replays:
                        if replay not in without:
                            self._places.setdefault(replay, []).append((name, number))
        self._files = ExitStack()
        self._open: tuple[str, pq.ParquetFile] | None = None
        self._latest: tuple[tuple[str, int], pa.Table] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()
        self._open = self._latest = None

    def __iter__(self) -> Iterator[str]:
        """Iterate over the replays."""
        return iter(self._places)

    def read(self, replay: str) -> pa.Table | None:
        """Return the rows of a replay; None if there are none.

        Raises:
            OSError: a file cannot be read.
        """
        parts = []
        for place in self._places.get(replay, ()):
            group = self._group(place)
            mine = pc.equal(group[REPLAY.name].cast(pa.string()), replay)
            parts.append(group.filter(mine).drop_columns(REPLAY.name))
        return pa.concat_tables(parts, promote_options="permissive") if parts else None

    def _group(self, place: tuple[str, int]) -> pa.Table:
        if self._latest is not None and self._latest[0] == place:
            return self._latest[1]
        name, number = place
        if self._open is None or self._open[0] != name:
            self._files.close()
            opened = self._files.enter_context(self._store.open(name))
            self._open = (name, self._files.enter_context(pq.ParquetFile(opened, page_checksum_verification=True)))
        file = self._open[1]
        names = [column for column in self._columns if column in file.schema_arrow.names]
        table = file.read_row_group(number, columns=[REPLAY.name, *names])
        self._latest = (place, table)
        return table


def _groups(store: Store, name: str) -> list[list[str]]:
    """Return the replays in each row group of a file."""
    with store.open(name) as opened, pq.ParquetFile(opened) as file:
        groups = (file.read_row_group(each, columns=[REPLAY.name]) for each in range(file.num_row_groups))
        return [group[REPLAY.name].unique().to_pylist() for group in groups]
