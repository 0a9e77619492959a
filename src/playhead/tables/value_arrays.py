"""Python values as Arrow arrays.

`pyarrow.array` and `pyarrow.scalar` import pandas if it is installed, to recognize its types: a third of a second
for the first table of a process. The values of tables are plain and their types known, so their buffers are
filled here.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cache

from playhead.bits.checked_arrays import DOUBLES, INTS, LONGS
from playhead.runtime import cython
from playhead.runtime.libraries import pa
from playhead.runtime.typing import TYPE_CHECKING, Any

if cython.compiled:
    from cython.cimports.cpython.array import array
    from cython.cimports.playhead.bits.checked_arrays import zeros
else:
    from playhead.bits.checked_arrays import zeros

if TYPE_CHECKING:
    from datetime import datetime


_TEXT, _BYTES, _BOOL, _TIME, _CATEGORY, _LIST = "text", "bytes", "bool", "time", "category", "list"


def array_of(values: Sequence[Any], form: pa.DataType) -> pa.Array:
    """Return values (None is null) as an array of a type of `playhead.tables.Column`.

    Raises:
        pyarrow.ArrowInvalid, TypeError, OverflowError …: as `pyarrow.array`, which gets all other values.
    """
    if isinstance(values, list | tuple):
        found = _plain(values if type(values) is list else [*values], form)
        if found is not None:
            return found
    return pa.array(values, form)


def columns_of(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> list[list[Any]]:
    """Return the values of each column; None for a key that a row lacks."""
    columns: list = []
    for name in names:
        values: list = []
        for each in rows:
            row: dict = each
            values.append(row.get(name))
        columns.append(values)
    return columns


def scalar_of(value: Any, form: pa.DataType) -> pa.Scalar:
    """Return one value as an Arrow scalar."""
    return array_of([value], form)[0]


@cache
def _kinds() -> dict[int, str]:
    """Return the kind of array by id of the Arrow type: typecode of a number, or one of the words."""
    numbers = {
        "b": pa.int8(),
        "h": pa.int16(),
        "i": pa.int32(),
        "q": pa.int64(),
        "B": pa.uint8(),
        "H": pa.uint16(),
        "I": pa.uint32(),
        "Q": pa.uint64(),
        "f": pa.float32(),
        "d": pa.float64(),
    }
    others = {
        _TEXT: pa.string(),
        _BYTES: pa.binary(),
        _BOOL: pa.bool_(),
        _TIME: pa.timestamp("us", tz="UTC"),
        _CATEGORY: pa.dictionary(pa.int32(), pa.string()),
        _LIST: pa.list_(pa.int32()),
    }
    return {form.id: kind for kind, form in {**numbers, **others}.items()}


@cython.cfunc
def _plain(values: list, form: object) -> object:
    """Return the array of plain values; None where one is something else."""
    kind = _kinds().get(form.id)
    if kind is None:
        return None
    count: cython.Py_ssize_t = len(values)
    missing: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t
    for place in range(count):
        if values[place] is None:
            missing += 1
    if missing == count:
        return pa.nulls(count, form)
    try:
        if kind in (_TEXT, _BYTES):
            buffers = _bytes(values, kind == _TEXT)
        elif kind == _CATEGORY:
            return _category(values, missing)
        elif kind == _LIST:
            return _lists(values, form)
        elif kind == _BOOL:
            if not {*values} <= {True, False, None}:
                return None
            buffers = [_bits(values, False)]
        elif kind == _TIME:
            if str(form) != "timestamp[us, tz=UTC]":
                return None
            buffers = [array("q", [0 if value is None else _microseconds(value) for value in values])]
        else:
            buffers = [_numbers(values, kind)]
    except (AttributeError, TypeError, ValueError, OverflowError):
        return None
    there = pa.py_buffer(_bits(values, True)) if missing else None
    return pa.Array.from_buffers(form, count, [there, *map(pa.py_buffer, buffers)])


@cython.cfunc
def _numbers(values: list, kind: str) -> array:
    """Return an array of numbers, 0 for None. The frequent types are converted here, at a tenth of the time."""
    found: array
    count: cython.Py_ssize_t = len(values)
    place: cython.Py_ssize_t
    if kind == "d":
        found = zeros(DOUBLES, count)
        doubles: cython.p_double = found.data.as_doubles if cython.compiled else found
        for place in range(count):
            value = values[place]
            if type(value) is float:
                doubles[place] = value
            elif value is not None:
                break
        else:
            return found
    elif kind == "q" or kind == "i":
        found = zeros(LONGS, count)
        numbers: cython.p_longlong = found.data.as_longlongs if cython.compiled else found
        for place in range(count):
            value = values[place]
            if type(value) is int:
                numbers[place] = value
            elif value is not None:
                break
        else:
            return found if kind == "q" else _narrow(found)
    return array(kind, [0 if value is None else value for value in values])


@cython.cfunc
def _narrow(values: array) -> array:
    """Return 64-bit numbers as 32-bit ones.

    Raises:
        OverflowError: one is too large.
    """
    found: array = zeros(INTS, len(values))
    narrow: cython.p_int = found.data.as_ints if cython.compiled else found
    numbers: cython.p_longlong = values.data.as_longlongs if cython.compiled else values
    place: cython.Py_ssize_t
    for place in range(len(values)):
        if numbers[place] >> 31 not in (0, -1):
            raise OverflowError
        narrow[place] = cython.cast(cython.int, numbers[place])
    return found


@cython.cfunc
def _bits(values: list, of_presence: cython.bint) -> bytearray:
    """Return a bit for each value: whether it is there, or whether it is true."""
    count: cython.Py_ssize_t = len(values)
    found: bytearray = bytearray((count + 7) >> 3)
    bits: cython.uchar[::1] = found
    place: cython.Py_ssize_t
    for place in range(count):
        value = values[place]
        if value is not None if of_presence else value:
            bits[place >> 3] |= 1 << (place & 7)
    return found


@cython.cfunc
def _bytes(values: list, of_text: cython.bint) -> list:
    """Return the buffers of texts or bytes."""
    parts: list = []
    found: array = zeros(LONGS, len(values) + 1)
    ends: cython.p_longlong = found.data.as_longlongs if cython.compiled else found
    end: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t
    for place in range(len(values)):
        value = values[place]
        if value is not None:
            if of_text:
                if not isinstance(value, str):
                    raise TypeError
                text: str = value
                value = text.encode()
            parts.append(value)
            end += len(value)
        ends[place + 1] = end
    return [_narrow(found), b"".join(parts)]


@cython.cfunc
def _category(values: list, missing: cython.Py_ssize_t) -> object:
    places: dict = {}
    count: cython.Py_ssize_t = len(values)
    found: array = zeros(INTS, count)
    codes: cython.p_int = found.data.as_ints if cython.compiled else found
    place: cython.Py_ssize_t
    for place in range(count):
        value = values[place]
        if value is not None:
            code = places.get(value)
            if code is None:
                code = places[value] = len(places)
            codes[place] = code
    there = pa.py_buffer(_bits(values, True)) if missing else None
    numbers = pa.Array.from_buffers(pa.int32(), count, [there, pa.py_buffer(found)])
    return pa.DictionaryArray.from_arrays(numbers, array_of(list(places), pa.string()))


@cython.cfunc
def _lists(values: list, form: object) -> object:
    found: array = zeros(LONGS, len(values) + 1)
    ends: cython.p_longlong = found.data.as_longlongs if cython.compiled else found
    items: list = []
    place: cython.Py_ssize_t
    for place in range(len(values)):
        value = values[place]
        if value is not None:
            if not isinstance(value, list | tuple):
                return None
            items.extend(value)
        ends[place + 1] = len(items)
    there = pa.py_buffer(_bits(values, True)) if None in values else None
    buffers = [there, pa.py_buffer(_narrow(found))]
    return pa.Array.from_buffers(form, len(values), buffers, children=[array_of(items, form.value_type)])


@cache
def _epoch() -> datetime:
    from datetime import UTC, datetime  # which every start would pay for

    return datetime(1970, 1, 1, tzinfo=UTC)


@cython.cfunc
def _microseconds(value: object) -> object:
    since = value - _epoch()
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
