"""The compaction of a lake: small files become few large ones, and rows that do not count any more go.

Delta Lake keeps the files of earlier versions, so readers that opened the lake earlier go on, and the lake can be
opened as it was, until these files are removed some time later.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import chain

from playhead.corpus.delta import INFO, DataFile, LakeTable, LakeTables, folder_of, open_info, table_names
from playhead.corpus.facts import READING
from playhead.corpus.writing.commits import InfoTable, make_name, write_file
from playhead.corpus.writing.shards import scratch_folder
from playhead.io.store import open_store
from playhead.runtime.libraries import pa, pc, pq
from playhead.runtime.records import dataclass, replace
from playhead.tables.value_arrays import array_of

#: Bytes after which a new data file begins.
TARGET = 128 << 20

#: Hours for which files of earlier versions are kept.
KEEP_HOURS = 168

#: Hours for which files that no version has are kept, and rows without a row of `info`: another process may be
#: about to commit them.
UNFINISHED_HOURS = 1


#: Tells which rows of a table do not count.
Dead = Callable[["pa.Table"], "pa.ChunkedArray"]


@dataclass(frozen=True, slots=True)
class Compacted:
    """The result of a compaction: data files before and after, and the number of removed files."""

    files_before: int
    files_after: int
    removed: int


def compact(lake: str | os.PathLike[str], *, target: int = TARGET, keep_hours: int = KEEP_HOURS) -> Compacted:
    """Merge the small files of a lake, and remove files that no version of the last hours has.

    Exports may run meanwhile, and other compactions. May be killed at any moment.

    Args:
        lake: folder or URL.
        target: bytes after which a new data file begins.
        keep_hours: hours for which the lake can still be opened as it was; those who opened it earlier may need
            its files.

    Raises:
        FileNotFoundError: there is no lake.
        OSError: the lake cannot be written.
    """
    work = Care(lake)
    unfinished = time.time() - 3600 * max(keep_hours, UNFINISHED_HOURS)
    before = after = removed = 0
    # The names before the readings: a table that comes later has none of them.
    for name in table_names(work.tables.store):
        dead = None if name == INFO else work.dead(keep_hours)
        counts = work.tables.retried(lambda: work.rewrite(name, dead, unfinished, target))  # noqa: B023
        before, after = before + counts[0], after + counts[1]
        removed += work.tables.vacuum(name, keep_hours, strays=False)
        removed += work.tables.vacuum(name, max(keep_hours, UNFINISHED_HOURS), strays=True)
    return Compacted(before, after, removed)


def remove(lake: str | os.PathLike[str], replays: Collection[str]) -> int:
    """Remove replays from a lake for good; return their number.

    Their rows are in no file of the lake afterwards, so it cannot be opened any more as it was before. An export
    of the same recordings adds them again. A removal that was stopped is asked again.

    Args:
        lake: folder or URL.
        replays: their SHA-256, or ``path-…`` of inputs that could not be read.

    Raises:
        FileNotFoundError: there is no lake.
        KeyError: it does not have one of the replays.
        OSError: the lake cannot be written.
    """
    work = Care(lake)
    held = {row for file in work.info.files for row in work.info.read(file, ["replay"])["replay"].to_pylist()}
    wanted = {*replays}
    if wanted - held and (unknown := sorted(wanted - held - work.half_removed())):
        raise KeyError(f"{work.tables.store.location}: no replay {unknown[0]!r}")
    if wanted & held:
        with scratch_folder(work.tables.store) as scratch:
            table = InfoTable(work.tables, scratch)
            work.tables.retried(lambda: table.edit(wanted & held))
    gone = array_of(sorted(wanted), pa.string())
    # Files of `info` go last: they tell the next removal that this one was stopped.
    for name in sorted(table_names(work.tables.store), key=INFO.__eq__):
        if name != INFO:
            work.tables.retried(lambda: work.rewrite(name, lambda rows: pc.is_in(rows["replay"], gone), None, 0))  # noqa: B023
        work.tables.vacuum(name, 0, strays=False)
    return len(wanted)


class Care:
    """A lake that is rewritten."""

    def __init__(self, lake: str | os.PathLike[str]) -> None:
        store = open_store(lake)
        info = open_info(store)
        if info is None:
            raise FileNotFoundError(f"{os.fspath(lake)}: there is no lake (nothing was exported to it)")
        self.tables = LakeTables(store)
        self.info = info

    def half_removed(self) -> set[str]:
        """Return the replays that only files of earlier versions of `info` have: a removal that was stopped leaves
        these."""
        found: set[str] = set()
        for path in self.tables.outdated(INFO):
            with self.tables.store.open(path) as file:
                found.update(pq.read_table(file, columns=["replay"])["replay"].to_pylist())
        return found

    def dead(self, keep_hours: int) -> Dead:
        """Return a test for rows that count neither now nor did so some hours ago."""
        store = self.tables.store
        then = datetime.now(UTC) - timedelta(hours=keep_hours)
        readings = [
            table.read(file, [READING.name])[READING.name]
            for table in (open_info(store), open_info(store, then) if keep_hours else None)
            if table is not None
            for file in table.files
        ]
        alive = array_of(sorted({each for column in readings for each in column.to_pylist()}), pa.string())
        return lambda rows: pc.invert(pc.is_in(rows[READING.name], alive))

    def rewrite(self, name: str, dead: Dead | None, unfinished: float | None, target: int) -> tuple[int, int]:
        """Write small files of a table together, and files with dead rows without these, as one commit; return
        the number of its files before and after.

        Args:
            dead: which rows go; None if all stay.
            unfinished: files that are younger may have rows of a commit that is not complete: they lose none.

        Raises:
            CommitFailedError (of deltalake): another process was faster.
        """
        table = self.tables.now(name)
        if table is None:
            return 0, 0
        # By the store's clock too: that of the writer may be slow.
        stored = {each.name: each.changed for each in self.tables.store.files(folder_of(name))}
        files = [replace(file, written=max(file.written, stored.get(file.path, 0.0))) for file in table.files]
        new: list[DataFile] = []
        old: list[DataFile] = []
        with scratch_folder(self.tables.store) as scratch:
            for game in sorted({file.game for file in files}, key=str):
                mine = [file for file in files if file.game == game]
                for some in _batches(table, mine, dead, unfinished, target):
                    parts = _alive(table, some, dead)
                    first = next(parts, None)
                    old += some
                    if first is not None:
                        move_in, rows = self.tables.store.move_in, chain([first], parts)
                        new.append(write_file(move_in, scratch, f"{make_name()}-0", name, game, rows))
        if old:
            self.tables.commit(table, new, old, changed=sum(f.rows for f in old) > sum(f.rows for f in new))
        return len(table.files), len(table.files) - len(old) + len(new)


def _batches(
    table: LakeTable, files: Iterable[DataFile], dead: Dead | None, unfinished: float | None, target: int
) -> Iterator[dict[DataFile, bool]]:
    """Yield the files of a game to write together, and of each whether it has dead rows."""
    some: dict[DataFile, bool] = {}
    size = 0
    for file in files:
        is_old = unfinished is None or file.written <= unfinished
        has_dead = dead is not None and is_old and _has_dead(table, file, dead)
        if not has_dead and file.size >= target // 2:
            continue
        if some and size + file.size > target:
            if len(some) > 1 or any(some.values()):
                yield some
            some, size = {}, 0
        some[file] = has_dead
        size += file.size
    if len(some) > 1 or any(some.values()):
        yield some


def _has_dead(table: LakeTable, file: DataFile, dead: Dead) -> bool:
    return pc.any(dead(table.read(file, ["replay", READING.name]))).as_py() is True


def _alive(table: LakeTable, files: Mapping[DataFile, bool], dead: Dead | None) -> Iterator[pa.Table]:
    columns = table.columns_of(files)  # of one game
    for file, has_dead in files.items():
        rows = table.read(file, columns)
        if dead is not None and has_dead:
            rows = rows.filter(pc.invert(dead(rows)))
        if rows.num_rows:
            yield rows
