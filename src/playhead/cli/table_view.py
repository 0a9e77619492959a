"""Tables as people read them in a terminal."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.text import Text

_LONGEST_TEXT = 60


def print_table(table: pa.Table, *, rows: int) -> None:
    """Print the first `rows` rows, and how many there are if that is not all.

    Columns are as wide as they need to be, also where that is wider than the terminal: nothing is squeezed away.
    """
    import pyarrow as pa
    from rich import box
    from rich.console import Console
    from rich.table import Table

    view = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for field in table.schema:
        number = pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
        view.add_column(field.name, justify="right" if number else "left", no_wrap=True)
    shown = table.slice(0, rows)
    for row in zip(*(column.to_pylist() for column in shown.columns), strict=True):
        view.add_row(*map(_cell, row))
    console = Console(highlight=False)
    wide = Console(width=1_000_000, highlight=False)
    width = wide.measure(view).maximum
    Console(width=max(width, console.width), highlight=False, soft_wrap=False).print(view)
    if table.num_rows > rows:
        print(f"{rows} of {table.num_rows} rows; --rows N for more", file=sys.stderr)


def _cell(value: object) -> Text:
    from rich.text import Text

    if value is None:
        return Text("-", style="dim")
    return Text(shown_value(value))


def shown_value(value: object) -> str:
    """One value in a line: numbers short, bytes in hexadecimal, long text cut."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, bytes):
        value = value.hex()
    if isinstance(value, list | dict):
        value = json.dumps(value, ensure_ascii=False, default=str)
    text = "".join(char if char.isprintable() else "\ufffd" for char in str(value).replace("\n", " "))
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
