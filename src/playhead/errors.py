"""One tree of errors for every format.

Every error carries what is known of where it happened; the text always says what was expected. Each class
also is the builtin a caller would think of (`ValueError`, `EOFError`), so that general code may catch that.
"""

from __future__ import annotations


class ReplayError(Exception):
    """Base of all errors about a replay.

    Attributes:
        message: what is wrong and what was expected, without the place.
        file: name of the input (path, URL, or ``<bytes>``), where known.
        where: the part of the file: a member, stream or message (``replay.details``, ``frame``), where known.
        offset: byte offset in `where` if that is set, else in the (decompressed) file; None if unknown.
        tick: the format's own time (tick, game loop) reached when it happened; None if unknown.
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
        """Fill in what a lower layer could not know; what is already set stays. Returns the error itself."""
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
    """The input is no replay of a format that playhead knows; the text says what it looks like."""


class UnsupportedVersion(ReplayError, ValueError):
    """A replay of a known family, but of an engine or version that playhead does not decode."""


class CorruptReplay(ReplayError, ValueError):
    """The bytes contradict the format."""


class TruncatedReplay(CorruptReplay, EOFError):
    """The input ends before the format says it should."""


class ClosedReplay(ReplayError, ValueError):
    """The replay was closed; open it again."""


class LimitExceeded(ReplayError, ValueError):
    """The file asks for more memory, depth or size than `playhead.Limits` allows."""


class FieldTypeError(TypeError):
    """A field of an entity was asked for as what it is not.

    The recording is in order, so this is no `ReplayError`: lenient reading does not make a problem of it.

    Attributes:
        field: its name, as asked for.
        class_name: of the entity.
        value: what the field holds.
    """

    def __init__(self, field: str, class_name: str, expected: str, value: object) -> None:
        super().__init__(f"expected {expected} in field {field} of {class_name}, found {value!r}")
        self.field = field
        self.class_name = class_name
        self.value = value


class NothingToPlot(ReplayError, ValueError):
    """A picture would be empty; the text says what the replay lacks, and which replays have it."""
