"""Events that are rows of tables: what a format says of each kind, and how the rows come in time order."""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from playhead.events import Event

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 4096
#: Columns of JSON text: their values become objects again.
_JSON = frozenset({"fields", "details"})


#: Columns, each with the values of which it has one.
Condition = tuple[tuple[str, tuple[Any, ...]], ...]


@dataclass(frozen=True, slots=True)
class EventSource:
    """Where the events of a kind are.

    Attributes:
        kind: short word for them.
        doc: what they are, in a sentence.
        table: the table whose rows they are.
        tick: its column that says when; rows where that is null are none.
        player: its column that says who; empty if none does.
        where: columns, and of which values each of them must have one.
        unless: the same; rows that fit are none.
        names: what columns are called as fields of the event, where that is another name.
    """

    kind: str
    doc: str
    table: str
    tick: str = "tick"
    player: str = "player"
    where: Condition = ()
    unless: Condition = ()
    names: tuple[tuple[str, str], ...] = ()


def events_of_tables(
    sources: Iterable[EventSource],
    tables: Mapping[str, pa.Table],
    seconds: Callable[[int], float | None],
) -> Iterator[Event]:
    """The events of all sources in time order; of one tick, in the order of the sources."""
    return heapq.merge(
        *(_events(source, tables[source.table], seconds) for source in sources), key=attrgetter("tick")
    )


def _events(source: EventSource, table: pa.Table, seconds: Callable[[int], float | None]) -> Iterator[Event]:
    """The events of one source, in time order."""
    rows = _rows(source, table)
    renamed = dict(source.names)
    told = {"tick", "seconds", source.tick, source.player}
    names = {
        name: renamed.get(name, name)
        for name in rows.column_names
        if name not in told and not (name == "game_seconds" and source.tick != "tick")
    }
    for batch in rows.to_batches(max_chunksize=_ROWS):
        for row in batch.to_pylist():
            fields = {
                shown: json.loads(value) if name in _JSON and isinstance(value, str) else value
                for name, shown in names.items()
                if (value := row[name]) is not None
            }
            tick = row[source.tick]
            yield Event(tick, seconds(tick), source.kind, row.get(source.player), fields)


def _rows(source: EventSource, table: pa.Table) -> pa.Table:
    """The rows that are events, in time order; payloads of bytes stay in the table."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kept = pc.is_valid(table[source.tick])
    if source.where:
        kept = pc.and_(kept, _fits(table, source.where))
    if source.unless:
        kept = pc.and_(kept, pc.invert(_fits(table, source.unless)))
    rows = table.filter(kept)
    rows = rows.select([field.name for field in rows.schema if not pa.types.is_binary(field.type)])
    # Sorting by one key keeps the order of rows of one tick only with their number as the second.
    order = pa.table({"tick": rows[source.tick], "row": pa.array(range(len(rows)), pa.int64())})
    return rows.take(pc.sort_indices(order, sort_keys=[("tick", "ascending"), ("row", "ascending")]))


def _fits(table: pa.Table, condition: Condition) -> pa.ChunkedArray:
    """Which rows fit all of a condition; a null fits nothing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    fits = None
    for column, values in condition:
        held = table[column]
        if pa.types.is_dictionary(held.type):
            held = held.cast(held.type.value_type)
        one = pc.is_in(held, value_set=pa.array(values, held.type))
        fits = one if fits is None else pc.and_(fits, one)
    return fits
