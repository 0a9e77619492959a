"""Tables of streams and messages that all games have: events, whole streams, chat, pings, leaves, members."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import playhead.events
from playhead.blizzard.encoding.field_column import NOTHING, wide
from playhead.blizzard.events import kind_of
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.game import (
    LEAVE_REASONS,
    GameUserLeaveEvent,
    HijackReplayGameEvent,
    PlayerLeaveEvent,
    taken_over,
)
from playhead.blizzard.events.merged_rows import tallied
from playhead.blizzard.events.messages import ChatMessage, PingMessage
from playhead.blizzard.events.reading import STREAMS, events_of, in_time_order, payload_rows
from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER
from playhead.blizzard.tables import units
from playhead.blizzard.tables.registry import WHO, GameSource, GameTables, rows_with, when, when_and_who
from playhead.runtime.libraries import pa, pc
from playhead.tables import arrow
from playhead.tables.deferred import Built, DeferredTable, Maker
from playhead.tables.number_columns import int32_column, is_ascending, named_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import CHAT, EVENTS
from playhead.tables.value_arrays import scalar_of
from playhead.tables.vocabulary import word, words


def events(source: GameSource) -> pa.Table:
    streams = [stream for name in STREAMS if (stream := source.stream(name)) is not None]
    about = (source.loops_per_second, source.players_by_user, source.event_scope)
    if any(not is_ascending(stream.tick) for stream in streams):
        # Only iterating over the events puts such a stream in order.
        merged = in_time_order(events_of(stream, *about) for stream in streams)
        return pa.concat_tables(playhead.events.event_batches(merged), promote_options="none")
    if not streams:
        return EVENTS.build_rows([])
    kinds: dict[str, int] = {}
    rows = payload_rows(streams, *about, lambda name: kinds.setdefault(kind_of(name), len(kinds)))
    codes = rows.codes.to_arrow()
    return EVENTS.build(
        {
            **when(wide(rows.ticks.to_array()), source),
            "kind": arrow.category(codes, list(kinds)),
            "event_id": playhead.events.numbers_within(codes),
            "player": int32_column(rows.players.to_array(), NOTHING),
            "payload": rows.payloads.to_arrow(pa.string()),
        }
    )


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
    rows = []
    for name in (GAME, MESSAGE, TRACKER):
        stream = source.stream(name)
        if stream is None:
            continue
        for number, (count, first, last) in counts_of(stream).items():
            event = stream.name_of(number)
            rows.append((name, event, kind_of(event), number, number in stream.names, count, first, last))
    return EVENT_COUNTS.build_rows(rows_with(EVENT_COUNTS.column_names, rows))


PINGS = TableSchema.of(
    "pings",
    "One row for each ping on the minimap that was sent as a message.",
    *WHO,
    *words("channel x y"),
)


def chat(messages: EventStream, source: GameSource) -> pa.Table:
    lines = messages.of(ChatMessage)
    columns = when_and_who(lines, source)
    users = columns.pop("user")
    columns["name"] = arrow.lookup(users, source.names_by_user, pa.string())
    resumed = taken_over(source)
    if resumed is not None:
        since, names = resumed
        later = pc.greater_equal(lines.tick, scalar_of(since, lines.tick.type))
        columns["name"] = pc.if_else(later, arrow.lookup(users, names, pa.string()), columns["name"])
    return CHAT.build({**columns, **lines.friendly("channel", "text", scope=source.event_scope)})


def pings(messages: EventStream, source: GameSource) -> pa.Table:
    sent = messages.of(PingMessage)
    fields = sent.friendly("channel", "x", "y", scope=source.event_scope)
    return PINGS.build({**when_and_who(sent, source), **fields})


LEAVES = TableSchema.of(
    "leaves",
    "One row for each user who left the game.",
    *WHO,
    word("reason", f"{', '.join(LEAVE_REASONS)}; from 34784 on."),
    word("reason_id"),
)


def leaves(game: EventStream, source: GameSource) -> pa.Table:
    reasons = ("reason", "reason_id")
    # A build has one of the two.
    if game.has(GameUserLeaveEvent):
        gone = game.of(GameUserLeaveEvent)
        return LEAVES.build({**when_and_who(gone, source), **gone.friendly(*reasons, scope=source.event_scope)})
    gone = game.of(PlayerLeaveEvent)
    return LEAVES.build({**when_and_who(gone, source), **dict.fromkeys(reasons, [None] * len(gone))})


MEMBERS = TableSchema.of(
    "members",
    "One row for each block of the MPQ archive: the files inside the file.",
    word("member"),
    Column("block", "int32", "Row of the archive's block table."),
    Column("stored_bytes", "int64", "Size in the archive, as declared.", "bytes"),
    Column("unpacked_bytes", "int64", "Size unpacked, as declared.", "bytes"),
    word("flags", "Of MPQ, as they are stored."),
    Column(
        "compression",
        "category",
        "bzip2, zlib, stored, or the number of another method; null if the block has no data.",
    ),
    Column("encrypted", "bool", "The data is enciphered with a key made of the name."),
    Column("deleted", "bool", "The row of a member that was removed; its data may be gone."),
    group="file",
)


def members(source: GameSource) -> pa.Table:
    return MEMBERS.build_rows(source.member_rows())


def add_to(tables: GameTables, tracker_since: str = "") -> None:
    """Add these tables and those of units to a game's; `tracker_since` says which version began the tracker."""
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
    tables.table(MEMBERS)(members)
    tables.event_table(CHAT, ChatMessage, HijackReplayGameEvent)(chat)
    tables.event_table(PINGS, PingMessage)(pings)
    tables.event_table(LEAVES, GameUserLeaveEvent, PlayerLeaveEvent)(leaves)
    units.add_to(tables)
