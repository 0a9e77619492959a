"""How notebooks and prompts show a replay and its tables; only the head of the file is decoded."""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path
from typing import Any

from playhead.clock import format_seconds
from playhead.presentation import PresentedReplay
from playhead.runtime.libraries import pa
from playhead.show.table_list import TableList
from playhead.text.html import facts_html, page_html, rows_html, tabs_html, title_html

_MOST_PROBLEMS = 40
_HEAD = 10
_PLAYER = ("player", "name", "clan", "kind", "side", "team", "character", "result")
#: Heights of the frame of a view, in pixels.
_LOWEST, _HIGHEST = 200, 4000


class InlineView:
    """A match that notebooks show: Jupyter, VS Code and Colab run the page in a frame of its own."""

    def __init__(self, page: bytes, height: int) -> None:
        """`page` is the page of a report, `height` that of the frame in pixels.

        Raises:
            ValueError: the height is not from 200 to 4000.
        """
        if not _LOWEST <= height <= _HIGHEST:
            raise ValueError(f"expected a height from {_LOWEST} to {_HIGHEST} pixels, got {height}")
        self.page = page
        self.height = height

    def _repr_html_(self) -> str:
        # The page may run its own script and save clips; it has no access to the notebook.
        return (
            f'<iframe srcdoc="{escape(self.page.decode())}" sandbox="allow-scripts allow-downloads" width="100%" '
            f'height="{self.height}" style="border:0;border-radius:8px" title="playhead"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<view of {len(self.page):,} bytes; a notebook shows it, `playhead view` does so elsewhere>"


def replay_html(replay: PresentedReplay) -> str:
    """Return info, players, tables and the problems found so far as tabs; only the head of the file is read."""
    info = replay.info
    facts = {
        "game": replay.presentation.title(info),
        "map": info.map,
        "played": info.played_at and info.played_at.isoformat(sep=" ", timespec="seconds"),
        "played is": info.played_at_is and info.played_at_is.replace("_", " "),
        "length": None if info.duration_seconds is None else format_seconds(info.duration_seconds),
        "winner": replay.presentation.winner(info),
        "complete": "yes" if info.complete else "no",
        "build": info.build,
        "ticks": info.duration_ticks,
        "ticks per second": info.ticks_per_second,
        "file": replay.name,
    }
    rows = [{name: getattr(player, name) for name in _PLAYER} for player in replay.players]
    filled = [name for name in _PLAYER if any(row[name] is not None for row in rows)]
    tables = replay.tables
    listed = tables.to_html() if isinstance(tables, TableList) else ""
    problems = replay.problems_so_far
    tabs = {
        "info": facts_html(facts),
        f"players ({len(rows)})": rows_html([{name: row[name] for name in filled} for row in rows]),
        f"tables ({len(tables)})": listed,
        f"problems so far ({len(problems)})": _problems(replay),
    }
    return page_html(title_html(Path(replay.name).name, f"{replay.format} replay"), tabs_html(tabs))


def _problems(replay: PresentedReplay) -> str:
    problems = [problem.as_dict() for problem in replay.problems_so_far]
    if not problems:
        return '<div class="ph-note">none met so far; replay.problems reads the whole file and lists them</div>'
    return rows_html(problems, most=_MOST_PROBLEMS)


def table_html(table: pa.Table) -> str | None:
    """Return the head of one of our tables, with types and the number of rows; None for other tables."""
    name = _name_of(table)
    if name is None:
        return None
    title = title_html(name, f"{table.num_rows:,} rows × {table.num_columns} columns")
    types = {field.name: _type_text(field.type) for field in table.schema}
    if not table.num_rows:
        return page_html(title, rows_html([{"column": name, "type": kind} for name, kind in types.items()]))
    more = f'<div class="ph-note">… {table.num_rows - _HEAD:,} more rows</div>' if table.num_rows > _HEAD else ""
    return page_html(title, rows_html(table.slice(0, _HEAD).to_pylist(), types=types), more)


def table_text(table: pa.Table) -> str | None:
    """Return the same as text."""
    name = _name_of(table)
    if name is None:
        return None
    rows = table.slice(0, _HEAD).to_pylist()
    columns = []
    for field in table.schema:
        cells = [
            field.name,
            _type_text(field.type),
            *("" if row[field.name] is None else _short(row[field.name]) for row in rows),
        ]
        width = max(map(len, cells))
        columns.append([cell.ljust(width) for cell in cells])
    lines = ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]
    more = [f"… {table.num_rows - _HEAD:,} more rows"] if table.num_rows > _HEAD else []
    return "\n".join([f"{name}: {table.num_rows:,} rows × {table.num_columns} columns", *lines, *more])


def _short(value: object) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 24 else f"{text[:23]}…"


def _type_text(type_: pa.DataType) -> str:
    text = str(type_)
    return "category" if text.startswith("dictionary<") else text


def _name_of(table: pa.Table) -> str | None:
    name = (table.schema.metadata or {}).get(b"playhead.table")
    return None if name is None else name.decode()


def teach_ipython() -> None:
    """Let a running IPython show our tables with `table_html` and `table_text`, and others as before."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None:
        return
    formatters = shell.display_formatter.formatters
    formatters["text/html"].for_type_by_name("pyarrow.lib", "Table", table_html)
    formatters["text/plain"].for_type_by_name("pyarrow.lib", "Table", _print_table)


def _print_table(table: pa.Table, printer: Any, cycle: bool) -> None:
    text = table_text(table)
    printer.text(repr(table) if text is None else text)
