"""Entity fields as the numbers that a fact needs; none where the schema declares another type."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from playhead.source2.entities.entity import Entity

if TYPE_CHECKING:
    import pyarrow as pa

_MOST = 1 << 31


def integer(entity: Entity, name: str) -> int | None:
    """A field as an integer of 32 bits; None if it has no value, or none of that kind."""
    return whole(entity.get(name))


def whole(value: object) -> int | None:
    """A field's value as an integer of 32 bits; None if it is none."""
    return value if isinstance(value, int) and -_MOST <= value < _MOST else None


def number(entity: Entity, name: str) -> float | None:
    """A field as a float; None if it has no value, or none of that kind."""
    return real(entity.get(name))


def real(value: object) -> float | None:
    """A field's value as a float; None if it is no number."""
    return float(value) if isinstance(value, int | float) else None


def column(values: pa.Array, type_: Any) -> pa.Array:
    """A column of a field's values in the type that a table promises; null where it is not a number."""
    import pyarrow as pa

    given = values.type
    if pa.types.is_integer(given) or pa.types.is_floating(given) or pa.types.is_boolean(given):
        if pa.types.is_boolean(given):
            values = values.cast(pa.int64())
        return values.cast(type_, safe=False)
    return pa.nulls(len(values), type_)


def int32_array(values: array[int]) -> pa.Array:
    """An array of C ints as an Arrow column; it is handed over."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int32(), len(values), [None, pa.py_buffer(values)])
