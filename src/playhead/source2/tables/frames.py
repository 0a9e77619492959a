"""Tables ``frames`` and ``messages``: the frames of a recording, and the messages in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import ClassVar

from playhead.runtime.libraries import pa, pc
from playhead.source2.container.frames import COMPRESSED, Frame
from playhead.source2.messages.numbers import command_names, message_names
from playhead.source2.playback.collector import Collector
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.tables import TABLES
from playhead.source2.tables.message_columns import NO_MESSAGE, MessageColumns
from playhead.tables.arrow import int64_array, named, row_numbers, seconds_of
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK
from playhead.tables.value_arrays import scalar_of

_FRAME = Column("frame", "int32", "Number of the outer frame in the file, from 0.")
_COMMAND = Column("command", "int32", "EDemoCommands number of the frame, without the compression bit.")
_COMMAND_NAME = Column("command_name", "category", "Its name; null if playhead does not know the number.")
_OFFSET = Column("offset", "int64", "Offset of the frame in the file, after outer compression is undone.", "bytes")

FRAMES = TableSchema.of(
    "frames",
    "One row for each outer frame.",
    _FRAME,
    TICK,
    SECONDS,
    _COMMAND,
    _COMMAND_NAME,
    _OFFSET,
    Column("compressed", "bool", "The payload is a Snappy block."),
    Column("stored_bytes", "int32", "Size of the payload in the file.", "bytes"),
    Column("raw_bytes", "int32", "Its size decompressed; null if it cannot be decompressed.", "bytes"),
)

MESSAGES = TableSchema.of(
    "messages",
    "One row for each inner message of every packet, and for each frame that has none; in file order.",
    _FRAME,
    TICK,
    SECONDS,
    _COMMAND,
    _COMMAND_NAME,
    Column("message", "int32", "Number of the inner message; null for a frame without inner messages."),
    Column("name", "category", "Its name; null if playhead does not know the number."),
    Column("bytes", "int32", "Size of the message, or of the frame's decompressed payload.", "bytes"),
    _OFFSET,
)


@TABLES.maker_of(FRAMES)
class Frames(Collector):
    """Table ``frames``."""

    work = 2
    anew: ClassVar = True

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._sizes: list[int | None] = []

    def attach(self, playback: Playback) -> None:
        playback.on_frame(self._on_frame)

    def _on_frame(self, _number: int, _frame: Frame, payload: bytes | memoryview | None) -> None:
        self._sizes.append(None if payload is None else len(payload))

    def tables(self) -> Mapping[str, pa.Table]:
        offsets, commands_stored, ticks_stored, _, sizes = map(int64_array, self._recording.frames.columns())
        ticks = ticks_stored.cast(pa.int32())
        form = commands_stored.type
        commands = pc.bit_wise_and(commands_stored, scalar_of(~COMPRESSED, form)).cast(pa.int32())
        flags = pc.bit_wise_and(commands_stored, scalar_of(COMPRESSED, form))
        table = FRAMES.build(
            {
                "frame": row_numbers(len(ticks), pa.int32()),
                "tick": ticks,
                "seconds": seconds_of(ticks, self._recording.ticks_per_second),
                "command": commands,
                "command_name": named(commands, command_names()),
                "offset": offsets,
                "compressed": pc.not_equal(flags, scalar_of(0, form)),
                "stored_bytes": sizes,
                "raw_bytes": self._sizes,
            }
        )
        return {FRAMES.name: table}

    def part(self) -> list[int | None]:
        return self._sizes

    def joined(self, earlier: Sequence[list[int | None]]) -> Mapping[str, pa.Table]:
        self._sizes = list(chain(*earlier, self._sizes))
        return self.tables()


@TABLES.maker_of(MESSAGES)
class Messages(Collector):
    """Table ``messages``.

    Args:
        store: keep the rows; else messages are only counted.
    """

    work = 3
    anew: ClassVar = True

    def __init__(self, recording: Recording, *, store: bool = True) -> None:
        self._recording = recording
        self._columns = MessageColumns(store)

    def attach(self, playback: Playback) -> None:
        playback.on_packet_data(self._columns.on_packet)
        playback.on_frame(self._columns.on_frame, packets=False)

    @property
    def counts(self) -> Mapping[int, int]:
        """How often each message occurred, by number."""
        return self._columns.counts

    def tables(self) -> Mapping[str, pa.Table]:
        columns = self._columns
        ticks = columns.ticks.to_arrow()
        commands = columns.commands.to_arrow()
        ids = columns.ids.to_arrow()
        numbers = pc.if_else(pc.equal(ids, scalar_of(NO_MESSAGE, ids.type)), scalar_of(None, pa.int32()), ids)
        table = MESSAGES.build(
            {
                "frame": columns.frames.to_arrow(),
                "tick": ticks,
                "seconds": seconds_of(ticks, self._recording.ticks_per_second),
                "command": commands,
                "command_name": named(commands, command_names()),
                "message": numbers,
                "name": named(numbers, message_names(self._recording.game)),
                "bytes": columns.sizes.to_arrow(),
                "offset": columns.offsets.to_arrow(),
            }
        )
        return {MESSAGES.name: table}
