"""`PacketEvents`: the game events of each packet, handled after the packet, when all entities are up to date."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playhead.source2.messages.game_events import GameEvent
    from playhead.source2.playback.playback import Playback

#: Called with the tick and the values of an event.
EventHandler = Callable[[int, Mapping[str, Any]], None]


class PacketEvents:
    """Decodes the events once for all collectors.

    Args:
        playback: plays the recording.
    """

    def __init__(self, playback: Playback) -> None:
        self._handlers: dict[str, list[EventHandler]] = {}
        self._waiting: list[GameEvent] = []
        playback.on_game_event(self._on_event)
        playback.after_packet(self._after)

    def on(self, name: str, handler: EventHandler) -> None:
        """Call `handler` for each event of that name, after its packet."""
        self._handlers.setdefault(name, []).append(handler)

    def _on_event(self, event: GameEvent) -> None:
        if event.name in self._handlers:
            self._waiting.append(event)

    def _after(self, _tick: int) -> None:
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            for handler in self._handlers[event.name or ""]:
                handler(event.tick, event.fields)
