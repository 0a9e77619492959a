"""Arrow columns of numbers: from ``array('q')``, in which one number means null, and narrower copies of columns.

A small game has some hundred short columns, so the cost of each Arrow call counts: buffers are filled here and
passed to Arrow once.

The module is long because one more compiled module takes seconds of each installation, and these functions share
their bits of presence.
"""

from __future__ import annotations

from array import array
from itertools import accumulate

from playhead.bits.checked_arrays import BYTES, DOUBLES, FLOATS, INTS, LONGS
from playhead.runtime import cython
from playhead.runtime.libraries import cast_array, pa
from playhead.runtime.typing import TYPE_CHECKING
from playhead.tables.value_arrays import array_of, scalar_of

if cython.compiled:
    from cython.cimports.cpython.array import array
    from cython.cimports.libc.string import memchr, memcpy
    from cython.cimports.playhead.bits.checked_arrays import filled, resize, unset, zeros
else:
    from playhead.bits.checked_arrays import filled, unset, zeros

_NO_ANGLE = cython.declare(cython.double, -float("inf"))

if TYPE_CHECKING:
    from collections.abc import Mapping


def int64_column(values: array, nothing: cython.longlong) -> pa.Array:
    """``array('q')`` as int64, null where it has `nothing`; the array must not change afterwards."""
    return pa.Array.from_buffers(pa.int64(), len(values), [_there(values, nothing), pa.py_buffer(values)])


def int32_column(values: array, nothing: cython.longlong) -> pa.Array:
    """``array('q')`` as int32, null where it has `nothing` or what int32 cannot hold."""
    given: cython.longlong[::1] = values
    count: cython.Py_ssize_t = len(given)
    narrow: array = unset(INTS, count)
    there: array = unset(BYTES, count)
    # Pointers stay in registers; a store of bytes makes gcc read a view's again for each row.
    from_: cython.p_longlong = values.data.as_longlongs if cython.compiled else values
    to: cython.p_int = narrow.data.as_ints if cython.compiled else narrow
    flags: cython.p_uchar = there.data.as_uchars if cython.compiled else there
    place: cython.Py_ssize_t
    for place in range(count):
        number: cython.longlong = from_[place]
        fits: cython.bint = number != nothing and (number >> 31 == 0 or number >> 31 == -1)
        to[place] = cython.cast(cython.int, number) if fits else 0
        flags[place] = fits
    return pa.Array.from_buffers(pa.int32(), count, [presence_bits(there), pa.py_buffer(narrow)])


def float64_column(
    values: array, nothing: cython.longlong, factor: cython.double = 1.0, divisor: cython.double = 1.0
) -> pa.Array:
    """``array('q')`` times `factor`, divided by `divisor`, as float64; null where it has `nothing`.

    Raises:
        ZeroDivisionError: the divisor is 0.
    """
    given: cython.longlong[::1] = values
    scaled: array = unset(DOUBLES, len(values))
    to: cython.double[::1] = scaled
    place: cython.Py_ssize_t
    for place in range(len(given)):
        to[place] = given[place] * factor / divisor if given[place] != nothing else 0.0
    return pa.Array.from_buffers(pa.float64(), len(values), [_there(values, nothing), pa.py_buffer(scaled)])


def float32_column(values: array, nothing: cython.longlong, factor: cython.double = 1.0) -> pa.Array:
    """``array('q')`` times `factor`, as float32; null where it has `nothing`."""
    given: cython.longlong[::1] = values
    scaled: array = unset(FLOATS, len(values))
    to: cython.float[::1] = scaled
    place: cython.Py_ssize_t
    for place in range(len(given)):
        to[place] = cython.cast(cython.float, given[place] * factor) if given[place] != nothing else 0.0
    return pa.Array.from_buffers(pa.float32(), len(values), [_there(values, nothing), pa.py_buffer(scaled)])


def named_column(values: array, nothing: cython.longlong, names: Mapping[int, str]) -> pa.Array:
    """``array('q')`` as a category: the name of each number, or its digits if it has no name; null where it is
    `nothing`. The category lists only names that occur, in order of first use."""
    given: cython.longlong[::1] = values
    codes: array = filled(LONGS, nothing, len(values))
    code_at: cython.longlong[::1] = codes
    last: cython.longlong = nothing
    code: cython.longlong = nothing
    place: cython.Py_ssize_t
    places: dict = {}
    # An array for small numbers, as most are; -1 for one that has not occurred.
    small: array = filled(LONGS, -1, 512)
    small_code: cython.longlong[::1] = small
    for place in range(len(given)):
        if given[place] != last:
            last = given[place]
            if last == nothing:
                code = nothing
            elif 0 <= last < 512:
                code = small_code[last]
                if code < 0:
                    code = small_code[last] = len(places)
                    places[last] = code
            else:
                code = places.setdefault(last, len(places))
        code_at[place] = code
    texts = array_of([names.get(number) or str(number) for number in places], pa.string())
    return pa.DictionaryArray.from_arrays(int32_column(codes, nothing), texts)


def float64_or_null(values: array) -> pa.Array:
    """``array('d')`` as float64, null where it is not a number; the array must not change afterwards."""
    given: cython.double[::1] = values
    valid: array = array("B", [1]) * len(values)
    flags: cython.uchar[::1] = valid
    place: cython.Py_ssize_t
    for place in range(len(given)):
        flags[place] = given[place] == given[place]
    return pa.Array.from_buffers(pa.float64(), len(values), [presence_bits(valid), pa.py_buffer(values)])


@cython.cfunc
def _there(values: array, nothing: cython.longlong) -> object:
    """Return Arrow's bits for which rows of ``array('q')`` have something; None if all do."""
    given: cython.longlong[::1] = values
    place: cython.Py_ssize_t
    for place in range(len(given)):
        if given[place] == nothing:
            break
    else:
        return None
    there: array = unset(BYTES, len(given))
    flags: cython.uchar[::1] = there
    for place in range(len(given)):
        flags[place] = given[place] != nothing
    return packed_bits(there)


def signed_column(column: pa.Array) -> pa.Array:
    """Return the low 32 bits of an int64 column as int32."""
    first: cython.Py_ssize_t = column.offset
    count: cython.Py_ssize_t = len(column)
    if not count:
        return array_of([], pa.int32())
    valid, data = column.buffers()
    given: cython.longlong[::1] = memoryview(data).cast("q")
    narrow: array = zeros(INTS, first + count)
    to: cython.int[::1] = narrow
    place: cython.Py_ssize_t
    for place in range(first, first + count):
        if cython.compiled:
            to[place] = cython.cast(cython.int, given[place])
        else:
            to[place] = (given[place] + (1 << 31)) % (1 << 32) - (1 << 31)
    return pa.Array.from_buffers(pa.int32(), count, [valid, pa.py_buffer(narrow)], offset=first)


def component_column(
    column: pa.Array, component: cython.Py_ssize_t, low: cython.double = -float("inf")
) -> pa.Array:
    """Return one component of a column of float64 vectors of fixed size, as float32; null where the vector is.

    With `low`, the components are angles in degrees, and returned from there to 360 degrees more.
    """
    width: cython.Py_ssize_t = column.type.list_size
    count: cython.Py_ssize_t = len(column)
    first: cython.Py_ssize_t = column.offset
    if not count:
        return array_of([], pa.float32())
    held: cython.const[cython.double][::1] = memoryview(column.values.buffers()[1]).cast("d")
    values: array = zeros(FLOATS, first + count)
    start: cython.Py_ssize_t = column.values.offset + component
    if component < 0 or component >= width or start + width * (first + count - 1) >= len(held):
        raise IndexError("the vectors have no such component")
    given: cython.p_double = cython.cast(cython.p_double, cython.address(held[0])) if cython.compiled else held
    to: cython.p_float = values.data.as_floats if cython.compiled else values
    turn: cython.double = 360.0 if low > _NO_ANGLE else 0.0
    place: cython.Py_ssize_t
    for place in range(first, first + count):
        value: cython.double = given[start + width * place]
        if value < low:
            value += turn
        if value >= low + turn:
            value -= turn
        to[place] = cython.cast(cython.float, value)
    return pa.Array.from_buffers(pa.float32(), count, [column.buffers()[0], pa.py_buffer(values)], offset=first)


def grid_column(cells: pa.Array, offsets: pa.Array, size: cython.double, middle: cython.double) -> pa.Array:
    """Return the coordinates, as float32, of places in a grid: cells (int64) of a size, less the middle cell, plus
    offsets in a cell (float64), which are 0 where null. Null where the cell is null. Neither column is a slice.
    """
    count: cython.Py_ssize_t = len(cells)
    if not count:
        return array_of([], pa.float32())
    if offsets.null_count:
        offsets = offsets.fill_null(scalar_of(0.0, pa.float64()))
    cell: cython.const[cython.longlong][::1] = memoryview(cells.buffers()[1]).cast("q")
    offset: cython.const[cython.double][::1] = memoryview(offsets.buffers()[1]).cast("d")
    values: array = zeros(FLOATS, count)
    to: cython.float[::1] = values
    place: cython.Py_ssize_t
    for place in range(count):
        to[place] = cython.cast(cython.float, (cell[place] - middle) * size + offset[place])
    return pa.Array.from_buffers(pa.float32(), count, [cells.buffers()[0], pa.py_buffer(values)])


def gathered(column: pa.Array, rows: array, sizes: array, times: array) -> pa.Array:
    """Return a column of int32, int64, float64 or bool with the rows that ``array('i')`` names: the first rows, as
    many as the first of `sizes`, as often as the first of `times` says, and so on.

    As ``take``, but a large result is in memory of the C library, which reuses freed memory at once; Arrow's
    allocator returns it to the system.
    """
    count = sum([size * often for size, often in zip(sizes, times, strict=True)])
    if not count or not len(column):
        return pa.nulls(count, column.type)
    found = column.take(pa.Array.from_buffers(pa.int32(), len(rows), [None, pa.py_buffer(rows)]))
    bits: object = None
    if found.null_count:
        bits = packed_bits(_repeated(_flags(found.is_valid()), sizes, times, count))
    if pa.types.is_boolean(found.type):
        values: object = packed_bits(_repeated(_flags(found), sizes, times, count))
    else:
        code = "i" if found.type == pa.int32() else "q"
        values = pa.py_buffer(_repeated(array(code, found.buffers()[1].to_pybytes()), sizes, times, count))
    return pa.Array.from_buffers(found.type, count, [bits, values])


@cython.cfunc
def _flags(column: object) -> array:
    """Return the values of a bool column, each as a byte."""
    return array("B", column.cast(pa.uint8()).buffers()[1].to_pybytes()[: len(column)])


@cython.cfunc
def _repeated(rows: array, sizes: array, times: array, count: cython.Py_ssize_t) -> array:
    """Return blocks of rows of these sizes, each that many times: `count` rows in all."""
    if not cython.compiled:
        starts = accumulate(sizes, initial=0)
        blocks = [rows[at : at + size] * often for at, size, often in zip(starts, sizes, times, strict=False)]
        return array(rows.typecode, b"".join(blocks))
    width: cython.Py_ssize_t = rows.itemsize
    size_of: cython.int[::1] = sizes
    times_of: cython.int[::1] = times
    result: array = array(rows.typecode)
    resize(result, count)
    given: cython.p_char = rows.data.as_chars
    to: cython.p_char = result.data.as_chars
    left: cython.Py_ssize_t = len(rows) * width
    room: cython.Py_ssize_t = count * width
    place: cython.Py_ssize_t
    for place in range(len(sizes)):
        size: cython.Py_ssize_t = size_of[place] * width
        whole: cython.Py_ssize_t = size * times_of[place]
        if size < 0 or size > left or whole < 0 or whole > room:
            raise ValueError("the blocks have more rows than there are")
        left -= size
        room -= whole
        done: cython.Py_ssize_t = min(size, whole)
        memcpy(to, given, done)
        while done < whole:  # the block so far again
            more: cython.Py_ssize_t = min(done, whole - done)
            memcpy(to + done, to, more)
            done += more
        given += size
        to += whole
    return result


def code_column(column: pa.Array, count: cython.longlong) -> pa.Array | None:
    """int32 with null where it is 0; None if any is not below `count`."""
    codes: array = int32_numbers(column, 0)
    given: cython.int[::1] = codes
    there: array = unset(BYTES, len(given))
    flags: cython.uchar[::1] = there
    place: cython.Py_ssize_t
    for place in range(len(given)):
        if given[place] < 0 or given[place] >= count:
            return None
        flags[place] = given[place] != 0
    return pa.Array.from_buffers(pa.int32(), len(given), [presence_bits(there), pa.py_buffer(codes)])


@cython.cfunc
def _int32_values(column: pa.Array) -> object:
    """The memory of an int32 column without nulls."""
    first: cython.Py_ssize_t = column.offset
    return memoryview(column.buffers()[1] or b"").cast("B")[4 * first : 4 * (first + len(column))].cast("i")


def seconds_column(ticks: pa.Array, rate: cython.double) -> pa.Array:
    """Ticks, an int32 column without nulls, as seconds; null below 0.

    Raises:
        ZeroDivisionError: the rate is 0.
    """
    count: cython.Py_ssize_t = len(ticks)
    given: cython.const[cython.int][::1] = _int32_values(ticks)
    seconds: array = zeros(DOUBLES, count)
    valid: array = zeros(BYTES, count)
    to: cython.double[::1] = seconds
    there: cython.uchar[::1] = valid
    place: cython.Py_ssize_t
    for place in range(count):
        if given[place] >= 0:
            to[place] = given[place] / rate
            there[place] = 1
    return pa.Array.from_buffers(pa.float64(), count, [presence_bits(valid), pa.py_buffer(seconds)])


def clock_column(
    ticks: pa.Array,
    starts: array,
    times: array[float],
    running: array,
    begin: cython.double,
    rate: cython.double,
) -> pa.Array:
    """The time on a clock at ticks, an int32 column without nulls; null below 0 and before the first change.

    Args:
        ticks: the ticks.
        starts: ``array('q')``, the ticks of the changes, in order.
        times: ``array('d')``, the clock's time at each change, in ticks.
        running: ``array('B')``, whether it runs from there.
        begin: the time that is shown as 0.
        rate: ticks per second.
    """
    given: cython.const[cython.int][::1] = _int32_values(ticks)
    seconds: array = zeros(DOUBLES, len(given))
    valid: array = zeros(BYTES, len(given))
    to: cython.double[::1] = seconds
    there: cython.uchar[::1] = valid
    start: cython.longlong[::1] = starts
    time: cython.double[::1] = times
    runs: cython.uchar[::1] = running
    place: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t = len(starts) - 1
    for place in range(len(given)):
        tick: cython.longlong = given[place]
        if last < 0 or tick < 0 or tick < start[0]:
            continue
        while tick < start[at]:
            at -= 1
        while at < last and tick >= start[at + 1]:
            at += 1
        to[place] = (time[at] + (tick - start[at] if runs[at] else 0) - begin) / rate
        there[place] = 1
    return pa.Array.from_buffers(pa.float64(), len(given), [presence_bits(valid), pa.py_buffer(seconds)])


def group_sums(groups: array, values: array[float]) -> tuple[array, array, array[float], array[float]]:
    """First place, number, sum and largest of the values of each group, in order of the groups.

    Args:
        groups: ``array('i')``, the group of each value: 0, or at most one more than all before.
        values: ``array('d')``.
    """
    given: cython.int[::1] = groups
    amount: cython.double[::1] = values
    count: cython.Py_ssize_t = max(groups, default=-1) + 1
    first: array = zeros(LONGS, count)
    counts: array = zeros(LONGS, count)
    sums: array = zeros(DOUBLES, count)
    largest: array = zeros(DOUBLES, count)
    first_of: cython.longlong[::1] = first
    count_of: cython.longlong[::1] = counts
    sum_of: cython.double[::1] = sums
    largest_of: cython.double[::1] = largest
    place: cython.Py_ssize_t
    for place in range(len(given)):
        group: cython.int = given[place]
        if not count_of[group]:
            first_of[group] = place
            sum_of[group] = largest_of[group] = amount[place]
        else:
            sum_of[group] += amount[place]
            largest_of[group] = max(largest_of[group], amount[place])
        count_of[group] += 1
    return first, counts, sums, largest


def int32_numbers(column: pa.Array, nothing: cython.int) -> array:
    """Return a column of whole numbers of 32 bits at most as ``array('i')``, `nothing` for null."""
    column = cast_array(column, pa.int32())
    first: cython.Py_ssize_t = column.offset
    count: cython.Py_ssize_t = len(column)
    valid, data = column.buffers()
    if column.null_count == count:
        return array("i", [nothing]) * count
    found: array = array("i", data.slice(4 * first, 4 * count).to_pybytes())
    codes: cython.int[::1] = found
    known: bytes = b"" if valid is None else valid.to_pybytes()
    place: cython.Py_ssize_t
    for place in range(count if known else 0):
        if not known[(first + place) >> 3] >> ((first + place) & 7) & 1:
            codes[place] = nothing
    return found


def renumbered(column: pa.Array, size: cython.Py_ssize_t) -> tuple[pa.Array, pa.Array]:
    """Codes from 0 up to `size` (int32) numbered in order of appearance, and the former code of each number."""
    found: array = int32_numbers(column, -1)
    codes: cython.int[::1] = found
    numbers: cython.int[::1] = array("i", [-1]) * size
    used: array = array("i")
    place: cython.Py_ssize_t
    for place in range(len(codes)):
        code: cython.int = codes[place]
        if code >= 0:
            if numbers[code] < 0:
                numbers[code] = cython.cast(cython.int, len(used))
                used.append(code)
            codes[place] = numbers[code]
    there = column.is_valid().buffers()[1] if column.null_count else None
    new = pa.Array.from_buffers(pa.int32(), len(found), [there, pa.py_buffer(found)])
    return new, pa.Array.from_buffers(pa.int32(), len(used), [None, pa.py_buffer(used)])


def is_ascending(column: pa.Array) -> bool:
    """Return whether no number of an int32 column, none of them null, is less than the one before it."""
    given: cython.const[cython.int][::1] = _int32_values(column)
    count: cython.Py_ssize_t = len(given)
    place: cython.Py_ssize_t = 1
    while place < count and given[place - 1] <= given[place]:
        place += 1
    return place >= count


def with_code(column: pa.Array, wanted: array) -> pa.Array:
    """Which codes of an int32 column are wanted: ``array('B')`` with 1 for each that is; a null is not."""
    codes: cython.int[::1] = int32_numbers(column, -1)
    is_wanted: cython.uchar[::1] = wanted
    fits: array = zeros(BYTES, len(codes))
    to: cython.uchar[::1] = fits
    place: cython.Py_ssize_t
    for place in range(len(codes)):
        if codes[place] >= 0:
            to[place] = is_wanted[codes[place]]
    return pa.Array.from_buffers(pa.bool_(), len(codes), [None, packed_bits(fits)])


def equal_rows(columns: list, places: array) -> array:
    """Group of each of the places (``array('q')``) for `group_sums`: those with equal numbers have the same one.

    Args:
        columns: each ``array('i')``.
    """
    count: cython.Py_ssize_t = len(places)
    at: cython.longlong[::1] = places
    groups: array = zeros(INTS, count)
    size: cython.Py_ssize_t = 4
    while size < 2 * count:
        size *= 2
    for column in columns:
        given: cython.int[::1] = column
        before: cython.int[::1] = groups
        refined: array = zeros(INTS, count)
        after: cython.int[::1] = refined
        slots: array = zeros(INTS, size)
        taken: cython.int[::1] = slots  # a table of places, counted from 1, by number and group
        known: cython.int = 0
        place: cython.Py_ssize_t
        for place in range(count):
            group: cython.int = before[place]
            value: cython.int = given[at[place]]
            mixed: cython.longlong = value * cython.cast(cython.longlong, 40_503) + group * 31_153
            slot: cython.Py_ssize_t = (mixed ^ mixed >> 15) & (size - 1)
            while True:
                other: cython.int = taken[slot] - 1
                if other < 0:
                    taken[slot] = cython.cast(cython.int, place + 1)
                    after[place] = known
                    known += 1
                    break
                if before[other] == group and given[at[other]] == value:
                    after[place] = after[other]
                    break
                slot = (slot + 1) & (size - 1)
        groups = refined
    return groups


def presence_bits(valid: array) -> pa.Buffer | None:
    """A bit for each byte, which is 0 or 1; None if none is 0."""
    count: cython.Py_ssize_t = len(valid)
    if cython.compiled:
        flags: cython.uchar[::1] = valid
        if count == 0 or memchr(cython.address(flags[0]), 0, count) == cython.NULL:
            return None
    elif 0 not in valid:
        return None
    return packed_bits(valid)


def packed_bits(flags: array) -> pa.Buffer:
    """A bit for each byte, which is 0 or 1."""
    count: cython.Py_ssize_t = len(flags)
    place: cython.Py_ssize_t
    given: cython.const[cython.uchar][::1] = flags
    bits: array = zeros(BYTES, (count + 7) >> 3)
    to: cython.uchar[::1] = bits
    whole: cython.Py_ssize_t = count & ~7
    eight: cython.ulonglong = 0
    factor: cython.ulonglong = 0x0102040810204080  # each bit shifts another flag into the highest byte
    for place in range(0, whole, 8):
        if cython.compiled:
            memcpy(cython.address(eight), cython.address(given[place]), 8)
            to[place >> 3] = cython.cast(cython.uchar, eight * factor >> 56)
        else:
            to[place >> 3] = sum(given[place + bit] << bit for bit in range(8))
    for place in range(whole, count):
        to[place >> 3] |= given[place] << (place & 7)
    return pa.py_buffer(bits)
