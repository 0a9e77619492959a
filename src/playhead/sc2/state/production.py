"""What players made: every unit, building, morph and upgrade with its start, its end and the supply at its start.

The tracker tells when a building or a warped-in unit began (its *init*) and when an egg or a cocoon did; of units
that a building trains, of buildings that become others, and of upgrades it tells the end alone. When those began
is worked out of the orders and of the build times of the base build (`playhead.sc2.state.production_facts`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

from playhead.sc2.events.tracker import split_tag, unit_tag
from playhead.sc2.state.production_facts import (
    COCOONS,
    MERGED,
    MORPHS,
    OF_DRONES,
    ProductionFacts,
    is_produced,
    is_researched,
)
from playhead.sc2.state.production_records import (
    CANCELLED,
    FINISHED,
    LOST,
    Birth,
    Left,
    Life,
    Orders,
    Step,
)
from playhead.sc2.state.units import Change, TrackerRow

#: How the start of a step is known.
INIT, MORPH, COMMAND, QUEUE, BUILD_TIME, UNKNOWN = (
    "init",
    "morph",
    "command",
    "queue",
    "born_minus_build_time",
    "unknown",
)
#: What a step makes.
UNIT, STRUCTURE, MORPHED, UPGRADE = "unit", "structure", "morph", "upgrade"

# Here rather than looked up for each of thousands of rows.
_BORN: Final = Change.BORN
_INITIATED: Final = Change.INIT
_DONE: Final = Change.DONE
_TYPE: Final = Change.TYPE
_OWNER: Final = Change.OWNER
_DIED: Final = Change.DIED

_EGG, _LARVA, _WORKER_OF_EGGS = "Egg", "Larva", "Drone"
#: Orders may be at most so many loops off the start that the build time tells.
_SLACK = 2
#: Supplies that are called down stand on their depot so many loops after the order: every order of the corpus
#: shows in the game's statistics, none after 64 loops and all after 70.
_CALLDOWN_DELAY = 67
_CALLDOWN_SUPPLY = 8.0
#: An order to larvae is carried out within so many loops.
_EGG_DELAY = 48
#: What a Nexus makes, one after the other; and how many births of a kind are looked back at.
_BOOSTED_WORKER, _REMEMBERED = "Probe", 12
#: A drone is reported dead at most so many loops after its building is finished.
_DRONE_DELAY = 2


class SupplyChange(NamedTuple):
    """At `loop` a player's supply in use and supply provided change."""

    loop: int
    rank: int
    order: int
    player: int
    used: float
    made: float


#: Makes a change of what is in it: half of the time that calling the class takes.
_CHANGED = SupplyChange._make
#: Loop, rank and order of a change.
_MOMENT = itemgetter(0, 1, 2)
#: Of one loop: what a game begins with, steps that begin, and then what ends.
_FIRST, _BEGINS, _ENDS = range(3)


class Production:
    """The production of one game.

    Attributes:
        steps: in the order of their starts.
        supply: every change of supply, in order of time.
    """

    def __init__(
        self,
        history: Iterable[TrackerRow],
        upgrades: Iterable[tuple[int, int, int, str]],
        commands: Iterable[tuple[int, int, str]],
        facts: ProductionFacts,
        calldowns: Iterable[tuple[int, int]] = (),
    ) -> None:
        """Work it out.

        Args:
            history: what `unit_history` gives.
            upgrades: row, loop, player and name of each.
            commands: loop, player and name of each, in order of time; none where names are not known.
            facts: build times and supply.
            calldowns: loop and unit tag of the supply depot of each order for extra supplies, in order of time.
        """
        self._calldowns = deque((loop + _CALLDOWN_DELAY, tag) for loop, tag in calldowns)
        self._facts = facts
        self._orders: dict[tuple[int, str], Orders] = {}
        for loop, player, name in commands:
            product = facts.products.get(name)
            if product is not None:
                self._orders.setdefault((player, product), Orders()).loops.append(loop)
        self._lives: dict[tuple[int, int], Life] = {}
        self._births: list[Birth] = []
        self._births_of: dict[tuple[int, str], deque[int]] = {}
        self._begun: list[tuple[int, int]] = []
        self._left: list[Left] = []
        self._dead_drones: list[tuple[int, int]] = []
        self._opened: list[tuple[int, Life, bool]] = []
        self._ended: dict[int, int] = {}
        self._now = 0
        self.steps: list[Step] = []
        self.supply: list[SupplyChange] = []
        for row in history:
            self._read(row)
        self._settle()
        self._now += _DRONE_DELAY
        self._settle()
        for order, loop, player, name in upgrades:
            if player and is_researched(name, loop):
                self._research(order, loop, player, name)
        self.steps.sort(key=lambda step: (step.start, step.order))
        self.supply.sort(key=_MOMENT)
        self._count()

    def _read(self, row: TrackerRow) -> None:
        order, loop, change = row[:3]
        # The tracker of a resumed game starts over at loop 0; time goes on.
        if loop > self._now:
            self._settle()
            self._now = loop
            self._call_down()
        else:
            loop = self._now
        key = row[3:5]
        if change in (_BORN, _INITIATED):
            self._appear(order, loop, change == _BORN, key, row[5:])
            return
        life = self._lives.get(key)
        if life is None:
            return
        if change == _DIED:
            del self._lives[key]
            self._die(order, loop, life, row[7])
        elif change == _TYPE:
            self._turn(order, loop, life, row[5])
        elif change == _DONE:
            self._done(order, loop, life)
        elif change == _OWNER:
            self._hand_over(order, loop, life, row[5])

    def _call_down(self) -> None:
        """Add the supplies that have come down before now, onto depots that still stand."""
        while self._calldowns and self._calldowns[0][0] < self._now:
            loop, tag = self._calldowns.popleft()
            life = self._lives.get(split_tag(tag))
            if life is not None and life.finished and not life.called_down:
                life.called_down = _CALLDOWN_SUPPLY
                self._add(-1, loop, _ENDS, life.player, 0.0, _CALLDOWN_SUPPLY)

    def _provided(self, life: Life) -> float:
        """Return the supply that a unit provides as it is."""
        return self._facts.provides(life.unit_type) + life.called_down if life.finished else 0.0

    def _add(self, order: int, loop: int, rank: int, player: int, used: float, made: float = 0.0) -> None:
        if used or made:
            self.supply.append(_CHANGED((loop, rank, order, player, used, made)))

    def _appear(self, order: int, loop: int, complete: bool, key: tuple[int, int], about: Sequence[Any]) -> None:
        unit_type, player, _, _, creator_index, creator_recycle, ability = about
        tag = unit_tag(*key)
        if key in self._lives:
            return  # told twice, as in a resumed game
        life = self._lives[key] = Life(tag, unit_type, player, complete)
        if not player:
            return
        facts = self._facts
        used, made = facts.supply(unit_type), facts.provides(unit_type)
        if not complete:
            if unit_type not in MERGED:
                self._add(order, loop, _BEGINS, player, used)
            if unit_type in OF_DRONES:
                life.holds_drone = True
                self._begun.append((order, player))
            if is_produced(unit_type):
                kind = UNIT if used else STRUCTURE
                life.step = Step(order, player, kind, unit_type, tag, loop, INIT)
                self.steps.append(life.step)
            return
        if not is_produced(unit_type) or "Hallucination" in (ability or ""):
            return
        self._add(order, loop, _ENDS if loop else _FIRST, player, 0, made)
        if not loop:
            self._add(order, loop, _FIRST, player, used)
            return
        creator = self._lives.get((creator_index, creator_recycle)) if creator_index is not None else None
        self._births.append(Birth(order, loop, player, unit_type, tag, creator))

    def _be_born(self, birth: Birth) -> None:
        order, loop, player, unit_type, tag, creator = birth
        used = self._facts.supply(unit_type)
        egg = self._egg(loop, player, unit_type, creator)
        if egg is not None:
            self._hatch(birth, egg)
        elif unit_type == _WORKER_OF_EGGS:
            self._add(order, loop, _ENDS, player, used)  # back from a building that was cancelled
        else:
            start, source = self._trained(loop, player, unit_type, None if creator is None else creator.tag)
            self.steps.append(Step(order, player, UNIT, unit_type, tag, start, source, loop, FINISHED))
            self._add(order, start, _BEGINS, player, used)

    def _egg(self, loop: int, player: int, unit_type: str, creator: Life | None) -> Life | None:
        """Return the egg or cocoon that a unit hatches from: its creator, where the tracker tells, or else one of
        the player that opens in this loop, the one of the right age."""
        if creator is not None and creator.egg is not None:
            return creator
        opened = [life for _, life, _ in self._opened if life.player == player]
        cocoons = [life for life in opened if life.step is not None and life.step.name == unit_type]
        eggs = cocoons or [life for life in opened if life.step is None]
        needed = self._facts.build_loops(unit_type) or 0
        return min(eggs, key=lambda life: abs(loop - (life.egg or 0) - needed), default=None)

    def _hatch(self, birth: Birth, egg: Life) -> None:
        order, loop, player, unit_type, tag, _ = birth
        assert egg.egg is not None
        first, egg.hatched = egg.hatched != loop, loop
        used = self._facts.supply(unit_type)
        step = egg.step
        if step is not None and first:  # a cocoon of builds in which what hatches is another unit
            step.unit, step.end, step.outcome, egg.step = tag, loop, FINISHED, None
            self._add(order, loop, _ENDS, player, used)
            return
        self.steps.append(Step(order, player, UNIT, unit_type, tag, egg.egg, MORPH, loop, FINISHED))
        self._add(order, egg.egg, _BEGINS, player, used)

    def _trained(self, loop: int, player: int, name: str, creator: int | None) -> tuple[int, str]:
        """Return when something that ended in `loop` began, and how that is known."""
        before = None if creator is None else self._ended.get(creator)
        if creator is not None:
            self._ended[creator] = loop
        needed = self._facts.build_loops(name)
        if needed is None:
            return loop, UNKNOWN
        ended = self._births_of.setdefault((player, name), deque(maxlen=_REMEMBERED))
        ended.append(loop)
        orders = self._orders.get((player, name), Orders())
        began = loop - needed
        taken = orders.take(began - 1, began + 1)
        if taken is not None:
            return taken, COMMAND
        if before is not None and abs(before - began) <= _SLACK:
            return before, QUEUE
        if name not in self._facts.boosted:
            return max(began, 0), BUILD_TIME
        latest = loop - round(needed * self._facts.fastest) + _SLACK
        if before is not None and began < before <= latest:
            return before, QUEUE
        if before is None or before < began:
            taken = orders.take(began, latest)
            if taken is not None:
                return taken, COMMAND
        if creator is None and name == _BOOSTED_WORKER:
            # No building is told: one that worked without a break, boosted or not, shows in when others were born.
            for share in (self._facts.fastest, 1.0):
                started = next((each for each in ended if abs(loop - needed * share - each) <= _SLACK), None)
                if started is not None:
                    return started, QUEUE
        return max(began, 0), BUILD_TIME

    def _done(self, order: int, loop: int, life: Life) -> None:
        life.finished = True
        used = self._facts.supply(life.unit_type) if life.unit_type in MERGED else 0.0
        self._add(order, loop, _ENDS, life.player, used, self._facts.provides(life.unit_type))
        self._leave_drone(order, loop, life)
        if life.step is not None:
            life.step.end, life.step.outcome = loop, FINISHED
            life.step = None

    def _turn(self, order: int, loop: int, life: Life, now: str) -> None:
        before, life.unit_type = life.unit_type, now
        if not life.player:
            return
        if now == _EGG:
            life.egg = loop
        elif before == _EGG:
            self._opened.append((order, life, False))
        elif now in COCOONS:
            life.egg = loop
            target = COCOONS[now]
            life.step = Step(order, life.player, MORPHED, target, life.tag, loop, MORPH)
            self.steps.append(life.step)
            self._add(order, loop, _BEGINS, life.player, self._facts.supply(target) - self._facts.supply(before))
        elif before in COCOONS:
            self._leave_cocoon(order, loop, life, now, COCOONS[before])
        elif before in MORPHS.get(now, ()) and not life.was_warp_gate:
            life.was_warp_gate = now == "WarpGate"
            start, source = self._trained(loop + 1, life.player, now, None)
            self.steps.append(
                Step(order, life.player, MORPHED, now, life.tag, min(start, loop), source, loop, FINISHED)
            )

    def _leave_cocoon(self, order: int, loop: int, life: Life, now: str, target: str) -> None:
        step = life.step
        if step is None:
            return
        if now == target:
            step.end, step.outcome, life.step = loop, FINISHED, None
        else:  # what hatches may yet be born in this loop
            self._opened.append((order, life, False))
            self._add(order, loop, _ENDS, life.player, self._facts.supply(now) - self._facts.supply(target))

    def _settle(self) -> None:
        """End the loop: what was born in it is matched with the eggs and cocoons that opened in it. Those that
        nothing came out of were cancelled, or lost where a killer is known."""
        if self._births:
            births, self._births = self._births, []
            for birth in births:
                self._be_born(birth)
        if self._begun or self._dead_drones or self._left:
            self._settle_drones()
        if not self._opened:
            return
        opened, self._opened = self._opened, []
        for order, life, killed in opened:
            if life.hatched == self._now:
                continue
            outcome = LOST if killed else CANCELLED
            if life.step is not None:
                life.step.end, life.step.outcome, life.step = self._now, outcome, None
            elif life.egg is not None:
                self._fail_egg(order, life, outcome)

    def _settle_drones(self) -> None:
        """A drone takes no supply once it is a building, but is reported dead when the building is finished, or in
        the loop after."""
        drone = self._facts.supply(_WORKER_OF_EGGS)
        for order, player in self._begun:
            self._add(order, self._now, _ENDS, player, -drone)
        self._begun.clear()
        for order, player in self._dead_drones:
            due = next((place for place, each in enumerate(self._left) if each.player == player), None)
            if due is None:
                self._add(order, self._now, _ENDS, player, -drone)
            else:
                del self._left[due]
        self._dead_drones.clear()
        for left in [each for each in self._left if each.loop + _DRONE_DELAY <= self._now]:
            self._left.remove(left)
            if left.cancelled:  # it is a drone again
                self._add(left.order, left.loop, _ENDS, left.player, drone)

    def _fail_egg(self, order: int, life: Life, outcome: str) -> None:
        assert life.egg is not None
        name = self._ordered_egg(life.player, life.egg)
        self.steps.append(Step(order, life.player, UNIT, name, None, life.egg, MORPH, self._now, outcome))
        used = self._facts.supply(name)
        self._add(order, life.egg, _BEGINS, life.player, used)
        self._add(order, self._now, _ENDS, life.player, -used)

    def _ordered_egg(self, player: int, loop: int) -> str:
        """Return what was last ordered of larvae just before an egg; Egg where that is not known."""
        found = [
            (orders.loops[place - 1], name)
            for (who, name), orders in self._orders.items()
            if who == player and (place := bisect_right(orders.loops, loop))
        ]
        latest = max(found, default=(-_EGG_DELAY, _EGG))
        return latest[1] if loop - latest[0] < _EGG_DELAY else _EGG

    def _hand_over(self, order: int, loop: int, life: Life, player: int) -> None:
        used = self._facts.supply(life.unit_type)
        made = self._provided(life)
        if life.player:
            self._add(order, loop, _ENDS, life.player, -used, -made)
        if player:
            self._add(order, loop, _ENDS, player, used, made)
        life.player = player

    def _die(self, order: int, loop: int, life: Life, killer: int | None) -> None:
        if not life.player:
            return
        facts = self._facts
        opened = None
        if self._opened:
            opened = next((place for place, each in enumerate(self._opened) if each[1] is life), None)
        if opened is not None:
            self._opened[opened] = (order, life, killer is not None)
        elif life.unit_type == _EGG:
            self._opened.append((order, life, killer is not None))
        elif life.step is not None:
            life.step.end, life.step.outcome = loop, CANCELLED if killer is None else LOST
            life.step = None
        self._leave_drone(order, loop, life)
        if life.unit_type == _WORKER_OF_EGGS:
            self._dead_drones.append((order, life.player))
        elif life.unit_type in MERGED and not life.finished:
            pass
        elif is_produced(life.unit_type) or life.unit_type in COCOONS:
            self._add(order, loop, _ENDS, life.player, -facts.supply(life.unit_type), -self._provided(life))

    def _leave_drone(self, order: int, loop: int, life: Life) -> None:
        if life.holds_drone:
            life.holds_drone = False
            self._left.append(Left(order, loop, life.player, not life.finished))

    def _research(self, order: int, loop: int, player: int, name: str) -> None:
        start, source = self._trained(loop, player, name, None)
        self.steps.append(Step(order, player, UPGRADE, name, None, start, source, loop, FINISHED))

    def supply_of(self, player: int) -> list[tuple[int, float, float]]:
        """Return loop of each change of a player's supply, and supply in use and provided after it."""
        used = made = 0.0
        found = []
        for change in self.supply:
            if change.player == player:
                used += change.used
                made += change.made
                found.append((change.loop, used, made))
        return found

    def _count(self) -> None:
        """Put the supply just before it into each step; of one loop, steps come before what ends in it."""
        used: dict[int, float] = {}
        made: dict[int, float] = {}
        place = 0
        for step in self.steps:
            start = (step.start, _BEGINS, step.order)
            while place < len(self.supply):
                loop, rank, order, player, more_used, more_made = self.supply[place]
                if (loop, rank, order) >= start:
                    break
                used[player] = used.get(player, 0.0) + more_used
                made[player] = made.get(player, 0.0) + more_made
                place += 1
            step.supply_used, step.supply_made = used.get(step.player, 0.0), made.get(step.player, 0.0)


def supply_at(changes: Sequence[tuple[int, float, float]], loops: Sequence[int]) -> list[tuple[float, float]]:
    """Return supply in use and provided after each of the loops; `changes` are those of `Production.supply_of`."""
    places = (bisect_right(changes, loop, key=lambda change: change[0]) for loop in loops)
    return [changes[place - 1][1:] if place else (0.0, 0.0) for place in places]


def orders_of(rows: Iterable[tuple[int, int | None, str | None]]) -> list[tuple[int, int, str]]:
    """Return those orders whose player and name are known, in order of time."""
    return sorted((loop, player, name) for loop, player, name in rows if player is not None and name is not None)
