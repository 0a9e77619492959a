"""Excel workbooks, with a sheet for each table.

Texts are never formulas, links or markup. Whole numbers of more than 15 digits, which Excel would round, are text;
lists are JSON and bytes hexadecimal, as in CSV. A table with more rows than a sheet continues on further sheets;
one with more columns is an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import datetime
from itertools import chain
from typing import Any, BinaryIO

from playhead.runtime.extras import import_extra
from playhead.runtime.libraries import pa
from playhead.text.visible import visible

#: Limits of Excel: rows of a sheet with the head, columns, letters of a cell (in UTF-16) and of
#: the name of a sheet, exact integers.
ROWS, COLUMNS, LETTERS, NAME, EXACT = 1 << 20, 1 << 14, 32_767, 31, 10**15


def write_workbook(file: BinaryIO, tables: Iterable[tuple[str, Iterable[pa.Table]]]) -> None:
    """Write tables, each as its name and parts, in constant memory.

    Raises:
        ValueError: a table has more columns than a sheet.
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
    if len(columns) > COLUMNS:
        raise ValueError(f"table {name} has {len(columns)} columns, a sheet at most {COLUMNS}")
    sheet = book.add_worksheet(_title(name, number, {each.name.lower() for each in book.worksheets()}))
    sheet.freeze_panes(1, 0)
    for place, column in enumerate(columns):
        _write_text(sheet, 0, place, column, bold)
    return sheet


def _title(name: str, number: int, taken: set[str]) -> str:
    """Return a name for a sheet that Excel takes, with the first number from this one on that makes it unique."""
    name = re.sub(r"[\[\]:*?/\\']", " ", visible(name))
    while True:
        ending = "" if number == 1 else f" ({number})"
        title = name[: NAME - len(ending)] + ending
        if title.lower() not in taken:
            return title
        number += 1


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
        _write_text(sheet, row, column, str(value))


def _write_text(sheet: Any, row: int, column: int, text: str, *form: Any) -> None:
    text = visible(text)
    if len(text) > LETTERS // 2 and (units := len(text.encode("utf-16-le")) // 2) > LETTERS:
        more = f"… ({len(text)} characters)"
        # A letter beyond the Basic Multilingual Plane counts twice.
        text = text[: (LETTERS - len(more)) // (1 if units == len(text) else 2)] + more
    if text.startswith("<r>") and text.endswith("</r>"):  # the library takes it for markup that is ready
        sheet.write_rich_string(row, column, *text[:2], text[2:], *form)
    else:
        sheet.write_string(row, column, text, *form)
