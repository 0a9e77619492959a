"""Why a replay cannot fill a table: its build or its map does not write the events that the table is made of."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.blizzard.events import STREAM_OF, Event
from playhead.blizzard.events.tracker import ScoreResultEvent, StatGameEvent
from playhead.blizzard.tables.registry import GameSource, GameTables

#: Events that some builds do not write, with the reason. Tables that read one of them alone are empty then.
_SOMETIMES: Mapping[type[Event], str] = {
    StatGameEvent: "the map of this build reports no statistics (SStatGameEvent)",
    ScoreResultEvent: "the tracker of this build has no scores (SScoreResultEvent)",
}


def reasons(source: GameSource, tables: GameTables) -> dict[str, str]:
    """Return the reason why a table has no rows, by name, from the first class of events that it reads."""
    found = {}
    for name, each in tables.tables().items():
        for first in each.reads[:1]:
            stream = source.stream(STREAM_OF[first])
            if first in _SOMETIMES and (stream is None or not len(stream.of(first))):
                found[name] = _SOMETIMES[first]
    return found
