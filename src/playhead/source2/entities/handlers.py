"""What a packet does to entities (`EntityOp`), and the handlers that are called for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntFlag
from fnmatch import fnmatchcase
from functools import lru_cache

from playhead.events import WILDCARDS
from playhead.runtime.records import NamedTuple
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.watching import call_entity_handlers
from playhead.source2.schema.patches import class_aliases


class EntityOp(IntFlag):
    """What a packet does to an entity: a bit mask. The values are those of the public format documents.

    An entity that is created also enters, one that is deleted also leaves; one that comes back into sight is
    updated and enters.
    """

    NONE = 0
    CREATED = 1
    UPDATED = 2
    DELETED = 4
    ENTERED = 8
    LEFT = 16
    CREATED_ENTERED = 9
    UPDATED_ENTERED = 10
    DELETED_LEFT = 20
    ANY = 31

    def __and__(self, other: int) -> EntityOp:
        """As of any IntFlag, whose own way takes a multiple of the time."""
        both = int.__and__(self, other)
        return both if both is NotImplemented else _OPS[both]


#: Called with the entity and what happened to it.
EntityHandler = Callable[[Entity, EntityOp], None]


@lru_cache(1 << 16)
def class_matches(name: str, pattern: str) -> bool:
    """Whether a class has that name or fits that pattern (``CDOTA_Unit_Hero_*``), under any name it has had."""
    aliases = class_aliases(name)
    # Nearly all are names, or beginnings of names; an expression that is compiled for each takes longer than all.
    begin = pattern.removesuffix("*")
    if WILDCARDS.isdisjoint(begin):
        return pattern in aliases if begin == pattern else any(alias.startswith(begin) for alias in aliases)
    return any(fnmatchcase(alias, pattern) for alias in aliases)


@lru_cache(1 << 14)
def _fitting(name: str, patterns: tuple[str, ...]) -> tuple[int, ...]:
    """Places of the patterns that a class fits; playbacks mostly ask for the same ones."""
    return tuple(place for place, pattern in enumerate(patterns) if class_matches(name, pattern))


_OPS = tuple(EntityOp(op) for op in range(EntityOp.ANY + 1))


class _Registration(NamedTuple):
    handler: EntityHandler
    pattern: str
    op: int


class EntityTracker:
    """Handlers, in the order in which they were added.

    Attributes:
        wanted: what `wants` said of each class since a handler was added, by name.
    """

    def __init__(self) -> None:
        self._registered: list[_Registration] = []
        self._by_class: dict[str, tuple[_Registration, ...]] = {}
        self.wanted: dict[str, int] = {}

    def on_entity(self, handler: EntityHandler, class_name: str = "*", op: EntityOp | int = EntityOp.ANY) -> None:
        """Call `handler` for entities of that class (a name or pattern) when an operation of `op` befalls them.

        It is called after the packet is applied whole: other entities are then up to date too.
        """
        self._registered.append(_Registration(handler, class_name, int(op)))
        self._by_class.clear()
        self.wanted.clear()

    def __bool__(self) -> bool:
        return bool(self._registered)

    def clear(self) -> None:
        """Forget all handlers; entities that are there stay watched, for nobody."""
        self._registered.clear()
        self._by_class.clear()
        self.wanted.clear()

    def wants(self, class_name: str) -> int:
        """The operations on entities of that class that any handler is for, as bits of `EntityOp`."""
        wanted = self.wanted.get(class_name)
        if wanted is None:
            wanted = 0
            for entry in self._handlers(class_name) if self._registered else ():
                wanted |= entry.op
            self.wanted[class_name] = wanted
        return wanted

    def _handlers(self, class_name: str) -> tuple[_Registration, ...]:
        known = self._by_class.get(class_name)
        if known is None:
            places = _fitting(class_name, tuple([entry.pattern for entry in self._registered]))
            known = tuple([self._registered[place] for place in places])
            self._by_class[class_name] = known
        return known

    def dispatch(self, entity: Entity, op: int) -> None:
        """Call the handlers of one entity's operation."""
        self.dispatch_all([(entity, op)])

    def dispatch_all(self, changed: Iterable[tuple[Entity, int]]) -> None:
        """Call the handlers of what happened to entities, one after the other."""
        call_entity_handlers(changed, self._by_class, self._handlers, _OPS)
