"""`Starts`: starts of products whose end alone the tracker records, from orders and build times."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

from playhead.runtime import cython
from playhead.sc2.state.production.facts import GATEWAY_UNITS, WARP_GATE, makers
from playhead.sc2.state.production.records import OrderLog

if TYPE_CHECKING:
    from playhead.sc2.state.production.facts import ProductionFacts

if cython.compiled:
    from cython.cimports.playhead.sc2.state.production.records import OrderLog

#: Sources of the start of a step.
COMMAND = "command"
QUEUE = "queue"
BUILD_TIME = "born_minus_build_time"
UNKNOWN = "unknown"

_EGG = "Egg"
#: An order may differ from the start by build time by at most so many loops.
_SLACK = 2
#: Larvae carry out an order within so many loops.
_EGG_DELAY = 48
#: Products of a Nexus, made one after the other; and the number of earlier births to consider.
_BOOSTED_WORKER, _REMEMBERED = "Probe", 12


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
