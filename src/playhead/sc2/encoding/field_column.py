"""A column of one field of one kind of event, filled while a stream is read."""

from __future__ import annotations

from array import array
from typing import Any

from playhead.tables.column_buffers import Int32Buffer, Int64Buffer

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

if cython.compiled:
    from cython.cimports.playhead.tables.column_buffers import Int32Buffer, Int64Buffer

#: In a column of whole numbers, what stands where there is nothing: no field has so many bits.
NOTHING = -(1 << 62)


@cython.final
@cython.cclass
class FieldColumn:
    """One field of one kind of event: a number or nothing, or a list of numbers, for each such event.

    What makes columns of it ends it: nothing may be added then.
    """

    # stub: def to_arrow(self) -> pa.Array: ...
    # stub: def numbers(self) -> array[int]: ...
    # stub: def lists(self) -> tuple[array[int], array[int]]: ...

    def __init__(self, is_list: bool) -> None:
        self._is_list = is_list
        self._present = False
        self._nothing = self._pending = NOTHING
        self._length = 0
        self._missing = False
        self._values = Int64Buffer()
        self._marks = Int32Buffer()
        self._done = None

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
            self._pending = self._nothing
            self._present = False
        return 0

    @cython.cfunc
    def _end(self) -> tuple:
        if self._done is None:
            self._done = (self._values.to_array(), self._marks.to_array())
        return self._done

    def numbers(self) -> array:
        """Return the field of each event as ``array('q')``, `NOTHING` where there is none; not for lists."""
        return self._end()[0]

    def lists(self) -> tuple:
        """Return where the list of each event ends, ``array('i')``, and the items of all, ``array('q')``."""
        values, ends = self._end()
        return ends, values

    def to_arrow(self) -> Any:
        """Return the column as Arrow int64, or list of int64."""
        import pyarrow as pa

        held, marks = self._end()
        values = pa.Array.from_buffers(pa.int64(), len(held), [None, pa.py_buffer(held)])
        ends = pa.Array.from_buffers(pa.int32(), len(marks), [None, pa.py_buffer(marks)])
        if not self._is_list:
            if not self._missing:
                return values
            there = ends.cast(pa.bool_()).buffers()[1]
            return pa.Array.from_buffers(pa.int64(), len(values), [there, values.buffers()[1]])
        offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
        # What an event that broke off had put here already lies behind the last offset.
        return pa.ListArray.from_arrays(offsets, values.slice(0, offsets[-1].as_py()))


# stub: def first_of(columns: Sequence[array[int]]) -> array[int]: ...
def first_of(columns: Any) -> array:
    """Return for each row what the first column that has something has (``array('q')``, of equal length)."""
    out: array = columns[0][:]
    found: cython.longlong[::1] = out
    values: cython.longlong[::1]
    nothing: cython.longlong = NOTHING
    place: cython.Py_ssize_t
    for column in columns[1:]:
        values = column
        for place in range(len(found)):
            if found[place] == nothing:
                found[place] = values[place]
    return out


# stub: def sum_of(columns: Sequence[array[int]]) -> array[int]: ...
def sum_of(columns: Any) -> array:
    """Return for each row the sum of some columns (``array('q')``, of equal length); nothing counts as 0."""
    out: array = array("q", [0]) * len(columns[0])
    found: cython.longlong[::1] = out
    values: cython.longlong[::1]
    nothing: cython.longlong = NOTHING
    place: cython.Py_ssize_t
    for column in columns:
        values = column
        for place in range(len(found)):
            if values[place] != nothing:
                found[place] += values[place]
    return out


# stub: def first_lists_of(columns: Sequence[tuple[array[int], array[int]]]) -> tuple[array[int], array[int]]: ...
def first_lists_of(columns: Any) -> tuple:
    """Return for each row the first list that is not empty, as `FieldColumn.lists` gives them."""
    count: cython.Py_ssize_t = len(columns[0][0])
    place: cython.Py_ssize_t
    at: cython.Py_ssize_t
    start: cython.Py_ssize_t
    ends: cython.int[::1]
    values: cython.longlong[::1]
    chosen: array = array("i", [-1]) * count
    which: cython.int[::1] = chosen
    number: cython.int
    for number in range(len(columns)):
        ends = columns[number][0]
        for place in range(count):
            start = ends[place - 1] if place else 0
            if which[place] < 0 and ends[place] > start:
                which[place] = number
    out_ends: array = array("i", [0]) * count
    found_ends: cython.int[::1] = out_ends
    out: array = array("q", [0]) * sum([len(items) for _, items in columns])
    found: cython.longlong[::1] = out
    end: cython.Py_ssize_t = 0
    for place in range(count):
        if which[place] >= 0:
            held, items = columns[which[place]]
            ends = held
            values = items
            start = ends[place - 1] if place else 0
            for at in range(start, ends[place]):
                found[end] = values[at]
                end += 1
        found_ends[place] = end
    return out_ends, out[:end]


# stub: def wide(values: array[int]) -> array[int]: ...
def wide(values: array) -> array:
    """Return numbers of 32 bits (``array('i')``) as ``array('q')``."""
    given: cython.int[::1] = values
    out: array = array("q", [0]) * len(values)
    found: cython.longlong[::1] = out
    place: cython.Py_ssize_t
    for place in range(len(given)):
        found[place] = given[place]
    return out


# stub: def chosen(values: array[int], rows: array[int]) -> array[int]: ...
def chosen(values: array, rows: array) -> array:
    """Return some rows of a column (both ``array('i')``) as ``array('q')``.

    Raises:
        IndexError: there is no such row.
    """
    given: cython.int[::1] = values
    wanted: cython.int[::1] = rows
    count: cython.Py_ssize_t = len(given)
    out: array = array("q", [0]) * len(rows)
    found: cython.longlong[::1] = out
    place: cython.Py_ssize_t
    for place in range(len(wanted)):
        if not 0 <= wanted[place] < count:
            raise IndexError(f"expected a row below {count}, got {wanted[place]}")
        found[place] = given[wanted[place]]
    return out


# stub: def zero_for_nothing(values: array[int]) -> array[int]: ...
def zero_for_nothing(values: array) -> array:
    """Return numbers (``array('q')``) with 0 where there is nothing."""
    out: array = values[:]
    found: cython.longlong[::1] = out
    nothing: cython.longlong = NOTHING
    place: cython.Py_ssize_t
    for place in range(len(found)):
        if found[place] == nothing:
            found[place] = 0
    return out
