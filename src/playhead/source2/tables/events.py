"""The kinds of events that every Source 2 demo has."""

from __future__ import annotations

from playhead.events import EventSource

CHAT = EventSource("chat", "A line of chat.", "chat")
GAME_EVENT = EventSource(
    "game_event",
    "An event that the game's own code fired: `event` is its name, `values` its values by name.",
    "game_events",
    player="",
    names=(("fields", "values"),),
)

SOURCES = (CHAT, GAME_EVENT)
