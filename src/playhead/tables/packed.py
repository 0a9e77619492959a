"""`PackedText`, `PackedArray`: columns that wait compressed until they are read, if there is no room for them."""

from __future__ import annotations

from bisect import bisect_right

from playhead.runtime.libraries import pa

#: Rows that are compressed together.
BATCH = 16384

#: Bytes of columns that wait as they are. Compressing those of ten minutes of Dota 2 took a sixteenth of the work
#: for their tables, and the peak was no lower. 40 minutes have 170 MB.
ROOM = 1 << 28
#: As `ROOM`, if the tables are released one by one.
SMALL_ROOM = 1 << 25


class Room:
    """Room for columns that wait as they are, shared by all tables of a pass; without it they are compressed.

    Args:
        left: so many bytes.
    """

    def __init__(self, left: int = ROOM) -> None:
        self._left = left

    def take(self, size: int) -> bool:
        """Take room for so many bytes; return whether there was any."""
        self._left -= size
        return self._left >= 0

    def keep(self, values: pa.Array) -> pa.Array | PackedArray:
        """Return an array as it is, or compressed without room."""
        return values if self.take(values.nbytes) else PackedArray(values)


class PackedArray:
    """An array that waits compressed: in a third of the time of `PackedText`, at twice its size.

    Attributes:
        type: type of the values.
    """

    def __init__(self, values: pa.Array) -> None:
        self.type = values.type
        schema = pa.schema([("values", values.type)])
        sink = pa.BufferOutputStream()
        options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
        with pa.ipc.new_stream(sink, schema, options=options) as stream:
            stream.write_batch(pa.RecordBatch.from_arrays([values], schema=schema))
        self._data = sink.getvalue().to_pybytes()

    def read(self) -> pa.Array:
        """Return the array."""
        return pa.ipc.open_stream(self._data).read_next_batch().column(0)


class PackedText:
    """A column in batches, those without room compressed. JSON of messages takes an eighth of its memory so.

    Args:
        form: type of the values.
        room: for batches as they are.
    """

    def __init__(self, form: pa.DataType, room: Room) -> None:
        self._schema = pa.schema([("values", form)])
        self._batches: list[bytes | pa.Array] = []
        self._room = room
        # The number of rows before each batch, and of all.
        self._starts = [0]

    def __len__(self) -> int:
        return self._starts[-1]

    @property
    def nbytes(self) -> int:
        """Bytes that the column takes."""
        return sum(len(batch) if isinstance(batch, bytes) else batch.nbytes for batch in self._batches)

    def add(self, values: pa.Array | pa.ChunkedArray) -> None:
        """Append values, each chunk as a batch."""
        for chunk in values.chunks if isinstance(values, pa.ChunkedArray) else [values]:
            self._batches.append(chunk if self._room.take(chunk.nbytes) else self._compressed(chunk))
            self._starts.append(self._starts[-1] + len(chunk))

    def _compressed(self, values: pa.Array) -> bytes:
        options = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self._schema, options=options) as stream:
            stream.write_batch(pa.RecordBatch.from_arrays([values], schema=self._schema))
        packed: bytes = sink.getvalue().to_pybytes()
        return packed

    def extend(self, more: PackedText) -> None:
        """Append the values of another column."""
        before = len(self)
        self._batches += more._batches
        self._starts += [before + start for start in more._starts[1:]]

    def read(self, first: int = 0, count: int | None = None) -> pa.ChunkedArray:
        """Return some rows, or all, in chunks of at most a batch."""
        end = len(self) if count is None else min(first + count, len(self))
        chunks = []
        place = max(bisect_right(self._starts, first) - 1, 0)
        while place < len(self._batches) and self._starts[place] < end:
            batch = self._batches[place]
            values = pa.ipc.open_stream(batch).read_next_batch().column(0) if isinstance(batch, bytes) else batch
            start = max(first - self._starts[place], 0)
            chunks.append(values.slice(start, end - self._starts[place] - start))
            place += 1
        return pa.chunked_array(chunks, self._schema.field(0).type)
