"""Growable columns whose values may be missing, for readers of messages."""

from __future__ import annotations

from array import array

from playhead.runtime import cython
from playhead.runtime.libraries import pa
from playhead.tables.byte_buffer import ByteBuffer
from playhead.tables.number_columns import packed_bits, presence_bits
from playhead.tables.value_arrays import array_of

if cython.compiled:
    from cython.cimports.cpython.array import clone

# Rows of the first allocation, and up to how many a column grows to four times as many.
_FIRST_CAPACITY = cython.declare(cython.Py_ssize_t, 1024)
_SOON = cython.declare(cython.Py_ssize_t, 8192)
# Arrays whose types new ones have.
_INTS, _FLAGS = array("i"), array("B")
# Arrow counts the bytes of one array of text with 32 bits.
_MOST_BYTES = (1 << 31) - 1


@cython.final
@cython.cclass
class ValueColumn:
    """A column of numbers, each kept in 64 bits: whole ones, or the bits of a double."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> object:
        self._cells = array("q")
        self._valid = array("B")
        self._size = self._capacity = 0
        return None

    def __len__(self) -> int:
        return self._size

    def _grow(self, rows: cython.Py_ssize_t) -> cython.int:
        """Make room for at least that many rows."""
        if cython.compiled:
            capacity: cython.Py_ssize_t = self._capacity or _FIRST_CAPACITY
            while capacity < rows:  # few copies; pages that are never written take no memory
                capacity *= 4 if capacity < _SOON else 2
            resize(self._cells, capacity)
            self._cell = self._cells.data.as_longlongs
            resize(self._valid, capacity)
            self._there, self._capacity = self._valid.data.as_uchars, capacity
        return 0

    def append(self, value: cython.longlong, there: cython.bint) -> cython.int:
        """Append a value, or null."""
        if cython.compiled:
            if self._size == self._capacity:
                self._grow(self._size + 1)
            self._cell[self._size] = value
            self._there[self._size] = there
        else:
            self._cells.append((value + (1 << 63)) % (1 << 64) - (1 << 63))
            self._valid.append(bool(there))
        self._size += 1
        return 0

    def fill(self, rows: cython.Py_ssize_t) -> cython.int:
        """Append null for each missing row."""
        if not cython.compiled:
            while self._size < rows:
                self.append(0, False)
            return 0
        if self._size < rows:
            if self._capacity < rows:
                self._grow(rows)
            memset(self._cell + self._size, 0, (rows - self._size) * 8)
            memset(self._there + self._size, 0, rows - self._size)
            self._size = rows
        return 0

    def to_arrow(self, form: pa.DataType) -> pa.Array:
        """The column, its 64 bits taken for int64, uint64 or float64; it is handed over and starts anew."""
        if cython.compiled:
            resize(self._cells, self._size)
            resize(self._valid, self._size)
        cells, valid, size = self._cells, self._valid, self._size
        self._begin()
        return pa.Array.from_buffers(form, size, [presence_bits(valid), pa.py_buffer(cells)])

    def to_bools(self) -> pa.Array:
        """Return the column as bool, true for numbers other than 0; the column is empty again."""
        size: cython.Py_ssize_t = self._size
        flags: array = clone(_FLAGS, size, False) if cython.compiled else array("B", bytes(size))
        to: cython.p_uchar = flags.data.as_uchars if cython.compiled else flags
        given: cython.p_longlong = self._cells.data.as_longlongs if cython.compiled else self._cells
        place: cython.Py_ssize_t
        for place in range(size):
            to[place] = given[place] != 0
        valid: array = self._valid
        if cython.compiled:
            resize(valid, size)
        self._begin()
        return pa.Array.from_buffers(pa.bool_(), size, [presence_bits(valid), packed_bits(flags)])

    def to_int32(self) -> pa.Array:
        """As `to_arrow`, as int32 if each value fits, else as int64."""
        row: cython.Py_ssize_t
        size: cython.Py_ssize_t = self._size
        narrow: array = clone(_INTS, size, False) if cython.compiled else array("i", bytes(4 * size))
        cells: cython.p_longlong = self._cells.data.as_longlongs if cython.compiled else self._cells
        valid: cython.p_uchar = self._valid.data.as_uchars if cython.compiled else self._valid
        to: cython.p_int = narrow.data.as_ints if cython.compiled else narrow
        wide: cython.ulonglong = 0
        half: cython.ulonglong = 1 << 31
        for row in range(size):
            value: cython.longlong = cells[row]
            wide |= cython.cast(cython.ulonglong, value) + half >> 32
            if cython.compiled:
                to[row] = cython.cast(cython.int, value)
            else:
                to[row] = (value + (1 << 31)) % (1 << 32) - (1 << 31)
        if wide:  # perhaps only where there is none
            for row in range(size):
                if valid[row] and cells[row] >> 31 not in (0, -1):
                    return self.to_arrow(pa.int64())
        there: array = self._valid
        if cython.compiled:
            resize(there, size)
        self._begin()
        return pa.Array.from_buffers(pa.int32(), size, [presence_bits(there), pa.py_buffer(narrow)])


@cython.final
@cython.cclass
class TextColumn:
    """A column of text or bytes. A value consists of the bytes appended to `data` since the previous value.

    Attributes:
        data: the bytes of all values.
    """

    data: ByteBuffer

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> object:
        self.data = ByteBuffer()
        self._ends = ValueColumn()
        return None

    def __len__(self) -> int:
        return self._ends._size

    @cython.nonecheck(True)
    def end(self, there: cython.bint) -> cython.int:
        """End the value here, or append null."""
        return self._ends.append(self.data._size, there)

    @cython.nonecheck(True)
    def append(self, value: bytes | None) -> None:
        """Append a value, or null."""
        if value is not None:
            self.data.add_bytes(value)
        self.end(value is not None)

    @cython.nonecheck(True)
    def _in_one(self, form: object) -> object:
        """Return the column in one chunk; the buffers are moved out and the column is empty again."""
        rows: cython.Py_ssize_t = self._ends._size
        ends: array = self._ends._cells
        limits: array = array("i", bytes(4 * (rows + 1)))
        end: cython.longlong[::1] = ends
        limit: cython.int[::1] = limits
        row: cython.Py_ssize_t
        for row in range(rows):
            limit[row + 1] = cython.cast(cython.int, end[row])
        there: array = self._ends._valid
        if cython.compiled:
            resize(there, rows)
        buffers = [presence_bits(there), pa.py_buffer(limits), pa.py_buffer(self.data.detach())]
        self._begin()
        return pa.chunked_array([pa.Array.from_buffers(form, rows, buffers)], form)

    def to_arrow(self, form: pa.DataType) -> pa.ChunkedArray:
        """Return the column as text or bytes, in chunks. The buffers are moved out; the column is empty again."""
        if self.data._size <= _MOST_BYTES:
            return self._in_one(form)
        ends = self._ends.to_arrow(pa.int64())
        data = pa.py_buffer(self.data.detach())
        self._begin()
        limits = pa.Array.from_buffers(pa.int64(), len(ends), [None, ends.buffers()[1]])
        limits = pa.concat_arrays([array_of([0], pa.int64()), limits])
        large = pa.large_string() if form == pa.string() else pa.large_binary()
        whole = pa.Array.from_buffers(large, len(ends), [ends.buffers()[0], limits.buffers()[1], data])
        chunks = []
        first = 0
        while first < len(whole):
            last = len(whole)
            while last > first + 1 and limits[last].as_py() - limits[first].as_py() > _MOST_BYTES:
                last = (first + last) // 2
            # Taken one by one, since the offsets of a slice count from the beginning of all.
            chunks.append(whole.take(array_of(range(first, last), pa.int64())).cast(form))
            first = last
        return pa.chunked_array(chunks, form)


if not cython.compiled:
    # The same as the inline function in the .pxd.
    append_value = ValueColumn.append
