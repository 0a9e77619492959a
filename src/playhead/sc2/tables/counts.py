"""The tables ``event_counts`` and ``apm``: how many of what."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from playhead.sc2.tables.raw_events import EVENT, event_names
from playhead.sc2.tables.registry import TableSource, event_table, table
from playhead.tables import arrow
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
    import pyarrow as pa

    rows = []
    for name in (GAME, MESSAGE, TRACKER):
        stream = source.stream(name)
        if stream is None:
            continue
        names = event_names(stream)
        counted = pa.table({"number": stream.number, "tick": stream.tick}).group_by("number", use_threads=False)
        for row in counted.aggregate([("tick", "count"), ("tick", "first"), ("tick", "last")]).to_pylist():
            number = row["number"]
            rows.append(
                {
                    "stream": name,
                    "event": names[number],
                    "kind": kind_of(names[number]),
                    "number": number,
                    "known": number in stream.names,
                    "count": row["tick_count"],
                    "first_tick": row["tick_first"],
                    "last_tick": row["tick_last"],
                }
            )
    return EVENT_COUNTS.build_rows(rows)


@event_table(APM, *_ACTIONS)
def apm(game: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``apm``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = []
    for type_ in _ACTIONS:
        done = game.of(type_)
        acts = pa.table({"user": done.user, "tick": done.tick})
        if type_ is SelectionDeltaEvent:
            acts = acts.filter(pc.equal(done.stored("group"), ACTIVE))
        parts.append(acts)
    acts = pa.concat_tables(parts)
    acts = acts.filter(pc.less(acts["user"], NO_USER))
    minute = pc.floor(pc.divide(acts["tick"].cast(pa.float64()), source.loops_per_second * 60)).cast(pa.int32())
    counted = acts.append_column("minute", minute).group_by(["user", "minute"]).aggregate([("tick", "count")])
    counted = counted.sort_by([("user", "ascending"), ("minute", "ascending")]).combine_chunks()
    users = counted["user"].combine_chunks()
    return APM.build(
        {
            "user": users,
            "player": arrow.lookup(users, source.players_by_user, pa.int32()),
            "minute": counted["minute"],
            "actions": counted["tick_count"],
        }
    )
