"""How two parsers differ that decode the same input one value after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

_T = TypeVar("_T")


def differences(
    ours: tuple[Sequence[_T], bool],
    theirs: tuple[Sequence[_T], bool],
    what: str,
    shown: Callable[[_T], str] = str,
) -> tuple[bool, str | None]:
    """Return whether both read the input to its end, and how they differ on the values that both decode.

    Args:
        ours: values of playhead, and whether it read the input to its end.
        theirs: the same of the other parser.
        what: a word for a value.
        shown: returns the text of a value.
    """
    (mine, we_end), (others, they_end) = ours, theirs
    for place, (one, other) in enumerate(zip(mine, others, strict=False)):
        if one != other:
            return we_end and they_end, f"{what} {place}: {shown(one)} and {shown(other)}"
    if we_end and they_end and len(mine) != len(others):
        return True, f"{len(mine)} and {len(others)} {what}s"
    return we_end and they_end, None
