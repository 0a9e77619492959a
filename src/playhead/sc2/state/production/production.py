"""`Production`: every unit, building, morph and upgrade that players made, with start, end and supply at its
start.

The tracker records the start of buildings and warped-in units (their *init*), and of eggs and cocoons. For trained
units, for buildings that become others, and for upgrades it records only the end. Their start is worked out from
the orders and from the build times of the base build (`playhead.sc2.state.production.facts`).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Container, Iterable
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
    Birth,
    Left,
    Step,
    TrackedUnit,
    UnitType,
    in_order,
)
from playhead.sc2.state.production.starts import Starts
from playhead.sc2.state.production.supply import SupplyChanges

if TYPE_CHECKING:
    from playhead.sc2.state.production.facts import ProductionFacts

if cython.compiled:
    from cython.cimports.playhead.blizzard.units import changes
    from cython.cimports.playhead.blizzard.units.history import UnitHistory
    from cython.cimports.playhead.sc2.state.production.records import Birth, Left, Step, TrackedUnit, UnitType
    from cython.cimports.playhead.sc2.state.production.starts import Starts
    from cython.cimports.playhead.sc2.state.production.supply import BEGINS, ENDS, FIRST, SupplyChanges
else:
    from playhead.blizzard.units import changes
    from playhead.sc2.state.production.supply import BEGINS, ENDS, FIRST


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
        self._supply.sort()
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
        self._births.append(Birth(order, loop, player, kind, tag, creator))
        return 0

    def _be_born(self, birth: Birth) -> cython.int:
        kind: UnitType = birth.kind
        egg: TrackedUnit = self._egg(birth)
        if egg is not None:
            return self._hatch(birth, egg)
        if kind.name == _WORKER_OF_EGGS:
            # The drone of a cancelled building.
            return self._supply.add(birth.order, birth.loop, ENDS, birth.player, kind.supply, 0.0)
        by = None if birth.creator is None else cython.cast(TrackedUnit, birth.creator).tag
        start, source = self._starts.of(birth.loop, birth.player, kind.name, by)
        self.steps.append(
            Step(birth.order, birth.player, UNIT, kind.name, birth.tag, start, source, birth.loop, FINISHED)
        )
        return self._supply.add(birth.order, start, BEGINS, birth.player, kind.supply, 0.0)

    def _egg(self, birth: Birth) -> TrackedUnit:
        """Return the egg or cocoon that a unit hatches from: its creator if the tracker names it, or else one of
        the player's that opens in this loop, by its age."""
        creator: TrackedUnit = birth.creator
        if creator is not None and creator.egg >= 0:
            return creator
        if not self._opened:
            return None
        name: str = birth.kind.name
        best: TrackedUnit = None
        least: cython.longlong = 0
        cocoons: cython.bint = False
        needed: cython.longlong = self._build_loops.get(name) or 0
        for _, each, _ in self._opened:
            life: TrackedUnit = each
            if life.player == birth.player and life.step is not None and life.step.name == name:
                cocoons = True
                break
        for _, each, _ in self._opened:
            life = each
            if life.player != birth.player or life.egg < 0:
                continue
            if (life.step is not None and life.step.name == name) if cocoons else life.step is None:
                off: cython.longlong = abs(birth.loop - life.egg - needed)
                if best is None or off < least:
                    best, least = life, off
        return best

    def _hatch(self, birth: Birth, egg: TrackedUnit) -> cython.int:
        used: cython.double = birth.kind.supply
        step: Step = egg.step
        first: cython.bint = egg.hatched != birth.loop
        egg.hatched = birth.loop
        if step is not None and first:  # a cocoon of builds in which a new unit hatches
            step.unit, step.end, step.outcome = birth.tag, birth.loop, FINISHED
            egg.step = None
            return self._supply.add(birth.order, birth.loop, ENDS, birth.player, used, 0.0)
        self.steps.append(
            Step(birth.order, birth.player, UNIT, birth.kind.name, birth.tag, egg.egg, MORPH, birth.loop, FINISHED)
        )
        return self._supply.add(birth.order, egg.egg, BEGINS, birth.player, used, 0.0)

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
            for birth in births:
                self._be_born(birth)
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
            due = [place for place, each in enumerate(self._left) if each.player == player]
            if due:
                del self._left[due[0]]
            else:
                self._supply.add(order, self._now, ENDS, player, -self._drone, 0.0)
        self._dead_drones.clear()
        for left in [each for each in self._left if each.loop + _DRONE_DELAY <= self._now]:
            self._left.remove(left)
            if left.cancelled:  # it is a drone again
                self._supply.add(left.order, left.loop, ENDS, left.player, self._drone, 0.0)
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
            self._left.append(Left(order, loop, life.player, not life.finished))
        return 0
