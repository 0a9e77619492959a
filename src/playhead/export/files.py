"""Parquet, CSV and newline-delimited JSON, each written to a temporary name and moved into place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from playhead.whole_file import whole_file

if TYPE_CHECKING:
    import pyarrow as pa


def _parquet(table: pa.Table, path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, path, compression="zstd")


def _flat(table: pa.Table) -> pa.Table:
    """Columns that CSV has no notion of, as text: bytes in hexadecimal, lists as JSON."""
    import pyarrow as pa

    for index, field in enumerate(table.schema):
        column = table.column(index)
        if pa.types.is_binary(field.type):
            texts = [None if value is None else value.hex() for value in column.to_pylist()]
        elif pa.types.is_list(field.type):
            texts = [None if value is None else json.dumps(value, default=_plain) for value in column.to_pylist()]
        elif pa.types.is_dictionary(field.type):
            table = table.set_column(index, field.name, column.cast(pa.string()))
            continue
        else:
            continue
        table = table.set_column(index, field.name, pa.array(texts, pa.string()))
    return table


def _csv(table: pa.Table, path: Path) -> None:
    import pyarrow.csv as csv

    csv.write_csv(_flat(table), path)


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def _ndjson(table: pa.Table, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for batch in table.to_batches(max_chunksize=4096):
            for row in batch.to_pylist():
                file.write(json.dumps(row, ensure_ascii=False, default=_plain) + "\n")


FORMATS: dict[str, Callable[[pa.Table, Path], None]] = {"parquet": _parquet, "csv": _csv, "ndjson": _ndjson}


def write_table(table: pa.Table, folder: Path, name: str, format: str) -> Path:
    """Write ``folder/<name>.<format>``; it appears whole or not at all. Returns its path.

    Raises:
        ValueError: `format` is none of `FORMATS`.
        OSError: the folder or file cannot be written.
    """
    if format not in FORMATS:
        raise ValueError(f"unknown export format {format!r}; known are {', '.join(FORMATS)}")
    path = folder / f"{name}.{format}"
    with whole_file(path) as temporary:
        FORMATS[format](table, temporary)
    return path
