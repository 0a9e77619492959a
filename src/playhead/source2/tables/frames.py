"""Tables ``frames`` and ``messages``: the frames of a recording, and the messages in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from playhead.runtime.libraries import pa, pc
from playhead.source2.container.frames import COMPRESSED
from playhead.source2.messages.numbers import command_names, message_names
from playhead.source2.playback.collector import Collector, Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording
from playhead.source2.tables import TABLES
from playhead.source2.tables.message_columns import NO_MESSAGE, FrameSizes, MessageColumns
from playhead.tables.arrow import int64_array, named, row_numbers, seconds_of
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import scalar_of
from playhead.tables.vocabulary import word, words

if TYPE_CHECKING:
    from playhead.tables.deferred import Built, Maker

FRAMES = TableSchema.of(
    "frames",
    "One row for each outer frame.",
    *words("frame tick seconds"),
    word("command", "EDemoCommands, without the compression bit."),
    word("command_id"),
    word("offset", "That of the frame."),
    Column("compressed", "bool", "The payload is a Snappy block."),
    Column("stored_bytes", "int64", "Size of the payload in the file.", "bytes"),
    Column("raw_bytes", "int64", "Its size decompressed; null if it cannot be decompressed.", "bytes"),
    group="messages",
)

MESSAGES = TableSchema.of(
    "messages",
    "One row for each inner message of every packet, and for each frame that has none; in file order.",
    *words("frame tick seconds"),
    word("command", "That of the frame, EDemoCommands."),
    word("command_id"),
    word("message", "Null also for a frame without inner messages."),
    word("message_id"),
    word("bytes", "That of the message, or of the frame's decompressed payload."),
    word("offset", "That of the frame."),
    group="messages",
)


@TABLES.maker_of(FRAMES)
class Frames(Collector):
    """Table ``frames``."""

    jobs: ClassVar = Jobs(2, anew=True)

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._sizes = FrameSizes()

    def attach(self, playback: Playback) -> None:
        playback.on_frame(self._sizes.on_frame, sink=self._sizes)

    def tables(self) -> Mapping[str, pa.Table]:
        return self._table([self.part()])

    def _table(self, raw: Sequence[pa.Array]) -> Mapping[str, pa.Table]:
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
                "command": named(commands, command_names()),
                "command_id": commands,
                "offset": offsets,
                "compressed": pc.not_equal(flags, scalar_of(0, form)),
                "stored_bytes": sizes,
                "raw_bytes": pa.chunked_array(raw, pa.int64()),
            }
        )
        return {FRAMES.name: table}

    def part(self) -> pa.Array:
        return self._sizes.column.to_arrow(pa.int64())

    def joined(self, earlier: Sequence[pa.Array]) -> Mapping[str, pa.Table]:
        return self._table([*earlier, self.part()])


@TABLES.maker_of(MESSAGES)
class Messages(Collector):
    """Table ``messages``."""

    jobs: ClassVar = Jobs(3, anew=True)

    def __init__(self, recording: Recording, *, store: bool = True) -> None:
        self._recording = recording
        self._columns = MessageColumns(store)

    def attach(self, playback: Playback) -> None:
        playback.on_packet_data(self._columns.on_packet, sink=self._columns)
        playback.on_frame(self._columns.on_frame, packets=False)

    @property
    def counts(self) -> Mapping[int, int]:
        """How often each message occurred, by number."""
        return self._columns.counts

    def tables(self) -> Mapping[str, Built]:
        from playhead.tables.deferred import DeferredTable

        count = len(self._columns.rows)
        packed = [column for column in self._columns.rows.packed() if column is not None]  # none is left out
        rate, names = self._recording.ticks_per_second, message_names(self._recording.game)

        def begin(wanted: Sequence[str]) -> Maker:
            def make(first: int, rows: int) -> dict[str, pa.ChunkedArray]:
                part = _messages([column.to_arrow(first, rows) for column in packed], rate, names)
                return {name: part[name] for name in wanted}

            return make

        kept = sum(column.nbytes for column in packed)
        return {MESSAGES.name: DeferredTable(MESSAGES.arrow(), count, pa.table({}), begin, kept)}


def _messages(
    columns: Sequence[pa.ChunkedArray], ticks_per_second: float | None, names: Mapping[int, str]
) -> pa.Table:
    """Return table ``messages``, given the columns of `MessageColumns`."""
    frames, ticks, commands, ids, sizes, high, low = columns
    form = pa.int64()
    numbers = pc.if_else(pc.equal(ids, scalar_of(NO_MESSAGE, ids.type)), scalar_of(None, pa.int32()), ids)
    return MESSAGES.build(
        {
            "frame": frames,
            "tick": ticks,
            "seconds": seconds_of(ticks, ticks_per_second),
            "command": named(commands, command_names()),
            "command_id": commands,
            "message": named(numbers, names),
            "message_id": numbers,
            "bytes": sizes,
            "offset": pc.add(pc.shift_left(high.cast(form), scalar_of(31, form)), low.cast(form)),
        }
    )
