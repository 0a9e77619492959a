"""Growable typed columns: what decoders append to, and what becomes an Arrow array without a copy."""

from __future__ import annotations

from array import array

from playhead.runtime import cython
from playhead.runtime.libraries import pa

_FIRST_CAPACITY = 256
# Below, a column grows fourfold, so that less is copied; a longer one doubles.
_SMALL = cython.declare(cython.Py_ssize_t, 1 << 16)


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
