"""What could not be read: the record that lenient reading leaves instead of raising."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from playhead import errors
from playhead.errors import ReplayError


@dataclass(frozen=True, slots=True)
class Problem:
    """One loss.

    Attributes:
        where: the part of the file (``frame``, ``replay.details``, ``stream``).
        offset: byte offset in `where` or, for the outermost container, in the (decompressed) file.
        tick: the format's own time reached (tick, game loop); None where time plays no part.
        what: what is wrong, in the words of the error that strict reading raises.
        cost: what is missing from the result because of it.
        kind: class name of that error (``TruncatedReplay``, ``CorruptReplay`` …).
    """

    where: str
    offset: int | None
    tick: int | None
    what: str
    cost: str
    kind: str = "CorruptReplay"

    @classmethod
    def from_error(cls, error: ReplayError, *, cost: str, where: str = "file") -> Problem:
        """The record of an error that lenient reading swallowed; `where` is used if the error has none."""
        return cls(
            where=error.where or where,
            offset=error.offset,
            tick=error.tick,
            what=error.message,
            cost=cost,
            kind=type(error).__name__,
        )

    def as_error(self, *, file: str) -> ReplayError:
        """The error that strict reading raises for it."""
        error: type[ReplayError] = getattr(errors, self.kind, ReplayError)
        return error(self.what, file=file, where=self.where, offset=self.offset, tick=self.tick)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        place = [self.where]
        if self.offset is not None:
            place.append(f"offset {self.offset:#x}")
        if self.tick is not None:
            place.append(f"tick {self.tick}")
        return f"{', '.join(place)}: {self.what} ({self.cost})"
