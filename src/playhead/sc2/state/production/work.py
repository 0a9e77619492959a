"""Which building made what, when buildings had nothing to do, and their chrono boosts.

The tracker names the maker of a trained unit since 4.x. Before, it is the nearest building without other work
(less than two products, if it may have a reactor) that can make it; in newer replays, 94 % of the nearest are the
maker. Upgrades and warped-in units have no maker in any build: an upgrade belongs to the building that can
research it and is free, a warped-in unit to the Warp Gate that is ready for the longest time.

From the betas of Legacy of the Void to 3.x a boost is free and stays on a building until an order moves it. A new
Nexus boosts itself, without an order. It shows in the births: Probes of a working Nexus are 237 loops
apart instead of 272.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from math import hypot
from typing import NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.merged_rows import gathered
from playhead.blizzard.events.tracker import split_tag
from playhead.blizzard.tables.registry import StreamSource
from playhead.blizzard.units import changes
from playhead.blizzard.units.history import UnitHistory
from playhead.blizzard.units.states import Spans, places_with
from playhead.blizzard.units.tracked import own_tag, spans_of_types, tag_in, unit_history, unit_spans
from playhead.runtime.records import dataclass, field
from playhead.sc2.state.casts import CASTS_READ, boosts_of
from playhead.sc2.state.energy import NEXUS, QUEEN, boosts_are_free
from playhead.sc2.state.production.facts import MORPHS, ProductionFacts, makers, producers
from playhead.sc2.state.production.from_replay import PRODUCTION_EVENTS, production_facts_of, steps
from playhead.sc2.state.production.records import COMMAND, INIT, MORPHED, QUEUE, UNIT, UPGRADE, StepColumns

#: How the building of a product is known.
TRACKER, PLACE, ONLY, FREE, READY = "tracker", "place", "only", "free", "ready"
GATE = "WarpGate"
#: Loops after a warp-in in which a gate cannot warp in again, the same in every version.
COOLDOWNS = {"Zealot": 448, "Adept": 448, "Stalker": 512, "Sentry": 512, "HighTemplar": 720, "DarkTemplar": 720}
#: Units appear beside their building.
_NEAR = 12.0
_SLACK = 2
_WITH_REACTORS = frozenset({"Barracks", "Factory", "Starport"})
_FOREVER = 1 << 62
#: Buildings of one type that are compared, and types of one building: real games have fewer.
_MOST_BUILDINGS, _MOST_TYPES = 256, 256


@dataclass(slots=True)
class Building:
    """A building that makes things.

    Attributes:
        tag: of the unit.
        player: its first owner.
        x, y: in cells.
        types: start, end and type of each time in which it could make something; an end may be `NOTHING`.
        ready: loop from which on it is free, as far as products are assigned to it.
        other_ready: the same of the second product that a reactor makes.
        taken: start and end of each recorded product that upgrades may not overlap: changes into another building,
            and queens, the only units whose building also makes upgrades.
    """

    tag: int
    player: int
    x: float
    y: float
    types: list[tuple[int, int, str]] = field(default_factory=list)
    ready: int = 0
    other_ready: int = 0
    taken: list[tuple[int, int]] = field(default_factory=list)

    @property
    def may_have_reactor(self) -> bool:
        """Whether it can make two products at once."""
        return self.types[0][2] in _WITH_REACTORS

    def take(self, end: int) -> None:
        """Note a product until a loop."""
        if self.may_have_reactor:
            self.ready, self.other_ready = sorted((max(self.ready, self.other_ready), end))
        else:
            self.ready = max(self.ready, end)

    def is_free(self, start: int, end: int) -> bool:
        """Return whether it can make a product in a time, as far as products are assigned to it."""
        return self.ready <= start + _SLACK and not any(
            first < end - _SLACK and start < last - _SLACK for first, last in self.taken
        )

    def type_at(self, loop: int) -> str | None:
        """Return its type in a loop in which it can make something."""
        for start, end, name in self.types:
            if start <= loop and (end == NOTHING or loop <= end):
                return name
        return None


class Work(NamedTuple):
    """A product of a building: index of the step, the building, how it is known, and the loop from which on the
    building can make the next; None if it never was."""

    step: int
    building: Building
    how: str
    end: int | None


def buildings_of(history: UnitHistory, spans: Spans, cells: float) -> dict[int, Building]:
    """Return the buildings that make things, by unit tag.

    Args:
        cells: in one unit of the tracker's positions.
    """
    found: dict[int, Building] = {}
    names = ("row", "unit_type", "player", "start", "end", "finished", "x", "y")
    for row, kind, player, start, end, finished, x, y in spans_of_types(spans, history.texts, producers(), *names):
        tag = own_tag(history, row)
        if not finished or player == 0 or tag is None or NOTHING in (x, y):
            continue
        held = found.get(tag)
        if held is None:
            held = found[tag] = Building(tag, player, x * cells, y * cells, [], start)
        if len(held.types) < _MOST_TYPES:
            held.types.append((start, end, history.texts[kind]))
    return found


def works_of(
    history: UnitHistory, buildings: Mapping[int, Building], cells: float, steps: StepColumns
) -> list[Work]:
    """Return the work of buildings, in the order of the steps.

    Args:
        buildings: see `buildings_of`.
        cells: in one unit of the tracker's positions.
        steps: the production.
    """
    finder = _Finder(history, buildings, cells)
    made_in = makers()
    finder.note_taken(steps)
    found: list[Work] = []
    #: By gate, the place of its last cooldown.
    cooling: dict[int, int] = {}
    codes = (steps.kinds.codes, steps.names.codes, steps.sources.codes)
    kinds, names, sources = steps.kinds.names, steps.names.names, steps.sources.names
    rows = zip(*codes, steps.players, steps.starts, steps.ends, steps.units, strict=True)
    for number, (kind_code, name_code, source_code, player, start, end, tag) in enumerate(rows):
        kind, name = kinds[kind_code], names[name_code]
        ended = None if end == NOTHING else end
        work: tuple[Building, str] | None = None
        if kind == MORPHED:
            if name in MORPHS and tag in buildings:
                work = (buildings[tag], TRACKER)
        elif kind == UNIT and sources[source_code] == INIT:
            if name in COOLDOWNS:
                work = finder.gate(player, start)
                ended = start + COOLDOWNS[name]
                if work is not None:
                    # A boost shortened the last cooldown.
                    last = cooling.get(work[0].tag)
                    if last is not None and (found[last].end or 0) > start:
                        found[last] = found[last]._replace(end=start)
                    cooling[work[0].tag] = len(found)
        elif kind == UNIT and name in made_in:
            work = finder.trainer(player, tag, made_in[name], start, end)
        elif kind == UPGRADE and name in made_in:
            work = finder.laboratory(player, made_in[name], start, end)
        if work is not None:
            if ended is not None:
                work[0].take(ended)
            found.append(Work(number, work[0], work[1], ended))
    return found


class _Finder:
    def __init__(self, history: UnitHistory, buildings: Mapping[int, Building], cells: float) -> None:
        born = places_with(history.change, [change == changes.BORN for change in range(changes.DIED + 1)])
        self._cells = cells
        self._history = history
        self._births = dict(zip(gathered(history.unit, born), born, strict=True))
        self._buildings = buildings
        #: By player and type, first and last loop of a building with it; of two types in a loop the first counts.
        self._of_type: dict[tuple[int, str], list[tuple[int, int, Building]]] = {}
        counts: Counter[tuple[int, str]] = Counter()
        for building in buildings.values():
            free = 0
            for kind in {(building.player, name) for _, _, name in building.types}:
                counts[kind] += 1
            for start, end, name in building.types:
                last = _FOREVER if end == NOTHING else end
                kind = (building.player, name)
                if last >= free and counts[kind] <= _MOST_BUILDINGS:
                    self._of_type.setdefault(kind, []).append((max(start, free), last, building))
                free = max(free, last + 1)

    def _able(self, player: int, types: Sequence[str], loop: int) -> list[Building]:
        return [
            building
            for name in types
            for first, last, building in self._of_type.get((player, name), ())
            if first <= loop <= last
        ]

    def note_taken(self, steps: StepColumns) -> None:
        """Note the times of buildings that the tracker records as taken, before upgrades are assigned to them."""
        names = steps.names.names
        takes = [name in MORPHS or name == QUEEN for name in names]
        for name, start, end, tag in zip(steps.names.codes, steps.starts, steps.ends, steps.units, strict=True):
            if not takes[name]:
                continue
            if names[name] in MORPHS:
                building = self._buildings.get(tag)
            else:
                building = self._buildings.get(self._maker(self._birth(tag)) or 0)
            if building is not None and len(building.taken) < _MOST_BUILDINGS:
                building.taken.append((start, _FOREVER if end == NOTHING else end))

    def _birth(self, tag: int) -> int | None:
        """Return the row of a unit's birth."""
        return None if tag == NOTHING else self._births.get(self._history.number_of(*split_tag(tag)))

    def _maker(self, row: int | None) -> int | None:
        """Return the recorded creator of the unit that was born in a row."""
        history = self._history
        return None if row is None else tag_in(history.other_index[row], history.other_recycle[row])

    def trainer(
        self, player: int, tag: int, types: Sequence[str], start: int, end: int
    ) -> tuple[Building, str] | None:
        """Return the building that trained a unit: if it is not recorded, the nearest one without other work."""
        history, row = self._history, self._birth(tag)
        if row is None:
            return None
        by = self._maker(row)
        if by is not None:
            return (self._buildings[by], TRACKER) if by in self._buildings else None
        x, y = history.x[row] * self._cells, history.y[row] * self._cells
        distances = ((hypot(each.x - x, each.y - y), each) for each in self._able(player, types, end))
        near = [(not each.is_free(start, end), off, each.tag) for off, each in distances if off <= _NEAR]
        return (self._buildings[min(near)[2]], PLACE) if near else None

    def laboratory(self, player: int, types: Sequence[str], start: int, end: int) -> tuple[Building, str] | None:
        """Return the building that researched an upgrade."""
        able = self._able(player, types, end)
        if len(able) == 1:
            return able[0], ONLY
        free = [each for each in able if each.is_free(start, end) and each.types[0][0] <= start + _SLACK]
        return (free[0], FREE) if free else None

    def gate(self, player: int, loop: int) -> tuple[Building, str] | None:
        """Return the gate that is ready for the longest time; of none ready, the first to be."""
        able = self._able(player, (GATE,), loop)
        return (min(able, key=lambda each: (each.ready, each.tag)), READY) if able else None


#: Origins of starts that are no build time before the end.
MEASURED = (COMMAND, QUEUE)


class SelfBoost(NamedTuple):
    """A time in which a building worked at the speed of a boost without an order for it; `caster` is None if the
    player had several Nexuses."""

    building: Building
    caster: int | None
    start: int
    end: int


def self_boosts(
    works: Iterable[Work],
    steps: StepColumns,
    buildings: Mapping[int, Building],
    facts: ProductionFacts,
    ordered: Container[int],
) -> list[SelfBoost]:
    """Return the boosts without an order, in order of time; none in builds in which boosts cost energy.

    Args:
        works: the work of buildings.
        steps: the production.
        buildings: by unit tag.
        facts: of the build.
        ordered: steps of work during which an order boosted the building.
    """
    if not boosts_are_free(facts.base_build):
        return []
    names, sources = steps.names, steps.sources
    found: dict[int, list[SelfBoost]] = {}
    for work in works:
        step, building, end = work.step, work.building, work.end
        name, start = names.names[names.codes[step]], steps.starts[step]
        needed = facts.build_loops.get(name)
        if end is None or needed is None or name not in facts.boosted or step in ordered:
            continue
        if building.type_at(start) != NEXUS or sources.names[sources.codes[step]] not in MEASURED:
            continue
        if not needed * facts.fastest - _SLACK <= end - start <= needed * facts.fastest + _SLACK:
            continue
        mine = found.setdefault(building.tag, [])
        if mine and start <= mine[-1].end + _SLACK:
            start = mine.pop().start
        alone = sum(each.player == building.player and each.type_at(start) == NEXUS for each in buildings.values())
        mine.append(SelfBoost(building, building.tag if alone == 1 else None, start, end))
    return sorted((boost for each in found.values() for boost in each), key=lambda boost: boost.start)


#: The events that `work_of` reads.
WORK_READ = (*PRODUCTION_EVENTS, *CASTS_READ)

#: Boosts of one building that are compared: real games have fewer.
_MOST_BOOSTS = 256


class WorkLog:
    """The busy times of all buildings."""

    def __init__(self, tracker: EventStream, source: StreamSource) -> None:
        history, spans = unit_history(tracker), unit_spans(tracker)
        cells = source.event_scope.tracker_cells
        self.steps = steps(tracker, source)
        self.buildings = buildings_of(history, spans, cells)
        self.works = works_of(history, self.buildings, cells, self.steps)
        self._facts = production_facts_of(tracker, source)
        self.boosts: dict[int, list[tuple[int, int | None]]] = {}
        for cast, until in boosts_of(source):
            self._boost(cast.order.target or 0, cast.order.loop, until)
        ordered = {work.step for work in self.works if self.boosted(work)}
        self.self_boosts = self_boosts(self.works, self.steps, self.buildings, self._facts, ordered)
        for boost in self.self_boosts:
            self._boost(boost.building.tag, boost.start, boost.end)

    def _boost(self, tag: int, start: int, end: int | None) -> None:
        held = self.boosts.setdefault(tag, [])
        if len(held) < _MOST_BOOSTS:
            held.append((start, end))

    def boosted(self, work: Work) -> bool:
        """Return whether the building had a boost during the work. A boost whose end is unknown had ended if the
        product took its whole build time."""
        boosts = self.boosts.get(work.building.tag)
        if boosts is None:
            return False
        first = self.steps.starts[work.step]
        return any(
            (work.end is None or start < work.end - _SLACK)
            and (until > first + _SLACK if until is not None else not self._took_whole_time(work))
            for start, until in boosts
        )

    def _took_whole_time(self, work: Work) -> bool:
        steps, step = self.steps, work.step
        needed = self._facts.build_loops.get(steps.names.names[steps.names.codes[step]])
        if work.end is None or needed is None or steps.sources.names[steps.sources.codes[step]] not in MEASURED:
            return False
        return work.end - steps.starts[step] >= needed - _SLACK


def work_of(tracker: EventStream, source: StreamSource) -> WorkLog:
    """Return the busy times of all buildings, cached with the tracker's events for several tables."""
    return tracker.once("work", lambda held: WorkLog(held, source))
