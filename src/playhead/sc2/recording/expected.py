"""Kinds of events that others of the tracker imply, which make a build with other names a problem."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from playhead.blizzard.events.tracker import (
    PlayerStatsEvent,
    UnitBornEvent,
    UnitDiedEvent,
    UnitDoneEvent,
    UnitInitEvent,
    UnitPositionsEvent,
    stat_path,
)

if TYPE_CHECKING:
    from array import array

    from playhead.blizzard.events.columns import EventStream

# Statistics of players are written in the first loops and all 160 loops.
_SAMPLED = 480
# Nothing takes so many loops to build.
_LONGEST_BUILD = 4000
# A builder that is called off leaves a building unfinished.
_MOST_LEFT = 3
# Real replays without places of hurt units have at most 4 kills.
_MOST_KILLS = 16
_RESOURCES, _KINDS = ("Minerals", "Vespene"), ("Army", "Economy", "Technology")
_LOST = [stat_path(f"{resource}Lost{kind}") for resource in _RESOURCES for kind in _KINDS]


def missing(tracker: EventStream, *, own_rules: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the kinds of events that a whole tracker lacks, each with its cost.

    Args:
        own_rules: whether the map has rules of its own, whose triggers may set scores, leave buildings unfinished
            and remove units.
    """
    last = tracker.rows.heads[0][-1] if len(tracker) else 0
    stats, died = tracker.of(PlayerStatsEvent), tracker.of(UnitDiedEvent)
    if last > _SAMPLED and len(tracker.of(UnitBornEvent)) and not len(stats):
        yield (
            "expected SPlayerStatsEvent beside SUnitBornEvent, found none",
            "player_series and what is made of it",
        )
    if own_rules:
        return
    if not len(died) and any(_rises(stats.numbers(path)) for path in _LOST):
        yield "expected SUnitDiedEvent where players lose units, found none", "the end of all units"
    if not len(tracker.of(UnitDoneEvent)):
        begun = sum(tick < last - _LONGEST_BUILD for tick in tracker.of(UnitInitEvent).tick.to_pylist())
        if begun > len(died) + _MOST_LEFT:
            yield "expected SUnitDoneEvent of buildings that stand, found none", "when buildings were finished"
    if not len(tracker.of(UnitPositionsEvent)):
        killed = sum(player > 0 for player in died.numbers("m_killerPlayerId"))
        if killed > _MOST_KILLS:
            yield "expected SUnitPositionsEvent where units are killed, found none", "the places of hurt units"


def _rises(values: array[int]) -> bool:
    """Whether a sum of resources grows; after a resume it begins with what was lost before."""
    return bool(values) and max(values) > max(values[0], 0)
