"""Several 32-bit columns that grow together: one call adds a row."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

if TYPE_CHECKING:
    import pyarrow as pa

#: The array of column pointers in the .pxd has this length.
MAX_WIDTH = 16

#: Rows of the first allocation and of a full chunk; the latter is a power of two times the former.
_FIRST_ROWS = 256
_CHUNK_ROWS = 65536

#: Bytes by which each column begins later in its buffer than the one before. Large buffers begin at the same place
#: of a page, where a row's cells would all fall into the same few lines of the cache and drive each other out.
_SKEW = 64


@cython.final
@cython.cclass
class Int32Columns:
    """`width` columns (at most `MAX_WIDTH`) of 32-bit integers.

    A decoder that fills many columns at once pays one call a row here, where single buffers cost one a cell.
    Columns are kept in chunks, so that a long one is never copied to grow, in buffers of Arrow's own memory
    pool: that hands a chunk to the next replay instead of returning its pages to the system, which was
    measured to cost as much as filling them.
    """

    def __init__(self, width: int) -> None:
        if not 0 < width <= MAX_WIDTH:
            raise ValueError(f"expected 1 to {MAX_WIDTH} columns, got {width}")
        self._width = width
        self._full = []
        self._start_chunk()

    def _start_chunk(self) -> None:
        # Arrow buffers when compiled, which `_data` points into; arrays when interpreted.
        self._columns = [] if cython.compiled else [array("i") for _ in range(self._width)]
        self._size = 0
        self._capacity = 0

    def __len__(self) -> int:
        if cython.compiled:
            return self._size + _CHUNK_ROWS * len(self._full)
        return len(self._columns[0])

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _grow(self) -> cython.int:
        if cython.compiled:
            import pyarrow as pa

            if self._size == _CHUNK_ROWS:
                self._full.append(self._columns)
                self._start_chunk()
            if not self._columns:
                self._columns = [pa.allocate_buffer(0, resizable=True) for _ in range(self._width)]
            # Doubling up to a chunk keeps small tables small.
            rows: cython.Py_ssize_t = 2 * self._capacity
            if rows == 0:
                rows = _CHUNK_ROWS if self._full else _FIRST_ROWS
            i: cython.int
            for i in range(self._width):
                self._columns[i].resize(4 * rows + _SKEW * i)
                address: cython.size_t = self._columns[i].address + _SKEW * i
                self._data[i] = cython.cast(cython.p_int, address)
            self._capacity = rows  # last: a failed resize leaves the old capacity in force
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_row(self) -> cython.Py_ssize_t:
        """Room for one more row: its index in every ``_data[i]``, where compiled callers put its values."""
        if self._size == self._capacity:
            self._grow()
        self._size = self._size + 1
        return self._size - 1

    @cython.cfunc
    @cython.exceptval(-1, check=False)
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
                self._columns[i].append(row[i])
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

    def to_arrow(self) -> list[pa.ChunkedArray]:
        """The columns as Arrow int32 arrays; the buffers are handed over and start anew."""
        import pyarrow as pa

        sizes = [_CHUNK_ROWS] * len(self._full)
        chunks = self._full
        if cython.compiled:
            if self._columns:
                for i, buffer in enumerate(self._columns):
                    buffer.resize(4 * self._size + _SKEW * i, shrink_to_fit=True)
                sizes.append(self._size)
                chunks.append(self._columns)
        else:
            sizes.append(len(self))
            chunks.append([pa.py_buffer(column) for column in self._columns])
        self._full = []
        self._start_chunk()
        pieces = list(zip(sizes, chunks, strict=True))
        skew = _SKEW if cython.compiled else 0
        return [
            pa.chunked_array(
                [
                    pa.Array.from_buffers(pa.int32(), size, [None, chunk[i].slice(skew * i, 4 * size)])
                    for size, chunk in pieces
                ],
                pa.int32(),
            )
            for i in range(self._width)
        ]
