"""Parquet, CSV and newline-delimited JSON, each written to a temporary name and moved into place."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Collection, Iterable
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from playhead.export.folder import check_is_free, write_manifest
from playhead.export.workbook import write_workbook
from playhead.io.atomic import whole_file
from playhead.model import ReplayLike
from playhead.runtime.heap import arrow_on_the_heap
from playhead.runtime.libraries import pa, pc
from playhead.text.json import to_json

if TYPE_CHECKING:
    from playhead.tables.deferred import BuiltTables


def _parquet(parts: Iterable[pa.Table], schema: pa.Schema, file: BinaryIO) -> None:
    """Write parts, each while the next one is made: Arrow compresses without the lock of Python."""
    from concurrent.futures import ThreadPoolExecutor

    # `pyarrow.parquet` imports the clients of all cloud stores, and OpenSSL.
    from pyarrow._parquet import ParquetWriter

    writer = ParquetWriter(file, schema, version="2.6", compression="zstd", writer_engine_version="V2")
    with closing(writer), ThreadPoolExecutor(1) as other:
        writing = None
        for part in parts:
            if writing is not None:
                writing.result()
            writing = other.submit(writer.write_table, part)
        if writing is not None:
            writing.result()


def _hexadecimal(table: pa.Table) -> pa.Table:
    """Turn columns of bytes into hexadecimal text."""
    for index, field in enumerate(table.schema):
        if pa.types.is_binary(field.type):
            texts = [None if value is None else value.hex() for value in table.column(index).to_pylist()]
            table = table.set_column(index, field.name, pa.array(texts, pa.string()))
    return table


def _flat(table: pa.Table) -> pa.Table:
    """Turn columns that CSV cannot represent into text: bytes in hexadecimal, lists as JSON."""
    table = _hexadecimal(table)
    for index, field in enumerate(table.schema):
        column = table.column(index)
        if pa.types.is_nested(field.type):
            texts = [None if value is None else to_json(value) for value in column.to_pylist()]
            table = table.set_column(index, field.name, pa.array(texts, pa.string()))
        elif pa.types.is_dictionary(field.type):
            table = table.set_column(index, field.name, column.cast(pa.string()))
    return table


#: First characters of texts that a spreadsheet takes for formulas, in half and full width.
_FORMULA = "^[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"


def without_formulas(table: pa.Table) -> pa.Table:
    """Return a table as text for a spreadsheet, with an apostrophe before each text and column name that begins
    like a formula, and control characters escaped. Bytes, lists and structs are text as in CSV.
    """

    from playhead.text.visible import visible

    table = _flat(table)
    for index, field in enumerate(table.schema):
        if not (pa.types.is_string(field.type) or pa.types.is_large_string(field.type)):
            continue
        column = pc.if_else(
            pc.match_substring_regex(table.column(index), _FORMULA),
            pc.binary_join_element_wise("'", table.column(index), ""),
            table.column(index),
        )
        texts = [None if text is None else visible(text) for text in column.to_pylist()]
        table = table.set_column(index, field.name, pa.array(texts, field.type))
    quoted = re.compile(_FORMULA)
    return table.rename_columns(
        [visible(f"'{name}" if quoted.match(name) else name) for name in table.column_names]
    )


def _csv(parts: Iterable[pa.Table], schema: pa.Schema, file: BinaryIO) -> None:
    import pyarrow.csv as csv

    with csv.CSVWriter(file, _flat(schema.empty_table()).schema) as writer:
        for part in parts:
            writer.write_table(_flat(part))


def _ndjson(parts: Iterable[pa.Table], schema: pa.Schema, file: BinaryIO) -> None:
    for part in parts:
        for batch in part.to_batches(max_chunksize=4096):
            for row in batch.to_pylist():
                file.write(f"{to_json(row)}\n".encode())


def _xlsx(parts: Iterable[pa.Table], schema: pa.Schema, file: BinaryIO) -> None:
    write_workbook(file, [("table", map(_flat, chain([schema.empty_table()], parts)))])


#: Name of the file of all tables of a replay.
WORKBOOK = "tables.xlsx"

FORMATS: dict[str, Callable[[Iterable[pa.Table], pa.Schema, BinaryIO], None]] = {
    "parquet": _parquet,
    "csv": _csv,
    "ndjson": _ndjson,
    "xlsx": _xlsx,
}


def write_tables(
    replay: ReplayLike,
    folder: Path,
    names: Collection[str],
    format: str,
    *,
    piecewise: Collection[str] = (),
    formulas: bool = True,
    jobs: int = 1,
) -> list[Path]:
    """Write tables of a replay, those of `piecewise` in batches, with one pass over the replay each. Return the
    paths. The format ``xlsx`` has one file, `WORKBOOK`, with a sheet for each table.

    Without `formulas`, a spreadsheet runs no text of a CSV file (see `without_formulas`). A manifest
    (`folder.MANIFEST`) names the replay of the tables.

    Raises:
        KeyError: the replay has no such table.
        ValueError: `format` is not in `FORMATS`.
        FileExistsError: the folder holds tables of another replay.
        OSError: the folder or a file cannot be written.
        ReplayError: in strict mode, the first problem.
    """
    _check(format)
    for name in names:
        replay.schema_of(name)
    check_is_free(folder, replay, FORMATS)
    whole = [name for name in names if name not in piecewise]
    if format == "xlsx":
        built = replay.read_tables(whole, jobs=jobs)
        write_manifest(folder, replay)  # first: the folder belongs to this replay even after a failure
        heads = {name: replay.tables[name].arrow().empty_table() for name in names}
        sheets = ((name, chain([head], _parts(replay, name, built))) for name, head in heads.items())
        with whole_file(folder / WORKBOOK) as temporary, temporary.open("wb") as file:
            write_workbook(file, ((name, map(_flat, parts)) for name, parts in sheets))
        return [folder / WORKBOOK]
    paths: dict[str, Path] = {}
    with arrow_on_the_heap():
        for built in replay.tables_in_turn(whole, jobs=jobs):
            if not paths:
                write_manifest(folder, replay)
            for name in built:
                paths[name] = write_parts(
                    built.parts(name), built.schema(name), folder, name, format, formulas=formulas
                )
            del built  # before the next ones are made
            pa.default_memory_pool().release_unused()
    for name in [name for name in names if name in piecewise]:
        parts = _batches(replay, name)
        paths[name] = write_parts(parts, replay.tables[name].arrow(), folder, name, format, formulas=formulas)
    written = [paths[name] for name in names]
    write_manifest(folder, replay, written)
    return written


def _parts(replay: ReplayLike, name: str, built: BuiltTables) -> Iterable[pa.Table]:
    """Return a table of `built`, others batch by batch."""
    return built.parts(name) if name in built else _batches(replay, name)


def _batches(replay: ReplayLike, name: str) -> Iterable[pa.Table]:
    """Return a table batch by batch, in a pass."""
    return (pa.Table.from_batches([batch]) for batch in replay.batches(name, rows=1 << 18))


def write_table(table: pa.Table, folder: Path, name: str, format: str, *, formulas: bool = True) -> Path:
    """Write ``folder/<name>.<format>``, which appears complete or not at all; return its path.

    Raises:
        ValueError: `format` is not in `FORMATS`.
        OSError: the folder or file cannot be written.
    """
    return write_parts([table], table.schema, folder, name, format, formulas=formulas)


def write_parts(
    parts: Iterable[pa.Table], schema: pa.Schema, folder: Path, name: str, format: str, *, formulas: bool = True
) -> Path:
    """Write a table part by part as the parts come, a Parquet row group each; otherwise as `write_table`."""
    _check(format)
    path = folder / f"{name}.{format}"
    with whole_file(path) as temporary, temporary.open("wb") as file:
        _write(parts, schema, file, format, formulas=formulas)
    return path


def write_stream(file: BinaryIO, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> None:
    """Write an Arrow IPC stream, batch by batch as they come; after an error it has no end mark.

    Raises:
        OSError: the file cannot be written.
    """
    writer = pa.ipc.new_stream(file, schema)
    for batch in batches:
        writer.write_batch(batch)
    writer.close()


def write_to(file: BinaryIO, table: pa.Table, format: str, *, formulas: bool = True) -> None:
    """Write a table to an open file; `formulas` as in `write_tables`.

    Raises:
        ValueError: `format` is not in `FORMATS`.
        OSError: the file cannot be written.
    """
    _check(format)
    _write([table], table.schema, file, format, formulas=formulas)


def to_bytes(table: pa.Table, format: str) -> bytes:
    """Return a table as a file: one of `FORMATS`, or ``arrow``, an Arrow IPC stream; errors as of `write_to`."""
    file = io.BytesIO()
    if format == "arrow":
        write_stream(file, table.to_batches(), table.schema)
    else:
        write_to(file, table, format)
    return file.getvalue()


def _write(parts: Iterable[pa.Table], schema: pa.Schema, file: BinaryIO, format: str, *, formulas: bool) -> None:
    if format == "csv" and not formulas:
        parts = map(without_formulas, parts)
        schema = without_formulas(schema.empty_table()).schema
    FORMATS[format](parts, schema, file)


def _check(format: str) -> None:
    """Raise ValueError if `format` is not in `FORMATS`."""
    if format not in FORMATS:
        raise ValueError(f"unknown export format {format!r}; known are {', '.join(FORMATS)}")
