"""Arrow columns that tables of every format need: seconds, categories, constants, look-ups.

Every function takes an `Array` or a `ChunkedArray` and returns one of the same kind, chunked alike.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence

from playhead.runtime.libraries import cast_array, pa, pc
from playhead.runtime.typing import TYPE_CHECKING, Any, TypeVar
from playhead.tables.value_arrays import array_of, scalar_of

# Rows of a part of a long column.
_PART = 65_536

if TYPE_CHECKING:
    Values = TypeVar("Values", pa.Array, pa.ChunkedArray)


def seconds_of(ticks: Values, ticks_per_second: float | None) -> Values:
    """Return ticks as seconds (float64); null before the first tick, and everywhere if the rate is None."""
    if ticks_per_second is None:
        return constant(None, ticks, pa.float64())
    if isinstance(ticks, pa.Array) and ticks.type == pa.int32() and not ticks.null_count and len(ticks):
        from playhead.tables.number_columns import seconds_column

        return seconds_column(ticks, ticks_per_second)
    rate = scalar_of(ticks_per_second, pa.float64())
    return pc.divide(cast_array(null_below_zero(ticks), pa.float64()), rate)


def null_below_zero(numbers: Values) -> Values:
    """Return the numbers, with null for those below 0."""
    if (pc.min(numbers).as_py() or 0) >= 0:
        return numbers
    return pc.if_else(pc.less(numbers, scalar_of(0, numbers.type)), scalar_of(None, numbers.type), numbers)


def by_chunk(
    values: pa.ChunkedArray, function: Callable[[pa.Array], pa.Array], type_: pa.DataType
) -> pa.ChunkedArray:
    """Return `function` of every chunk, chunked alike; of chunks that share their memory once.

    Temporary arrays are as long as a chunk, not as the column.
    """
    done: dict[tuple[int, int, int], pa.Array] = {}
    parts = []
    for chunk in values.chunks:
        place = (chunk.buffers()[1].address, chunk.offset, len(chunk))
        if place not in done:
            done[place] = function(chunk)
        parts.append(done[place])
    return pa.chunked_array(parts, type_)


def float32_of(numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return numbers as float32, also whole ones that it must round."""
    return by_chunk(numbers, lambda chunk: cast_array(chunk, pa.float32(), safe=False), pa.float32())


def player_number(number: int | None) -> int | None:
    """Return a player's number; None if it does not fit a column ``player``, as after damage."""
    return number if number is not None and -(1 << 31) <= number < 1 << 31 else None


def category(codes: Values, names: Sequence[str]) -> Values:
    """Return a category (dictionary-encoded text) from places in `names` (int32)."""
    dictionary = array_of(list(names), pa.string())
    if isinstance(codes, pa.Array):
        return pa.DictionaryArray.from_arrays(codes, dictionary)
    chunks = [pa.DictionaryArray.from_arrays(chunk, dictionary) for chunk in codes.chunks]
    return pa.chunked_array(chunks, pa.dictionary(pa.int32(), pa.string()))


def named(numbers: Values, names: Mapping[int, str], *, number_if_unknown: bool = False) -> Values:
    """Return the name of every number as a category.

    A number without a name is null, or its own digits with `number_if_unknown`.
    """
    present = pc.unique(numbers).drop_null().to_pylist()
    if not number_if_unknown:
        present = [number for number in present if number in names]
    codes = pc.index_in(numbers, value_set=array_of(present, numbers.type))
    return category(codes, [names.get(number) or str(number) for number in present])


def constant(value: Any, like: Values, type_: pa.DataType | None = None) -> Values:
    """Return `value` in every row of `like`; text without a type becomes a category."""
    if type_ is None:
        return category(constant(0, like, pa.int32()), [value])
    scalar = scalar_of(value, type_)
    if isinstance(like, pa.Array):
        return pa.repeat(scalar, len(like))
    longest = pa.repeat(scalar, max(map(len, like.chunks), default=0))
    return pa.chunked_array([longest.slice(0, len(chunk)) for chunk in like.chunks], type_)


def lookup(keys: Values, values: Mapping[int, Any], type_: pa.DataType) -> Values:
    """Return the value of every key; null for a missing key."""
    places = pc.index_in(keys, value_set=array_of(list(values), keys.type))
    return pc.take(array_of(list(values.values()), type_), places)


def parts_of(rows: int) -> Iterator[tuple[int, int]]:
    """Return first row and length of each part of a long column: temporary arrays of a part stay in the cache.

    There is one part if there is no row.
    """
    return ((first, min(_PART, rows - first)) for first in range(0, max(rows, 1), _PART))


def int32_array(values: array[int]) -> pa.Array:
    """Return an ``array('i')`` as an Arrow column without a copy; the array must not grow afterwards."""
    return pa.Array.from_buffers(pa.int32(), len(values), [None, pa.py_buffer(values)])


def int64_array(values: array[int]) -> pa.Array:
    """Return an ``array('q')`` as an Arrow column without a copy; the array must not grow afterwards."""
    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])


def row_numbers(count: int, type_: pa.DataType) -> pa.Array:
    """Return the numbers from 0 up to `count`."""
    one = scalar_of(1, type_)
    return pc.subtract(pc.cumulative_sum(pa.repeat(one, count)), one)


def repeated(values: pa.Array, ends: pa.Array) -> pa.Array:
    """Return each value up to its end, the number of rows so far. `RunEndEncodedArray.from_arrays` would import
    pandas."""
    form = pa.run_end_encoded(ends.type, values.type)
    length = ends[-1].as_py() if len(ends) else 0
    return pc.run_end_decode(pa.RunEndEncodedArray.from_buffers(form, length, [None], children=[ends, values]))


def float64_array(values: array[float]) -> pa.Array:
    """Return an ``array('d')`` as an Arrow column without a copy; the array must not grow afterwards."""
    return pa.Array.from_buffers(pa.float64(), len(values), [None, pa.py_buffer(values)])


def int64_numbers(values: pa.Array, nothing: int) -> array[int]:
    """Return a column of whole numbers as ``array('q')``, `nothing` for null."""
    held = cast_array(values, pa.int64())
    if held.null_count:
        held = pc.coalesce(held, scalar_of(nothing, pa.int64()))
    return numbers_in(held.buffers()[1], "q", held.offset, len(held))


def float64_numbers(values: pa.Array) -> array[float]:
    """Return a float64 column as ``array('d')``, not a number for null."""
    found = array("d")
    if len(values):
        held = pc.fill_null(values, scalar_of(float("nan"), values.type)) if values.null_count else values
        found.frombytes(memoryview(held.buffers()[1]).cast("B")[8 * held.offset : 8 * (held.offset + len(held))])
    return found


def numbers_in(data: pa.Buffer | None, code: str, first: int, count: int) -> array[Any]:
    """Return `count` numbers of a buffer from place `first` on, as an array of this type code."""
    size = array(code).itemsize
    return array(code, b"" if data is None else bytes(data.slice(first * size, count * size)))


def to_list(values: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return the values as ``to_pylist`` does, of categories without a scalar for each: 25 times as fast. Times
    need no pandas."""
    if isinstance(values, pa.ChunkedArray):
        return [value for chunk in values.chunks for value in to_list(chunk)]
    type_ = values.type
    if pa.types.is_dictionary(type_):
        if values.null_count == len(values):
            return [None] * len(values)
        names = values.dictionary.to_pylist()
        return [None if code is None else names[code] for code in values.indices.to_pylist()]
    if type_ == pa.timestamp("us", tz="UTC"):
        from datetime import UTC, datetime, timedelta  # which every start would pay for

        epoch = datetime(1970, 1, 1, tzinfo=UTC)
        return [
            None if each is None else epoch + timedelta(0, 0, each)
            for each in cast_array(values, pa.int64()).to_pylist()
        ]
    return values.to_pylist()  # type: ignore[no-any-return]


def to_rows(table: pa.Table) -> list[dict[str, Any]]:
    """Return the rows as ``to_pylist`` does, which imports pandas for times."""
    names = table.column_names
    return [dict(zip(names, row, strict=True)) for row in zip(*map(to_list, table.columns), strict=True)]


def with_exact_numbers(table: pa.Table) -> pa.Table:
    """Return a table whose whole numbers JavaScript reads exactly: a column with one beyond 2^53 is text."""
    for place, field in enumerate(table.schema):
        numbers, type_ = table.column(place), pa.string()
        while pa.types.is_list(numbers.type):
            numbers, type_ = pc.list_flatten(numbers), pa.list_(type_)
        is_whole = pa.types.is_integer(numbers.type) and numbers.type.bit_width == 64
        if is_whole or (pa.types.is_decimal(numbers.type) and numbers.type.scale == 0):
            ends = pc.min_max(numbers).as_py()
            if ends["max"] is not None and max(-ends["min"], ends["max"]) > 1 << 53:
                table = table.set_column(place, field.name, cast_array(table.column(place), type_))
    return table


def plain_text(schema: pa.Schema) -> pa.Schema:
    """Return a schema with text instead of categories, which differ from replay to replay."""
    is_category = pa.types.is_dictionary
    return pa.schema(
        [each.with_type(each.type.value_type) if is_category(each.type) else each for each in schema],
        schema.metadata,
    )


def without_rows(schema: pa.Schema) -> pa.Table:
    """Return a table without rows; `Schema.empty_table` would import pandas."""
    return pa.Table.from_arrays([pa.nulls(0, each.type) for each in schema], schema=schema)


def with_schema(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table with these columns; those that it lacks are null."""
    columns = [
        table[each.name].cast(each.type)
        if each.name in table.schema.names
        else pa.nulls(table.num_rows, each.type)
        for each in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)
