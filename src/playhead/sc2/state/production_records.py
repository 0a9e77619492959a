"""What `playhead.sc2.state.production` keeps of units and orders, and the steps that it makes of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

#: What became of a step.
FINISHED, CANCELLED, LOST, UNFINISHED = "finished", "cancelled", "lost", "unfinished"


@dataclass(slots=True)
class Step:
    """Something that a player made, or began to.

    Attributes:
        order: row of the tracker's event that told of it; keeps steps of one loop in order.
        player: who made it.
        kind: unit, structure, morph or upgrade.
        name: type of the unit, or name of the upgrade.
        unit: tag of the unit; None for upgrades and for what never hatched.
        start: loop in which it began; its end where that is not known.
        start_source: how the start is known.
        end: loop in which it was finished, cancelled or lost; None if the game ended before.
        outcome: finished, cancelled, lost or unfinished.
        supply_used, supply_made: just before it began.
    """

    order: int
    player: int
    kind: str
    name: str
    unit: int | None
    start: int
    start_source: str
    end: int | None = None
    outcome: str = UNFINISHED
    supply_used: float = 0.0
    supply_made: float = 0.0


@dataclass(slots=True)
class Life:
    """A unit as it is now; `step` is what it is being made or turned into, `egg` when it became an
    egg or a cocoon last, `hatched` when something last came out of it;
    `holds_drone` of a building in progress that was a drone; `called_down` is the supply that was called down onto
    it."""

    tag: int | None
    unit_type: str
    player: int
    finished: bool
    step: Step | None = None
    egg: int | None = None
    hatched: int | None = None
    was_warp_gate: bool = False
    holds_drone: bool = False
    called_down: float = 0.0


class Birth(NamedTuple):
    """A unit that appeared complete after the start."""

    order: int
    loop: int
    player: int
    unit_type: str
    tag: int | None
    creator: Life | None


class Left(NamedTuple):
    """The end of a building whose drone is about to be reported dead, or lives on where it was cancelled."""

    order: int
    loop: int
    player: int
    cancelled: bool


@dataclass(slots=True)
class Orders:
    """Loops of the orders for one product of one player."""

    loops: list[int] = field(default_factory=list)
    used: set[int] = field(default_factory=set)

    def take(self, first: int, last: int) -> int | None:
        """Return the earliest order in a range of loops that began nothing yet."""
        for place in range(bisect_left(self.loops, first), bisect_right(self.loops, last)):
            if place not in self.used:
                self.used.add(place)
                return self.loops[place]
        return None
