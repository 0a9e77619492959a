"""Whether bytes can be a message of a definition, and how much of the definition they show.

Bytes of another message seldom fit: their fields have other numbers, wire types, kinds or another order.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from functools import cache

from playhead.errors import ReplayError
from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any
from playhead.source2.messages.definitions import FieldDef, enumeration, fields
from playhead.source2.messages.wire_decoder import KINDS, MAX_DEPTH, WIRE_TYPES, fields_of

#: Weight of a field of a kind for the probability that the bytes are of the definition; other kinds have a half.
_WEIGHTS = {"string": 1.0, "message": 1.0, "float": 1.0, "double": 1.0, "enum": 1.0, "bytes": 0.25}
_VARINT, _BYTES = 0, 2
_FLOAT = KINDS.index("float")
#: Fields that all comparisons of a recording may read; those of a real one read some ten thousand.
_MOST_FIELDS = 1_000_000
#: Of so many messages, one may have values that are unlikely: a new value of an enumeration.
_ODD = 10
_SMALLEST, _LARGEST = 1e-12, 1e8


class Fit(NamedTuple):
    """How messages fit a definition.

    Attributes:
        weight: weight of the fields that they show, by `_WEIGHTS`.
        shown: numbers of these fields, without those of messages inside.
        share: their share of the fields of the definition.
    """

    weight: float
    shown: frozenset[int]
    share: float


class Shapes:
    """Compares bytes with definitions of one game."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._left = _MOST_FIELDS
        self._odd = False

    @property
    def spent(self) -> bool:
        """Whether so many fields were compared that all else counts as not fitting."""
        return self._left <= 0

    def fit(self, message: str, payloads: Sequence[bytes]) -> Fit | None:
        """Return how some messages fit a definition; None if one of them does not.

        Args:
            message: name of the definition.
            payloads: the bytes of messages of one number.
        """
        seen: dict[str, float] = {}
        odd = 0
        for payload in payloads:
            self._odd = False
            try:
                if not self._fits(payload, message, "", seen, 0):
                    return None
            except (ReplayError, UnicodeError):
                return None
            odd += self._odd
        if odd * _ODD > len(payloads):
            return None
        outer = frozenset(int(path[:-1]) for path in seen if path.count(".") == 1)
        return Fit(sum(seen.values()), outer, len(outer) / max(1, len(fields(message, self._game))))

    def _fits(self, data: bytes, message: str, inside: str, seen: dict[str, float], depth: int) -> bool:
        known, last = _by_number(message, self._game), 0
        found = fields_of(data, min(self._left, len(data)))
        self._left -= len(found)
        if depth > MAX_DEPTH or self._left <= 0:
            return False
        for number, wire, value in found:
            field = known.get(number)
            if field is None:
                # Newer definitions lack a field that clients still send.
                if wire != _VARINT or number > max(known, default=0):
                    return False
                continue
            if number < last or (number == last and not field.repeated):
                return False
            last, path = number, f"{inside}{number}."
            kind = KINDS.index(field.kind)
            if wire != WIRE_TYPES[kind]:
                if wire != _BYTES or not field.repeated or field.kind in ("string", "bytes", "message"):
                    return False
                continue  # numbers that are packed
            if field.kind == "message":
                if not self._fits(value, field.target or "", path, seen, depth + 1):
                    return False
            elif not self._is_value(field, value):
                return False
            if not isinstance(value, bytes) or value.strip(b"\0"):
                # Many messages have vectors inside.
                seen[path] = 0.25 if depth and kind == _FLOAT else _WEIGHTS.get(field.kind, 0.5)
        return True

    def _is_value(self, field: FieldDef, value: Any) -> bool:
        """Return whether a field of that kind can have a value; note an unlikely one."""
        kind = field.kind
        if kind == "bool":
            return bool(value < 2)
        if kind in ("int32", "enum"):
            if kind == "enum" and value not in _values(field.target or "", self._game):
                self._odd = True
            return bool(value < 1 << 31 or value >= (1 << 64) - (1 << 31))
        if kind in ("uint32", "sint32"):
            return bool(value < 1 << 32 or value >= (1 << 64) - (1 << 31))
        if kind in ("float", "double"):
            number = struct.unpack("<f" if kind == "float" else "<d", value)[0]
            likely = number == 0 or (math.isfinite(number) and _SMALLEST < abs(number) < _LARGEST)
            self._odd = self._odd or not likely
        elif kind == "string":
            value.decode()
        return True


@cache
def _by_number(message: str, game: str) -> dict[int, FieldDef]:
    return {field.number: field for field in fields(message, game)}


@cache
def _values(name: str, game: str) -> frozenset[int]:
    return frozenset(number % (1 << 64) for number in enumeration(name, game).values())
