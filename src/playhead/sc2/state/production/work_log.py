"""`work_of`: the work of buildings and their chrono boosts, for several tables."""

from __future__ import annotations

from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.tables.registry import StreamSource
from playhead.blizzard.units.tracked import unit_history, unit_spans
from playhead.sc2.state.casts.boosts import boosts_of
from playhead.sc2.state.casts.casters import CASTS_READ
from playhead.sc2.state.production.from_replay import PRODUCTION_EVENTS, production_facts_of, steps
from playhead.sc2.state.production.self_boosts import MEASURED, self_boosts
from playhead.sc2.state.production.work import Work, buildings_of, works_of

#: The events that `work_of` reads.
WORK_READ = (*PRODUCTION_EVENTS, *CASTS_READ)

#: A product may be so many loops late.
_SLACK = 2
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
