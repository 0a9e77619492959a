"""Write the tables of a shard's replays as Parquet: sorted by replay, dictionary-encoded, zstd.

Columns of times and positions use compact encodings: rising whole numbers as differences, floats split by byte.
Both are standard Parquet.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from playhead.corpus.decode import Outcome, Part, read_parts
from playhead.corpus.manifest import DamagedLake, DataFile, Piece
from playhead.corpus.names import folder_of
from playhead.corpus.request import Request
from playhead.errors import ColumnTypeError
from playhead.io.store import FolderStore, Store
from playhead.runtime.libraries import pa, pq
from playhead.tables.combined import word_of

SCHEMAS = "_schemas"

#: Least number of rows of a row group, except the last.
GROUP_ROWS = 1 << 18

_LEVEL = 3
#: The same for text, which needs the most memory.
_TEXT_LEVEL = 9

#: Table, shape and partition of one data file.
Group = tuple[str, str, tuple[tuple[str, Any], ...]]

_NUMBERS = count()

#: Moves a complete local file to a name in a store.
Move = Callable[[str, Path], object]


def groups_of(outcomes: Iterable[Outcome], request: Request) -> dict[Group, list[tuple[Outcome, Part]]]:
    """Return the parts of each data file, in the order of the outcomes."""
    found: dict[Group, list[tuple[Outcome, Part]]] = {}
    for outcome in outcomes:
        parts = tuple((name, outcome.info.get(name)) for name in request.partition_by)
        for part in outcome.parts:
            found.setdefault((part.table, part.shape, parts), []).append((outcome, part))
    return found


def write_group(
    move_in: Move, scratch: Path, name: str, group: Group, parts: list[tuple[Outcome, Part]]
) -> DataFile:
    """Write one data file of a shard into a lake.

    Raises:
        OSError: the file cannot be written.
    """
    return write_file(move_in, scratch, name, group, read_parts(parts, GROUP_ROWS))


def write_file(move_in: Move, scratch: Path, name: str, group: Group, tables: Iterable[pa.Table]) -> DataFile:
    """Write tables of one shape, at least one of them with rows, as one data file into a lake.

    Args:
        move_in: of the lake's store.

    Raises:
        OSError: the file cannot be written.
        ValueError: the written file has another number of rows.
    """
    table, shape, divided = group
    # A number, as a file of another partition may not be moved yet.
    path = scratch / f"{name}-{shape}-{next(_NUMBERS)}.parquet.part"
    rows = 0
    writer = None
    try:
        for piece in _pieces(tables):
            if writer is None:
                writer = pq.ParquetWriter(path, piece.schema, **_encoding(piece.schema))
            writer.write_table(piece, row_group_size=max(piece.num_rows, 1))
            rows += piece.num_rows
    finally:
        if writer is not None:
            writer.close()
    size, checksum = _size_and_checksum(path)
    written = pq.read_metadata(path).num_rows
    if written != rows:
        raise ValueError(f"{path}: has {written} rows of {rows}")
    target = f"{folder_of(table, divided)}/{name}-{shape}.parquet"
    move_in(target, path)
    return DataFile(target, table, shape, dict(divided), rows, size, checksum)


def _pieces(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Concatenate tables to `GROUP_ROWS` rows or more."""
    waiting: list[pa.Table] = []
    rows = 0
    for table in tables:
        waiting.append(table)
        rows += table.num_rows
        if rows >= GROUP_ROWS:
            yield pa.concat_tables(waiting).unify_dictionaries().combine_chunks()
            waiting, rows = [], 0
    if waiting:
        yield pa.concat_tables(waiting).unify_dictionaries().combine_chunks()


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
    }


def _size_and_checksum(path: Path) -> tuple[int, str]:
    with path.open("rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
        return file.tell(), checksum


def write_schema(store: Store, shape: str, schema: pa.Schema) -> None:
    """Write an Arrow schema under its hash, unless it exists."""
    name = schema_path(shape)
    if not store.has(name):
        store.put(name, schema.serialize().to_pybytes())


def schema_path(shape: str) -> str:
    """Return the path of the schema of a shape in a lake."""
    return f"{SCHEMAS}/{shape}.arrow"


def read_schema(store: Store, shape: str) -> pa.Schema:
    """Read the Arrow schema of a shape.

    Raises:
        DamagedLake: it is missing or was changed.
    """
    name = schema_path(shape)
    try:
        data = store.get(name)
    except FileNotFoundError:
        raise DamagedLake(f"{store.path(name)}: is missing; see playhead lake check") from None
    if hashlib.sha256(data).hexdigest()[: len(shape)] != shape:
        raise DamagedLake(f"{store.path(name)}: changed; see playhead lake check")
    return pa.ipc.read_schema(pa.BufferReader(data))


def check_columns(path: str, file: DataFile, found: pa.Schema, rows: int, expected: pa.Schema) -> None:
    """Compare the columns and the number of rows of a data file with its schema in the lake and its manifest.

    Raises:
        ColumnTypeError: a column has another type.
        DamagedLake: it has other columns, or another number of rows.
    """
    if odd := sorted({*found.names} ^ {*expected.names}) or len(found) != len(expected):
        raise DamagedLake(f"{path}: columns that its schema lacks, or the reverse: {odd}; see playhead lake check")
    for field in expected:
        type_ = found.field(field.name).type
        if type_ != field.type:
            types = {"its schema": word_of(field.type), path: word_of(type_)}
            raise ColumnTypeError(file.table, field.name, types)
    if rows != file.rows:
        raise DamagedLake(f"{path}: expected {file.rows} rows, found {rows}; see playhead lake check")


def check_files(store: Store, pieces: Iterable[Piece], schema_of: Callable[[str], pa.Schema]) -> None:
    """Do so with the footers of files in a folder; at a URL that would take longer than many a query.

    Raises:
        ColumnTypeError, DamagedLake: as of `check_columns`, or a file cannot be read.
    """
    for file in (each.file for each in pieces if isinstance(store, FolderStore)):
        path = store.path(file.name)
        try:
            with store.open(file.name) as opened, pq.ParquetFile(opened) as parquet:
                found, rows = parquet.schema_arrow, parquet.metadata.num_rows
        except (OSError, pa.ArrowInvalid) as error:
            raise DamagedLake(f"{path}: cannot be read: {error}; see playhead lake check") from None
        check_columns(path, file, found, rows, schema_of(file.shape))
