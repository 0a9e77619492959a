"""What moves on the map in a stretch of a recording: rows for an Arrow stream, made from the engine's own seek.

A `Motion` gives a stretch without reading the rest of the recording. Rows are sparse: a thing has one at the start
of a stretch and one for each sample in which it changed; between two rows that are one step apart the page
interpolates, otherwise the thing stood still.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from playhead.runtime.records import dataclass, field
from playhead.text.json import to_json

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.replay import Replay

#: Bits of column ``state``: it is there; it is alive (or finished); it fires, hooks, jumps; teams 2 and 3 see it,
#: where the recording has it (none of both is set where it does not).
THERE, ALIVE, FIRE, HOOK, JUMP, SEEN_BY_2, SEEN_BY_3 = 1, 2, 4, 8, 16, 32, 64

#: What somebody plays, what belongs to somebody, what stands, what gives resources, the rest.
HERO, UNIT, BUILDING, RESOURCE, OTHER = "hero", "unit", "building", "resource", "other"

#: Column ``facing`` of what looks nowhere; else it is in radians, from the x axis towards the y axis.
NO_FACING = 9.0

#: Samples of a field over time.
SAMPLES = 240

_NAN = math.nan


@dataclass(slots=True)
class Rows:
    """Rows of one stretch, and the things that they are of."""

    ticks: array[int] = field(default_factory=lambda: array("i"))
    things: array[int] = field(default_factory=lambda: array("i"))
    numbers: array[float] = field(default_factory=lambda: array("f"))
    states: array[int] = field(default_factory=lambda: array("B"))
    seen: array[int] = field(default_factory=lambda: array("i"))
    directory: list[dict[str, Any]] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def new(self, key: str, about: Mapping[str, Any]) -> int:
        """Return the number, in this stretch, of a thing that has no row yet."""
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
    ) -> None:
        """Add a row; without a place the thing is gone."""
        gone = x is None or y is None
        self.ticks.append(tick)
        self.things.append(thing)
        self.numbers.extend((_NAN, _NAN, _NAN, _NAN) if gone else (x, y, facing, health))  # type: ignore[arg-type]
        self.states.append(0 if gone else state)
        self.seen.append(tick if seen is None else seen)

    def to_arrow(self, start: int, end: int, step: int) -> pa.Table:
        """Return the rows as a table; its metadata has the stretch and the directory of things."""
        import pyarrow as pa

        metadata = {"start": str(start), "end": str(end), "step": str(step), "things": to_json(self.directory)}
        schema = pa.schema(
            [
                ("tick", pa.int32()),
                ("thing", pa.int32()),
                *((name, pa.float32()) for name in ("x", "y", "facing", "health")),
                ("state", pa.uint8()),
                ("seen", pa.int32()),
            ],
            metadata=metadata,
        )
        columns = [self.numbers[place::4] for place in range(4)]
        arrays = [
            pa.array(self.ticks, pa.int32()),
            pa.array(self.things, pa.int32()),
            *(pa.array(column, pa.float32()) for column in columns),
            pa.array(self.states, pa.uint8()),
            pa.array(self.seen, pa.int32()),
        ]
        return pa.Table.from_arrays(arrays, schema=schema)


class Change(NamedTuple):
    """The value that something had from a tick on.

    Attributes:
        tick: when.
        value: what.
        why: the message that brought it and the packet it was in, JSON-ready; None where the format does not say.
    """

    tick: int
    value: Any
    why: Mapping[str, Any] | None = None


class Motion:
    """What moves in one replay, and what it is made of; the base knows nothing of any."""

    #: Seconds between samples, and seconds of a stretch.
    step_seconds = 0.5
    stretch_seconds = 10.0
    #: Whether things look somewhere.
    facing = True

    def __init__(self, replay: Replay) -> None:
        self.replay = replay

    def rows(self, start: int, end: int, step: int) -> Rows:
        """Return what moves from tick `start` to `end`, both included, by samples every `step` ticks."""
        return Rows()

    def fields(self, tick: int, key: str) -> Mapping[str, Any]:
        """Return the fields of something at a tick; `key` is as in the rows.

        Raises:
            KeyError: there is nothing of that key then.
        """
        raise KeyError(f"nothing with the id {key} at tick {tick}")

    def values(self, start: int, end: int, key: str, name: str) -> Iterator[Change]:
        """Yield values of a field from tick `start` to `end`: in samples where no changes are recorded."""
        for tick in range(start, end + 1, max(1, (end - start) // SAMPLES)):
            try:
                value = self.fields(tick, key).get(name)
            except KeyError:
                value = None
            yield Change(tick, value)

    def fixed(self) -> Iterator[tuple[str, float, float]]:
        """Yield kind and place of what stands on the map and is nobody's (trees), from the state at a moment."""
        return iter(())
