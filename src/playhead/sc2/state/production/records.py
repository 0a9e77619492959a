"""Records of units, orders and production steps, which `Production` works with, and `Starts`: the starts of
products whose end alone the tracker records."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.runtime import cython
from playhead.sc2.state.production.facts import GATEWAY_UNITS, WARP_GATE, makers

if TYPE_CHECKING:
    from playhead.sc2.state.production.facts import ProductionFacts

#: Sources of the start of a step: the tracker, for the first two; orders and build times.
INIT = "init"
MORPH = "morph"
COMMAND = "command"
QUEUE = "queue"
BUILD_TIME = "born_minus_build_time"
UNKNOWN = "unknown"
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

_EGG = "Egg"
#: An order may differ from the start by build time by at most so many loops.
_SLACK = 2
#: Larvae carry out an order within so many loops.
_EGG_DELAY = 48
#: Products of a Nexus, made one after the other; and the number of earlier births to consider.
_BOOSTED_WORKER, _REMEMBERED = "Probe", 12


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


class Named(NamedTuple):
    """A column of texts: the index of each in `names` (``array('i')``), and the distinct texts as they occur."""

    codes: array[int]
    names: list[str]


class StepColumns(NamedTuple):
    """Steps as columns, in their order; missing ends and units are `NOTHING`."""

    starts: array[int]
    players: array[int]
    ends: array[int]
    units: array[int]
    supply_used: array[float]
    supply_made: array[float]
    kinds: Named
    names: Named
    sources: Named
    outcomes: Named


def step_columns(steps: list[Step]) -> StepColumns:
    """Return steps as columns."""

    def numbers(kind: str, name: str) -> Any:
        held = [getattr(step, name) for step in steps]
        return array(kind, [NOTHING if value is None else value for value in held])

    def texts(name: str) -> Named:
        known: dict = {}
        codes = [known.setdefault(getattr(step, name), len(known)) for step in steps]
        return Named(array("i", codes), list(known))

    return StepColumns(
        *[numbers("q", name) for name in ("start", "player", "end", "unit")],
        *[numbers("d", name) for name in ("supply_used", "supply_made")],
        *map(texts, ("kind", "name", "start_source", "outcome")),
    )


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


@cython.final
@cython.cclass
class Starts:
    """The starts of trained units, morphs of buildings and upgrades. Each order begins one product.

    Args:
        facts: build times.
        commands: loop, player and name of each, in order of time; empty if names are unknown.
        upgrades: row, loop, player and name of each.
    """

    def __init__(
        self,
        facts: ProductionFacts,
        commands: Iterable[tuple[int, int, str]],
        upgrades: Iterable[tuple[int, int, int | None, str]],
    ) -> None:
        self._build_loops = facts.build_loops
        self._boosted = facts.boosted
        self._made_in = makers()
        self._fastest = facts.fastest
        self._gateway_share = facts.gateway_share
        self._warp_gates = {player: loop for _, loop, player, name in upgrades if name == WARP_GATE}
        self._orders = {}
        for loop, player, name in commands:
            product = facts.products.get(name)
            if product is not None:
                self._orders.setdefault((player, product), OrderLog()).loops.append(loop)
        self._births_of = {}
        self._ended = {}

    def of(self, loop: cython.longlong, player: cython.longlong, name: str, creator: object) -> tuple:
        """Return the start of a product finished in `loop`, and how it is known."""
        before = None if creator is None else self._ended.get(creator)
        if creator is not None:
            self._ended[creator] = loop
        needed = self._build_loops.get(name)
        if needed is None:
            return loop, UNKNOWN
        if name in GATEWAY_UNITS and self._gateway_share < 1.0:
            shorter: cython.longlong = round(needed * self._gateway_share)
            if loop - shorter >= self._warp_gates.get(player, loop):
                needed = shorter
        of_kind = (player, name)
        ended = self._births_of.get(of_kind)
        if ended is None:
            ended = self._births_of[of_kind] = deque(maxlen=_REMEMBERED)
        ended.append(loop)
        orders: OrderLog = self._orders.get(of_kind)
        began: cython.longlong = loop - needed
        if began < 0:  # it came with the map or the start of the game
            return loop, UNKNOWN
        boosted: cython.bint = name in self._boosted
        latest: cython.longlong = loop - round(needed * self._fastest) + _SLACK
        taken: cython.longlong = -1
        if boosted and before is not None and began + _SLACK < before <= latest:
            # The building was busy until then; the order waited.
            if orders is not None:
                orders.pop_between(began - 1, before)
            return before, QUEUE
        if orders is not None:
            taken = orders.pop_between(began - 1, began + 1)
        if taken >= 0:
            return taken, COMMAND
        if before is not None and abs(before - began) <= _SLACK:
            return before, QUEUE
        if not boosted:
            return began, BUILD_TIME
        if creator is None and name == _BOOSTED_WORKER:
            # The building is not recorded; other births reveal one that worked without a break, boosted or not.
            for share in (self._fastest, 1.0):
                for each in ended:
                    if abs(loop - needed * share - each) <= _SLACK:
                        if orders is not None:
                            orders.pop_between(began, each)
                        return each, QUEUE
        if orders is not None and (before is None or before < began):
            taken = orders.pop_between(began, latest)
            if taken >= 0:
                return taken, COMMAND
        return began, BUILD_TIME

    def egg(self, player: cython.longlong, loop: cython.longlong) -> str:
        """Return the last product ordered from larvae just before an egg; Egg if unknown."""
        latest: tuple = (-_EGG_DELAY, _EGG)
        found: cython.bint = False
        for (who, name), orders in self._orders.items():
            if who == player and name not in self._made_in:
                place = bisect_right(orders.loops, loop)
                if place and (not found or (orders.loops[place - 1], name) > latest):
                    latest = (orders.loops[place - 1], name)
                    found = True
        return latest[1] if loop - latest[0] < _EGG_DELAY else _EGG
