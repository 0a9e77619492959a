"""Pages of tables, and tables as JSON."""

from __future__ import annotations

import re
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Any

from playhead.runtime.libraries import pc
from playhead.sql.connection import connect, quoted
from playhead.tables.arrow import with_exact_numbers

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.presentation import PresentedReplay

#: Rows of a page of a table, and limit of the shown rows of an SQL result.
PAGE = 200
MOST_ROWS = 5000
#: Build one table at a time: those of several would be in memory together.
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


def rows_of(table: pa.Table) -> dict[str, Any]:
    """Return a table, JSON-ready: names and types of its columns, and its rows as lists; see `with_exact_numbers`.

    Raises:
        ValueError: Python has no such value, as a date before the year 1.
    """
    try:
        shown = with_exact_numbers(table.slice(0, MOST_ROWS))
        rows = [list(row.values()) for row in shown.to_pylist()] if table.num_columns else []
    except (OverflowError, ValueError) as error:
        raise ValueError(f"a value of the answer cannot be shown ({error}): cast it, as with ::VARCHAR") from None
    return {
        "columns": table.schema.names,
        "types": [re.sub(r"dictionary<values=(\w+).*", r"\1", str(field.type)) for field in table.schema],
        "rows": rows,
        "total": table.num_rows,
    }


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
