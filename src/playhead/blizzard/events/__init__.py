"""Typed events: one frozen dataclass for each event that Blizzard's tables name.

The name of a class is Blizzard's without the first ``S`` (`CmdEvent` for ``SCmdEvent``); `kind` is a short word.
The classes of a stream are imported when it is read: the tracker's do not need the hundred of the game.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType

from playhead.blizzard.events.base import Event, Scope, kind_of
from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER

__all__ = ["Event", "Scope", "event_name", "event_types", "kind_of", "stream_of"]

#: The modules that declare the events of each stream.
_MODULES = {GAME: ("commands", "game", "triggers"), MESSAGE: ("messages",), TRACKER: ("tracker",)}
_STREAMS = {module: stream for stream, modules in _MODULES.items() for module in modules}


def event_name(type_: type[Event]) -> str:
    """Return Blizzard's short name of a class's events, ``SCmdEvent``."""
    return f"S{type_.__name__}"


def stream_of(type_: type[Event]) -> str:
    """Return the stream of the events of a class."""
    return _STREAMS[type_.__module__.rpartition(".")[2]]


@cache
def event_types(stream: str) -> Mapping[str, type[Event]]:
    """Return the class of each event of a stream by Blizzard's short name, ``SCmdEvent``."""
    found: dict[str, type[Event]] = {}
    for name in _MODULES[stream]:
        module = import_module(f"{__name__}.{name}")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Event) and value.__module__ == module.__name__:
                found[event_name(value)] = value
    return MappingProxyType(found)
