"""The identity of a unit: an index, which is used again, and how often it was."""

from __future__ import annotations

from typing import Any

_RECYCLE_BITS = 18


def unit_tag(index: Any, recycle: Any) -> int | None:
    """The tag by which game events speak of the unit; None for no unit."""
    if index is None or recycle is None:
        return None
    tag: int = (index << _RECYCLE_BITS) | (recycle & ((1 << _RECYCLE_BITS) - 1))
    return tag


def split_tag(tag: int) -> tuple[int, int]:
    """Index and recycle of a tag."""
    return tag >> _RECYCLE_BITS, tag & ((1 << _RECYCLE_BITS) - 1)
