"""Records of units, orders and production steps, which `Production` works with."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import Any

from playhead.bits.checked_arrays import DOUBLES, INTS, LONGS
from playhead.blizzard.encoding.field_column import NOTHING
from playhead.runtime import cython

if cython.compiled:
    from cython.cimports.playhead.bits.checked_arrays import zeros
else:
    from playhead.bits.checked_arrays import zeros

#: Sources of the start of a step that the tracker records; others are in `playhead.sc2.state.production.starts`.
INIT = "init"
MORPH = "morph"
#: Kinds of steps.
UNIT = "unit"
STRUCTURE = "structure"
MORPHED = "morph"
UPGRADE = "upgrade"
#: Outcomes of a step.
FINISHED = "finished"
CANCELLED = "cancelled"
LOST = "lost"
UNFINISHED = "unfinished"


@cython.final
@cython.no_gc  # none of its references can form a cycle
@cython.cclass
class Step:
    """A product that a player made or began to make.

    Attributes:
        order: row of the tracker's event that recorded it; keeps steps of one loop in order.
        player: its owner.
        kind: unit, structure, morph or upgrade.
        name: type of the unit, or name of the upgrade.
        unit: tag of the unit; None for upgrades and eggs that never hatched.
        start: loop of its start; of its end if the start is unknown.
        start_source: how the start is known.
        end: loop in which it was finished, cancelled or lost; None if the game ended before.
        outcome: finished, cancelled, lost or unfinished.
        supply_used, supply_made: just before its start.
    """

    unit: int | None
    end: int | None

    def __init__(
        self,
        order: cython.longlong,
        player: cython.longlong,
        kind: str,
        name: str,
        unit: int | None,
        start: cython.longlong,
        start_source: str,
        end: int | None = None,
        outcome: str = UNFINISHED,
    ) -> None:
        self.order = order
        self.player = player
        self.kind = kind
        self.name = name
        self.unit = unit
        self.start = start
        self.start_source = start_source
        self.end = end
        self.outcome = outcome
        self.supply_used = 0.0
        self.supply_made = 0.0


# As a 64-bit C constant.
_NOTHING = cython.declare(cython.longlong, NOTHING)


def step_arrays(steps: list[Step]) -> tuple[list[Any], list[array[int]], list[list[str]]]:
    """Return steps as arrays, for `StepColumns`: numbers; indices of texts; the texts."""
    count: cython.Py_ssize_t = len(steps)
    numbers: list = [zeros(LONGS, count) for _ in range(4)] + [zeros(DOUBLES, count) for _ in range(2)]
    codes: list = [zeros(INTS, count) for _ in range(4)]
    known: list = [{}, {}, {}, {}]
    starts: cython.longlong[::1] = numbers[0]
    players: cython.longlong[::1] = numbers[1]
    ends: cython.longlong[::1] = numbers[2]
    units: cython.longlong[::1] = numbers[3]
    supply_used: cython.double[::1] = numbers[4]
    supply_made: cython.double[::1] = numbers[5]
    kinds: cython.int[::1] = codes[0]
    names: cython.int[::1] = codes[1]
    sources: cython.int[::1] = codes[2]
    outcomes: cython.int[::1] = codes[3]
    place: cython.Py_ssize_t
    for place in range(count):
        step: Step = steps[place]
        starts[place] = step.start
        players[place] = step.player
        ends[place] = _NOTHING if step.end is None else step.end
        units[place] = _NOTHING if step.unit is None else step.unit
        supply_used[place] = step.supply_used
        supply_made[place] = step.supply_made
        kinds[place] = _code(known[0], step.kind)
        names[place] = _code(known[1], step.name)
        sources[place] = _code(known[2], step.start_source)
        outcomes[place] = _code(known[3], step.outcome)
    return numbers, codes, [list(texts) for texts in known]


@cython.cfunc
@cython.exceptval(-1, check=False)
def _code(known: dict, text: str) -> cython.int:
    """Return the number of a text, the next one if it is new."""
    code: object = known.get(text)
    if code is None:
        code = known[text] = len(known)
    return cython.cast(cython.int, code)


@cython.final
@cython.cclass
class UnitType:
    """The facts about a type of units.

    Attributes:
        name: of the type.
        supply, provides: supply that a unit takes, and that a finished unit provides.
        produced: whether a player's order makes it.
        merged: whether two units become one; their supply stays in use until it is finished.
        of_drone: whether a drone becomes it.
        cocoon_of: of a cocoon, the name of the type that it becomes; None for others.
        formerly: types that can become it, if the tracker records only the end.
    """

    cocoon_of: str | None
    formerly: frozenset[str]

    def __init__(
        self,
        name: str,
        supply: cython.double,
        provides: cython.double,
        produced: cython.bint,
        merged: cython.bint,
        of_drone: cython.bint,
        cocoon_of: str | None,
        formerly: frozenset[str],
    ) -> None:
        self.name = name
        self.supply = supply
        self.provides = provides
        self.produced = produced
        self.merged = merged
        self.of_drone = of_drone
        self.cocoon_of = cocoon_of
        self.formerly = formerly


@cython.final
@cython.no_gc  # none of its references can form a cycle
@cython.cclass
class TrackedUnit:
    """The present state of a unit.

    Attributes:
        tag: of the unit; None if the tracker does not record it.
        kind: its type.
        player: its owner; 0 for none.
        finished: False while it is under construction.
        step: its current production or morph.
        egg: loop at which it last became an egg or a cocoon; -1 for never.
        hatched: loop at which a unit last hatched from it; -1 for never.
        was_warp_gate: whether it was one before.
        holds_drone: whether it is a building in progress that was a drone.
        called_down: extra supply that was called down on it.
    """

    tag: int | None
    step: Step | None

    def __init__(self, tag: int | None, kind: UnitType, player: cython.longlong, finished: cython.bint) -> None:
        self.tag = tag
        self.kind = kind
        self.player = player
        self.finished = finished
        self.step = None
        self.egg = -1
        self.hatched = -1
        self.was_warp_gate = False
        self.holds_drone = False
        self.called_down = 0.0


@cython.final
@cython.cclass
class Birth:
    """A unit that appeared complete after the start; `creator` is the unit that made it, if alive."""

    tag: int | None
    creator: TrackedUnit | None

    def __init__(
        self,
        order: cython.longlong,
        loop: cython.longlong,
        player: cython.longlong,
        kind: UnitType,
        tag: int | None,
        creator: TrackedUnit | None,
    ) -> None:
        self.order = order
        self.loop = loop
        self.player = player
        self.kind = kind
        self.tag = tag
        self.creator = creator


@cython.final
@cython.cclass
class Left:
    """The end of a building whose drone is about to be reported dead, or survives a cancelled building."""

    def __init__(
        self, order: cython.longlong, loop: cython.longlong, player: cython.longlong, cancelled: cython.bint
    ) -> None:
        self.order = order
        self.loop = loop
        self.player = player
        self.cancelled = cancelled


@cython.final
@cython.cclass
class OrderLog:
    """Loops of the orders for one product of one player, ascending."""

    def __init__(self) -> None:
        self.loops = array("q")
        self._used = set()

    @cython.nonecheck(True)
    def pop_between(self, first: cython.longlong, last: cython.longlong) -> cython.longlong:
        """Remove and return the earliest unused order in a range of loops; -1 without one."""
        place: cython.Py_ssize_t
        for place in range(bisect_left(self.loops, first), bisect_right(self.loops, last)):
            if place not in self._used:
                self._used.add(place)
                return self.loops[place]
        return -1


def in_order(steps: list[Step]) -> list[Step]:
    """Return steps in the order of their starts, then of their rows."""
    step: Step
    keys: list = []
    for step in steps:
        keys.append((step.start, step.order))
    return [steps[place] for place in sorted(range(len(keys)), key=keys.__getitem__)]
