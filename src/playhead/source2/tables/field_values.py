"""Columns of field values in the types of tables."""

from __future__ import annotations

from math import inf

from playhead.runtime.libraries import pa
from playhead.runtime.typing import Any
from playhead.tables.number_columns import component_column


def numbers_as(values: pa.Array, type_: Any) -> pa.Array:
    """Return a column of field values in another type of numbers; null for values that are not numbers."""

    stored = values.type
    if stored == type_:
        return values
    if pa.types.is_integer(stored) or pa.types.is_floating(stored) or pa.types.is_boolean(stored):
        if pa.types.is_boolean(stored):
            values = values.cast(pa.int64())
        if pa.types.is_boolean(type_):
            return values.cast(pa.int64()).cast(type_)
        return values.cast(type_, safe=False)
    return pa.nulls(len(values), type_)


def component_of(values: pa.Array, place: int, low: float = -inf) -> pa.Array:
    """Return one component of a column of vectors or angles, as 32-bit floats; null if it is no such column.

    With `low`, angles in degrees are returned from there to 360 degrees more.
    """
    if pa.types.is_fixed_size_list(values.type):
        return component_column(values, place, low)
    return pa.nulls(len(values), pa.float32())
