"""Write tables as data files of a lake: plain types, sorted by replay, dictionary-encoded, zstd.

Columns of times and positions use compact encodings: rising whole numbers as differences, floats split by byte.
Both are standard Parquet. A file says nothing of Arrow: text is text to every reader.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from playhead.corpus.delta import GAME, DataFile, folder_of, stored_type
from playhead.corpus.facts import READING
from playhead.corpus.writing.decode import joined
from playhead.runtime.libraries import cast_array, pa, pq
from playhead.tables.combined import REPLAY
from playhead.tables.value_arrays import array_of

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
