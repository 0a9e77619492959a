"""Parquet, CSV and newline-delimited JSON, each written to a temporary name and moved into place."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from playhead.io.atomic import whole_file

if TYPE_CHECKING:
    import pyarrow as pa


def _parquet(parts: Iterable[pa.Table], schema: pa.Schema, file: BinaryIO) -> None:
    import pyarrow.parquet as pq

    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for part in parts:
            writer.write_table(part)


def _flat(table: pa.Table) -> pa.Table:
    """Columns that CSV has no notion of, as text: bytes in hexadecimal, lists as JSON."""
    import pyarrow as pa

    for index, field in enumerate(table.schema):
        column = table.column(index)
        if pa.types.is_binary(field.type):
            texts = [None if value is None else value.hex() for value in column.to_pylist()]
        elif pa.types.is_nested(field.type):
            texts = [None if value is None else json.dumps(value, default=_plain) for value in column.to_pylist()]
        elif pa.types.is_dictionary(field.type):
            table = table.set_column(index, field.name, column.cast(pa.string()))
            continue
        else:
            continue
        table = table.set_column(index, field.name, pa.array(texts, pa.string()))
    return table


def _csv(parts: Iterable[pa.Table], schema: pa.Schema, file: BinaryIO) -> None:
    import pyarrow.csv as csv

    with csv.CSVWriter(file, _flat(schema.empty_table()).schema) as writer:
        for part in parts:
            writer.write_table(_flat(part))


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def _ndjson(parts: Iterable[pa.Table], schema: pa.Schema, file: BinaryIO) -> None:
    for part in parts:
        for batch in part.to_batches(max_chunksize=4096):
            for row in batch.to_pylist():
                file.write((json.dumps(row, ensure_ascii=False, default=_plain) + "\n").encode())


FORMATS: dict[str, Callable[[Iterable[pa.Table], pa.Schema, BinaryIO], None]] = {
    "parquet": _parquet,
    "csv": _csv,
    "ndjson": _ndjson,
}


def write_table(table: pa.Table, folder: Path, name: str, format: str) -> Path:
    """Write ``folder/<name>.<format>``; it appears whole or not at all. Returns its path.

    Raises:
        ValueError: `format` is none of `FORMATS`.
        OSError: the folder or file cannot be written.
    """
    return write_parts([table], table.schema, folder, name, format)


def write_parts(parts: Iterable[pa.Table], schema: pa.Schema, folder: Path, name: str, format: str) -> Path:
    """`write_table` of a table that comes in parts, each written when it comes; a Parquet row group for each."""
    _check(format)
    path = folder / f"{name}.{format}"
    with whole_file(path) as temporary, temporary.open("wb") as file:
        FORMATS[format](parts, schema, file)
    return path


def write_to(file: BinaryIO, table: pa.Table, format: str) -> None:
    """Write a table to a file that is open.

    Raises:
        ValueError: `format` is none of `FORMATS`.
        OSError: it cannot be written to.
    """
    _check(format)
    FORMATS[format]([table], table.schema, file)


def _check(format: str) -> None:
    """Raises ValueError if `format` is none of `FORMATS`."""
    if format not in FORMATS:
        raise ValueError(f"unknown export format {format!r}; known are {', '.join(FORMATS)}")
