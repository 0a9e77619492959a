"""Tables for people at a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import IO, TYPE_CHECKING, cast

from playhead.cli.output.standard import StyledOutput, print_err, print_out
from playhead.runtime.libraries import pa, pc
from playhead.text.json import to_json
from playhead.text.visible import visible

if TYPE_CHECKING:
    from rich.text import Text

_LONGEST_TEXT = 60


def print_table(table: pa.Table, *, rows: int) -> None:
    """Print the first `rows` rows, and the number of all rows if there are more."""
    numbers = [
        field.name
        for field in table.schema
        if any(is_a(field.type) for is_a in (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal))
    ]
    columns = [_values(column) for column in table.slice(0, rows).columns]
    shown = ([shown_value(each) if isinstance(each, float) else each for each in column] for column in columns)
    _print(table.column_names, zip(*shown, strict=True), numbers)
    if table.num_rows > rows:
        print_err(f"{rows} of {table.num_rows} rows; --rows N for more")


def _values(column: pa.ChunkedArray) -> list[object]:
    """Return values; numbers of 32 bits with the digits that they have, 93.1 rather than 93.09999847."""
    if pa.types.is_float32(column.type):
        return [None if text is None else float(text) for text in column.cast(pa.string()).to_pylist()]
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = pc.utf8_slice_codeunits(column, 0, _LONGEST_TEXT + 1)  # the rest is not shown
    return column.to_pylist()  # type: ignore[no-any-return]


def print_rows(rows: Sequence[Mapping[str, object]]) -> None:
    """Print rows with the same keys."""
    if not rows:
        return
    names = list(rows[0])
    numbers = [name for name in names if any(type(row[name]) in (int, float) for row in rows)]
    _print(names, (row.values() for row in rows), numbers)


def print_columns(lines: Sequence[Sequence[str]]) -> None:
    """Print lines of cells: the first column aligned left, the others right."""
    shown = [list(map(visible, line)) for line in lines]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for first, *rest in shown:
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        print_out("  ".join(cells).rstrip())


def _print(names: Sequence[str], rows: Iterable[Iterable[object]], right: Collection[str]) -> None:
    """Print a table whose columns are as wide as their content, even if the terminal is narrower."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    view = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in names:
        view.add_column(visible(name), justify="right" if name in right else "left", no_wrap=True)
    for row in rows:
        view.add_row(*map(_cell, row))
    file = cast("IO[str]", StyledOutput())
    needed = Console(width=1_000_000).measure(view).maximum
    width = max(needed, Console(file=file).width)
    Console(file=file, width=width, highlight=False).print(view)


def _cell(value: object) -> Text:
    from rich.text import Text

    if value is None:
        return Text("-", style="dim")
    return Text(_as_written(value) if isinstance(value, float) else shown_value(value))


def _as_written(number: float) -> str:
    """Return a number with the digits that people write: ``-159.25``, ``0.0123``."""
    return f"{round(number, 2):.15g}" if abs(number) >= 1 else f"{number:.3g}"


def shown_value(value: object) -> str:
    """Return a value as short text: numbers rounded, bytes in hexadecimal, long text cut."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, bytes):
        value = value.hex()
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        value = ", ".join(value)
    if isinstance(value, list | dict):
        value = to_json(value)
    text = visible(str(value))
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
