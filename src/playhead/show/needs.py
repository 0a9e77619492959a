"""What a picture needs, and which replays have it: the text of the error where one would be empty."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from playhead.errors import NothingToPlot
from playhead.model import ReplayLike

#: By picture: which of the built-in formats have what it draws.
WHO_HAS: Mapping[str, str] = MappingProxyType(
    {
        "positions": (
            "Dota 2 (heroes and couriers; not where a player recorded), StarCraft II from 2.0.8 on, teehistorian"
        ),
        "economy": "Dota 2 (net worth), StarCraft II from 2.0.8 on (statistics of the tracker)",
        "advantage": "Dota 2 and, from 2.0.8 on, StarCraft II, between two sides",
        "activity": (
            "Dota 2 (orders, where the recording has them; commands of who recorded), StarCraft II, teehistorian"
        ),
        "kills": "Dota 2 (the combat log), StarCraft II from 2.0.8 on, teehistorian (where tees were gone)",
        "build order": "StarCraft II from 2.0.8 on, of matches with players who build",
        "input timing": "teehistorian",
    }
)


def nothing(replay: ReplayLike, picture: str, missing: str) -> NothingToPlot:
    """The error of a replay that lacks what `picture` draws."""
    return NothingToPlot(f"no {picture} to plot: {missing}. Replays with it: {WHO_HAS[picture]}", file=replay.name)


def check_table(replay: ReplayLike, picture: str, table: str) -> None:
    """Raise NothingToPlot if the replay has no such table."""
    if table not in replay.tables:
        raise nothing(replay, picture, f"a {replay.format} replay of {replay.info.game} has no table {table}")


def rows_of(replay: ReplayLike, picture: str, table: str, columns: list[str], **options: Any) -> Any:
    """Columns of a table that has rows.

    Raises:
        NothingToPlot: the replay has no such table, or it is empty.
        KeyError: the table has no such column.
    """
    check_table(replay, picture, table)
    known = replay.schema_of(table).column_names
    for column in columns:
        if column not in known:
            raise KeyError(f"no column {column!r} in table {table}; it has {', '.join(known)}")
    found = replay.table(table, columns=columns, **options)
    if not found.num_rows:
        raise nothing(replay, picture, f"table {table} of this replay is empty")
    return found
