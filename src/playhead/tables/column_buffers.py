"""Growable typed columns: what decoders append to, and what becomes an Arrow array without a copy."""

from __future__ import annotations

from array import array

from playhead.runtime import cython
from playhead.runtime.libraries import pa

_FIRST_CAPACITY = 256


@cython.final
@cython.cclass
class Int32Buffer:
    """A column of 32-bit integers."""

    def __init__(self) -> None:
        self._array = array("i")
        self._size = 0
        self._capacity = 0

    def __len__(self) -> int:
        return self._size if cython.compiled else len(self._array)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _grow(self) -> cython.int:
        if cython.compiled:
            self._capacity = max(_FIRST_CAPACITY, 2 * self._capacity)
            resize(self._array, self._capacity)
            self._data = self._array.data.as_ints
        return 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def append(self, value: cython.int) -> cython.int:
        """Add one value."""
        if cython.compiled:
            if self._size == self._capacity:
                self._grow()
            self._data[self._size] = value
            self._size += 1
        else:
            self._array.append(value)
        return 0

    def to_array(self) -> array[int]:
        """The column as an array; it is handed over and the buffer starts anew."""
        done = self._array
        if cython.compiled:
            resize(self._array, self._size)
        self._array = array("i")
        self._size = self._capacity = 0
        return done

    def to_arrow(self) -> pa.Array:
        """The column as an Arrow int32 array; the buffer is handed over and starts anew."""
        done = self.to_array()
        return pa.Array.from_buffers(pa.int32(), len(done), [None, pa.py_buffer(done)])


@cython.final
@cython.cclass
class Int64Buffer:
    """A column of 64-bit integers."""

    def __init__(self) -> None:
        self._array = array("q")
        self._size = 0
        self._capacity = 0

    def __len__(self) -> int:
        return self._size if cython.compiled else len(self._array)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _grow(self) -> cython.int:
        if cython.compiled:
            self._capacity = max(_FIRST_CAPACITY, 2 * self._capacity)
            resize(self._array, self._capacity)
            self._data = self._array.data.as_longlongs
        return 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def append(self, value: cython.longlong) -> cython.int:
        """Add one value."""
        if cython.compiled:
            if self._size == self._capacity:
                self._grow()
            self._data[self._size] = value
            self._size += 1
        else:
            self._array.append(value)
        return 0

    def to_array(self) -> array[int]:
        """The column as an array; it is handed over and the buffer starts anew."""
        done = self._array
        if cython.compiled:
            resize(self._array, self._size)
        self._array = array("q")
        self._size = self._capacity = 0
        return done

    def to_arrow(self) -> pa.Array:
        """The column as an Arrow int64 array; the buffer is handed over and starts anew."""
        done = self.to_array()
        return pa.Array.from_buffers(pa.int64(), len(done), [None, pa.py_buffer(done)])


if not cython.compiled:
    # The same as the inline functions in the .pxd.
    append_int32 = Int32Buffer.append
    append_int64 = Int64Buffer.append
