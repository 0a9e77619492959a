"""Schemas of this format's tables, and columns that several of them make the same way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

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

ALL = (FRAMES, MESSAGES, CHAT, STRING_TABLES)


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
