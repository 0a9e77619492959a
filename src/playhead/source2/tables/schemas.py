"""Schemas of this format's tables, and columns that several of them make the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from playhead.source2.container.frames import Frame
from playhead.source2.messages.game_events import GameEvent
from playhead.source2.messages.json_text import JsonWriter
from playhead.source2.messages.numbers import COMMANDS
from playhead.source2.schema.send_tables import SendTables
from playhead.source2.string_tables.history import TickedChange
from playhead.source2.tables.message_collector import UserMessageColumns
from playhead.source2.tables.message_columns import NO_MESSAGE, MessageColumns
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import CHAT, SECONDS, TICK

if TYPE_CHECKING:
    import pyarrow as pa

_FRAME = Column("frame", "int32", "Number of the outer frame in the file, from 0.")
_COMMAND = Column("command", "int32", "EDemoCommands number of the frame, without the compression bit.")
_COMMAND_NAME = Column("command_name", "category", "Its name; null if playhead does not know the number.")
_OFFSET = Column("offset", "int64", "Offset of the frame in the file, after outer compression is undone.", "bytes")

FRAMES = TableSchema(
    name="frames",
    version=1,
    doc="One row for each outer frame.",
    columns=(
        _FRAME,
        TICK,
        SECONDS,
        _COMMAND,
        _COMMAND_NAME,
        _OFFSET,
        Column("compressed", "bool", "The payload is a Snappy block."),
        Column("stored_bytes", "int32", "Size of the payload in the file.", "bytes"),
        Column("raw_bytes", "int32", "Its size decompressed; null if it cannot be decompressed.", "bytes"),
    ),
)

MESSAGES = TableSchema(
    name="messages",
    version=1,
    doc="One row for each inner message of every packet, and for each frame that has none; in file order.",
    columns=(
        _FRAME,
        TICK,
        SECONDS,
        _COMMAND,
        _COMMAND_NAME,
        Column("message", "int32", "Number of the inner message; null for a frame without inner messages."),
        Column("name", "category", "Its name; null if playhead does not know the number."),
        Column("bytes", "int32", "Size of the message, or of the frame's decompressed payload.", "bytes"),
        _OFFSET,
    ),
)

STRING_TABLES = TableSchema(
    name="string_tables",
    version=1,
    doc="One row for each change of an entry of a string table, in file order.",
    columns=(
        TICK,
        SECONDS,
        Column("table", "category", "Name of the string table."),
        Column("index", "int32", "Number of the entry in it."),
        Column("key", "string", "Name of the entry; it never changes. Bytes that are no UTF-8 are U+FFFD."),
        Column("value", "binary", "The data sent; null where none was, and the entry keeps what it had."),
        Column(
            "change",
            "category",
            "created, updated, or full_packet: no message told of it, the first full packet did.",
        ),
    ),
)

SCHEMA = TableSchema(
    name="schema",
    version=1,
    doc="One row for each field of every serializer: the classes of this build and how they are encoded.",
    columns=(
        Column("class_id", "int32", "Number of the class whose root this serializer is; null if of none."),
        Column("serializer", "category", "Name of the serializer: of the class, for a root."),
        Column("version", "int32", "Version of the serializer; the root of a class is version 0."),
        Column("index", "int32", "Number of the field in the serializer: what a field path says."),
        Column("name", "string", "Name of the field."),
        Column("type", "category", "Declared type."),
        Column("model", "category", "How a path goes through it: scalar, array, vector, table, tables or flag."),
        Column("encoder", "category", "Special encoding; null for the type's own."),
        Column("bit_count", "int32", "Bits of a quantised value; null if not declared.", "bits"),
        Column("low", "float32", "Lowest quantised value; null if not declared."),
        Column("high", "float32", "Highest quantised value; null if not declared."),
        Column("flags", "int32", "Flags of the quantisation; null if not declared."),
        Column("send_node", "category", "Dotted path of the node that the field is sent under."),
        Column("field_serializer", "category", "Serializer of the table or tables in this field; else null."),
        Column("field_serializer_version", "int32", "Its version; else null."),
        Column("polymorphic", "list<string>", "Serializers that may stand there instead."),
        Column("signed_enum", "bool", "An enumeration that is sent with a sign."),
    ),
)

_FIELDS_DOC = (
    "A value that is absent was not sent; bytes are base64, and a float that JSON cannot say is a string."
)

GAME_EVENTS = TableSchema(
    name="game_events",
    version=1,
    doc="One row for each game event, in file order.",
    columns=(
        TICK,
        SECONDS,
        Column("event", "category", "Its name; null if the recording's list of events does not have the number."),
        Column("event_id", "int32", "Its number in this recording."),
        Column(
            "fields",
            "string",
            "Its values by name as a JSON object; by place where the list does not name them. " + _FIELDS_DOC,
        ),
        Column("server_tick", "int32", "Tick of the server at which it happened; null if not told.", "ticks"),
    ),
)

USER_MESSAGES = TableSchema(
    name="user_messages",
    version=1,
    doc="One row for each message to the game's own code (number 100 and above: user and entity messages, sounds, "
    "temporary entities; not game events), in file order. Those inside svc_UserMessage stand here by themselves.",
    columns=(
        TICK,
        SECONDS,
        Column("message", "int32", "Number of the inner message."),
        Column("name", "category", "Its name; null if playhead does not know the number."),
        Column(
            "fields",
            "string",
            "Its fields by name as a JSON object, unknown ones by number; null if the message has no definition "
            "or could not be decoded. " + _FIELDS_DOC,
        ),
        Column("raw", "binary", "Its bytes where `fields` is null; else null."),
    ),
)

ALL = (FRAMES, MESSAGES, CHAT, GAME_EVENTS, USER_MESSAGES, STRING_TABLES, SCHEMA)


def seconds(ticks: pa.Array, ticks_per_second: float | None) -> pa.Array:
    """Ticks as seconds; null for sign-on, and everywhere if the file does not tell its rate."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if ticks_per_second is None:
        return pa.nulls(len(ticks), pa.float64())
    known = pc.if_else(pc.less(ticks, 0), pa.scalar(None, ticks.type), ticks)
    return pc.divide(pc.cast(known, pa.float64()), ticks_per_second)


def names(numbers: pa.Array, known: Mapping[int, str]) -> pa.Array:
    """The name of every number as a category; null where there is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    present = sorted(number for number in pc.unique(numbers).to_pylist() if number in known)
    indices = pc.index_in(numbers, value_set=pa.array(present, numbers.type))
    return pa.DictionaryArray.from_arrays(indices, pa.array([known[number] for number in present], pa.string()))


def build_frames(frames: Sequence[Frame], sizes: Sequence[int | None], rate: float | None) -> pa.Table:
    """Table ``frames``; `sizes` are those of the decompressed payloads."""
    import pyarrow as pa

    ticks = pa.array([frame.tick for frame in frames], pa.int32())
    commands = pa.array([frame.command for frame in frames], pa.int32())
    return FRAMES.build(
        {
            "frame": range(len(frames)),
            "tick": ticks,
            "seconds": seconds(ticks, rate),
            "command": commands,
            "command_name": names(commands, COMMANDS),
            "offset": [frame.offset for frame in frames],
            "compressed": [frame.compressed for frame in frames],
            "stored_bytes": [frame.size for frame in frames],
            "raw_bytes": sizes,
        }
    )


def build_messages(columns: MessageColumns, known: Mapping[int, str], rate: float | None) -> pa.Table:
    """Table ``messages``; the columns are used up."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ticks = columns.ticks.to_arrow()
    commands = columns.commands.to_arrow()
    ids = columns.ids.to_arrow()
    numbers = pc.if_else(pc.equal(ids, NO_MESSAGE), pa.scalar(None, pa.int32()), ids)
    return MESSAGES.build(
        {
            "frame": columns.frames.to_arrow(),
            "tick": ticks,
            "seconds": seconds(ticks, rate),
            "command": commands,
            "command_name": names(commands, COMMANDS),
            "message": numbers,
            "name": names(numbers, known),
            "bytes": columns.sizes.to_arrow(),
            "offset": columns.offsets.to_arrow(),
        }
    )


def build_game_events(events: Sequence[GameEvent], rate: float | None) -> pa.Table:
    """Table ``game_events``."""
    import pyarrow as pa

    ticks = pa.array([event.tick for event in events], pa.int32())
    write = JsonWriter().write
    return GAME_EVENTS.build(
        {
            "tick": ticks,
            "seconds": seconds(ticks, rate),
            "event": pa.array([event.name for event in events], pa.string()).dictionary_encode(),
            "event_id": [event.event_id for event in events],
            "fields": [write(event.fields) for event in events],
            "server_tick": [event.server_tick for event in events],
        }
    )


def build_user_messages(columns: UserMessageColumns, known: Mapping[int, str], rate: float | None) -> pa.Table:
    """Table ``user_messages``."""
    import pyarrow as pa

    ticks = pa.array(columns.ticks, pa.int32())
    numbers = pa.array(columns.numbers, pa.int32())
    return USER_MESSAGES.build(
        {
            "tick": ticks,
            "seconds": seconds(ticks, rate),
            "message": numbers,
            "name": names(numbers, known),
            "fields": columns.fields,
            "raw": columns.raw,
        }
    )


def build_string_tables(changes: Sequence[TickedChange], rate: float | None) -> pa.Table:
    """Table ``string_tables``."""
    import pyarrow as pa

    ticks = pa.array([entry.tick for entry in changes], pa.int32())
    entries = [entry.change for entry in changes]
    return STRING_TABLES.build(
        {
            "tick": ticks,
            "seconds": seconds(ticks, rate),
            "table": [change.table for change in entries],
            "index": [change.index for change in entries],
            "key": [change.key for change in entries],
            "value": [change.sent for change in entries],
            "change": [
                "full_packet" if entry.full_packet else "created" if entry.change.created else "updated"
                for entry in changes
            ],
        }
    )


def build_schema(send_tables: SendTables, class_names: Mapping[int, str]) -> pa.Table:
    """Table ``schema``."""
    class_ids = {name: number for number, name in class_names.items()}
    rows = [
        (
            class_ids.get(serializer.name) if serializer.version == 0 else None,
            serializer.name,
            serializer.version,
            index,
            field.name,
            str(field.type),
            field.model.value,
            field.encoder,
            field.bit_count,
            field.low,
            field.high,
            field.flags,
            field.send_node,
            field.serializer[0] if field.serializer else None,
            field.serializer[1] if field.serializer else None,
            [name for name, _ in field.polymorphic],
            field.signed_enum,
        )
        for serializer in send_tables
        for index, field in enumerate(serializer.fields)
    ]
    columns = zip(*rows, strict=True) if rows else [[] for _ in SCHEMA.columns]
    return SCHEMA.build(dict(zip(SCHEMA.column_names, map(list, columns), strict=True)))
