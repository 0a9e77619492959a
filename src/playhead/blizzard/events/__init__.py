"""Typed events: one frozen dataclass for each event that Blizzard's tables name.

The name of a class is Blizzard's without the first ``S`` (`CmdEvent` for ``SCmdEvent``); `kind` is a short word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType, ModuleType

from playhead.blizzard.events import commands, game, messages, tracker, triggers
from playhead.blizzard.events.base import Event, Scope, kind_of
from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER

__all__ = ["EVENT_TYPES", "STREAM_OF", "Event", "Scope", "event_name", "kind_of"]


def _classes(module: ModuleType) -> Iterator[type[Event]]:
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Event) and value.__module__ == module.__name__:
            yield value


_MODULES = {GAME: (commands, game, triggers), MESSAGE: (messages,), TRACKER: (tracker,)}


def event_name(type_: type[Event]) -> str:
    """Return Blizzard's short name of a class's events, ``SCmdEvent``."""
    return f"S{type_.__name__}"


#: The stream of the events of each class.
STREAM_OF: Mapping[type[Event], str] = MappingProxyType(
    {type_: stream for stream, modules in _MODULES.items() for module in modules for type_ in _classes(module)}
)

#: The class of each event by Blizzard's short name, ``SCmdEvent``.
EVENT_TYPES: Mapping[str, type[Event]] = MappingProxyType({event_name(type_): type_ for type_ in STREAM_OF})
