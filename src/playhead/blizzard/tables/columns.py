"""Columns that most tables begin with, as schemas and as Arrow arrays."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.merged_rows import row_heads
from playhead.errors import LimitExceeded
from playhead.runtime.libraries import pa
from playhead.tables.number_columns import float64_column, int32_column
from playhead.tables.vocabulary import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from playhead.blizzard.events.columns import EventFields, EventStream, StreamRows
    from playhead.blizzard.tables.registry import GameSource, StreamSource

WHEN = words("tick seconds player")
WHO = words("tick seconds user player")
END = words("end_tick end_seconds")


def when(ticks: array[int], source: StreamSource, prefix: str = "") -> dict[str, pa.Array]:
    """Return the columns tick and seconds of loops (``array('q')``, `NOTHING` for none); ``end_`` is a prefix."""
    seconds = float64_column(ticks, NOTHING, 10, 10 * source.loops_per_second)  # as `Clock.seconds`
    return {f"{prefix}tick": int32_column(ticks, NOTHING), f"{prefix}seconds": seconds}


def when_of(events: EventFields, source: StreamSource) -> dict[str, pa.Array]:
    """Return the columns tick and seconds of events."""
    columns = when_and_who(events, source)
    return {name: columns[name] for name in ("tick", "seconds")}


def when_and_who(events: EventFields | EventStream, source: StreamSource) -> dict[str, pa.Array]:
    """Return the columns tick, seconds, user and player of events."""
    from playhead.blizzard.events.columns import EventStream

    if isinstance(events, EventStream):
        return dict(events.once("when_and_who", lambda held: rows_of(held.rows, None, source)))
    return dict(events.once("when_and_who", lambda: rows_of(events.stream, events.orders, source)))


def rows_of(stream: StreamRows, orders: array[int] | None, source: StreamSource) -> dict[str, pa.Array]:
    """Return the columns tick, seconds, user and player of some rows of a stream (``array('i')``), or of all."""
    ticks, users, *_ = stream.heads
    return row_heads(orders, ticks, users, source.players_by_user, source.loops_per_second)


def rows_with(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
    """Return rows as mappings, from the values of these columns."""
    return [dict(zip(names, row, strict=True)) for row in rows]


def may_make(count: int, tick: int, source: GameSource, table: str, cost: str) -> bool:
    """Return whether a table may have so many rows; if not, that is noted."""
    try:
        source.limits.check_steps(count, 0, table)
    except LimitExceeded as error:
        source.note(error.locate(where="events", tick=tick), cost=cost)
        return False
    return True


def moment(loop: int | None, rate: float, prefix: str = "") -> dict[str, float | None]:
    """Return the values of the columns tick and seconds of a loop, after a prefix (``end_``)."""
    return {f"{prefix}tick": loop, f"{prefix}seconds": None if loop is None else loop * 10 / (rate * 10)}
