"""The data that a plot needs, and the error if a replay lacks them."""

from __future__ import annotations

from typing import Any

from playhead.errors import NothingToPlot
from playhead.presentation import PresentedReplay
from playhead.runtime.libraries import pc


def nothing(replay: PresentedReplay, picture: str, missing: str) -> NothingToPlot:
    """Return the error for a replay without the data of a plot; the message has the plots of the game."""
    plots, title = replay.presentation.plots, replay.presentation.title(replay.info)
    known = ", ".join(f"{name} ({note})" for name, note in plots.items())
    hint = f". Plots of {title}: {known}" if known else ""
    return NothingToPlot(f"no {picture} to plot: {missing}{hint}", file=replay.name)


def check_table(replay: PresentedReplay, picture: str, table: str) -> None:
    """Raise NothingToPlot if the replay has no such table."""
    if table not in replay.tables:
        raise nothing(replay, picture, f"a {replay.format_title} of {replay.info.game} has no table {table}")


def rows_of(replay: PresentedReplay, picture: str, table: str, columns: list[str], **options: Any) -> Any:
    """Return columns of a table that has rows; those that do not count for the match are left out, if others do.

    Raises:
        NothingToPlot: the replay has no such table, or it is empty.
        KeyError: the table has no such column.
    """
    check_table(replay, picture, table)
    known = replay.schema_of(table).column_names
    for column in columns:
        if column not in known:
            raise KeyError(f"no column {column!r} in table {table}; it has {', '.join(known)}")
    flag = ["counts"] if "counts" in known else []
    found = replay.table(table, columns=list(dict.fromkeys([*columns, *flag])), **options)
    if flag and pc.any(found["counts"]).as_py():
        found = found.filter(found["counts"])
    if not found.num_rows:
        raise nothing(replay, picture, f"table {table} of this replay is empty")
    return found.select(columns)
