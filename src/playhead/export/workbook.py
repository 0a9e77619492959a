"""Excel workbooks, with a sheet for each table.

Texts are never formulas or links. Whole numbers of more than 15 digits, which Excel would round, are text;
lists are JSON and bytes hexadecimal, as in CSV. A table with more rows than a sheet continues on further sheets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime
from itertools import chain
from typing import Any, BinaryIO

from playhead.runtime.extras import import_extra
from playhead.runtime.libraries import pa
from playhead.text.visible import visible

#: Limits of Excel: rows of a sheet with the head, letters of a cell and of the name of a sheet, exact integers.
ROWS, LETTERS, NAME, EXACT = 1 << 20, 32_767, 31, 10**15


def write_workbook(file: BinaryIO, tables: Iterable[tuple[str, Iterable[pa.Table]]]) -> None:
    """Write tables, each as its name and parts, in constant memory.

    Raises:
        ModuleNotFoundError: XlsxWriter is not installed (extra ``xlsx``).
    """
    library = import_extra("xlsxwriter", "xlsx", "a workbook")
    options = {"constant_memory": True, "remove_timezone": True, "strings_to_urls": False}
    with library.Workbook(file, {**options, "default_date_format": "yyyy-mm-dd hh:mm:ss"}) as book:
        bold = book.add_format({"bold": True})
        for name, parts in tables:
            left = iter(parts)
            first = next(left)
            sheet, row, number = None, ROWS, 0
            for values in (values for part in chain([first], left) for values in _rows(part)):
                if row == ROWS:
                    number += 1
                    sheet, row = _sheet(book, name, number, first.schema.names, bold), 1
                for column, value in enumerate(values):
                    _write(sheet, row, column, value)
                row += 1
            if sheet is None:
                _sheet(book, name, 1, first.schema.names, bold)


def _rows(table: pa.Table) -> Iterable[tuple[Any, ...]]:
    for batch in table.to_batches(max_chunksize=4096):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _sheet(book: Any, name: str, number: int, columns: list[str], bold: Any) -> Any:
    ending = "" if number == 1 else f" ({number})"
    sheet = book.add_worksheet(name.replace(":", " ")[: NAME - len(ending)] + ending)
    sheet.freeze_panes(1, 0)
    for place, column in enumerate(columns):
        sheet.write_string(0, place, column, bold)
    return sheet


def _write(sheet: Any, row: int, column: int, value: Any) -> None:
    if value is None:
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, datetime):
        sheet.write_datetime(row, column, value)
    elif (
        isinstance(value, int | float)
        and math.isfinite(value)
        and (isinstance(value, float) or abs(value) < EXACT)
    ):
        sheet.write_number(row, column, value)
    else:
        text = visible(str(value))
        more = f"… ({len(text)} characters)"
        sheet.write_string(row, column, text if len(text) <= LETTERS else text[: LETTERS - len(more)] + more)


def _is_exact(value: Any) -> bool:
    return abs(value) < EXACT if isinstance(value, int) else isinstance(value, float) and math.isfinite(value)
