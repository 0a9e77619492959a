"""32-bit float arithmetic of the server: each step is computed in 64 bits and rounded, which gives the same bits.

Powers and angles come from the C library, as on the server: its last bit is not always that of the rounded number.
Compiled modules use the inlined functions of the .pxd.
"""

from __future__ import annotations

import ctypes
import math
import os
from collections.abc import Callable
from ctypes import c_float

#: No coordinate is beyond it; what does not fit an int becomes this.
GREATEST = 0x3FFFFFFF


def _of_c(name: str, arguments: int = 1) -> Callable[..., float]:
    """Return a function of the C library for 32-bit floats; where it has none, round the one for 64 bits."""
    try:
        found = getattr(ctypes.CDLL("ucrtbase" if os.name == "nt" else None), f"{name}f")
    except (AttributeError, OSError):
        exact: Callable[..., float] = getattr(math, name)
        return lambda *values: single(exact(*values))
    found.restype, found.argtypes = c_float, (c_float,) * arguments
    function: Callable[..., float] = found
    return function


def single(value: float) -> float:
    """Round to 32 bits."""
    return c_float(value).value


def length(x: float, y: float) -> float:
    """Return the length of a vector."""
    return single(math.sqrt(single(single(x * x) + single(y * y))))


def whole(value: float) -> int:
    """Truncate to an integer, at most `GREATEST` from 0; a NaN becomes the least."""
    if value >= GREATEST:
        return GREATEST
    return int(value) if value > -GREATEST else -GREATEST


def rounded(value: float) -> int:
    """Round half away from zero, as `whole`."""
    return whole(single(value + 0.5)) if value > 0 else whole(single(value - 0.5))


def steps(value: float) -> int:
    """Return a velocity in the steps of the game; one that is no number becomes the least, as on x86."""
    return rounded(single(value * 256)) if value > -4194304 else -(1 << 31)


def ratio(a: float, b: float) -> float:
    """Divide; 0 if the divisor is 0."""
    return single(a / b) if b != 0 else 0.0


def power(a: float, b: float) -> float:
    """Return `a` to the power of `b`; 1 if `a` is not positive."""
    try:
        return _pow(a, b) if a > 0 else 1.0
    except OverflowError:
        return math.inf


def saturated(least: float, most: float, value: float, change: float) -> float:
    """Add `change` without passing a bound; a value beyond the bound stays."""
    if change < 0:
        return value if value < least else max(least, single(value + change))
    return value if value > most else min(most, single(value + change))


_pow = _of_c("pow", 2)
sine, cosine, arctangent = (_of_c(name) for name in ("sin", "cos", "atan"))
