"""The check of a lake: the logs of its tables are compared with their files, and these with table `info`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator

from playhead.corpus.delta import (
    INFO,
    DamagedLake,
    DataFile,
    LakeTable,
    LakeTables,
    folder_of,
    open_info,
    open_table,
    table_names,
)
from playhead.corpus.facts import READING
from playhead.corpus.reading.lake import Lake
from playhead.corpus.writing.commits import LOST, InfoTable
from playhead.corpus.writing.shards import scratch_folder
from playhead.io.store import open_store
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass
from playhead.tables.value_arrays import array_of


@dataclass(frozen=True, slots=True)
class Fault:
    """One damaged or missing file of a lake.

    Attributes:
        name: its name in the lake.
        what: the fault.
        file: the data file that it is, if it is one.
    """

    name: str
    what: str
    file: DataFile | None = None


def check_lake(location: str | os.PathLike[str], *, whole: bool = True) -> tuple[Fault, ...]:
    """Compare the files of a lake with the logs of its tables; return the damage.

    Args:
        location: folder or URL.
        whole: read every file, and compare the rows of each table with those that table ``info`` has of each
            replay; otherwise compare sizes only.

    Raises:
        FileNotFoundError: there is no lake.
        ValueError: another version of playhead wrote it.
        OSError: it cannot be read.
    """
    store = open_store(location)
    found: list[Fault] = []
    try:
        info = open_info(store)
    except DamagedLake as error:
        return (Fault(INFO, str(error)),)
    if info is None:
        raise FileNotFoundError(f"{store.location}: there is no lake (nothing was exported to it)")
    found += _faults_of(info, whole=whole)
    lake = Lake(store, info)
    if not found and (twice := [replay for replay, rows in Counter(lake.replays).items() if rows > 1]):
        found.append(Fault(INFO, f"{len(twice)} replays have several rows, first {twice[0]}"))
    names = () if found else lake.tables
    for name in sorted({*names, *table_names(store)} - {INFO}):
        try:
            table = open_table(store, name)
        except DamagedLake as error:
            found.append(Fault(name, str(error)))
            continue
        if table is None:
            found.append(Fault(name, "the table is missing"))
            continue
        faults = list(_faults_of(table, whole=whole))
        if whole and name in names and not faults and (short := _short(lake, name, table)):
            text = f"{len(short)} replays have other numbers of rows than info says, first {short[0]}"
            faults.append(Fault(name, text))
        found += faults
    return tuple(found)


def _faults_of(table: LakeTable, *, whole: bool) -> Iterator[Fault]:
    files = table.files  # before the folder: another process may write both meanwhile
    sizes = {each.name: each.size for each in table.store.files(folder_of(table.name))}
    for file in files:
        size = sizes.get(file.path)
        if size is None or size < 0:
            yield Fault(file.path, "is missing" if size is None else "is a link or pipe", file)
        elif size != file.size:
            yield Fault(file.path, f"expected {file.size} bytes, found {size}", file)
        elif whole:
            try:
                table.read(file)
            except DamagedLake as error:
                yield Fault(file.path, str(error), file)


def _short(lake: Lake, name: str, table: LakeTable | None) -> list[str]:
    """Return the replays that have other numbers of rows in a table than their rows of `INFO` say."""
    held: Counter[str] = Counter()
    if table is not None:
        for file in table.files:
            held.update(table.read(file, [READING.name])[READING.name].to_pylist())
    return [replay for replay, reading, count in lake.counts(name) if count != held[reading]]


def repair_lake(location: str | os.PathLike[str]) -> tuple[tuple[Fault, ...], int]:
    """Take damaged data files out of a lake, and mark the replays that had rows in them: ``playhead lake retry``,
    or the next export, reads these again. Return the damage and the number of such replays.

    Damage of a log stays: export to another lake.

    Args:
        location: folder or URL.

    Raises:
        FileNotFoundError: there is no lake.
        OSError: it cannot be read or changed.
    """
    store = open_store(location)
    faults = check_lake(location)
    tables = LakeTables(store)
    for name in sorted({fault.file.table for fault in faults if fault.file is not None}):
        tables.retried(lambda: _drop(tables, name, faults))  # noqa: B023
    if not faults:
        return faults, 0
    info = open_info(store)
    assert info is not None
    lake = Lake(store, info)
    names = [name for name in lake.tables if name != INFO]
    lost = sorted({replay for name in names for replay in _short(lake, name, open_table(store, name))})
    with scratch_folder(store) as scratch:
        table = InfoTable(tables, scratch)
        tables.retried(lambda: table.edit(lost, _as_lost))
    return faults, len(lost)


def _drop(tables: LakeTables, name: str, faults: Collection[Fault]) -> None:
    table = tables.now(name)
    assert table is not None
    bad = {fault.file.name for fault in faults if fault.file is not None and fault.file.table == name}
    tables.commit(table, (), [file for file in table.files if file.name in bad])


def _as_lost(rows: pa.Table) -> pa.Table:
    """Return rows of `INFO` of replays that have lost rows of other tables."""
    for name, value in (("status", "partial"), ("reason", LOST)):
        place = rows.schema.get_field_index(name)
        rows = rows.set_column(place, rows.schema.field(place), array_of([value] * rows.num_rows, pa.string()))
    return rows
