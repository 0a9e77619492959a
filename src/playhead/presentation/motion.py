"""`Motion`: the things that move on the map in a stretch of a recording, as rows for the page.

A `Motion` reads a stretch without reading the rest of the recording. Rows are sparse: a thing has one at the start
of a stretch and one for each sample in which it changed. The page interpolates between two rows that are one step
apart; otherwise the thing stood still until the later row.
"""

from __future__ import annotations

import math
import struct
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from playhead.runtime.records import dataclass, field
from playhead.text.json import to_json

#: Bits of column ``state``: the thing is there; is alive (or finished); fires, hooks, jumps; the first and the
#: second of `Motion.sight_teams` see it (if the recording has no sight, neither is set); it is frozen.
THERE, ALIVE, FIRE, HOOK, JUMP, SEEN_BY_FIRST, SEEN_BY_SECOND, FROZEN = 1, 2, 4, 8, 16, 32, 64, 128

#: Roles: a player's own unit, other units, structures, resources, shots in flight, the rest.
HERO, UNIT, BUILDING, RESOURCE, SHOT, OTHER = "hero", "unit", "building", "resource", "shot", "other"
#: More roles: the part of the map that a player's screen shows, the place of a player's last order, and something
#: thrown, whose way is drawn.
CAMERA, ORDER, THROWN = "camera", "order", "thrown"

#: Column ``facing`` of things without a direction; other directions are radians from the x axis to the y axis.
NO_FACING = 9.0

#: Samples of a field over time, if changes are not recorded.
SAMPLES = 240

_NAN = math.nan
_MOST_TEAM = 127
_NO_DETAILS = (_NAN, _NAN, _NAN, _NAN, -1)


@dataclass(slots=True)
class Rows:
    """Rows of one stretch, and a directory of its things.

    Attributes:
        teams: the team of each row, since players may change sides; -1 for none.
        details: for some rows the place that a line leads to (``to_x``, ``to_y``), the velocity in units of
            coordinates a tick (``vel_x``, ``vel_y``), each NaN for none, and a place in `items`, -1 for none.
        items: names of the items that a thing may hold.
    """

    ticks: array[int] = field(default_factory=lambda: array("i"))
    things: array[int] = field(default_factory=lambda: array("i"))
    numbers: array[float] = field(default_factory=lambda: array("f"))
    states: array[int] = field(default_factory=lambda: array("B"))
    seen: array[int] = field(default_factory=lambda: array("i"))
    teams: array[int] = field(default_factory=lambda: array("b"))
    directory: list[dict[str, Any]] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    details: dict[int, tuple[float, float, float, float, int]] = field(default_factory=dict)
    items: tuple[str, ...] = ()

    def new(self, key: str, about: Mapping[str, Any]) -> int:
        """Add a thing to the directory; return its number in this stretch."""
        place = self.places[key] = len(self.directory)
        self.directory.append({"id": key, **about})
        return place

    def add(
        self,
        tick: int,
        thing: int,
        x: float | None,
        y: float | None,
        *,
        facing: float = NO_FACING,
        health: float = _NAN,
        state: int = THERE | ALIVE,
        seen: int | None = None,
        team: int | None = None,
    ) -> None:
        """Add a row; a row without a place says that the thing is gone."""
        gone = x is None or y is None
        self.ticks.append(tick)
        self.things.append(thing)
        self.numbers.extend((_NAN, _NAN, _NAN, _NAN) if gone else (x, y, facing, health))  # type: ignore[arg-type]
        self.states.append(0 if gone else state)
        self.seen.append(tick if seen is None else seen)
        self.teams.append(team if team is not None and 0 <= team <= _MOST_TEAM else -1)

    def to_bytes(self, start: int, end: int, step: int) -> bytes:
        """Return the rows as the page reads them, all numbers little-endian: the length of the head (uint32), the
        head (JSON: stretch, number of rows, directory, and `items` if there are details), and the columns, one
        after another: tick, thing and ticks since it was seen (int32), x, y, facing, health and, with details,
        to_x, to_y, vel_x, vel_y (float32), state (uint8), team (int8) and, with details, the place of the item
        (int8)."""
        head = {"start": start, "end": end, "step": step, "rows": len(self.ticks), "things": self.directory}
        ages = array("i", (tick - seen for tick, seen in zip(self.ticks, self.seen, strict=True)))
        columns: list[array[int] | array[float]] = [self.ticks[:], self.things[:], ages]
        columns += [self.numbers[place::4] for place in range(4)]
        last = [self.states, self.teams]
        if self.details:
            head["items"] = list(self.items)
            found = [self.details.get(row, _NO_DETAILS) for row in range(len(self.ticks))]
            columns += [array("f", [each[place] for each in found]) for place in range(4)]
            last.append(array("b", [each[4] for each in found]))
        if sys.byteorder == "big":
            for column in columns:
                column.byteswap()
        text = to_json(head).encode()
        text += b" " * (-len(text) % 4)
        return b"".join((struct.pack("<I", len(text)), text, *(column.tobytes() for column in (*columns, *last))))


class Change(NamedTuple):
    """A value of a field from a tick on.

    Attributes:
        tick: the first tick with the value.
        value: the value.
        why: the message that set it and its packet, JSON-ready; None if unknown.
    """

    tick: int
    value: Any
    why: Mapping[str, Any] | None = None


class Motion:
    """The moving things of one replay; the base class has none.

    Attributes:
        step_seconds: time between two samples.
        stretch_seconds: length of a stretch.
        report_step_seconds: least time between two samples of a report.
        jump_distance: the page does not interpolate over longer distances, in units of coordinates.
        sight_teams: the two teams whose sight the recording may have.
    """

    step_seconds = 0.5
    stretch_seconds = 10.0
    report_step_seconds = 0.0
    jump_distance = 400.0
    sight_teams = (2, 3)

    def __init__(self, replay: Any) -> None:
        self.replay = replay

    def use_map(self, path: str | Path) -> None:
        """Use the map file that the user named, if the game moves things on it."""

    def doubts(self) -> Iterator[Iterable[tuple[int, int]]]:
        """Yield first and last ticks of stretches in which the map shows something less certain, bit by bit."""
        return iter(())

    def rows(self, start: int, end: int, step: int) -> Rows:
        """Return the things that move from tick `start` to `end`, both included, sampled every `step` ticks."""
        return Rows()

    def fields(self, tick: int, key: str) -> Mapping[str, Any]:
        """Return the fields of a thing at a tick; `key` is its id in the directory.

        Raises:
            KeyError: there is no such thing at that tick.
        """
        raise KeyError(f"nothing with the id {key} at tick {tick}")

    def values(self, start: int, end: int, key: str, name: str) -> Iterator[Change]:
        """Yield values of a field from tick `start` to `end`: samples, if changes are not recorded."""
        for tick in range(start, end + 1, max(1, (end - start) // SAMPLES)):
            try:
                value = self.fields(tick, key).get(name)
            except KeyError:
                value = None
            yield Change(tick, value)

    def fixed(self) -> Iterator[tuple[str, float, float]]:
        """Yield kind and place of neutral things that never move, such as trees."""
        return iter(())
