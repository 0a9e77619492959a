"""`FieldColumn`: one field of one kind of event, filled while a stream is decoded."""

from __future__ import annotations

from array import array

from playhead.bits.checked_arrays import INTS, LONGS
from playhead.runtime import cython
from playhead.runtime.libraries import pa
from playhead.tables.column_buffers import Int32Buffer

if cython.compiled:
    from cython.cimports.playhead.bits.checked_arrays import resize, zeros
    from cython.cimports.playhead.tables.column_buffers import Int32Buffer, append_int32
else:
    from playhead.bits.checked_arrays import zeros
    from playhead.tables.column_buffers import append_int32

#: Null in a column of whole numbers: no field has so many bits.
NOTHING = -(1 << 62)

_FIRST_CAPACITY = 64


@cython.final
@cython.cclass
class FieldColumn:
    """One field of one kind of event: a number, null or a list of numbers for each event.

    `put` names the row, so a row without a value costs nothing.
    """

    def __init__(self, is_list: bool) -> None:
        self._is_list = is_list
        self._values = None
        self._list_ends = None
        self._size = self._capacity = self._rows = 0
        self._done = None

    def _reserve(self, size: cython.Py_ssize_t) -> cython.int:
        """Make room for so many values."""
        if self._values is None:
            self._values = array("q")
        if cython.compiled and size > self._capacity:
            capacity: cython.Py_ssize_t = max(_FIRST_CAPACITY, size, 4 * self._capacity)
            resize(self._values, capacity)
            self._data, self._capacity = self._values.data.as_longlongs, capacity
        return 0

    def _append(self, value: cython.longlong) -> cython.int:
        self._reserve(self._size + 1)
        if cython.compiled:
            self._data[self._size] = value
        else:
            self._values.append(value)
        self._size += 1
        return 0

    def put(self, row: cython.Py_ssize_t, value: cython.longlong) -> cython.int:
        """Set the field of a row (a second value replaces it), or append an item to its list. Rows ascend."""
        if self._is_list:
            self._end_lists(row)
        elif row < self._size:
            self._values[row] = value
            return 0
        else:
            self._pad(row)
        return self._append(value)

    def _pad(self, rows: cython.Py_ssize_t) -> cython.int:
        """Append nulls up to `rows` rows."""
        nothing: cython.longlong = NOTHING
        if not cython.compiled:
            while self._size < rows:
                self._append(nothing)
        elif self._size < rows:
            self._reserve(rows + 1)  # a value follows mostly
            to: cython.p_longlong = self._data
            place: cython.Py_ssize_t
            for place in range(self._size, rows):
                to[place] = nothing
            self._size = rows
        return 0

    def _end_lists(self, rows: cython.Py_ssize_t) -> cython.int:
        """End the lists of the first `rows` rows."""
        if self._list_ends is None:
            self._list_ends = Int32Buffer()
        ended: cython.Py_ssize_t = self._list_ends._size if cython.compiled else len(self._list_ends)
        while ended < rows:
            ended += 1
            append_int32(self._list_ends, cython.cast(cython.int, self._size))
        return 0

    def end(self, rows: cython.Py_ssize_t) -> cython.int:
        """Set the number of rows, and drop the values of a row that was not completed."""
        self._rows = rows
        return 0

    def _end(self) -> tuple:
        if self._done is None:
            ends: array = None
            if self._is_list:
                self._end_lists(self._rows)
                ends = self._list_ends.to_array()
                self._size = ends[len(ends) - 1] if len(ends) else 0
            else:
                self._pad(self._rows)
                self._size = self._rows
            values: array = array("q") if self._values is None else self._values
            if cython.compiled:
                resize(values, self._size)
            else:
                del values[self._size :]
            self._values = None
            self._capacity = 0
            self._done = (values, ends)
        return self._done

    def numbers(self) -> array:
        """Return the field of each event as ``array('q')``, `NOTHING` for null; not for lists."""
        return self._end()[0]

    def lists(self) -> tuple[array[int], array[int]]:
        """Return the end of each event's list, ``array('i')``, and the items of all, ``array('q')``."""
        values, ends = self._end()
        return ends, values

    def to_arrow(self) -> pa.Array:
        """Return the column as Arrow int64, or list of int64."""

        from playhead.tables.number_columns import int64_column

        held, ends = self._end()
        if self._is_list:
            values = pa.Array.from_buffers(pa.int64(), len(held), [None, pa.py_buffer(held)])
            bounds = array("i", [0]) + ends
            offsets = pa.Array.from_buffers(pa.int32(), len(bounds), [None, pa.py_buffer(bounds)])
            return pa.ListArray.from_arrays(offsets, values)
        return int64_column(held, NOTHING)


if not cython.compiled:
    # The same as the inline function in the .pxd.
    put_number = FieldColumn.put


def first_of(columns: Sequence[array[int]]) -> array:
    """Return for each row the first value that is not null of several columns (``array('q')``)."""
    out: array = columns[0][:]
    found: cython.longlong[::1] = out
    nothing: cython.longlong = NOTHING
    place: cython.Py_ssize_t
    for column in columns[1:]:
        values: cython.longlong[::1] = column
        for place in range(len(found)):
            if found[place] == nothing:
                found[place] = values[place]
    return out


def sum_of(columns: Sequence[array[int]]) -> array:
    """Return for each row the sum of some columns (``array('q')``, of equal length); null counts as 0."""
    out: array = zeros(LONGS, len(columns[0]))
    found: cython.longlong[::1] = out
    nothing: cython.longlong = NOTHING
    place: cython.Py_ssize_t
    for column in columns:
        values: cython.longlong[::1] = column
        for place in range(len(found)):
            if values[place] != nothing:
                found[place] += values[place]
    return out


def first_lists_of(columns: Sequence[tuple[array[int], array[int]]]) -> tuple[array[int], array[int]]:
    """Return for each row the first non-empty list, in the form of `FieldColumn.lists`."""
    count: cython.Py_ssize_t = len(columns[0][0])
    place: cython.Py_ssize_t
    at: cython.Py_ssize_t
    chosen: array = array("i", [-1]) * count
    which: cython.int[::1] = chosen
    number: cython.int
    for number in range(len(columns)):
        ends: cython.int[::1] = columns[number][0]
        for place in range(count):
            start: cython.Py_ssize_t = ends[place - 1] if place else 0
            if which[place] < 0 and ends[place] > start:
                which[place] = number
    out_ends: array = zeros(INTS, count)
    found_ends: cython.int[::1] = out_ends
    out: array = zeros(LONGS, sum([len(items) for _, items in columns]))
    found: cython.longlong[::1] = out
    end: cython.Py_ssize_t = 0
    for place in range(count):
        if which[place] >= 0:
            held, items = columns[which[place]]
            ends = held
            values: cython.longlong[::1] = items
            start = ends[place - 1] if place else 0
            for at in range(start, ends[place]):
                found[end] = values[at]
                end += 1
        found_ends[place] = end
    return out_ends, out[:end]


def wide(values: array) -> array:
    """Return numbers of 32 bits (``array('i')``) as ``array('q')``."""
    given: cython.int[::1] = values
    out: array = zeros(LONGS, len(values))
    found: cython.longlong[::1] = out
    place: cython.Py_ssize_t
    for place in range(len(given)):
        found[place] = given[place]
    return out


def chosen(values: array, rows: array) -> array:
    """Return some rows of a column (both ``array('i')``) as ``array('q')``.

    Raises:
        IndexError: there is no such row.
    """
    given: cython.int[::1] = values
    wanted: cython.int[::1] = rows
    count: cython.Py_ssize_t = len(given)
    out: array = zeros(LONGS, len(rows))
    found: cython.longlong[::1] = out
    place: cython.Py_ssize_t
    for place in range(len(wanted)):
        if not 0 <= wanted[place] < count:
            raise IndexError(f"expected a row below {count}, got {wanted[place]}")
        found[place] = given[wanted[place]]
    return out


def zero_for_nothing(values: array) -> array:
    """Return numbers (``array('q')``) with 0 for null."""
    out: array = values[:]
    found: cython.longlong[::1] = out
    nothing: cython.longlong = NOTHING
    place: cython.Py_ssize_t
    for place in range(len(found)):
        if found[place] == nothing:
            found[place] = 0
    return out
