"""Every change of the schema and events of a written match of Source 2."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any
from unittest.mock import patch

from tests.samples.patch_day import fields_read, other_type, other_value, renamed

import playhead
from playhead.samples.source2 import dota2
from playhead.samples.source2.cs2_match.demo import write_cs2_match
from playhead.samples.source2.cs2_match.plan import plan_match
from playhead.samples.source2.deadlock.recording import WrittenMatch
from playhead.source2.writing.messages import GameEventWriter

MATCHES: Mapping[str, Callable[[], bytes]] = {
    "cs2": lambda: write_cs2_match(0.25, plan=plan_match(3, 1)[:4]).data,
    "deadlock": lambda: WrittenMatch(0.5).demo(),
    "dota2": lambda: dota2.sample_demo.__wrapped__()[0],
}
TYPES = ("bool", "float32", "CUtlString", "Vector", "uint64", "uint32[2]")
EVENT_TYPES = ("string", "float", "long", "short", "byte", "bool", "uint64")
#: Tables that list what the recording declares or sends.
EXCUSED = frozenset(
    {"entity_changes", "schema", "frames", "messages", "game_events", "user_messages", "string_tables"}
)


@cache
def sound(game: str) -> bytes:
    return MATCHES[game]()


def changes(game: str) -> Iterator[tuple[str, Callable[[], bytes | None]]]:
    with playhead.open(sound(game)) as replay:
        fields = fields_read(replay)
    for field in fields:
        yield f"field {field} renamed", partial(renamed, sound(game), field, f"{field}New")
        for kind in TYPES:
            yield f"field {field} as {kind}", partial(_retyped, game, field, kind)
    for event, keys in events(game).items():
        for key, was in keys.items():
            yield f"key {event}.{key} renamed", partial(_event, game, event, key, name=f"{key}_new")
            for kind in EVENT_TYPES:
                if kind != was:
                    yield f"key {event}.{key} as {kind}", partial(_event, game, event, key, kind=kind)


@cache
def events(game: str) -> Mapping[str, Mapping[str, str]]:
    """Return the types of the keys of each event that the match declares."""
    found: dict[str, Mapping[str, str]] = {}
    write = GameEventWriter.event_list

    def noted(self: GameEventWriter) -> Any:
        found.update(self._events)
        return write(self)

    with patch.object(GameEventWriter, "event_list", noted):
        MATCHES[game]()
    return found


def _retyped(game: str, field: str, kind: str) -> bytes:
    with other_type(field, kind):
        return MATCHES[game]()


def _event(game: str, event: str, key: str, **change: str) -> bytes:
    with other_value(event, key, **change):
        return MATCHES[game]()
