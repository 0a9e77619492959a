"""Columns of field values in the types of tables."""

from __future__ import annotations

from typing import Any

from playhead.runtime.libraries import pa, pc
from playhead.tables.value_arrays import scalar_of


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


def component_of(values: pa.Array, place: int) -> pa.Array:
    """Return one component of a column of vectors or angles, as 64-bit floats; null if it is no such column."""
    if pa.types.is_fixed_size_list(values.type):
        return pc.list_element(values, scalar_of(place, pa.int32())).cast(pa.float64())
    return pa.nulls(len(values), pa.float64())
