"""`work_of`: the work of buildings and their chrono boosts, for several tables."""

from __future__ import annotations

from playhead.sc2.events.columns import EventStream
from playhead.sc2.state.casts.boosts import boosts_of
from playhead.sc2.state.casts.casters import CASTS_READ
from playhead.sc2.state.production.from_replay import PRODUCTION_EVENTS, steps
from playhead.sc2.state.production.work import Work, buildings_of, works_of
from playhead.sc2.state.source import StateSource
from playhead.sc2.state.units.tracked import unit_history, unit_spans

#: The events that `work_of` reads.
WORK_READ = (*PRODUCTION_EVENTS, *CASTS_READ)

#: Boosts of one building that are compared: real games have fewer.
_MOST_BOOSTS = 256


class WorkLog:
    """The busy times of all buildings."""

    def __init__(self, tracker: EventStream, source: StateSource) -> None:
        history, spans = unit_history(tracker), unit_spans(tracker)
        cells = source.event_scope.tracker_cells
        self.steps = steps(tracker, source)
        self.buildings = buildings_of(history, spans, cells)
        self.works = works_of(history, self.buildings, cells, self.steps)
        self.boosts: dict[int, list[tuple[int, int | None]]] = {}
        for cast, until in boosts_of(source):
            held = self.boosts.setdefault(cast.order.target or 0, [])
            if len(held) < _MOST_BOOSTS:
                held.append((cast.order.loop, until))

    def boosted(self, work: Work) -> bool:
        """Return whether the building had a boost during the work."""
        boosts = self.boosts.get(work.building.tag)
        if boosts is None:
            return False
        first = self.steps.starts[work.step]
        return any(
            (work.end is None or start < work.end) and (until is None or until > first) for start, until in boosts
        )


def work_of(tracker: EventStream, source: StateSource) -> WorkLog:
    """Return the busy times of all buildings, cached with the tracker's events for several tables."""
    return tracker.once("work", lambda held: WorkLog(held, source))
