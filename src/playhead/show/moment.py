"""`Moment`: what there is at one moment of a replay, as rows that people and programs can read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, repr=False)
class Moment:
    """A summary of the state; `Replay.at` gives all of it.

    Attributes:
        tick: the format's own time.
        seconds: the same in seconds; None if the file does not tell its rate.
        facts: what holds for the whole, by name; values are JSON-ready.
        groups: rows of what there is (``players``, ``units`` …), by what it is; values are JSON-ready, and the
            rows of one group have the same keys.
    """

    tick: int
    seconds: float | None
    facts: Mapping[str, Any] = field(default_factory=dict)
    groups: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """All of it, JSON-ready."""
        return {
            "tick": self.tick,
            "seconds": self.seconds,
            **self.facts,
            **{name: [dict(row) for row in rows] for name, rows in self.groups.items()},
        }

    def _repr_html_(self) -> str:
        from playhead.show.notebook import moment_html

        return moment_html(self)

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(rows)} {name}" for name, rows in self.groups.items())
        return f"<Moment at tick {self.tick}: {counts}>"
