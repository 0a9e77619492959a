"""The tables ``event_counts`` and ``apm``: how many of what."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from playhead.sc2.encoding.field_column import NOTHING
from playhead.sc2.events import kind_of
from playhead.sc2.events.columns import EventStream
from playhead.sc2.events.commands import (
    ACTIVE,
    COMMAND_EVENTS,
    ControlGroupUpdateEvent,
    SelectionDeltaEvent,
)
from playhead.sc2.protocol.tables import GAME, MESSAGE, NO_USER, TRACKER
from playhead.sc2.tables.columns import PLAYER, USER
from playhead.sc2.tables.merged_rows import per_minute
from playhead.sc2.tables.raw_events import EVENT, counts_of
from playhead.sc2.tables.registry import TableSource, event_table, table
from playhead.tables import arrow
from playhead.tables.number_columns import int32_column, int64_column
from playhead.tables.schema import Column, TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

_ACTIONS = (*COMMAND_EVENTS, SelectionDeltaEvent, ControlGroupUpdateEvent)

EVENT_COUNTS = TableSchema(
    name="event_counts",
    version=1,
    doc="How many events of each kind the three streams have.",
    columns=(
        Column("stream", "category", "game, message or tracker."),
        EVENT,
        Column("kind", "category", "Short word for the event, which `Sc2Replay.events` takes."),
        Column("number", "int64", "Number of the event in the stream; means another event in another build."),
        Column("known", "bool", "The type table names the event; else its fields are under their numbers."),
        Column("count", "int64", "How many there are."),
        Column("first_tick", "int64", "Loop of the first.", "ticks"),
        Column("last_tick", "int64", "Loop of the last.", "ticks"),
    ),
)

APM = TableSchema(
    name="apm",
    version=2,
    doc="Actions in each minute of the replay's clock: commands and their repetitions, changes of the active "
    "selection, uses of control groups. Camera moves are not actions.",
    columns=(
        USER,
        PLAYER,
        Column("minute", "int32", "Minute from the start, first is 0.", "min"),
        Column("actions", "int64", "Actions in that minute, which the end of the game may cut short."),
    ),
)


@table(EVENT_COUNTS)
def event_counts(source: TableSource) -> pa.Table:
    """Return the table ``event_counts``."""
    rows = []
    for name in (GAME, MESSAGE, TRACKER):
        stream = source.stream(name)
        if stream is None:
            continue
        for number, (count, first, last) in counts_of(stream).items():
            event = stream.name_of(number)
            rows.append(
                {
                    "stream": name,
                    "event": event,
                    "kind": kind_of(event),
                    "number": number,
                    "known": number in stream.names,
                    "count": count,
                    "first_tick": first,
                    "last_tick": last,
                }
            )
    return EVENT_COUNTS.build_rows(rows)


@event_table(APM, *_ACTIONS)
def apm(game: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``apm``."""
    import pyarrow as pa

    parts = []
    for type_ in _ACTIONS:
        done = game.of(type_)
        if type_ is SelectionDeltaEvent:
            chosen = zip(done.orders, done.numbers("group"), strict=True)
            parts.append(array("i", [order for order, group in chosen if group == ACTIVE]))
        else:
            parts.append(done.orders)
    ticks, who, *_ = game.heads
    users, minutes, counts = per_minute(parts, ticks, who, NO_USER, source.loops_per_second * 60)
    held = int32_column(users, NOTHING)
    return APM.build(
        {
            "user": held,
            "player": arrow.lookup(held, source.players_by_user, pa.int32()),
            "minute": int32_column(minutes, NOTHING),
            "actions": int64_column(counts, NOTHING),
        }
    )
