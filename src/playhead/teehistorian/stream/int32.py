"""32-bit arithmetic of differences, with the overflow of DDNet's `int`.

Compiled modules use the inlined `add_int32` of the .pxd.
"""

from __future__ import annotations


def add_int32(a: int, b: int) -> int:
    """Return the sum of two 32-bit integers, wrapped to 32 bits."""
    return ((a + b + 0x80000000) & 0xFFFFFFFF) - 0x80000000
