"""`CombatLogFeed`: hands the entries of the combat log to all who ask for them, in whatever form they come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from playhead.dota2.sources.combat_log_entry import (
    BULK_MESSAGE,
    ENTRY_MESSAGE,
    LEGACY_EVENT,
    TYPE_PREFIX,
    from_legacy_event,
)
from playhead.errors import ReplayError
from playhead.source2.messages.definitions import enumeration
from playhead.source2.messages.game_events import GAME_EVENT, GAME_EVENT_LIST, GameEventList
from playhead.source2.playback.playback import Playback

if TYPE_CHECKING:
    from playhead.dota2.sources.match import Match

#: Told the tick of an entry, the form in which the recording has it (entry, bulk or event), and its fields.
EntryHandler = Callable[[int, str, Mapping[str | int, Any]], None]

# How the payload of an entry begins: key of its first field, the type.
_TYPE_KEY = 0x08


class CombatLogFeed:
    """Follows a playback. Entries of types that nobody asks for are not decoded."""

    def __init__(self, match: Match, playback: Playback) -> None:
        self._match = match
        self._events = GameEventList()
        self._legacy = False
        self._of_all: list[EntryHandler] = []
        self._by_type: dict[str, list[EntryHandler]] = {}
        self._numbers: set[int] = set()
        playback.on_message(ENTRY_MESSAGE, self._on_entry)
        playback.on_message(BULK_MESSAGE, self._on_bulk)
        playback.on_message(GAME_EVENT_LIST, self._on_event_list)
        playback.on_message(GAME_EVENT, self._on_event)

    def listen(self, handler: EntryHandler, types: Iterable[str] | None = None) -> None:
        """Call `handler` with every entry of these types (short names such as ``DEATH``); None is all."""
        if types is None:
            self._of_all.append(handler)
            return
        numbers = enumeration("DOTA_COMBATLOG_TYPES")
        for name in (TYPE_PREFIX + each for each in types):
            self._by_type.setdefault(name, []).append(handler)
            if name in numbers:
                self._numbers.add(numbers[name])

    def _tell(self, tick: int, form: str, fields: Mapping[str | int, Any]) -> None:
        for handler in self._of_all:
            handler(tick, form, fields)
        for handler in self._by_type.get(fields.get("type", ""), ()):
            handler(tick, form, fields)

    def _on_entry(self, tick: int, payload: bytes) -> None:
        told = payload[1] if len(payload) > 1 and payload[0] == _TYPE_KEY and payload[1] < 0x80 else None
        if told is not None and told not in self._numbers and not self._of_all:
            return
        message = self._match.decode(tick, ENTRY_MESSAGE, payload)
        if message is not None and message.fields is not None:
            self._tell(tick, "entry", message.fields)

    def _on_bulk(self, tick: int, payload: bytes) -> None:
        message = self._match.decode(tick, BULK_MESSAGE, payload)
        if message is not None and message.fields is not None:
            for entry in message.fields.get("combat_entries", ()):
                self._tell(tick, "bulk", entry)

    def _on_event_list(self, tick: int, payload: bytes) -> None:
        self._events = self._match.event_list(tick, payload)
        self._legacy = LEGACY_EVENT in self._events.names.values()

    def _on_event(self, tick: int, payload: bytes) -> None:
        if not self._legacy:
            return
        try:
            event = self._events.decode(tick, payload)
        except ReplayError as error:
            self._match.known_problem(error, tick, "one game event")
            return
        if event.name == LEGACY_EVENT:
            self._tell(tick, "event", from_legacy_event(event.fields))
