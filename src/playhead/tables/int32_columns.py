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

#: Rows of the first allocation and of a full chunk; a power of two times the former.
_FIRST_ROWS = 256
_CHUNK_ROWS = 65536


@cython.final
@cython.cclass
class Int32Columns:
    """`width` columns (at most `MAX_WIDTH`) of 32-bit integers.

    A decoder that fills many columns at once pays one call a row here, where single buffers cost one a cell.
    """

    def __init__(self, width: int) -> None:
        if not 0 < width <= MAX_WIDTH:
            raise ValueError(f"expected 1 to {MAX_WIDTH} columns, got {width}")
        self._width = width
        self._full = []
        self._restart()

    def _restart(self) -> None:
        self._arrays = [array("i") for _ in range(self._width)]
        self._size = 0
        self._capacity = 0

    def __len__(self) -> int:
        return self._size + _CHUNK_ROWS * len(self._full) if cython.compiled else len(self._arrays[0])

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _grow(self) -> cython.int:
        if cython.compiled:
            i: cython.int
            column: array
            if self._size == _CHUNK_ROWS:
                self._full.append(self._arrays)
                self._restart()
            # Doubling up to a chunk keeps small tables small; from then on nothing is ever copied.
            rows: cython.Py_ssize_t = 2 * self._capacity
            if rows == 0:
                rows = _CHUNK_ROWS if self._full else _FIRST_ROWS
            for i in range(self._width):
                column = self._arrays[i]
                resize(column, rows)
                self._data[i] = column.data.as_ints
            self._capacity = rows  # last: a failed resize leaves the old capacity in force
        return 0

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
                self._arrays[i].append(row[i])
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

        if cython.compiled:
            for column in self._arrays:
                resize(column, self._size)
        chunks = [*self._full, self._arrays]
        self._full = []
        self._restart()
        return [
            pa.chunked_array([_arrow_array(chunk[i]) for chunk in chunks], pa.int32()) for i in range(self._width)
        ]


def _arrow_array(column: array[int]) -> pa.Array:
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int32(), len(column), [None, pa.py_buffer(column)])
