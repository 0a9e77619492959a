"""`Production`: every unit, building, morph and upgrade that players made, with start, end and supply at its
start.

The tracker records the start of buildings and warped-in units (their *init*), and of eggs and cocoons. For trained
units, for buildings that become others, and for upgrades it records only the end. Their start is worked out from
the orders and from the build times of the base build (`playhead.sc2.state.production.facts`).

The module is long because one walk over the tracker's rows follows units, eggs, drones and supply together.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Container, Iterable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.conversions import unit_tag
from playhead.blizzard.events.tracker import split_tag
from playhead.blizzard.units.history import UnitHistory
from playhead.runtime import cython
from playhead.sc2.state.production.facts import (
    COCOONS,
    MERGED,
    MORPHS,
    OF_DRONES,
    START_LOOPS,
    is_produced,
    makers,
)
from playhead.sc2.state.production.records import (
    CANCELLED,
    FINISHED,
    INIT,
    LOST,
    MORPH,
    MORPHED,
    STRUCTURE,
    UNIT,
    UPGRADE,
    Starts,
    Step,
    TrackedUnit,
    UnitType,
    in_order,
)

if TYPE_CHECKING:
    from playhead.sc2.state.production.facts import ProductionFacts

if cython.compiled:
    from cython.cimports.playhead.blizzard.units import changes
    from cython.cimports.playhead.blizzard.units.history import UnitHistory
    from cython.cimports.playhead.sc2.state.production.records import Starts, Step, TrackedUnit, UnitType
else:
    from playhead.blizzard.units import changes

    # As in the .pxd. Order within one loop: the game's start, steps that begin, then steps that end.
    FIRST, BEGINS, ENDS, RANKS = 0, 1, 2, 4


_EGG, _WORKER_OF_EGGS = "Egg", "Drone"
#: Extra supplies arrive so many loops after the order: every order of the corpus
#: is visible in the game's statistics after 70 loops, none after 64.
_CALLDOWN_DELAY = 67
_CALLDOWN_SUPPLY = 8.0
#: Largest delay, in loops, between the end of a building and the report of its drone's death.
_DRONE_DELAY = 2


# The same as 64-bit C constants.
_NOTHING = cython.declare(cython.longlong, NOTHING)


@cython.final
@cython.cclass
class SupplyChanges:
    """The changes of players' supply in one game."""

    def __init__(self) -> None:
        # Time (loop and rank), row of the event, player, and the amounts, used and provided.
        self._rows = []

    def add(
        self,
        order: cython.longlong,
        loop: cython.longlong,
        rank: cython.int,
        player: cython.longlong,
        used: cython.double,
        made: cython.double,
    ) -> cython.int:
        """Append a change, unless it is zero: the row of its event, the loop, the player, and the amounts."""
        if used != 0 or made != 0:
            self._rows.append((loop * RANKS + rank, order, player, used, made))
        return 0

    def of(self, player: cython.longlong) -> list:
        """Return loop of each change of a player's supply, and supply in use and provided after it."""
        used: cython.double = 0.0
        made: cython.double = 0.0
        found: list = []
        for time, _, who, more_used, more_made in self._rows:
            if who == player:
                used += more_used
                made += more_made
                found.append((time // RANKS, used, made))
        return found

    def count(self, steps: list) -> cython.int:
        """Sort the changes by loop, rank and row, and set the supply before each step; steps are in the order of
        starts, and come before changes that end in their loop."""
        self._rows.sort(key=itemgetter(0, 1))
        place: cython.Py_ssize_t = 0
        used: dict = {}
        made: dict = {}
        for each in steps:
            step: Step = each
            due = (step.start * RANKS + BEGINS, step.order)
            while place < len(self._rows):
                time, order, player, more_used, more_made = self._rows[place]
                if (time, order) >= due:
                    break
                used[player] = used.get(player, 0.0) + more_used
                made[player] = made.get(player, 0.0) + more_made
                place += 1
            step.supply_used = used.get(step.player, 0.0)
            step.supply_made = made.get(step.player, 0.0)
        return 0


def supply_at(changes: Sequence[tuple[int, float, float]], loops: Sequence[int]) -> list[tuple[float, float]]:
    """Return supply in use and provided after each of the loops; `changes` are those of `Production.supply_of`."""
    places = [bisect_right(changes, loop, key=itemgetter(0)) for loop in loops]
    return [changes[place - 1][1:] if place else (0.0, 0.0) for place in places]


@cython.final
@cython.cclass
class Production:
    """The production of one game.

    Args:
        history: of the units.
        upgrades: row, loop, player and name of each that is no reward (`facts.is_bought`).
        commands: loop, player and name of each, in order of time; empty if names are unknown.
        facts: build times and supply.
        calldowns: loop and unit tag of the supply depot of each order for extra supplies, in order of time.
        start: loop at which the game begins, with units that are no products.
        conjured: loop, player and type of each hallucination that the tracker does not show as one.

    Attributes:
        steps: in the order of their starts.
    """

    steps: list[Step]

    def __init__(
        self,
        history: UnitHistory,
        upgrades: Iterable[tuple[int, int, int | None, str]],
        commands: Iterable[tuple[int, int, str]],
        facts: ProductionFacts,
        calldowns: Iterable[tuple[int, int]] = (),
        start: int = 0,
        conjured: Container[tuple[int, int, str]] = (),
    ) -> None:
        upgrades = list(upgrades)
        self._history = history
        self._calldowns = deque([(loop + _CALLDOWN_DELAY, tag) for loop, tag in calldowns])
        self._facts = facts
        self._build_loops = facts.build_loops
        self._start = start
        self._conjured = conjured
        self._starts = Starts(facts, commands, upgrades)
        self._drone = facts.supply(_WORKER_OF_EGGS)
        self._lives = [None] * history.units
        self._kinds = [None] * len(history.texts)
        self._births = []
        self._begun = []
        self._left = []
        self._dead_drones = []
        self._opened = []
        self._built = None
        self._now = 0
        self.steps = []
        self._supply = SupplyChanges()
        self._order = history.order
        self._index = history.index
        self._recycle = history.recycle
        self._unit_type = history.unit_type
        self._player = history.player
        self._other_index = history.other_index
        self._other_recycle = history.other_recycle
        loops: cython.longlong[::1] = history.loop
        changed: cython.longlong[::1] = history.change
        units: cython.longlong[::1] = history.unit
        row: cython.Py_ssize_t
        for row in range(len(loops)):
            self._read(row, loops[row], changed[row], units[row])
        self._settle()
        self._now += _DRONE_DELAY
        self._settle()
        for order, loop, player, name in upgrades:
            if player and loop > START_LOOPS:
                start, source = self._starts.of(loop, player, name, self._only_building(player, name))
                self.steps.append(Step(order, player, UPGRADE, name, None, start, source, loop, FINISHED))
        self.steps = in_order(self.steps)
        self._supply.count(self.steps)
        self._lives = []  # thousands of objects that nothing reads any more

    def _only_building(self, player: cython.longlong, name: str) -> object:
        """Return a key of the only building of a player that ever could make a product which boosts speed up; None
        if there were several, or if boosts do not."""
        if name not in self._facts.boosted:
            return None
        if self._built is None:
            history: UnitHistory = self._history
            appeared = (changes.BORN, changes.INIT)
            rows = zip(history.change, history.player, history.unit_type, strict=True)
            self._built = Counter([(who, kind) for change, who, kind in rows if change in appeared])
        texts = self._history.texts
        types = [texts.index(each) for each in makers().get(name, ()) if each in texts]
        return (player, types[0]) if sum([self._built[player, type_] for type_ in types]) == 1 else None

    @cython.nonecheck(True)
    def supply_of(self, player: cython.longlong) -> list[tuple[int, float, float]]:
        """Return loop of each change of a player's supply, and supply in use and provided after it."""
        return self._supply.of(player)

    def _kind(self, place: cython.longlong) -> UnitType:
        """Return the type whose name is at an index of the texts."""
        kind: UnitType = None
        if place != _NOTHING:
            kind = self._kinds[place]
        if kind is None:
            name = self._history.text(place)
            kind = UnitType(
                name,
                self._facts.supply(name),
                self._facts.provides(name),
                is_produced(name),
                name in MERGED,
                name in OF_DRONES,
                COCOONS.get(name),
                MORPHS.get(name, frozenset()),
            )
            if place != _NOTHING:
                self._kinds[place] = kind
        return kind

    def _read(
        self, row: cython.Py_ssize_t, loop: cython.longlong, change: cython.longlong, unit: cython.longlong
    ) -> cython.int:
        # The tracker of a resumed game restarts at loop 0; time continues.
        if loop > self._now:
            self._settle()
            self._now = loop
            self._call_down()
        else:
            loop = self._now
        if change == changes.BORN or change == changes.INIT:
            return self._appear(row, loop, change == changes.BORN, unit)
        life: TrackedUnit = self._lives[unit]
        if life is None:
            return 0
        order: cython.longlong = self._order[row]
        if change == changes.DIED:
            self._lives[unit] = None
            killer: cython.longlong = self._player[row]
            return self._die(order, loop, life, killer != _NOTHING and killer != life.player)
        if change == changes.TYPE:
            return self._turn(order, loop, life, self._kind(self._unit_type[row]))
        if change == changes.DONE:
            return self._done(order, loop, life)
        if change == changes.OWNER:
            return self._hand_over(order, loop, life, self._player[row])
        return 0

    def _call_down(self) -> cython.int:
        """Add the extra supplies that have arrived by now, on depots that still exist."""
        while self._calldowns and self._calldowns[0][0] < self._now:
            loop, tag = self._calldowns.popleft()
            index, recycle = split_tag(tag)
            unit: cython.longlong = self._history.number_of(index, recycle)
            if unit < 0:
                continue
            life: TrackedUnit = self._lives[unit]
            if life is not None and life.finished and not life.called_down:
                life.called_down = _CALLDOWN_SUPPLY
                self._supply.add(-1, loop, ENDS, life.player, 0.0, _CALLDOWN_SUPPLY)
        return 0

    def _provided(self, life: TrackedUnit) -> cython.double:
        """Return the supply that a unit provides now."""
        return life.kind.provides + life.called_down if life.finished else 0.0

    def _appear(
        self, row: cython.Py_ssize_t, loop: cython.longlong, complete: cython.bint, unit: cython.longlong
    ) -> cython.int:
        history: UnitHistory = self._history
        if self._lives[unit] is not None:
            return 0  # recorded twice, as in a resumed game
        kind: UnitType = self._kind(self._unit_type[row])
        player: cython.longlong = self._player[row]
        if player == _NOTHING:
            player = 0
        order: cython.longlong = self._order[row]
        index: cython.longlong = self._index[row]
        recycle: cython.longlong = self._recycle[row]
        tag = None if index == _NOTHING or recycle == _NOTHING else unit_tag(index, recycle)
        life: TrackedUnit = TrackedUnit(tag, kind, player, complete)
        self._lives[unit] = life
        if player == 0:
            return 0
        if not complete:
            if not kind.merged:
                self._supply.add(order, loop, BEGINS, player, kind.supply, 0.0)
            if kind.of_drone:
                life.holds_drone = True
                self._begun.append((order, player))
            if kind.produced:
                made = UNIT if kind.supply else STRUCTURE
                life.step = Step(order, player, made, kind.name, tag, loop, INIT)
                self.steps.append(life.step)
            return 0
        if "Hallucination" in history.text(history.ability[row]) or (loop, player, kind.name) in self._conjured:
            life.player = 0  # it takes no supply, and returns none
            return 0
        if not kind.produced:
            return 0
        self._supply.add(order, loop, ENDS if loop > self._start else FIRST, player, 0.0, kind.provides)
        if loop <= self._start:
            return self._supply.add(order, loop, FIRST, player, kind.supply, 0.0)
        creator: object = None
        by: cython.longlong = self._other_index[row]
        if by != _NOTHING:
            by = history.number_of(by, self._other_recycle[row])
            if by >= 0:
                creator = self._lives[by]
        self._births.append((order, loop, player, kind, tag, creator))
        return 0

    def _be_born(
        self,
        order: cython.longlong,
        loop: cython.longlong,
        player: cython.longlong,
        kind: UnitType,
        tag: object,
        creator: object,
    ) -> cython.int:
        """Note a unit that appeared complete after the start; `creator` is the unit that made it, if alive."""
        egg: TrackedUnit = self._egg(loop, player, kind.name, creator)
        if egg is not None:
            return self._hatch(order, loop, player, kind, tag, egg)
        if kind.name == _WORKER_OF_EGGS:
            # The drone of a cancelled building.
            return self._supply.add(order, loop, ENDS, player, kind.supply, 0.0)
        maker = None if creator is None else cython.cast(TrackedUnit, creator).tag
        start, source = self._starts.of(loop, player, kind.name, maker)
        self.steps.append(Step(order, player, UNIT, kind.name, tag, start, source, loop, FINISHED))
        return self._supply.add(order, start, BEGINS, player, kind.supply, 0.0)

    def _egg(self, loop: cython.longlong, player: cython.longlong, name: str, creator: object) -> TrackedUnit:
        """Return the egg or cocoon that a unit hatches from: its creator if the tracker names it, or else one of
        the player's that opens in this loop, by its age."""
        best: TrackedUnit = creator
        if best is not None and best.egg >= 0:
            return best
        best = None
        least: cython.longlong = 0
        needed: cython.longlong = self._build_loops.get(name) or 0
        mine = [each for _, each, _ in self._opened if cython.cast(TrackedUnit, each).player == player]
        cocoons = [each for each in mine if each.step is not None and each.step.name == name]
        for each in cocoons or mine:
            life: TrackedUnit = each
            if life.egg >= 0 and (cocoons or life.step is None):
                off: cython.longlong = abs(loop - life.egg - needed)
                if best is None or off < least:
                    best, least = life, off
        return best

    def _hatch(
        self,
        order: cython.longlong,
        loop: cython.longlong,
        player: cython.longlong,
        kind: UnitType,
        tag: object,
        egg: TrackedUnit,
    ) -> cython.int:
        step: Step = egg.step
        first: cython.bint = egg.hatched != loop
        egg.hatched = loop
        if step is not None and first:  # a cocoon of builds in which a new unit hatches
            step.unit, step.end, step.outcome = tag, loop, FINISHED
            egg.step = None
            return self._supply.add(order, loop, ENDS, player, kind.supply, 0.0)
        self.steps.append(Step(order, player, UNIT, kind.name, tag, egg.egg, MORPH, loop, FINISHED))
        return self._supply.add(order, egg.egg, BEGINS, player, kind.supply, 0.0)

    def _done(self, order: cython.longlong, loop: cython.longlong, life: TrackedUnit) -> cython.int:
        life.finished = True
        used: cython.double = life.kind.supply if life.kind.merged else 0.0
        self._supply.add(order, loop, ENDS, life.player, used, life.kind.provides)
        self._leave_drone(order, loop, life)
        if life.step is not None:
            life.step.end, life.step.outcome = loop, FINISHED
            life.step = None
        return 0

    def _turn(self, order: cython.longlong, loop: cython.longlong, life: TrackedUnit, now: UnitType) -> cython.int:
        before: UnitType = life.kind
        life.kind = now
        if life.player == 0:
            return 0
        if now.name == _EGG:
            life.egg = loop
        elif before.name == _EGG:
            self._opened.append((order, life, False))
        elif now.cocoon_of is not None:
            life.egg = loop
            life.step = Step(order, life.player, MORPHED, now.cocoon_of, life.tag, loop, MORPH)
            self.steps.append(life.step)
            more: cython.double = self._facts.supply(now.cocoon_of) - before.supply
            self._supply.add(order, loop, BEGINS, life.player, more, 0.0)
        elif before.cocoon_of is not None:
            self._leave_cocoon(order, loop, life, now, before.cocoon_of)
        elif before.name in now.formerly and not life.was_warp_gate:
            life.was_warp_gate = now.name == "WarpGate"
            start, source = self._starts.of(loop + 1, life.player, now.name, None)
            self.steps.append(
                Step(order, life.player, MORPHED, now.name, life.tag, min(start, loop), source, loop, FINISHED)
            )
        return 0

    def _leave_cocoon(
        self, order: cython.longlong, loop: cython.longlong, life: TrackedUnit, now: UnitType, target: str
    ) -> cython.int:
        step: Step = life.step
        if step is None:
            return 0
        if now.name == target:
            step.end, step.outcome = loop, FINISHED
            life.step = None
        else:  # a unit may yet hatch in this loop
            self._opened.append((order, life, False))
            less: cython.double = now.supply - self._facts.supply(target)
            self._supply.add(order, loop, ENDS, life.player, less, 0.0)
        return 0

    def _settle(self) -> cython.int:
        """Finish the loop: match births with the eggs and cocoons that opened in it. Eggs without a birth were
        cancelled, or lost if another player killed them."""
        if self._births:
            births, self._births = self._births, []
            for order, loop, player, kind, tag, creator in births:
                self._be_born(order, loop, player, kind, tag, creator)
        if self._begun or self._dead_drones or self._left:
            self._settle_drones()
        if not self._opened:
            return 0
        opened, self._opened = self._opened, []
        for order, each, killed in opened:
            life: TrackedUnit = each
            if life.hatched == self._now:
                continue
            outcome: str = LOST if killed else CANCELLED
            if life.step is not None:
                life.step.end, life.step.outcome = self._now, outcome
                life.step = None
            elif life.egg >= 0:
                self._fail_egg(order, life, outcome)
        return 0

    def _settle_drones(self) -> cython.int:
        """Account for drones. A drone stops taking supply when it becomes a building, but is reported dead when
        the building is finished, or in the loop after."""
        for order, player in self._begun:
            self._supply.add(order, self._now, ENDS, player, -self._drone, 0.0)
        self._begun.clear()
        for order, player in self._dead_drones:
            due = [place for place, (_, _, owner, _) in enumerate(self._left) if owner == player]
            if due:
                del self._left[due[0]]
            else:
                self._supply.add(order, self._now, ENDS, player, -self._drone, 0.0)
        self._dead_drones.clear()
        ended = [each for each in self._left if each[1] + _DRONE_DELAY <= self._now]
        self._left = [each for each in self._left if each not in ended]
        for order, loop, player, cancelled in ended:
            if cancelled:  # it is a drone again
                self._supply.add(order, loop, ENDS, player, self._drone, 0.0)
        return 0

    def _fail_egg(self, order: cython.longlong, life: TrackedUnit, outcome: str) -> cython.int:
        name: str = self._starts.egg(life.player, life.egg)
        self.steps.append(Step(order, life.player, UNIT, name, None, life.egg, MORPH, self._now, outcome))
        used: cython.double = self._facts.supply(name)
        self._supply.add(order, life.egg, BEGINS, life.player, used, 0.0)
        return self._supply.add(order, self._now, ENDS, life.player, -used, 0.0)

    def _hand_over(
        self, order: cython.longlong, loop: cython.longlong, life: TrackedUnit, player: cython.longlong
    ) -> cython.int:
        if player == _NOTHING:
            player = 0
        used: cython.double = life.kind.supply
        made: cython.double = self._provided(life)
        if life.player != 0:
            self._supply.add(order, loop, ENDS, life.player, -used, -made)
        if player != 0:
            self._supply.add(order, loop, ENDS, player, used, made)
        life.player = player
        return 0

    def _die(
        self, order: cython.longlong, loop: cython.longlong, life: TrackedUnit, killed: cython.bint
    ) -> cython.int:
        if life.player == 0:
            return 0
        kind: UnitType = life.kind
        opened: cython.Py_ssize_t = -1
        place: cython.Py_ssize_t
        for place in range(len(self._opened)):
            if self._opened[place][1] is life:
                opened = place
                break
        if opened >= 0:
            self._opened[opened] = (order, life, killed)
        elif kind.name == _EGG:
            self._opened.append((order, life, killed))
        elif life.step is not None:
            life.step.end, life.step.outcome = loop, LOST if killed else CANCELLED
            life.step = None
        self._leave_drone(order, loop, life)
        if kind.name == _WORKER_OF_EGGS:
            self._dead_drones.append((order, life.player))
        elif kind.merged and not life.finished:
            pass
        elif kind.produced or kind.cocoon_of is not None:
            self._supply.add(order, loop, ENDS, life.player, -kind.supply, -self._provided(life))
        return 0

    def _leave_drone(self, order: cython.longlong, loop: cython.longlong, life: TrackedUnit) -> cython.int:
        if life.holds_drone:
            life.holds_drone = False
            self._left.append((order, loop, life.player, not life.finished))
        return 0
