"""Arrow columns of numbers that are held as ``array('q')``, in which one number stands for nothing.

A table of a small game has some hundred columns of which each is short, so that what a call of Arrow costs counts:
buffers are filled here, and Arrow is told of them once.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from playhead.tables.value_arrays import array_of

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

if TYPE_CHECKING:
    import pyarrow as pa

# stub: from collections.abc import Mapping


# stub: def int64_column(values: array[int], nothing: int) -> pa.Array: ...
def int64_column(values: array, nothing: cython.longlong) -> pa.Array:
    """``array('q')`` as int64, null where it has `nothing`; the array must not change afterwards."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int64(), len(values), [_there(values, nothing), pa.py_buffer(values)])


# stub: def int32_column(values: array[int], nothing: int) -> pa.Array: ...
def int32_column(values: array, nothing: cython.longlong) -> pa.Array:
    """``array('q')`` as int32, null where it has `nothing` or what int32 cannot hold."""
    import pyarrow as pa

    given: cython.longlong[::1] = values
    count: cython.Py_ssize_t = len(given)
    narrow: array = array("i", [0]) * count
    to: cython.int[::1] = narrow
    place: cython.Py_ssize_t
    number: cython.longlong
    nulls: array = None
    for place in range(count):
        number = given[place]
        if number != nothing and number >> 31 in (0, -1):
            to[place] = cython.cast(cython.int, number)
        else:
            if nulls is None:
                nulls = values[:]
            nulls[place] = nothing
    there = None if nulls is None else _there(nulls, nothing)
    return pa.Array.from_buffers(pa.int32(), count, [there, pa.py_buffer(narrow)])


# stub: def float64_column(values: array[int], nothing: int, factor: float) -> pa.Array: ...
def float64_column(values: array, nothing: cython.longlong, factor: cython.double) -> pa.Array:
    """``array('q')`` times `factor` as float64, null where it has `nothing`."""
    import pyarrow as pa

    given: cython.longlong[::1] = values
    scaled: array = array("d", [0]) * len(values)
    to: cython.double[::1] = scaled
    place: cython.Py_ssize_t
    for place in range(len(given)):
        if given[place] != nothing:
            to[place] = given[place] * factor
    return pa.Array.from_buffers(pa.float64(), len(values), [_there(values, nothing), pa.py_buffer(scaled)])


# stub: def float64_quotient(values: array[int], nothing: int, divisor: float) -> pa.Array: ...
def float64_quotient(values: array, nothing: cython.longlong, divisor: cython.double) -> pa.Array:
    """``array('q')`` divided by `divisor` as float64, null where it has `nothing`.

    Raises:
        ZeroDivisionError: the divisor is 0.
    """
    import pyarrow as pa

    given: cython.longlong[::1] = values
    scaled: array = array("d", [0]) * len(values)
    to: cython.double[::1] = scaled
    place: cython.Py_ssize_t
    for place in range(len(given)):
        if given[place] != nothing:
            to[place] = given[place] / divisor
    return pa.Array.from_buffers(pa.float64(), len(values), [_there(values, nothing), pa.py_buffer(scaled)])


# stub: def named_column(values: array[int], nothing: int, names: Mapping[int, str]) -> pa.Array: ...
def named_column(values: array, nothing: cython.longlong, names: Any) -> pa.Array:
    """``array('q')`` as a category: the name of each number, or its digits where it has none; null where it is
    `nothing`. The category has the names that there are, in the order in which they come up."""
    import pyarrow as pa

    given: cython.longlong[::1] = values
    codes: array = array("q", [nothing]) * len(values)
    code_at: cython.longlong[::1] = codes
    last: cython.longlong = nothing
    code: cython.longlong = nothing
    place: cython.Py_ssize_t
    places: dict = {}
    for place in range(len(given)):
        if given[place] != last:
            last = given[place]
            code = nothing if last == nothing else places.setdefault(last, len(places))
        code_at[place] = code
    texts = array_of([names.get(number) or str(number) for number in places], pa.string())
    return pa.DictionaryArray.from_arrays(int32_column(codes, nothing), texts)


@cython.cfunc
def _there(values: array, nothing: cython.longlong) -> object:
    """Return Arrow's bits for which rows of ``array('q')`` have something; None if all do."""
    import pyarrow as pa

    given: cython.longlong[::1] = values
    place: cython.Py_ssize_t
    for place in range(len(given)):
        if given[place] == nothing:
            break
    else:
        return None
    out: bytearray = bytearray((len(given) + 7) >> 3)
    bits: cython.uchar[::1] = out
    for place in range(len(given)):
        if given[place] != nothing:
            bits[place >> 3] |= 1 << (place & 7)
    return pa.py_buffer(out)
