"""`CombatEntries`: the combat log entries of a few types, for facts that are put together from several sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from playhead.dota2.combat_log_entry import (
    BULK_MESSAGE,
    ENTRY_MESSAGE,
    LEGACY_EVENT,
    NAMES,
    from_legacy_event,
)
from playhead.errors import ReplayError
from playhead.source2.game_events import GAME_EVENT, GAME_EVENT_LIST, GameEventList
from playhead.source2.message_definitions import enumeration
from playhead.source2.playback import Playback

if TYPE_CHECKING:
    from playhead.dota2.match import Match

#: String tables that they need.
ENTRY_TABLES = (NAMES,)

_PREFIX = "DOTA_COMBATLOG_"

# How the payload of an entry begins: key of its first field, the type.
_TYPE_KEY = 0x08


class Entry(NamedTuple):
    """One entry of the combat log.

    Attributes:
        tick: demo tick.
        type: short name of its type (``DEATH``).
        fields: as decoded; names are numbers, for `CombatEntries.name`.
    """

    tick: int
    type: str
    fields: Mapping[str | int, Any]


class CombatEntries:
    """Collects the entries of some types while a recording is played; others are not decoded.

    Attributes:
        entries: those found, in order.
    """

    def __init__(self, match: Match, playback: Playback, types: Iterable[str]) -> None:
        self._match = match
        self._playback = playback
        numbers = enumeration("DOTA_COMBATLOG_TYPES")
        self._types = {_PREFIX + name: name for name in types}
        self._numbers = {numbers[name] for name in self._types if name in numbers}
        self._events = GameEventList()
        self._legacy = False
        self.entries: list[Entry] = []
        playback.on_message(ENTRY_MESSAGE, self._on_entry)
        playback.on_message(BULK_MESSAGE, self._on_bulk)
        playback.on_message(GAME_EVENT_LIST, self._on_event_list)
        playback.on_message(GAME_EVENT, self._on_event)

    def _keep(self, tick: int, fields: Mapping[str | int, Any]) -> None:
        kind = self._types.get(fields.get("type", ""))
        if kind is not None:
            self.entries.append(Entry(tick, kind, fields))

    def _on_entry(self, tick: int, payload: bytes) -> None:
        if len(payload) > 1 and payload[0] == _TYPE_KEY and payload[1] < 0x80 and payload[1] not in self._numbers:
            return
        message = self._match.decode(tick, ENTRY_MESSAGE, payload)
        if message is not None and message.fields is not None:
            self._keep(tick, message.fields)

    def _on_bulk(self, tick: int, payload: bytes) -> None:
        message = self._match.decode(tick, BULK_MESSAGE, payload)
        if message is not None and message.fields is not None:
            for entry in message.fields.get("combat_entries", ()):
                self._keep(tick, entry)

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
            self._keep(tick, from_legacy_event(event.fields))

    def name(self, number: int | None) -> str | None:
        """A name by its number in the string table CombatLogNames; for after the recording was played."""
        if not number:
            return None
        tables = self._playback.string_tables
        item = tables[NAMES].items.get(number) if NAMES in tables else None
        return f"#{number}" if item is None else item.key
