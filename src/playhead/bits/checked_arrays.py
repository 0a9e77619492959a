"""New arrays of numbers. Compiled code has these functions inline, in the .pxd, with those that make arrays longer
and hold buffers: Python's own way to a new array makes a list and copies it, which takes 2,000 instructions."""

from __future__ import annotations

from array import array

from playhead.runtime.typing import TypeVar

Number = TypeVar("Number", int, float)

#: An array of each type, for `zeros` and `filled`.
BYTES, INTS, LONGS = array("B"), array("i"), array("q")
FLOATS, DOUBLES = array("f"), array("d")


def zeros(like: array[Number], count: int) -> array[Number]:
    """Return as many zeros, in an array of the same type as another one."""
    return array(like.typecode, bytes(count * like.itemsize))


def unset(like: array[Number], count: int) -> array[Number]:
    """Return as many numbers, each of which the caller sets, in an array of the same type as another one."""
    return zeros(like, count)


def filled(like: array[int], value: int, count: int) -> array[int]:
    """Return one value as often, in an array of the same type as another one, ``array('q')``."""
    return array(like.typecode, [value]) * count
