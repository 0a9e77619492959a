"""Bit arrays as Python objects: which bits are set, and in which order they stand."""

from __future__ import annotations

from collections.abc import Iterable


class BitArray(tuple[int, int]):
    """``(count, number)``, equal to what Blizzard's s2protocol gives, and `indices`, which bits are set.

    The two are not the same thing. The game writes an array of bits as words of 32 bits, each with its bytes in
    little-endian order, while `number` is all bits assembled as one integer; up to 8 bits the lowest bit is index
    0, and above that no shift of `number` finds an index. That selections depend on it is how it can be told: a
    mask ends with the last unit that it removes, so that its last bit is always set.
    """

    indices: tuple[int, ...]

    def __new__(cls, count: int, number: int, indices: Iterable[int]) -> BitArray:
        made = super().__new__(cls, (count, number))
        made.indices = tuple(indices)
        return made


def word_of(indices: Iterable[int], first: int, count: int) -> int:
    """The integer that stands for the bits from `first` on, `count` (at most 32) of them."""
    wanted = {index - first for index in indices}
    word = 0
    for start in range(0, count, 8):
        width = min(8, count - start)
        chunk = sum(1 << bit for bit in range(width) if start + bit in wanted)
        word = word << width | chunk
    return word
