"""Game events: a list of descriptors at sign-on, then events whose values are in the order of their descriptor.

Dota 2 recordings of before 2016 carry the combat log as such an event, ``dota_combatlog``.

Numbers of events change with builds: of 272 events, 145 have another number a build later. A list of another build
therefore counts for a recording that lacks its own only if it has every event that occurs, with the same types of
values.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Collection, Iterator, Mapping
from functools import cache, lru_cache

from playhead.runtime.records import NamedTuple
from playhead.runtime.typing import Any
from playhead.source2.messages import wire
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
        """Return the event in a CMsgSource1LegacyGameEvent."""
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


#: Types of the values of an event, by number of the event.
Types = Mapping[int, tuple[int, ...]]


_TYPES = ("local", "string", "float", "long", "short", "byte", "bool", "uint64", "pawn", "player")


class EventList(NamedTuple):
    """The game events of one build.

    Attributes:
        build: number of the build.
        events: number, name, and name and type of each value.
    """

    build: int
    events: list[tuple[int, str, list[tuple[str, int]]]]

    def message(self) -> bytes:
        """Return it as CMsgSource1LegacyGameEventList."""
        descriptors = [
            {"eventid": number, "name": name, "keys": [{"name": key, "type": kind} for key, kind in keys]}
            for number, name, keys in self.events
        ]
        return wire.encode("CMsgSource1LegacyGameEventList", {"descriptors": descriptors})

    def agrees(self, seen: Types) -> bool:
        """Return whether it has all these events."""
        types = {number: tuple(kind for _, kind in keys) for number, _, keys in self.events}
        return all(types.get(number) == kinds for number, kinds in seen.items())

    def unlike(self, message: bytes, events: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield the differing definitions of some events, of this list and of another build's (a message)."""
        content = wire.decode("CMsgSource1LegacyGameEventList", message)
        found = {
            each.get("name"): {key.get("name"): key.get("type", 0) for key in each.get("keys", ())}
            for each in content.get("descriptors", ())
        }
        for _, name, keys in self.events:
            if name not in events:
                continue
            if name not in found:
                yield f"game event {name}", "none"
                continue
            for key, kind in keys:
                other = found[name].get(key)
                if other != kind:
                    what = f"value {key} of game event {name} with type {_type_name(kind)}"
                    yield what, "none" if other is None else _type_name(other)


def _type_name(number: int) -> str:
    return _TYPES[number] if 0 <= number < len(_TYPES) else str(number)


def has_lists(game: str) -> bool:
    """Return whether lists of a game are known, without reading them."""
    return game.isalnum() and os.path.exists(_path(game))


def _path(game: str) -> str:
    return os.path.join(os.path.dirname(__file__), f"event_lists_{game}.zlib")


@cache
def known_lists(game: str) -> tuple[EventList, ...]:
    """Return the known lists of a game (``tools/build_event_lists.py`` writes them); none for most games."""
    if not has_lists(game):
        return ()
    from json import loads  # most recordings have a list of their own

    with open(_path(game), "rb") as file:
        return tuple(EventList(build, events) for build, events in loads(zlib.decompress(file.read())))


def nearest_list(game: str, build: int, seen: Types) -> EventList | None:
    """Return the list of the nearest build that agrees with the events of a recording; None if none does."""
    nearest = sorted(known_lists(game), key=lambda each: abs(each.build - build))
    return next((each for each in nearest if each.agrees(seen)), None)
