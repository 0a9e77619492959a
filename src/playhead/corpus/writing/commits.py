"""Write tables as data files of a lake and commit them: `info` last. From then on a replay is there.

Data files have plain types, are sorted by replay, dictionary-encoded, zstd. Columns of times and positions use
compact encodings: rising whole numbers as differences, floats split by byte. Both are standard Parquet. A file
says nothing of Arrow: text is text to every reader.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Self

from playhead.corpus.delta import GAME, INFO, DataFile, LakeTable, LakeTables, folder_of, stored_type
from playhead.corpus.facts import LAKE_INPUTS, READING
from playhead.corpus.writing.decode import GOOD, Outcome, Request, has_all, joined
from playhead.corpus.writing.identity import is_of_path
from playhead.io.store import Store, naming
from playhead.runtime.libraries import cast_array, pa, pc, pq
from playhead.runtime.records import dataclass
from playhead.tables.arrow import to_rows
from playhead.tables.combined import REPLAY, combined_schema
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.text.json import storable, valid_text
from playhead.version import __version__

#: Least number of rows of a row group, except the last.
GROUP_ROWS = 1 << 18

_LEVEL = 3
#: The same for text, which needs the most memory.
_TEXT_LEVEL = 9

#: Moves a complete local file to a name in a store.
Move = Callable[[str, Path], object]


def make_name() -> str:
    """Return a name for files and readings that no other process makes: later ones are greater, by this clock."""
    return f"{time.time_ns() // 1_000_000:011x}{secrets.token_hex(5)}"


def write_file(
    move_in: Move, scratch: Path, name: str, table: str, game: str | None, parts: Iterable[pa.Table]
) -> DataFile:
    """Write tables with the same columns, `READING` among them and at least one row, as one data file.

    Args:
        move_in: of the lake's store.
        name: of the file, without suffix.

    Raises:
        OSError: the file cannot be written.
        ValueError: the written file has another number of rows.
    """
    path = scratch / f"{name}-{folder_of(table)}.parquet.part"
    rows = 0
    writer = None
    ends: dict[str, list[str]] = {READING.name: [], REPLAY.name: []}
    with naming(str(path)):
        try:
            for piece in map(_stored, _pieces(parts)):
                if writer is None:
                    writer = pq.ParquetWriter(path, piece.schema, **_encoding(piece.schema))
                writer.write_table(piece, row_group_size=max(piece.num_rows, 1))
                rows += piece.num_rows
                for column, found in ends.items():
                    found += _ends_of(piece[column])
                del piece  # before the next one is made
        finally:
            if writer is not None:
                writer.close()
        size, written = path.stat().st_size, pq.read_metadata(path).num_rows
    if written != rows:
        raise ValueError(f"{path}: has {written} rows of {rows}")
    readings, replays = ((min(found), max(found)) for found in ends.values())
    file = DataFile(table, f"{name}.parquet", game, rows, size, readings, replays)
    move_in(file.path, path)
    return file


def _ends_of(column: pa.ChunkedArray) -> list[str]:
    known = [value for value in column.unique().to_pylist() if value is not None]
    return [min(known), max(known)]


def _stored(table: pa.Table) -> pa.Table:
    """Return a table with the types of files: a category is written as text without a conversion."""
    if GAME in table.column_names:  # the partition
        table = table.drop_columns(GAME)
    for place, field in enumerate(table.schema):
        type_ = field.type if pa.types.is_dictionary(field.type) else stored_type(field.type)
        if type_ != field.type:
            table = table.set_column(place, field.name, cast_array(table[place], type_))
    return table.replace_schema_metadata(None)


def _pieces(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Concatenate tables to `GROUP_ROWS` rows or more; keep none of those that were yielded."""
    waiting: list[pa.Table] = []
    rows = 0
    for table in tables:
        waiting.append(table)
        rows += table.num_rows
        del table
        if rows >= GROUP_ROWS:
            yield joined(waiting).unify_dictionaries().combine_chunks()
            rows = 0
    if waiting:
        yield joined(waiting).unify_dictionaries().combine_chunks()


def _encoding(schema: pa.Schema) -> Mapping[str, Any]:
    """Return the encoding of each column."""
    encodings: dict[str, str] = {}
    dictionaries: list[str] = []
    levels: dict[str, int] = {}
    for field in schema:
        leaf = f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name
        levels[leaf] = _TEXT_LEVEL if pa.types.is_string(field.type) else _LEVEL
        if pa.types.is_integer(field.type) and field.name.endswith(("tick", "sequence")):
            encodings[leaf] = "DELTA_BINARY_PACKED"
        elif pa.types.is_floating(field.type):
            encodings[leaf] = "BYTE_STREAM_SPLIT"
        else:
            dictionaries.append(leaf)
    return {
        "compression": dict.fromkeys(levels, "zstd"),
        "compression_level": levels,
        "use_dictionary": dictionaries,
        "column_encoding": encodings,
        "write_page_checksum": True,
        "store_schema": False,
    }


def with_readings(table: pa.Table, reading_of: Callable[[str], str]) -> pa.Table:
    """Return a table with `READING` after its replay and file, whose dictionary is that of the replays."""
    column = table[REPLAY.name]
    chunks = []
    for chunk in column.chunks:
        words = array_of([reading_of(replay) for replay in chunk.dictionary.to_pylist()], pa.string())
        chunks.append(pa.DictionaryArray.from_arrays(chunk.indices, words))
    return table.add_column(2, READING.name, pa.chunked_array(chunks, column.type))


#: The reason of a replay of which a damaged file had rows. An export reads it again.
LOST = "lost"

#: What decides which of two rows of one input counts.
_KEYS = ("replay", "file", "status", "reason", "playhead", "wanted")
_Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Written:
    """Data files that wait for their commit.

    Attributes:
        schemas: of each table its description and its columns, each with the name of a file that has them.
        info: the rows of `LAKE_INPUTS`, with the facts of table ``info``.
    """

    files: tuple[DataFile, ...]
    schemas: Mapping[str, tuple[str, Sequence[tuple[str, pa.Schema]]]]
    info: pa.Table


def rows_of(outcomes: Iterable[Outcome], request: Request, readings: Mapping[str, str]) -> pa.Table:
    """Return the rows of `LAKE_INPUTS`."""
    return LAKE_INPUTS.build_rows([_row(outcome, request, readings[outcome.item.id]) for outcome in outcomes])


def _row(outcome: Outcome, request: Request, reading: str) -> dict[str, Any]:
    item = outcome.item
    info = dict(outcome.info)
    count = info.pop("problems", len(outcome.problems))
    same = ("status", "reason", "error", "attempts", "signal", "peak_memory", "log")
    row: dict[str, Any] = {
        "replay": item.id,
        "file": item.file,
        "file_bytes": None if valid_text(item.file) == item.file else os.fsencode(item.file),
        "reading": reading,
        "copies": list(item.copies),
        "grew_from": list(item.grew_from),
        "size": item.size,
        "changed": item.changed,
        "problem_count": count,
        "problems": [json.dumps(problem.as_dict()) for problem in outcome.problems],
        "rows": json.dumps({part.table: part.rows for part in outcome.parts}),
        "wanted": request.wanted,
        "playhead": __version__,
        "read_seconds": round(outcome.seconds, 6),
        **{name: getattr(outcome, name) for name in same},
        **info,
    }
    return storable(row)


def with_facts(rows: pa.Table, facts: Sequence[pa.Table]) -> pa.Table:
    """Return rows of `LAKE_INPUTS` with the columns that table ``info`` of some of them has more."""
    if not facts:
        return rows
    held = pa.concat_tables(facts, promote_options="permissive").combine_chunks()
    places = pc.index_in(rows["replay"].combine_chunks(), held["replay"].cast(pa.string()).combine_chunks())
    for field in held.schema:
        if field.name not in rows.column_names:
            rows = rows.append_column(field, held[field.name].take(places))
    return rows


class Commits:
    """Commits in a thread, in their order; what comes meanwhile is committed together. A context manager."""

    def __init__(self, store: Store, scratch: Path) -> None:
        self._tables = LakeTables(store)
        self._info = InfoTable(self._tables, scratch)
        self._thread = ThreadPoolExecutor(1)
        self._given: SimpleQueue[Written] = SimpleQueue()
        self._running: list[Future[pa.Table | None]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown(cancel_futures=True)

    def give(self, written: Written) -> None:
        """Commit files soon."""
        self._given.put(written)
        self._running.append(self._thread.submit(self._commit))

    def done(self, *, rest: bool = False) -> Iterator[pa.Table]:
        """Yield the rows of `LAKE_INPUTS` that have been committed meanwhile; with `rest`, wait for all.

        Raises:
            OSError, ColumnTypeError: the lake cannot be written.
        """
        while self._running and (rest or self._running[0].done()):
            if (rows := self._running.pop(0).result()) is not None:
                yield rows

    def _commit(self) -> pa.Table | None:
        some: list[Written] = []
        with suppress(Empty):
            while True:
                some.append(self._given.get_nowait())
        return commit(self._tables, self._info, some) if some else None


def commit(tables: LakeTables, info: InfoTable, some: Sequence[Written]) -> pa.Table:
    """Commit files: those of `INFO` last. Return the rows of `LAKE_INPUTS`.

    Raises:
        OSError: the lake cannot be written.
        ColumnTypeError: a column has another type in the lake.
    """
    names = dict.fromkeys(name for each in some for name in each.schemas if name != INFO)
    for name in names:
        doc, schema = _columns(name, some)
        files = [file for each in some for file in each.files if file.table == name]
        tables.retried(lambda: _append(tables, name, schema, doc, files))  # noqa: B023 (called at once)
    rows = pa.concat_tables([each.info for each in some], promote_options="permissive")
    tables.retried(lambda: info.put(rows))
    return rows.select(LAKE_INPUTS.column_names)


def _columns(name: str, some: Sequence[Written]) -> tuple[str, pa.Schema]:
    docs, schemas = zip(*(each.schemas[name] for each in some if name in each.schemas), strict=True)
    schema = combined_schema(name, [each for held in schemas for each in held])
    place = schema.get_field_index("file") + 1
    return docs[0], schema.insert(place, LAKE_INPUTS.arrow().field(READING.name))


def _append(tables: LakeTables, name: str, schema: pa.Schema, doc: str, files: Sequence[DataFile]) -> None:
    table = tables.make(name, schema, doc)
    if files:
        tables.commit(table, files)


class InfoTable:
    """The table `INFO`, with a row for each input: a new one replaces that of an earlier reading."""

    def __init__(self, tables: LakeTables, scratch: Path) -> None:
        self._tables = tables
        self._scratch = scratch
        self._held: dict[str, list[_Row]] = {}

    def _refresh(self, table: LakeTable) -> dict[str, tuple[DataFile, _Row]]:
        """Return where the row of each input is; reads only files that are new."""
        files = {each.name: each for each in table.files}
        self._held = {name: rows for name, rows in self._held.items() if name in files}
        for name, file in files.items():
            if name not in self._held:
                self._held[name] = [*to_rows(table.read(file, _KEYS))]
        return {row["replay"]: (files[name], row) for name, rows in self._held.items() for row in rows}

    def put(self, rows: pa.Table) -> None:
        """Commit rows in place of those that they replace. A row that is no better than the one there is left out.

        Raises:
            CommitFailedError (of deltalake): another process was faster.
        """
        table = self._tables.make(INFO, rows.schema, LAKE_INPUTS.doc)
        held = self._refresh(table)
        new = to_rows(rows.select([*_KEYS, "grew_from"]))
        known = {row["file"] for _, row in held.values() if not is_of_path(row["replay"])}
        kept = [_is_wanted(row, held, known) for row in new]
        better = {row["file"] for row in new if not is_of_path(row["replay"])}
        gone = {row["replay"] for row, is_kept in zip(new, kept, strict=True) if is_kept}
        gone |= {
            old for row, is_kept in zip(new, kept, strict=True) if is_kept and row["status"] in GOOD
            for old in row["grew_from"] or ()
        }  # fmt: skip
        gone |= {id for id, (_, row) in held.items() if is_of_path(id) and row["file"] in better}
        self._change(table, [rows.filter(array_of(kept, pa.bool_()))], gone & held.keys(), held)

    def edit(self, replays: Collection[str], edited: Callable[[pa.Table], pa.Table] | None = None) -> None:
        """Commit other rows in place of those of some replays, or none."""
        table = self._tables.now(INFO)
        held = {} if table is None else self._refresh(table)
        gone = {*replays} & held.keys()
        if table is not None and gone:
            words = array_of(sorted(gone), pa.string())
            every = {held[each][0].name: held[each][0] for each in gone}.values() if edited else ()
            rows = (table.read(file) for file in every)
            new = [edited(each.filter(pc.is_in(each["replay"], words))) for each in rows] if edited else []
            self._change(table, new, gone, held)

    def _change(
        self,
        table: LakeTable,
        new: list[pa.Table],
        gone: Collection[str],
        held: Mapping[str, tuple[DataFile, _Row]],
    ) -> None:
        """Commit new rows and the removal of others."""
        words = array_of(sorted(gone), pa.string())
        touched = {held[replay][0].name: held[replay][0] for replay in gone}
        every = (table.read(file) for file in touched.values())
        parts = [*new, *(rows.filter(pc.invert(pc.is_in(rows["replay"], words))) for rows in every)]
        rows = pa.concat_tables(parts, promote_options="permissive") if parts else None
        files = self._files(rows) if rows is not None and rows.num_rows else []
        if files or touched:
            self._tables.commit(table, files, touched.values(), alone=True)

    def _files(self, rows: pa.Table) -> list[DataFile]:
        found = []
        name = make_name()
        for number, game in enumerate(sorted(rows[GAME].unique().to_pylist(), key=str)):
            mine = (
                pc.equal(rows[GAME], scalar_of(game, pa.string())) if game is not None else pc.is_null(rows[GAME])
            )
            some = rows.filter(mine).sort_by("replay")
            found.append(
                write_file(self._tables.store.move_in, self._scratch, f"{name}-{number}", INFO, game, [some])
            )
        return found


def _is_wanted(new: _Row, held: Mapping[str, tuple[DataFile, _Row]], known: Collection[str]) -> bool:
    """Return whether a row should replace the one that there is, if any."""
    if is_of_path(new["replay"]) and new["file"] in known:
        return False
    if new["replay"] not in held:
        return True
    old = held[new["replay"]][1]
    if old["status"] not in GOOD or old["reason"] == LOST:
        return True
    same = old["playhead"] == new["playhead"] and has_all(old["wanted"], new["wanted"])
    return new["status"] in GOOD and not same
