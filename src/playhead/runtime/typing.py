"""The names of `typing` that modules of a start need, without its import.

`typing` and what it imports take a twelfth of the time of a small file, for names that are only written in
annotations, which nothing evaluates, and for bases without behaviour. Type checkers see those of `typing`.
"""

from __future__ import annotations

__all__ = [
    "IO",
    "TYPE_CHECKING",
    "Any",
    "BinaryIO",
    "ClassVar",
    "Generic",
    "NoReturn",
    "Protocol",
    "Self",
    "TextIO",
    "TypeAlias",
    "TypeVar",
    "cast",
    "overload",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import (
        IO,
        Any,
        BinaryIO,
        ClassVar,
        Generic,
        NoReturn,
        Protocol,
        Self,
        TextIO,
        TypeAlias,
        TypeVar,
        cast,
        overload,
    )
else:

    class _Written:
        """Anything that is only written, as an annotation or as a base with parameters."""

        __slots__ = ()

        def __class_getitem__(cls, parameters):
            return cls

    IO = Any = BinaryIO = ClassVar = Generic = NoReturn = Protocol = Self = TextIO = TypeAlias = _Written

    def TypeVar(name, *constraints, **options):
        """As `typing.TypeVar`, for annotations alone."""
        return _Written

    def cast(kind, value):
        """As `typing.cast`."""
        return value

    def overload(function):
        """As `typing.overload`, for type checkers alone."""
        return function
