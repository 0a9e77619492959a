"""The kinds of events of a CS2 match: rows of the tables of facts."""

from __future__ import annotations

from playhead.events import EventSource

SOURCES = (
    EventSource("round_start", "A round began.", "rounds", tick="start_tick", player=""),
    EventSource("round_live", "Freeze time ended.", "rounds", tick="freeze_end_tick", player=""),
    EventSource("round_end", "A round ended.", "rounds", tick="end_tick", player=""),
)
