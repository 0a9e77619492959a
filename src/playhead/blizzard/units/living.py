"""The living units at any loop: `LivingUnits`."""

from __future__ import annotations

from array import array

from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.tracker import split_tag
from playhead.blizzard.units.states import UnitStates, times_of
from playhead.blizzard.units.tracked import HISTORY_EVENTS, position_samples, unit_history
from playhead.runtime.records import dataclass


@dataclass(slots=True)
class Unit:
    """A living unit.

    Attributes:
        unit: its tag: index and recycle together, which are unique; an index alone is reused.
        unit_type: name of its present type.
        player: its present owner; 0 is the neutral player.
        finished: False while it is under construction.
        x, y: last known position in cells: at birth or at the last sample; None if unknown.
        position_tick: loop of that position.
        tick: loop of its appearance, complete or as a construction.
        first_unit_type, first_player: at that time.
    """

    unit: int
    unit_type: str
    player: int
    finished: bool
    x: float | None
    y: float | None
    position_tick: int
    tick: int
    first_unit_type: str
    first_player: int

    @property
    def index(self) -> int:
        """Index of the unit; later units reuse it."""
        return split_tag(self.unit)[0]

    @property
    def recycle(self) -> int:
        """Number of earlier uses of the index."""
        return split_tag(self.unit)[1]


class LivingUnits:
    """The living units of a tracker's stream. Moving forward is cheap; moving back restarts.

    Attributes:
        when: the time of each row of the stream, as the tracker of a resumed game restarts at loop 0.
    """

    def __init__(self, stream: EventStream, cells: float, *others: array[int]) -> None:
        """Prepare.

        Args:
            stream: of the tracker.
            cells: in one unit of the tracker's positions.
            others: rows in the stream of more events whose time counts.
        """
        samples, changed = position_samples(stream), [stream.of(type_).orders for type_ in HISTORY_EVENTS]
        self.when = times_of(stream.rows.heads[0], [*changed, samples.orders, *others])
        self._states = UnitStates(unit_history(stream), *samples, self.when)
        self._cells = cells
        self._loop = 0

    def advance(self, loop: int) -> None:
        """Move to the end of a loop."""
        self._states.advance(loop, loop < self._loop)
        self._loop = loop

    def units(self) -> dict[int, Unit]:
        """Return the living units by tag, in order of their appearance."""
        return {row[0]: Unit(*row) for row in self._states.alive(self._cells)}
