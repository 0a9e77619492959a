"""Names that a caller gives: a string is one name wherever several are accepted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def listed(names: str | Iterable[str]) -> list[str]:
    """Return names as a list; a string is one name."""
    return [names] if isinstance(names, str) else list(names)


def flat(names: Iterable[Any]) -> list[Any]:
    """Return names as a list; ``f("a", "b")`` and ``f(["a", "b"])`` give the same."""
    out: list[Any] = []
    for one in names:
        if isinstance(one, list | tuple | set | frozenset):
            out.extend(one)
        else:
            out.append(one)
    return out


def one_name(name: object, several: str) -> str:
    """Return `name` if it is a string.

    Raises:
        TypeError: it is not; the message names the method for several, `several`.
    """
    if isinstance(name, str):
        return name
    raise TypeError(f"expected one name, got {type(name).__name__} {name!r}; for several: {several}")
