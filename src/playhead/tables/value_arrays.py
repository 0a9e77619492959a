"""Python values as Arrow arrays.

`pyarrow.array` and `pyarrow.scalar` import pandas if it is installed, to recognize its types: a third of a second
for the first table of a process. The values of tables are plain and their types known, so their buffers are
filled here.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cache
from itertools import accumulate

from playhead.runtime.libraries import pa
from playhead.runtime.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


_TEXT, _BYTES, _BOOL, _TIME, _CATEGORY, _LIST = "text", "bytes", "bool", "time", "category", "list"
#: A flag as a digit.
_DIGITS = bytes.maketrans(b"\0\1", b"01")


def array_of(values: Sequence[Any], form: pa.DataType) -> pa.Array:
    """Return values (None is null) as an array of a type of `playhead.tables.Column`.

    Raises:
        pyarrow.ArrowInvalid, TypeError, OverflowError …: as `pyarrow.array`, which gets all other values.
    """
    if isinstance(values, list | tuple):
        found = _plain(values, form)
        if found is not None:
            return found
    return pa.array(values, form)


def columns_of(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> list[list[Any]]:
    """Return the values of each column; None for a key that a row lacks."""
    return [[row.get(name) for row in rows] for name in names]


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


def _plain(values: Sequence[Any], form: pa.DataType) -> pa.Array | None:
    """Return the array of plain values; None where one is something else."""
    kind = _kinds().get(form.id)
    if kind is None:
        return None
    presence = None
    if None in values or not values:
        there = [value is not None for value in values]
        if not any(there):
            return pa.nulls(len(values), form)
        presence = _bits(there)
    try:
        if kind == _CATEGORY:
            return _category(values, presence)
        if kind == _LIST:
            return _lists(values, form, presence)
        if kind in (_TEXT, _BYTES):
            buffers = _bytes(values, kind == _TEXT)
        elif kind == _BOOL:
            if not {*values} <= {True, False, None}:
                return None
            buffers = [_bits([bool(value) for value in values])]
        elif kind == _TIME:
            if str(form) != "timestamp[us, tz=UTC]":
                return None
            buffers = [
                pa.py_buffer(array("q", [0 if value is None else _microseconds(value) for value in values]))
            ]
        else:
            numbers = [0 if value is None else value for value in values] if presence else values
            buffers = [pa.py_buffer(array(kind, numbers))]
    except (AttributeError, TypeError, ValueError, OverflowError):
        return None
    return pa.Array.from_buffers(form, len(values), [presence, *buffers])


def _bits(flags: list[bool]) -> pa.Buffer:
    """Return a bit for each flag."""
    digits = bytes(reversed(flags)).translate(_DIGITS)
    return pa.py_buffer(int(digits, 2).to_bytes((len(flags) + 7) >> 3, "little"))


def _bytes(values: Sequence[Any], of_text: bool) -> list[pa.Buffer]:
    """Return the buffers of texts or bytes; no other values."""
    parts = [b"" if value is None else str.encode(value) if of_text else value for value in values]
    return [_ends(parts), pa.py_buffer(b"".join(parts))]


def _ends(parts: Sequence[Sequence[Any]]) -> pa.Buffer:
    """Return the place at which each part ends, after a 0.

    Raises:
        OverflowError: one is too large.
    """
    return pa.py_buffer(array("i", accumulate(map(len, parts), initial=0)))


def _category(values: Sequence[Any], presence: pa.Buffer | None) -> pa.Array:
    places: dict[str, int] = {}
    codes = array("i", [0 if value is None else places.setdefault(value, len(places)) for value in values])
    numbers = pa.Array.from_buffers(pa.int32(), len(values), [presence, pa.py_buffer(codes)])
    return pa.DictionaryArray.from_arrays(numbers, array_of(list(places), pa.string()))


def _lists(values: Sequence[Any], form: pa.DataType, presence: pa.Buffer | None) -> pa.Array | None:
    if not all(value is None or isinstance(value, list | tuple) for value in values):
        return None
    lists = [value or () for value in values]
    items = [item for each in lists for item in each]
    children = [array_of(items, form.value_type)]
    return pa.Array.from_buffers(form, len(values), [presence, _ends(lists)], children=children)


@cache
def _epoch() -> datetime:
    from datetime import UTC, datetime  # which every start would pay for

    return datetime(1970, 1, 1, tzinfo=UTC)


def _microseconds(value: datetime) -> int:
    since = value - _epoch()
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
