"""Entries of the combat log: `CombatLogFeed` hands them out as they come, `CombatEntries` keeps some types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from playhead.dota2.sources.combat_log_entry import (
    BULK_MESSAGE,
    ENTRY_DEFINITION,
    ENTRY_MESSAGE,
    LEGACY_EVENT,
    NAMES,
    TYPE_PREFIX,
    from_legacy_event,
)
from playhead.errors import ReplayError
from playhead.source2.messages.definitions import decoder, enumeration
from playhead.source2.messages.numbers import Engine
from playhead.source2.playback.playback import Playback

#: Called with the tick of an entry, the form in which the recording has it (entry, bulk or event), and its fields.
EntryHandler = Callable[[int, str, Mapping[str | int, Any]], None]

#: Called with the tick of an entry that is a message of its own, and its payload; returns whether it can read it.
PayloadHandler = Callable[[int, bytes], bool]

#: String tables that entries refer to.
ENTRY_TABLES = (NAMES,)

# How the payload of an entry begins: key of its first field, the type.
_TYPE_KEY = 0x08


class _ListenerToAll(NamedTuple):
    """Gets entries as their bytes, where it can read these.

    Attributes:
        numbers: of the types that it is for; None is all.
    """

    handler: EntryHandler
    take: PayloadHandler
    numbers: frozenset[int] | None


class CombatLogFeed:
    """Follows a playback. Entries of types that nobody asks for are not decoded."""

    def __init__(self, playback: Playback) -> None:
        self._decoder = playback.decoder
        self._decode = decoder(ENTRY_DEFINITION).decode
        self._legacy = False
        self._of_all: list[_ListenerToAll] = []
        self._by_type: dict[str, list[EntryHandler]] = {}
        self._numbers: set[int] = set()
        playback.on_message(ENTRY_MESSAGE, self._on_entry)
        playback.on_message(BULK_MESSAGE, self._on_bulk)
        playback.on_message(Engine.GAME_EVENT_LIST, self._on_event_list)
        playback.on_message(Engine.GAME_EVENT, self._on_event)

    def listen_to_all(
        self, handler: EntryHandler, payload_handler: PayloadHandler, types: Iterable[str] | None = None
    ) -> None:
        """Call `handler` with every entry, except those that `payload_handler` can read from their bytes.

        With `types`, entries that begin with another type are left out; of the others any type may come.
        """
        numbers = None
        if types is not None:
            known = enumeration("DOTA_COMBATLOG_TYPES")
            numbers = frozenset(known[TYPE_PREFIX + each] for each in types)
        self._of_all.append(_ListenerToAll(handler, payload_handler, numbers))

    def listen(self, handler: EntryHandler, types: Iterable[str]) -> None:
        """Call `handler` with every entry of these types (short names such as ``DEATH``)."""
        numbers = enumeration("DOTA_COMBATLOG_TYPES")
        for name in (TYPE_PREFIX + each for each in types):
            self._by_type.setdefault(name, []).append(handler)
            if name in numbers:
                self._numbers.add(numbers[name])

    def _hand_out(self, tick: int, form: str, fields: Mapping[str | int, Any]) -> None:
        for listener in self._of_all:
            listener.handler(tick, form, fields)
        for handler in self._by_type.get(fields.get("type", ""), ()):
            handler(tick, form, fields)

    def _on_entry(self, tick: int, payload: bytes) -> None:
        type_ = payload[1] if len(payload) > 1 and payload[0] == _TYPE_KEY and payload[1] < 0x80 else None
        left: list[EntryHandler] = []
        for handler, take, numbers in self._of_all:
            if (numbers is None or type_ is None or type_ in numbers) and not take(tick, payload):
                left.append(handler)
        if not left and type_ is not None and type_ not in self._numbers:
            return
        try:
            fields = self._decode(payload)
        except ReplayError:
            self._decoder.message(tick, ENTRY_MESSAGE, payload)  # which reports it, once for all who ask
            return
        for handler in left:
            handler(tick, "entry", fields)
        for handler in self._by_type.get(fields.get("type", ""), ()):
            handler(tick, "entry", fields)

    def _on_bulk(self, tick: int, payload: bytes) -> None:
        message = self._decoder.message(tick, BULK_MESSAGE, payload)
        if message is not None and message.fields is not None:
            for entry in message.fields.get("combat_entries", ()):
                self._hand_out(tick, "bulk", entry)

    def _on_event_list(self, _tick: int, payload: bytes) -> None:
        self._legacy = LEGACY_EVENT in self._decoder.event_list(payload).names.values()

    def _on_event(self, tick: int, payload: bytes) -> None:
        event = self._decoder.event(tick, payload) if self._legacy else None
        if event is not None and event.name == LEGACY_EVENT:
            self._hand_out(tick, "event", from_legacy_event(event.fields))


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
        entries: those found, in order, and not taken yet.
    """

    def __init__(self, feed: CombatLogFeed, playback: Playback, types: Iterable[str]) -> None:
        self._playback = playback
        self.entries: list[Entry] = []
        feed.listen(self._keep, types)

    def _keep(self, tick: int, _form: str, fields: Mapping[str | int, Any]) -> None:
        self.entries.append(Entry(tick, fields["type"].removeprefix(TYPE_PREFIX), fields))

    def take(self) -> list[Entry]:
        """Return the entries that were found since the last call, and let them go; a match has 100,000s."""
        taken, self.entries = self.entries, []
        return taken

    def name(self, number: int | None) -> str | None:
        """Return a name by its number in the string table CombatLogNames; for after the recording was played."""
        if not number:
            return None
        tables = self._playback.string_tables
        item = tables[NAMES].items.get(number) if NAMES in tables else None
        return f"#{number}" if item is None else item.key
