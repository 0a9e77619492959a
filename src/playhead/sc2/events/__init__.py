"""Typed events: one frozen dataclass for each event that Blizzard's tables name.

A class has Blizzard's name without the ``S`` in front (``SCmdEvent`` is `CmdEvent`); `kind` is a short word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType, ModuleType

from playhead.sc2.events import commands, game, messages, tracker, triggers
from playhead.sc2.events.base import Event, Scope, kind_of

__all__ = ["EVENT_TYPES", "Event", "Scope", "kind_of"]


def _classes(module: ModuleType) -> Iterator[type[Event]]:
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Event) and value.__module__ == module.__name__:
            yield value


#: The class of each event by Blizzard's short name, ``SCmdEvent``.
EVENT_TYPES: Mapping[str, type[Event]] = MappingProxyType(
    {
        f"S{type_.__name__}": type_
        for module in (commands, game, triggers, messages, tracker)
        for type_ in _classes(module)
    }
)
