"""The tables ``game_events``, ``message_events``, ``tracker_events`` (whole streams) and ``event_counts``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from playhead.blizzard.encoding.field_column import NOTHING, wide
from playhead.blizzard.events import kind_of
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.merged_rows import tallied
from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER
from playhead.blizzard.tables.columns import WHO, rows_with, when_and_who
from playhead.blizzard.tables.registry import GameSource, GameTables
from playhead.runtime.libraries import pa
from playhead.tables.deferred import Built, DeferredTable, Maker
from playhead.tables.number_columns import named_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

EVENT = word("event", "Blizzard's name of it, without ``NNet.Game.`` or ``NNet.Replay.Tracker.``.")
FIELDS = word(
    "fields",
    "All, under Blizzard's names. Bit arrays are texts of 0 and 1, first bit first; bytes that are not UTF-8 are "
    '``{"hex": …}``.',
)


EVENT_COUNTS = TableSchema.of(
    "event_counts",
    "How many events of each kind the three streams have.",
    Column("stream", "category", "game, message or tracker."),
    EVENT,
    word("kind", "Which `Replay.events` takes."),
    Column("event_type_id", "int64", "Number of the event in the stream; means another event in another build."),
    Column("is_named", "bool", "The type table names the event; else its fields are under their numbers."),
    word("count"),
    Column("first_tick", "int32", "Loop of the first.", "ticks"),
    Column("last_tick", "int32", "Loop of the last.", "ticks"),
    group="messages",
)


def counts_of(stream: EventStream) -> dict[int, tuple[int, int, int]]:
    """Return the number of events of each number in a stream, and the loops of the first and the last."""
    return stream.once("counts", lambda held: tallied(held.rows.heads[2], held.rows.heads[0]))


def _whole_stream(schema: TableSchema, name: str, source: GameSource) -> Built:
    stream = source.stream(name, text="later")
    if stream is None:
        return schema.build_rows([])
    columns = when_and_who(stream, source)
    names = {number: stream.name_of(number) for number in counts_of(stream)}
    columns["event"] = named_column(wide(stream.rows.heads[2]), NOTHING, names)
    if stream.has_text:
        columns["fields"] = stream.text
        return schema.build({column: columns[column] for column in schema.column_names})
    names_ready = [column for column in schema.column_names if column != FIELDS.name]
    ready = schema.build({column: columns[column] for column in names_ready}, names_ready)
    make = stream.text_later()

    def begin(_names: Sequence[str]) -> Maker:
        text = make()
        return lambda first, count: {FIELDS.name: text.slice(first, count)}

    return DeferredTable(schema.arrow(), len(stream), ready, begin, len(stream.data))


def event_counts(source: GameSource) -> pa.Table:
    """Return the table ``event_counts``."""
    rows = []
    for name in (GAME, MESSAGE, TRACKER):
        stream = source.stream(name)
        if stream is None:
            continue
        for number, (count, first, last) in counts_of(stream).items():
            event = stream.name_of(number)
            rows.append((name, event, kind_of(event), number, number in stream.names, count, first, last))
    return EVENT_COUNTS.build_rows(rows_with(EVENT_COUNTS.column_names, rows))


def add_to(tables: GameTables, tracker_since: str = "") -> None:
    """Add the tables to those of a game; `tracker_since` says which version began to write the tracker."""
    streams = (
        (GAME, ", all fields included.", WHO),
        (MESSAGE, ": chat, pings, loading, connections.", WHO),
        (TRACKER, f", all fields included. {tracker_since}".rstrip(), words("tick seconds")),
    )
    for stream, doc, columns in streams:
        doc = f"Every event of ``replay.{stream}.events`` in file order{doc}"
        schema = TableSchema.of(f"{stream}_events", doc, *columns, EVENT, FIELDS, is_copy=True, group="messages")
        tables.table(schema, text_of=stream)(partial(_whole_stream, schema, stream))
    tables.table(EVENT_COUNTS)(event_counts)
