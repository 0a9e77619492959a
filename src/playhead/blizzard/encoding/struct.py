"""Typed access to a decoded struct of the tagged encoding: numbered fields, checked kinds, names in errors."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from playhead.blizzard.encoding.versioned import VersionedReader
from playhead.errors import CorruptReplay
from playhead.limits import Limits

_Default = TypeVar("_Default")
_REQUIRED: Any = object()


class _Reader(Protocol):
    def remaining(self) -> int: ...
    def tell(self) -> int: ...


def check_end(reader: _Reader, what: str) -> None:
    """Raise CorruptReplay if bytes follow after `what`."""
    if reader.remaining():
        raise CorruptReplay(
            f"expected the end after the {what}, found {reader.remaining()} more bytes", offset=reader.tell()
        )


def whole_value(data: bytes, limits: Limits, what: str) -> Any:
    """Return the tagged value that `data` is to its last byte; `what` names it in errors."""
    reader = VersionedReader(data, max_depth=limits.depth, max_elements=limits.elements)
    value = reader.read_value()
    check_end(reader, what)
    return value


class TaggedStruct:
    """A struct from `VersionedReader.read_value`.

    Each method takes the field's number and Blizzard's name for it. A missing field and an optional one without a
    value give `default`, and raise `CorruptReplay` without a default. A value of another kind always raises
    `CorruptReplay`.
    """

    __slots__ = ("_values", "_what")

    def __init__(self, values: dict[int, Any], what: str) -> None:
        self._values = values
        self._what = what

    @classmethod
    def of(cls, value: Any, what: str) -> TaggedStruct:
        """Return `value`, which must be a struct; `what` names it in errors."""
        if not isinstance(value, dict):
            raise CorruptReplay(f"expected {what} to be a struct, found {type(value).__name__}")
        return cls(value, what)

    def _get(self, number: int, name: str, kind: type, default: Any) -> Any:
        value = self._values.get(number)
        if isinstance(value, kind):
            return value
        if value is None:
            if default is not _REQUIRED:
                return default
            raise CorruptReplay(f"expected {self._what} to have field {number} ({name})")
        raise CorruptReplay(
            f"expected field {number} ({name}) of {self._what} to be {kind.__name__}, found {type(value).__name__}"
        )

    def integer(self, number: int, name: str, default: _Default = _REQUIRED, bits: int = 64) -> int | _Default:
        """Return an integer that fits in `bits` bits with sign."""
        result: int | _Default = self._get(number, name, int, default)
        if isinstance(result, int) and not -1 << bits - 1 <= result < 1 << bits - 1:
            raise CorruptReplay(f"expected {name} to fit {bits} bits, found {result}")
        return result

    def blob(self, number: int, name: str, default: _Default = _REQUIRED) -> bytes | _Default:
        result: bytes | _Default = self._get(number, name, bytes, default)
        return result

    def array(self, number: int, name: str, default: _Default = _REQUIRED) -> list[Any] | _Default:
        result: list[Any] | _Default = self._get(number, name, list, default)
        return result

    def struct(self, number: int, name: str, default: _Default = _REQUIRED) -> TaggedStruct | _Default:
        value: Any = self._get(number, name, dict, default)
        return TaggedStruct(value, name) if isinstance(value, dict) else value
