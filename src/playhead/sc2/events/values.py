"""Conversions of stored values to those that events show; compiled, as an event has several of them.

Each takes the stored value and the `playhead.sc2.events.scope.Scope`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from playhead.runtime import cython

#: Fractions of a cell in commands, targets and pings.
FINE = 4096.0
#: The same in cameras, from retail on.
COARSE = 256.0
#: Bits of a tag that distinguish the uses of an index.
RECYCLE_BITS = 18
_RECYCLE_MASK = (1 << RECYCLE_BITS) - 1


def in_fine(value: Any, scope: Any) -> Any:
    """Return 1/4096 of a cell as cells."""
    return value / FINE


def in_coarse(value: Any, scope: Any) -> Any:
    """Return 1/256 of a cell as cells."""
    return value / COARSE


def of_camera(value: Any, scope: Any) -> Any:
    """Return the unit of the camera's events as cells."""
    return value / scope.camera_unit


def of_tracker(value: Any, scope: Any) -> Any:
    """Return the unit of the tracker's events as cells."""
    return value * scope.tracker_cells


def as_text(value: bytes, scope: Any) -> Any:
    """Decode a text; invalid UTF-8 becomes U+FFFD."""
    return value.decode("utf-8", "replace")


def known_text(value: bytes, scope: Any) -> Any:
    """Return a text; None if it is empty."""
    return value.decode("utf-8", "replace") or None


def as_tuple(value: Any, scope: Any) -> Any:
    """Return a list of numbers as a tuple."""
    return tuple(value)


def unit_tag(index: Any, recycle: Any) -> Any:
    """Return the tag of a unit, as game events use it; None for no unit."""
    if index is None or recycle is None:
        return None
    return (index << RECYCLE_BITS) | (recycle & _RECYCLE_MASK)


@cython.final
@cython.cclass
class UnitTag:
    """Makes the tag of a unit from two fields of an event: its index and its recycle."""

    index = cython.declare(str, visibility="readonly")
    recycle = cython.declare(str, visibility="readonly")

    def __init__(self, index: str, recycle: str) -> None:
        self.index = index
        self.recycle = recycle

    def __call__(self, fields: Any, scope: Any) -> Any:
        return unit_tag(fields.get(self.index), fields.get(self.recycle))


@cython.final
@cython.cclass
class Renamed:
    """Makes a read-only mapping from a struct of numbers.

    Args:
        names: new names of fields; others keep theirs.
        divided: fields whose numbers are divided by `unit`.
        unit: the divisor.
    """

    names = cython.declare(dict, visibility="readonly")
    divided = cython.declare(frozenset, visibility="readonly")
    unit = cython.declare(cython.double, visibility="readonly")

    def __init__(self, names: dict, divided: frozenset, unit: float) -> None:
        self.names = names
        self.divided = divided
        self.unit = unit

    def __call__(self, values: Any, scope: Any) -> Any:
        out: dict = {}
        for name, value in values.items():
            out[self.names.get(name, name)] = value / self.unit if name in self.divided else value
        return MappingProxyType(out)
