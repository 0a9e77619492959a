"""Several 32-bit columns that grow together: one call adds a row."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from playhead.runtime import cython
from playhead.runtime.libraries import pa

if not cython.compiled:
    # As in the .pxd: what becomes of a column.
    AS_INTS, AS_DOUBLES, LEFT_OUT = range(3)

#: The array of column pointers in the .pxd has this length.
MAX_WIDTH = 16

#: Rows of the first allocation and of a full chunk; the latter is a power of two times the former.
_FIRST_ROWS = 256
_CHUNK_ROWS = 65536

#: Chunks of the largest block of memory; blocks double up to it.
_BLOCK_CHUNKS = 4

#: Bytes by which the start of each column is shifted against the previous one. Large buffers start at the same
#: offset of a page; without the shift, all cells of a row would compete for the same few cache lines.
_SKEW = 64


def _new_block(size: int) -> pa.Buffer:
    """Return memory for columns: large blocks from the system, others from Arrow's own pool.

    Arrow's pool would put large buffers into huge pages, hold a fifth more memory than requested (measured with
    460 MB of columns), and never return it.
    """
    return pa.allocate_buffer(size, pa.system_memory_pool() if size > 8 * _CHUNK_ROWS else None)


@cython.final
@cython.cclass
class Int32Columns:
    """`width` columns (at most `MAX_WIDTH`) of 32-bit integers.

    A decoder that fills many columns at once pays one call a row here, where single buffers cost one a cell.
    Columns grow in chunks, so a long column is never copied. New pages of memory cost as much as filling them:
    a chunk of one repeated number shares the memory of an earlier such chunk, and dropped columns have none. The
    first chunk comes from Arrow's memory pool, which reuses it for the next table; see `_new_block` for the
    others.
    """

    def __init__(self, width: int, doubles: Iterable[int] = ()) -> None:
        """`doubles`: places of the columns that become float64."""
        if not 0 < width <= MAX_WIDTH:
            raise ValueError(f"expected 1 to {MAX_WIDTH} columns, got {width}")
        self._width = width
        if not cython.compiled:
            self._become = [AS_INTS] * MAX_WIDTH
        self._mark(doubles, AS_DOUBLES)
        self._start()

    def leave_out(self, columns: Iterable[int]) -> None:
        """Drop the columns at these places.

        Raises:
            ValueError: there are rows already.
        """
        if len(self):
            raise ValueError("expected columns without rows")
        self._mark(columns, LEFT_OUT)

    def _mark(self, columns: Iterable[int], what: int) -> None:
        for column in columns:
            if not 0 <= column < self._width:
                raise ValueError(f"expected columns 0 to {self._width - 1}, got {column}")
            self._become[column] = what

    def _start(self) -> None:
        # Arrow buffers when compiled, which `_data` points into; arrays when interpreted.
        self._full = []
        self._blocks = [] if cython.compiled else [array("i") for _ in range(self._width)]
        self._constants = {}
        self._wide = {}  # by column: block of its doubles, bytes of it that are taken
        self._size = 0
        self._capacity = 0
        self._block_chunks = 1

    def __len__(self) -> int:
        if cython.compiled:
            return self._size + _CHUNK_ROWS * len(self._full)
        return len(self._blocks[0])

    def _grow(self) -> cython.int:
        if cython.compiled:
            if self._size == _CHUNK_ROWS:
                self._end_chunk()
            if self._full:
                self._begin_chunk()
            else:
                self._double()
        return 0

    def _double(self) -> cython.int:
        """Grow within the first chunk: small tables stay small."""
        if cython.compiled:
            if not self._blocks:
                self._blocks = [pa.allocate_buffer(0, resizable=True) for _ in range(self._width)]
            rows: cython.Py_ssize_t = max(_FIRST_ROWS, 2 * self._capacity)
            i: cython.int
            for i in range(self._width):
                self._blocks[i].resize(4 * rows + _SKEW * i)
                address: cython.size_t = self._blocks[i].address + _SKEW * i
                self._data[i] = cython.cast(cython.p_int, address)
                self._left[i] = 0
            self._capacity = rows  # last: a failed resize leaves the old capacity in force
        return 0

    def _begin_chunk(self) -> cython.int:
        """Find room for a chunk: where the last one ended, or in a new block."""
        if cython.compiled:
            i: cython.int
            for i in range(self._width):
                if self._left[i]:
                    continue
                size: cython.size_t = 4 * _CHUNK_ROWS * self._block_chunks + _SKEW * i
                block = _new_block(size)
                address: cython.size_t = block.address
                address += _SKEW * i
                self._blocks[i] = block
                self._data[i] = cython.cast(cython.p_int, address)
                self._left[i] = self._block_chunks
            self._capacity = _CHUNK_ROWS
        return 0

    def _end_chunk(self) -> cython.int:
        """Cut a full chunk off its blocks. Memory of dropped columns is reused for the next chunk."""
        if cython.compiled:
            chunk = []
            rows: cython.Py_ssize_t = _CHUNK_ROWS
            i: cython.int
            for i in range(self._width):
                if self._become[i] != AS_INTS:
                    chunk.append(self._doubles(i) if self._become[i] == AS_DOUBLES else None)
                    continue
                constant: cython.bint = memcmp(self._data[i], self._data[i] + 1, 4 * (rows - 1)) == 0
                shared = self._constants.get(self._data[i][0]) if constant else None
                if shared is not None:
                    chunk.append(shared)
                    continue
                address: cython.size_t = cython.cast(cython.size_t, self._data[i])
                start: cython.size_t = self._blocks[i].address
                part = self._blocks[i].slice(address - start, 4 * rows)
                chunk.append(part)
                if constant:
                    self._constants[self._data[i][0]] = part
                self._data[i] = self._data[i] + rows
                if self._left[i]:
                    self._left[i] -= 1
            self._full.append(chunk)
            self._size = self._capacity = 0
            if len(self._full) >= 2 * self._block_chunks:
                self._block_chunks = min(_BLOCK_CHUNKS, 2 * self._block_chunks)
        return 0

    def _doubles(self, column: cython.int) -> object:
        """Return a column's part of the current chunk as float64."""
        if cython.compiled:
            size: cython.Py_ssize_t = 8 * self._size
            block = self._wide.get(column)
            if block is None or block[0].size - block[1] < size:
                chunks = self._block_chunks if self._size == _CHUNK_ROWS else 1
                self._wide[column] = block = [_new_block(size * chunks), 0]
            made = block[0].slice(block[1], size)
            block[1] += size
            address: cython.size_t = made.address
            target: cython.p_double = cython.cast(cython.p_double, address)
            row: cython.Py_ssize_t
            for row in range(self._size):
                target[row] = self._data[column][row]
            return made
        return pa.py_buffer(array("d", self._blocks[column]))

    def append(self, row: cython.p_int) -> cython.int:
        """Add one row: `width` values in a C array (a sequence when interpreted)."""
        i: cython.int
        if cython.compiled:
            if self._size == self._capacity:
                self._grow()
            size: cython.Py_ssize_t = self._size
            width: cython.int = self._width
            for i in range(width):
                self._data[i][size] = row[i]
            self._size = size + 1
        else:
            for i in range(self._width):
                self._blocks[i].append(row[i])
        return 0

    def append_row(self, row: Sequence[int]) -> None:
        """Add one row of `width` values."""
        if len(row) != self._width:
            raise ValueError(f"expected {self._width} values, got {len(row)}")
        if cython.compiled:
            values: cython.int[16]
            for i in range(self._width):
                values[i] = row[i]
            self.append(values)
        else:
            self.append(row)

    def to_arrow(self) -> list[pa.ChunkedArray | None]:
        """The columns as Arrow arrays, None for one left out; the buffers are handed over and start anew."""
        chunks = self._full
        sizes = [_CHUNK_ROWS] * len(chunks)
        last = self._size if cython.compiled else len(self)
        if last or not chunks:
            chunks.append(self._last_chunk())
            sizes.append(last)
        columns = []
        for i in range(self._width):
            if self._become[i] == LEFT_OUT:
                columns.append(None)
                continue
            type_ = pa.float64() if self._become[i] == AS_DOUBLES else pa.int32()
            parts = [
                pa.Array.from_buffers(type_, size, [None, chunk[i]])
                for size, chunk in zip(sizes, chunks, strict=True)
            ]
            columns.append(pa.chunked_array(parts, type_))
        self._start()
        return columns

    def _last_chunk(self) -> list:
        """Cut the rows of a chunk that is not full off its blocks."""
        chunk = []
        i: cython.int
        for i in range(self._width):
            if self._become[i] != AS_INTS:
                chunk.append(self._doubles(i) if self._become[i] == AS_DOUBLES else None)
            elif not cython.compiled:
                chunk.append(pa.py_buffer(self._blocks[i]))
            elif not self._size:
                chunk.append(pa.allocate_buffer(0))
            else:
                if not self._full:
                    self._blocks[i].resize(4 * self._size + _SKEW * i, shrink_to_fit=True)
                    chunk.append(self._blocks[i].slice(_SKEW * i, 4 * self._size))
                else:
                    address: cython.size_t = cython.cast(cython.size_t, self._data[i])
                    start: cython.size_t = self._blocks[i].address
                    chunk.append(self._blocks[i].slice(address - start, 4 * self._size))
        return chunk


def seconds_of_ticks(ticks: pa.ChunkedArray, ticks_per_second: float) -> pa.ChunkedArray:
    """Return ticks (int32, null below 0) as seconds (float64), with the same chunks."""
    size: cython.Py_ssize_t = 8 * len(ticks)
    block = _new_block(size)
    if cython.compiled:
        address: cython.size_t = block.address
        seconds: cython.p_double = cython.cast(cython.p_double, address)
        rate: cython.double = ticks_per_second
        count: cython.Py_ssize_t
        i: cython.Py_ssize_t
        for chunk in ticks.chunks:
            count = len(chunk)
            first: cython.size_t = chunk.buffers()[1].address + 4 * chunk.offset
            numbers: cython.p_int = cython.cast(cython.p_int, first)
            for i in range(count):
                seconds[i] = numbers[i] / rate
            seconds += count
    else:
        values = [number / ticks_per_second for number in ticks.to_pylist()]
        block = pa.py_buffer(array("d", values))
    parts = []
    done = 0
    for chunk in ticks.chunks:
        parts.append(
            pa.Array.from_buffers(pa.float64(), len(chunk), [None, block.slice(8 * done, 8 * len(chunk))])
        )
        done += len(chunk)
    return pa.chunked_array(parts, pa.float64())
