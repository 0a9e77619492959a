"""Lists of game events of some builds, for recordings that lack theirs.

Numbers of events change with builds: of 272 events, 145 have another number a build later. A list therefore counts
for a recording only if it has every event that occurs, with the same types of values.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Collection, Iterator, Mapping
from functools import cache

from playhead.runtime.records import NamedTuple
from playhead.source2.messages import wire

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
