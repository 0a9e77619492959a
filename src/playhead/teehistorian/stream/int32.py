"""32-bit arithmetic of differences: what DDNet's `int` does when it overflows.

The compiled modules take `add_int32` from the .pxd beside this file, where it is inlined.
"""

from __future__ import annotations


def add_int32(a: int, b: int) -> int:
    """The sum of two 32-bit integers, wrapped to 32 bits."""
    return ((a + b + 0x80000000) & 0xFFFFFFFF) - 0x80000000
