"""The error classes of all formats.

Each error carries its known position; the message names the expected data. Each class also derives from the
matching builtin (`ValueError`, `EOFError`), which general code may catch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_LONGEST = 1000


class ReplayError(Exception):
    """Base of all errors about a replay.

    Attributes:
        message: the expected and the found data, without the position; at most 1000 letters.
        file: name of the input (path, URL, or ``<bytes>``); None if unknown.
        where: the part of the file: a member, stream or message (``replay.details``, ``frame``); None if unknown.
        offset: byte offset in `where` if that is set, else in the (decompressed) file; None if unknown.
        tick: the tick or game loop reached; None if unknown.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        where: str | None = None,
        offset: int | None = None,
        tick: int | None = None,
    ) -> None:
        if len(message) > _LONGEST:  # a name in the file may have megabytes
            message = f"{message[: _LONGEST - 1]}…"
        super().__init__(message)
        self.message = message
        self.file = file
        self.where = where
        self.offset = offset
        self.tick = tick

    def locate(
        self,
        *,
        file: str | None = None,
        where: str | None = None,
        offset: int | None = None,
        tick: int | None = None,
    ) -> ReplayError:
        """Set the attributes that are still None, and return the error."""
        if self.file is None:
            self.file = file
        if self.where is None:
            self.where = where
        if self.offset is None:
            self.offset = offset
        if self.tick is None:
            self.tick = tick
        return self

    def __str__(self) -> str:
        place = []
        if self.file is not None:
            place.append(self.file)
        if self.where is not None:
            place.append(self.where)
        if self.offset is not None:
            place.append(f"offset {self.offset:#x}")
        if self.tick is not None:
            place.append(f"tick {self.tick}")
        return f"{', '.join(place)}: {self.message}" if place else self.message


class UnknownFormat(ReplayError, ValueError):
    """The input has no known format; the message names the likely file type."""


class UnsupportedVersion(ReplayError, ValueError):
    """A replay of a known family, from an engine or version that playhead does not decode."""


class CorruptReplay(ReplayError, ValueError):
    """The bytes contradict the format."""


class TruncatedReplay(CorruptReplay, EOFError):
    """The input ends too early."""


class ClosedReplay(ReplayError, ValueError):
    """The replay was closed; open it again."""


class LimitExceeded(ReplayError, ValueError):
    """The file requires more memory, depth or size than `playhead.Limits` allows."""


class FactError(ReplayError, ValueError):
    """The facts of a game cannot be derived, because the recording has other names, types or values than the
    game's package knows: most often after an update of the game. The recording itself is not damaged.
    """

    @classmethod
    def of(cls, error: Exception, reader: str, *, tick: int | None = None) -> ReplayError:
        """Return an exception of the code that reads a recording as a `ReplayError`.

        Raises:
            LimitExceeded, MemoryError: the exception is one of these, which ends the reading.
        """
        if isinstance(error, (LimitExceeded, MemoryError)):
            raise error
        if isinstance(error, ReplayError):
            return error.locate(tick=tick)
        found = cls(
            f"expected the names and types that {reader} reads, found {type(error).__name__}: {error}",
            where="facts",
            tick=tick,
        )
        found.__cause__ = error
        return found


@contextmanager
def fact_errors(reader: str, tick: int, file: str) -> Iterator[None]:
    """Raise what fails inside as a `FactError` of a tick; errors of reading and missing features are passed on."""
    try:
        yield
    except (ReplayError, NotImplementedError):
        raise
    except Exception as error:
        raise FactError.of(error, reader, tick=tick).locate(file=file) from error


class FieldTypeError(TypeError):
    """A typed getter read a field of an entity that holds another type.

    The recording is not damaged, so this is not a `ReplayError`, and lenient reading raises it too.

    Attributes:
        field: the requested name of the field.
        class_name: class of the entity.
        value: value of the field.
    """

    def __init__(self, field: str, class_name: str, expected: str, value: object) -> None:
        super().__init__(f"expected {expected} in field {field} of {class_name}, found {value!r}")
        self.field = field
        self.class_name = class_name
        self.value = value


class ColumnTypeError(ValueError):
    """A column has types that cannot be combined in the tables of several replays.

    The tables of playhead share their types; those of another package or of an old lake may not.

    Attributes:
        table: name of the table.
        column: name of the column.
        types: the type in each of two files, by name of the file.
    """

    def __init__(self, table: str, column: str, types: Mapping[str, str]) -> None:
        found = " and ".join(f"{type} in {file}" for file, type in types.items())
        super().__init__(f"column {column} of table {table} has types that cannot be combined: {found}")
        self.table = table
        self.column = column
        self.types = types


class NothingToPlot(ReplayError, ValueError):
    """A picture would be empty; the message names the missing data and the replays that have it."""
