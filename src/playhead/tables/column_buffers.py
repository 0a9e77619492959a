"""Growable typed columns: what decoders append to, and what becomes Arrow arrays without a copy.

A `NumberBuffer` is one column. The 32-bit columns of `Int32Columns` grow together: one call adds a row, and full
chunks are packed into one or two bytes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from playhead.runtime import cython
from playhead.runtime.libraries import pa

_FIRST_CAPACITY = 256
# Below, a column grows fourfold and copies less; a longer one doubles.
_SMALL = cython.declare(cython.Py_ssize_t, 1 << 16)

#: The array of column pointers in the .pxd has this length.
MAX_WIDTH = 16

#: Rows of the first allocation and of a full chunk; the latter is a power of two times the former.
_FIRST_ROWS = 256
CHUNK_ROWS = 65536

#: Bytes by which the start of each column is shifted against the previous one. Large buffers start at the same
#: offset of a page; without the shift, all cells of a row would compete for the same few cache lines.
_SKEW = 64


@cython.cclass
class NumberBuffer:
    """A column of integers of one type, which its subclasses append."""

    def __len__(self) -> int:
        return self._size if cython.compiled else len(self._array)

    def _extend(self) -> cython.int:
        factor: cython.Py_ssize_t = 4 if self._capacity < _SMALL else 2
        capacity: cython.Py_ssize_t = max(_FIRST_CAPACITY, factor * self._capacity)
        resize(self._array, capacity)
        self._capacity = capacity
        return 0

    def to_array(self) -> array[int]:
        """The column as an array; it is handed over and the buffer starts anew."""
        done = self._array
        if cython.compiled:
            resize(self._array, self._size)
        self._array = array(done.typecode)
        self._size = self._capacity = 0
        return done

    def to_arrow(self) -> pa.Array:
        """The column as an Arrow array; the buffer is handed over and starts anew."""
        done = self.to_array()
        form = pa.int32() if done.typecode == "i" else pa.int64()
        return pa.Array.from_buffers(form, len(done), [None, pa.py_buffer(done)])


@cython.final
@cython.cclass
class Int32Buffer(NumberBuffer):
    """A column of 32-bit integers."""

    def __init__(self) -> None:
        self._array = array("i")
        self._size = self._capacity = 0

    def _grow(self) -> cython.int:
        self._extend()
        self._data = self._array.data.as_ints
        return 0

    def append(self, value: cython.int) -> cython.int:
        """Add one value."""
        return append_int32(self, value)


@cython.final
@cython.cclass
class Int64Buffer(NumberBuffer):
    """A column of 64-bit integers."""

    def __init__(self) -> None:
        self._array = array("q")
        self._size = self._capacity = 0

    def _grow(self) -> cython.int:
        self._extend()
        self._data = self._array.data.as_longlongs
        return 0

    def append(self, value: cython.longlong) -> cython.int:
        """Add one value."""
        return append_int64(self, value)


if not cython.compiled:

    def append_int32(buffer: NumberBuffer, value: int) -> None:
        """Append as the inline functions of the .pxd do."""
        buffer._array.append(value)

    append_int64 = append_int32


def _new_block(size: int) -> pa.Buffer:
    """Return memory for columns: large blocks from the system, others from Arrow's own pool.

    Arrow's pool would put large buffers into huge pages, hold a fifth more memory than requested (measured with
    460 MB of columns), and never return it. Packed chunks come from the system too: with Arrow's pool the first
    pass of a process takes 1.7 times as long.
    """
    return pa.allocate_buffer(size, pa.system_memory_pool() if size > 8 * CHUNK_ROWS else None)


@cython.final
@cython.cclass
class PackedColumn:
    """A column of 32-bit integers in chunks, each as differences from its lowest number.

    A difference takes no byte in a chunk of one number, else one, two or four. Positions and inputs of a large
    recording take a quarter of the memory of their int32 columns.
    """

    def __init__(self) -> None:
        # Rows before the chunk, its lowest number, bytes of a difference, differences.
        self._chunks = []
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    @property
    def nbytes(self) -> int:
        """Bytes of the numbers."""
        return sum([0 if data is None else memoryview(data).nbytes for _, _, _, data in self._chunks])

    def _add(self, numbers: cython.p_int, rows: cython.Py_ssize_t) -> cython.int:
        """Append a chunk of at least one row."""
        if cython.compiled:
            i: cython.Py_ssize_t
            low: cython.int = numbers[0]
            high: cython.int = numbers[0]
            if memcmp(numbers, numbers + 1, 4 * (rows - 1)):
                for i in range(rows):
                    low = numbers[i] if numbers[i] < low else low
                    high = numbers[i] if numbers[i] > high else high
            base: cython.uint = cython.cast(cython.uint, low)
            span: cython.uint = cython.cast(cython.uint, high) - base
            size: cython.int = 0 if not span else 1 if span < 256 else 2 if span < 65536 else 4
            data: object = None
            if size:
                data = pa.allocate_buffer(size * rows, pa.system_memory_pool())
                address: cython.size_t = data.address
                if size == 1:
                    ones: cython.p_uchar = cython.cast(cython.p_uchar, address)
                    for i in range(rows):
                        ones[i] = cython.cast(cython.uchar, cython.cast(cython.uint, numbers[i]) - base)
                elif size == 2:
                    twos: cython.p_ushort = cython.cast(cython.p_ushort, address)
                    for i in range(rows):
                        twos[i] = cython.cast(cython.ushort, cython.cast(cython.uint, numbers[i]) - base)
                else:
                    fours: cython.p_uint = cython.cast(cython.p_uint, address)
                    for i in range(rows):
                        fours[i] = cython.cast(cython.uint, numbers[i]) - base
            self._chunks.append((self._rows, low, size, data))
        else:
            self._chunks.append((self._rows, 0, 4, array("i", numbers)))
        self._rows += rows
        return 0

    def to_arrow(self, first: cython.Py_ssize_t, count: cython.Py_ssize_t) -> pa.ChunkedArray:
        """Return `count` numbers from row `first` on as int32; chunks of the same number share memory.

        Raises:
            IndexError: there are fewer rows.
        """
        if first < 0 or count < 0 or first > self._rows or count > self._rows - first:
            raise IndexError(f"expected rows of 0 to {self._rows}, got {count} from {first} on")
        chosen: list = []
        number: cython.Py_ssize_t
        size: cython.Py_ssize_t = 0
        for number in range(len(self._chunks)):
            start, _low, width, _data = self._chunks[number]
            after = self._chunks[number + 1][0] if number + 1 < len(self._chunks) else self._rows
            begin: cython.Py_ssize_t = max(start, first)
            rows: cython.Py_ssize_t = min(after, first + count) - begin
            if rows > 0:
                chosen.append((self._chunks[number], begin - start, rows))
                size += 4 * rows if width else 0
        block: object = _new_block(size)
        parts: list = []
        constants: dict = {}
        size = 0
        for (_start, low, width, data), begin, rows in chosen:
            if width:
                made: object = block.slice(size, 4 * rows)
                size += 4 * rows
                made = _unpacked(made, data, width, low, begin, rows)
            else:
                made = constants.get((low, rows))
                if made is None:
                    made = constants[low, rows] = _unpacked(_new_block(4 * rows), None, 0, low, 0, rows)
            parts.append(pa.Array.from_buffers(pa.int32(), rows, [None, made]))
        return pa.chunked_array(parts, pa.int32())


@cython.cfunc
def _unpacked(
    block: object,
    data: object,
    size: cython.int,
    low: cython.int,
    first: cython.Py_ssize_t,
    rows: cython.Py_ssize_t,
) -> object:
    """Write numbers of a chunk into a buffer, and return it."""
    if cython.compiled:
        target: cython.size_t = block.address
        to: cython.p_uint = cython.cast(cython.p_uint, target)
        base: cython.uint = cython.cast(cython.uint, low)
        address: cython.size_t = 0 if data is None else data.address
        i: cython.Py_ssize_t
        if size == 1:
            ones: cython.p_uchar = cython.cast(cython.p_uchar, address) + first
            for i in range(rows):
                to[i] = base + ones[i]
        elif size == 2:
            twos: cython.p_ushort = cython.cast(cython.p_ushort, address) + first
            for i in range(rows):
                to[i] = base + twos[i]
        elif size == 4:
            fours: cython.p_uint = cython.cast(cython.p_uint, address) + first
            for i in range(rows):
                to[i] = base + fours[i]
        else:
            for i in range(rows):
                to[i] = base
        return block
    return pa.py_buffer(data[first : first + rows])


@cython.final
@cython.cclass
class Int32Columns:
    """`width` columns (at most `MAX_WIDTH`) of 32-bit integers.

    A decoder that fills many columns at once pays one call a row here, where single buffers cost one a cell.
    Full chunks are packed, and their memory is filled again: new pages cost as much as filling them.
    """

    def __init__(self, width: int) -> None:
        if not 0 < width <= MAX_WIDTH:
            raise ValueError(f"expected 1 to {MAX_WIDTH} columns, got {width}")
        self._width = width
        self._left_out = set()
        self._start()

    def leave_out(self, columns: Iterable[int]) -> None:
        """Drop the columns at these places.

        Raises:
            ValueError: there are rows already.
        """
        if len(self):
            raise ValueError("expected columns without rows")
        for column in columns:
            if not 0 <= column < self._width:
                raise ValueError(f"expected columns 0 to {self._width - 1}, got {column}")
            self._left_out.add(column)

    def _start(self) -> None:
        self._packed = [PackedColumn() for _ in range(self._width)]
        # Arrow buffers when compiled, which `_data` points into; arrays when interpreted.
        self._blocks = [] if cython.compiled else [array("i") for _ in range(self._width)]
        self._done = 0  # rows that are packed
        self._size = 0
        self._capacity = 0

    def __len__(self) -> int:
        return self._done + (self._size if cython.compiled else len(self._blocks[0]))

    def _grow(self) -> cython.int:
        if cython.compiled:
            i: cython.int
            if self._size == CHUNK_ROWS:
                self._end_chunk()
                return 0
            if not self._blocks:
                self._blocks = [pa.allocate_buffer(0, resizable=True) for _ in range(self._width)]
            rows: cython.Py_ssize_t = max(_FIRST_ROWS, 2 * self._capacity)
            for i in range(self._width):
                self._blocks[i].resize(4 * rows + _SKEW * i)
                address: cython.size_t = self._blocks[i].address + _SKEW * i
                self._data[i] = cython.cast(cython.p_int, address)
            self._capacity = rows  # last: a failed resize leaves the old capacity in force
        return 0

    def _end_chunk(self) -> cython.int:
        """Pack the rows that are not packed yet."""
        i: cython.int
        rows: cython.Py_ssize_t = self._size if cython.compiled else len(self._blocks[0])
        for i in range(self._width):
            if rows and i not in self._left_out:
                column: PackedColumn = self._packed[i]
                column._add(self._data[i] if cython.compiled else self._blocks[i], rows)
        if not cython.compiled:
            self._blocks = [array("i") for _ in range(self._width)]
        self._done += rows
        self._size = 0
        return 0

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
            if len(self._blocks[0]) == CHUNK_ROWS:
                self._end_chunk()
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

    def packed(self) -> list[PackedColumn | None]:
        """Return the packed columns, None for a skipped one; start anew."""
        self._end_chunk()
        columns = [None if i in self._left_out else column for i, column in enumerate(self._packed)]
        self._start()
        return columns

    def to_arrow(self) -> list[pa.ChunkedArray | None]:
        """Return the columns as Arrow arrays, None for a skipped one; start anew."""
        if self._done or not cython.compiled:
            columns = self.packed()
            found = []
            for i in range(self._width):
                column = columns[i]
                columns[i] = None  # released when it is unpacked
                found.append(None if column is None else column.to_arrow(0, len(column)))
            return found
        rows: cython.Py_ssize_t = self._size
        if not self._blocks:
            self._blocks = [pa.allocate_buffer(0, resizable=True) for _ in range(self._width)]
        arrays = []
        for i in range(self._width):
            self._blocks[i].resize(4 * rows + _SKEW * i, shrink_to_fit=True)
            data = self._blocks[i].slice(_SKEW * i, 4 * rows)
            made = pa.chunked_array([pa.Array.from_buffers(pa.int32(), rows, [None, data])], pa.int32())
            arrays.append(None if i in self._left_out else made)
        self._start()
        return arrays


def float64_of(numbers: pa.ChunkedArray, divisor: float) -> pa.ChunkedArray:
    """Return numbers (int32) divided by a number as float64, with the same chunks."""
    size: cython.Py_ssize_t = 8 * len(numbers)
    block = _new_block(size)
    if cython.compiled:
        address: cython.size_t = block.address
        quotients: cython.p_double = cython.cast(cython.p_double, address)
        rate: cython.double = divisor
        i: cython.Py_ssize_t
        for chunk in numbers.chunks:
            count: cython.Py_ssize_t = len(chunk)
            first: cython.size_t = chunk.buffers()[1].address + 4 * chunk.offset
            given: cython.p_int = cython.cast(cython.p_int, first)
            for i in range(count):
                quotients[i] = given[i] / rate
            quotients += count
    else:
        values = [number / divisor for number in numbers.to_pylist()]
        block = pa.py_buffer(array("d", values))
    parts = []
    done = 0
    for chunk in numbers.chunks:
        parts.append(
            pa.Array.from_buffers(pa.float64(), len(chunk), [None, block.slice(8 * done, 8 * len(chunk))])
        )
        done += len(chunk)
    return pa.chunked_array(parts, pa.float64())
