"""Pages of tables, results of SQL, and both as files."""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from playhead.runtime.libraries import pc
from playhead.sql import query_replays
from playhead.sql.connection import connect, quoted

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.presentation import PresentedReplay

#: Rows of a page of a table, and limit of the shown rows of an SQL result.
PAGE = 200
MOST_ROWS = 5000
#: Seconds that a query may take.
SECONDS = 20.0
#: Run one query at a time: the tables of several would be in memory together.
_ONE = threading.Lock()


def table_page(
    replay: PresentedReplay,
    name: str,
    *,
    made: pa.Table | None = None,
    sort: str = "",
    descending: bool = False,
    search: str = "",
    offset: int = 0,
    ticks: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """Return a page of the rows with the text in any column, sorted by a column: of the table `made`, or else of
    the replay's table. With `ticks`, only rows from the first to the last tick, if the table has ticks.

    Raises:
        KeyError: there is no such table or column.
    """
    with _ONE:
        table = within(replay.table(name) if made is None else made, ticks)
    columns = table.schema.names
    if sort and sort not in columns:
        raise KeyError(f"no column {sort!r} in table {name}; it has {', '.join(columns)}")
    with closing(connect()) as connection:
        connection.register("shown", table)
        where, values = " WHERE true", []
        if search:
            tests = " OR ".join(f"CAST({quoted(column)} AS VARCHAR) ILIKE ? ESCAPE '\\'" for column in columns)
            where, values = f"{where} AND ({tests})", [f"%{_escaped(search)}%"] * len(columns)
        total = connection.sql(f"SELECT count(*) FROM shown{where}", params=values).fetchall()
        order = f" ORDER BY {quoted(sort)} {'DESC' if descending else 'ASC'} NULLS LAST" if sort else ""
        text = f"SELECT * FROM shown{where}{order} LIMIT {PAGE} OFFSET {max(0, int(offset))}"
        found = connection.sql(text, params=values).to_arrow_table()
    return {**rows_of(found), "total": total[0][0], "offset": offset}


def within(table: pa.Table, ticks: tuple[int, int] | None) -> pa.Table:
    """Return the rows from the first to the last of these ticks, if the table has ticks."""
    if ticks is None or "tick" not in table.schema.names:
        return table
    return table.filter(pc.and_(pc.greater_equal(table["tick"], ticks[0]), pc.less_equal(table["tick"], ticks[1])))


def sql(
    replays: Iterable[PresentedReplay],
    text: str,
    gone: Callable[[], bool] = lambda: False,
    most: int | None = None,
    names: Mapping[str, str] = MappingProxyType({}),
) -> pa.Table:
    """Return the result of one SQL statement over the tables of the recordings.

    It cannot read anything else. It is interrupted after `SECONDS`, or when `gone` returns True. `most` limits its
    rows; `names` are those of the recordings in the column `file`.

    Raises:
        ValueError: the text is not one valid statement; the message says why.
    """
    import duckdb

    with _ONE:
        try:
            return query_replays(text, replays, closed=True, seconds=SECONDS, gone=gone, most=most, names=names)
        except (duckdb.Error, KeyError) as error:
            raise ValueError(error.args[0] if error.args else str(error)) from None


def rows_of(table: pa.Table) -> dict[str, Any]:
    """Return a table, JSON-ready: names and types of its columns, and its rows as lists.

    Raises:
        ValueError: Python has no such value, as a date before the year 1.
    """
    try:
        rows = [list(row.values()) for row in table.slice(0, MOST_ROWS).to_pylist()] if table.num_columns else []
    except (OverflowError, ValueError) as error:
        raise ValueError(f"a value of the answer cannot be shown ({error}): cast it, as with ::VARCHAR") from None
    return {
        "columns": table.schema.names,
        "types": [re.sub(r"dictionary<values=(\w+).*", r"\1", str(field.type)) for field in table.schema],
        "rows": rows,
        "total": table.num_rows,
    }


def as_file(table: pa.Table, format: str) -> bytes:
    """Return a table as a file, ``csv`` or ``parquet``.

    Raises:
        ValueError: there is no such format.
    """
    from playhead.export.files import write_to

    file = io.BytesIO()
    write_to(file, table, format)
    return file.getvalue()


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
