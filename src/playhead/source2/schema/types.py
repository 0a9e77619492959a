"""The grammar of declared field types: ``base[< generic >][*][[count]]``.

Examples: ``CNetworkUtlVectorBase< CHandle< CBaseEntity > >``, ``uint32[8]``, ``CBodyComponent*``, ``char[128]``.
A count may be a named constant of the game.
"""

from __future__ import annotations

from functools import lru_cache

from playhead.errors import CorruptReplay, LimitExceeded
from playhead.runtime.records import NamedTuple
from playhead.source2.games import GAMES

_NAMED_COUNTS = {name: count for game in GAMES.values() for name, count in game.named_counts.items()}
_MOST_ELEMENTS = 1 << 16
_DEEPEST = 8


class FieldType(NamedTuple):
    """A declared type.

    Attributes:
        base: name of the type, or of the container.
        generic: element type of a container.
        pointer: declared with ``*``.
        count: number of elements of an array.
    """

    base: str
    generic: FieldType | None = None
    pointer: bool = False
    count: int | None = None  # type: ignore[assignment]  # also a method of tuples

    def __str__(self) -> str:
        generic = f"< {self.generic} >" if self.generic else ""
        count = "" if self.count is None else f"[{self.count}]"
        return f"{self.base}{generic}{'*' if self.pointer else ''}{count}"


@lru_cache(maxsize=4096)
def parse_field_type(text: str, _depth: int = 0) -> FieldType:
    """Parse a declared type.

    Raises:
        CorruptReplay: the text is no type, or its count is an unknown constant.
        LimitExceeded: generics nest too deep, or an array is too long.
    """
    if _depth > _DEEPEST:
        raise LimitExceeded(f"generic types nest more than {_DEEPEST} deep in {text!r}")
    if _is_plain(text):
        return FieldType(text)
    rest = text.strip()
    count = generic = None
    if rest.endswith("]"):
        rest, bracket, word = rest[:-1].rpartition("[")
        word = word.strip()
        if not bracket or not _is_word(word):
            raise CorruptReplay(f"expected [count] at the end of the field type {text!r}")
        count = _count(word, text)
        rest = rest.rstrip()
    pointer = rest.endswith("*")
    if pointer:
        rest = rest[:-1].rstrip()
    if rest.endswith(">"):
        rest, _, inside = rest[:-1].partition("<")
        generic = parse_field_type(inside.strip(), _depth + 1)
        rest = rest.rstrip()
    if not _is_plain(rest) and not all(map(_is_word, rest.replace(":", "_").split(" "))):
        raise CorruptReplay(f"expected a field type, found {text!r}")
    return FieldType(rest, generic, pointer, count)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isidentifier()


def _is_word(text: str) -> bool:
    """Return whether a nonempty text consists of letters, digits and underscores."""
    return text.replace("_", "a").isalnum()


def _count(word: str, text: str) -> int:
    number = int(word) if word.isdecimal() and len(word) < 8 else _NAMED_COUNTS.get(word)
    if number is None:
        raise CorruptReplay(f"expected a number or a known constant as count in the field type {text!r}")
    if number > _MOST_ELEMENTS:
        raise LimitExceeded(f"an array of {number} elements in the field type {text!r}")
    return number
