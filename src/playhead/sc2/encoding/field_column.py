"""A column of one field of one kind of event, filled while a stream is read."""

from __future__ import annotations

from typing import Any

from playhead.tables.column_buffers import Int32Buffer, Int64Buffer

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

if cython.compiled:
    from cython.cimports.playhead.tables.column_buffers import Int32Buffer, Int64Buffer


@cython.final
@cython.cclass
class FieldColumn:
    """One field of one kind of event: a number or nothing, or a list of numbers, for each such event."""

    # stub: def to_arrow(self) -> pa.Array: ...

    def __init__(self, is_list: bool) -> None:
        self._is_list = is_list
        self._present = False
        self._pending = 0
        self._length = 0
        self._missing = False
        self._values = Int64Buffer()
        self._marks = Int32Buffer()

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put(self, value: cython.longlong) -> cython.int:
        """Take the field of the event at hand, or one more item of its list."""
        if self._is_list:
            self._values.append(value)
            self._length += 1
        else:
            self._pending = value
            self._present = True
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def finish(self) -> cython.int:
        """End the event at hand."""
        if self._is_list:
            self._marks.append(self._length)
        else:
            self._values.append(self._pending)
            self._marks.append(1 if self._present else 0)
            if not self._present:
                self._missing = True
            self._pending = 0
            self._present = False
        return 0

    def to_arrow(self) -> Any:
        """Return the column as Arrow int64, or list of int64; it is handed over and starts anew."""
        import pyarrow as pa

        values = self._values.to_arrow()
        marks = self._marks.to_arrow()
        missing, self._length, self._missing = self._missing, 0, False
        if not self._is_list:
            if not missing:
                return values
            there = marks.cast(pa.bool_()).buffers()[1]
            return pa.Array.from_buffers(pa.int64(), len(values), [there, values.buffers()[1]])
        offsets = pa.concat_arrays([pa.array([0], pa.int32()), marks])
        # What an event that broke off had put here already lies behind the last offset.
        return pa.ListArray.from_arrays(offsets, values.slice(0, offsets[-1].as_py()))
