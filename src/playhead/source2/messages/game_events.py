"""Game events: a list of descriptors at sign-on, then events whose values are in the order of their descriptor.

Dota 2 recordings of before 2016 carry the combat log as such an event, ``dota_combatlog``.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any
from playhead.source2.messages.definitions import decoder
from playhead.source2.messages.numbers import Engine
from playhead.source2.messages.wire import unknown_fields

GAME_EVENT_LIST = Engine.GAME_EVENT_LIST
GAME_EVENT = Engine.GAME_EVENT


class GameEvent(NamedTuple):
    """One game event.

    Attributes:
        tick: demo tick; -1 for sign-on.
        descriptor_id: its number in this recording.
        name: its name (``player_death``); None if the recording's list does not have the number.
        fields: value by name, by place in the event (``"0"``) where the list does not name it; None for a value
            that was not sent.
        server_tick: tick of the server at which it happened; None if the event has none.
    """

    tick: int
    descriptor_id: int
    name: str | None
    fields: dict[str, Any]
    server_tick: int | None


# A longer list is not cached. Real lists have some 30 kB.
_MOST_KEPT = 1 << 18


@lru_cache(maxsize=4)
def _descriptors(data: bytes) -> tuple[dict[int, tuple[str | None, list[str]]], frozenset[str]]:
    """Return the names of events and of their values, by number, and the `unknown_fields` of the list. Recordings
    of one build have the same list."""
    content = decoder("CMsgSource1LegacyGameEventList").decode(data)
    return {
        each.get("eventid", -1): (each.get("name"), [key.get("name", "") for key in each.get("keys", ())])
        for each in content.get("descriptors", ())
    }, frozenset(unknown_fields(content))


class GameEventList:
    """The descriptors of a recording; empty until `read_list`."""

    def __init__(self) -> None:
        self._descriptors: dict[int, tuple[str | None, list[str]]] = {}

    @property
    def names(self) -> dict[int, str]:
        """Names of events by number."""
        return {number: name for number, (name, _) in self._descriptors.items() if name is not None}

    def read_list(self, data: bytes) -> Collection[str]:
        """Add the descriptors of a CMsgSource1LegacyGameEventList; a repeated number replaces the earlier one.
        Return the fields that its definition lacks.

        Raises:
            ReplayError: the bytes are no such message; the descriptors stay as they were.
        """
        read = _descriptors if len(data) <= _MOST_KEPT else _descriptors.__wrapped__
        descriptors, unknown = read(bytes(data))
        self._descriptors.update(descriptors)
        return unknown

    def decode(self, tick: int, data: bytes) -> GameEvent:
        """Return the event in a CMsgSource1LegacyGameEvent.

        Raises:
            ReplayError: the bytes are no such message.
        """
        content = decoder("CMsgSource1LegacyGameEvent").decode(data)
        number = content.get("eventid", -1)
        name, keys = self._descriptors.get(number, (None, []))
        fields: dict[str, Any] = {}
        for place, entry in enumerate(content.get("keys", ())):
            key = keys[place] if place < len(keys) and keys[place] else str(place)
            fields[key] = None
            for sent in entry:  # the value, from the one field in which it was sent; "type" only repeats which
                if sent != "type":
                    fields[key] = entry[sent]
                    break
        return GameEvent(tick, number, name or content.get("event_name"), fields, content.get("server_tick"))
