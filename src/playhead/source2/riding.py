"""`collect_with_riders`: a pass for some tables, in which others are made beside them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.typing import TYPE_CHECKING, Protocol
from playhead.source2.playback.riders import Disturbed, Riders, Trial
from playhead.source2.tables.request import TableRequest
from playhead.tables.registry import build_or_note

if TYPE_CHECKING:
    from playhead.errors import ReplayError
    from playhead.source2.playback.collector import Collector
    from playhead.tables.deferred import Built


class Carrier(Protocol):
    """The parts of a `Source2Replay` that a pass with riders needs."""

    trial: Trial

    def collectors_for(self, request: TableRequest) -> list[Collector]:
        """Return the collectors of a request."""

    def play_for(self, collectors: Sequence[Collector]) -> None:
        """Play the recording once for all collectors."""

    def note(self, error: ReplayError, cost: str) -> None:
        """Record an error; raise `Disturbed` in a trial."""


def collect_with_riders(
    replay: Carrier,
    riders: Riders,
    makers: Sequence[type[Collector]],
    riding: Sequence[type[Collector]],
    names: frozenset[str],
) -> dict[str, Built] | None:
    """Return the tables of these names, and keep those of the collectors that ride along; None if the pass met a
    problem: the one without riders records it.

    Args:
        makers: all collectors of the pass, in order.
        riding: those of them that ride along.
    """
    with GC_PAUSED:
        return _collect(replay, riders, makers, riding, names)


def _collect(
    replay: Carrier,
    riders: Riders,
    makers: Sequence[type[Collector]],
    riding: Sequence[type[Collector]],
    names: frozenset[str],
) -> dict[str, Built] | None:
    more = riding if riders.passes == 1 else makers
    wanted = names.union(schema.name for kind in more for schema in kind.schemas)
    try:
        with replay.trial.running():
            collectors = replay.collectors_for(TableRequest(tuple(makers), wanted=wanted))
            replay.play_for(collectors)
    except Disturbed:
        riders.stay = False
        return None
    built: dict[str, Built] = {}
    for each in collectors:
        if type(each) not in riding:
            built |= build_or_note(each, each.tables, replay.note)
    for each in collectors:
        if type(each) in riding:
            with suppress(Disturbed), replay.trial.running():
                riders.keep(build_or_note(each, each.tables, replay.note))
    riders.keep({name: table for name, table in built.items() if name in wanted - names})
    return {name: built[name] for name in names}
