"""Operations on entities (`EntityOp`), and the functions called for them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from playhead.events import WILDCARDS
from playhead.runtime.cached import cached_property
from playhead.runtime.typing import ClassVar, TypeVar
from playhead.source2.entities.classes import ClassInfo, ClassLayouts
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.watching import FieldWatch, WatchGroup, call_entity_handlers
from playhead.source2.schema.patches import class_aliases

#: Every value of `EntityOp`.
OPS: tuple[EntityOp, ...] = ()


# Handlers test operations often: `int` of one would be a call of a method.
_and = int.__and__


class EntityOp(int):
    """Bit mask of a packet's operations on an entity. The values are those of the public format documents.

    A created entity also enters, a deleted one also leaves; one that comes back into sight is updated and enters.
    An `enum.IntFlag` would cost each start a fortieth of a first file.
    """

    __slots__ = ()

    NONE: ClassVar[EntityOp]
    CREATED: ClassVar[EntityOp]
    UPDATED: ClassVar[EntityOp]
    DELETED: ClassVar[EntityOp]
    ENTERED: ClassVar[EntityOp]
    LEFT: ClassVar[EntityOp]
    CREATED_ENTERED: ClassVar[EntityOp]
    UPDATED_ENTERED: ClassVar[EntityOp]
    DELETED_LEFT: ClassVar[EntityOp]
    ANY: ClassVar[EntityOp]

    def __new__(cls, number: int) -> EntityOp:
        """Return the one object of that number."""
        return OPS[number] if 0 <= number < len(OPS) else int.__new__(cls, number)

    def __and__(self, other: int) -> EntityOp:
        return OPS[_and(self, other)]

    def __or__(self, other: int) -> EntityOp:
        return EntityOp(int(self) | other)

    def __xor__(self, other: int) -> EntityOp:
        return EntityOp(int(self) ^ other)

    def __invert__(self) -> EntityOp:
        return EntityOp(_ANY & ~int(self))

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __contains__(self, other: int) -> bool:
        """Return whether all operations of `other` are in here."""
        return int(self) & other == other

    @property
    def value(self) -> int:
        """The plain number."""
        return int(self)

    @property
    def name(self) -> str:
        """The name, or the names of the single operations."""
        bits = [name for name, number in _NAMED.items() if number & self and not number & number - 1]
        return next((name for name, number in _NAMED.items() if number == self), "|".join(bits))

    def __repr__(self) -> str:
        return f"<EntityOp.{self.name}: {int(self)}>"

    __str__ = int.__repr__


_ANY = 31
OPS = tuple(map(EntityOp, range(_ANY + 1)))
_NAMED = {
    "NONE": 0,
    "CREATED": 1,
    "UPDATED": 2,
    "DELETED": 4,
    "ENTERED": 8,
    "LEFT": 16,
    "CREATED_ENTERED": 9,
    "UPDATED_ENTERED": 10,
    "DELETED_LEFT": 20,
    "ANY": _ANY,
}
for _name, _number in _NAMED.items():
    setattr(EntityOp, _name, OPS[_number])

# Class numbers are below this, except in damaged recordings.
_MOST_CLASSES = 1 << 14

#: Called with the entity and the operation.
EntityHandler = Callable[[Entity, EntityOp], None]


@lru_cache(1 << 16)
def class_matches(name: str, pattern: str) -> bool:
    """Return whether a class has that name or matches that pattern (``CDOTA_Unit_Hero_*``), under any of its
    names.
    """
    aliases = class_aliases(name)
    # Most patterns are names or prefixes; compiling an expression for each takes longer than all comparisons.
    begin = pattern.removesuffix("*")
    if WILDCARDS.isdisjoint(begin):
        return pattern in aliases if begin == pattern else any(alias.startswith(begin) for alias in aliases)
    from fnmatch import fnmatchcase

    return any(fnmatchcase(alias, pattern) for alias in aliases)


@lru_cache(1 << 14)
def _matching(name: str, patterns: tuple[str, ...]) -> tuple[int, ...]:
    """Return the indices of the matching patterns, cached because most playbacks use the same patterns."""
    return tuple(place for place, pattern in enumerate(patterns) if class_matches(name, pattern))


# Handler, pattern of classes, operations: a plain tuple, of which compiled code reads an item without a call.
_Registration = tuple[EntityHandler, str, int]


def _ignored(_handler: EntityHandler) -> None:
    """Note nothing."""


def _raised(_handler: Callable[..., None], error: Exception) -> None:
    """Pass the exception of a handler on to the caller."""
    raise error


class EntityTracker:
    """The registered handlers, in the order of registration.

    Attributes:
        wanted: cached results of `wants`, by class name.
        watching: cached results of `watches`, by class number.
    """

    def __init__(self) -> None:
        #: Called with each registered handler.
        self.registered: Callable[[EntityHandler], None] = _ignored
        #: Called with a handler and its exception.
        self.failed: Callable[[Callable[..., None], Exception], None] = _raised
        self._registered: list[_Registration] = []
        self._by_class: dict[str, tuple[_Registration, ...]] = {}
        self.wanted: dict[str, int] = {}
        self.watching: list[WatchGroup | None] = []
        self._forgotten = array("q", [0])

    def on_entity(self, handler: EntityHandler, class_name: str = "*", op: EntityOp | int = EntityOp.ANY) -> None:
        """Call `handler` after an operation in `op` on an entity of that class (a name or pattern).

        Handlers are called once the whole packet is applied, when other entities are up to date too.
        """
        self.registered(handler)
        self._registered.append((handler, class_name, int(op)))
        self._by_class.clear()
        self.wanted.clear()
        self.watching.clear()

    def __bool__(self) -> bool:
        return bool(self._registered)

    def clear(self) -> None:
        """Remove all handlers. Existing entities keep their `watched` bits, without effect."""
        self._registered.clear()
        self._by_class.clear()
        self.wanted.clear()
        self.watching.clear()

    def wants(self, class_name: str) -> int:
        """Return the operations with a handler for entities of that class, as bits of `EntityOp`."""
        wanted = self.wanted.get(class_name)
        if wanted is None:
            wanted = 0
            for _, _, op in self._handlers(class_name) if self._registered else ():
                wanted |= op
            self.wanted[class_name] = wanted
        return wanted

    def watches(self, info: ClassInfo) -> WatchGroup:
        """Return the handlers of updates of entities of a class, if all are a `FieldWatch`; else none of them."""
        handlers = [handler for handler, _, op in self._handlers(info.name) if op & EntityOp.UPDATED]
        watches = [handler for handler in handlers if isinstance(handler, FieldWatch)]
        group = WatchGroup(watches if len(watches) == len(handlers) else (), info, self._forgotten)
        if 0 <= info.class_id < _MOST_CLASSES:
            self.watching.extend([None] * (info.class_id + 1 - len(self.watching)))
            self.watching[info.class_id] = group
        return group

    def _handlers(self, class_name: str) -> tuple[_Registration, ...]:
        known = self._by_class.get(class_name)
        if known is None:
            places = _matching(class_name, tuple([pattern for _, pattern, _ in self._registered]))
            known = tuple([self._registered[place] for place in places])
            self._by_class[class_name] = known
        return known

    def dispatch(self, entity: Entity, op: int) -> None:
        """Call the handlers for one operation on an entity."""
        self.dispatch_all([(entity, op)])

    def dispatch_all(self, changed: Iterable[tuple[Entity, int]]) -> None:
        """Call the handlers for several operations, in order."""
        call_entity_handlers(changed, self._by_class, self._handlers, OPS, self.failed)


_Key = TypeVar("_Key")


class KnownClasses(Mapping[_Key, ClassInfo]):
    """The classes of a recording. A Dota 2 recording declares some 1,600 and uses some hundreds.

    Args:
        layouts: creates the classes.
        names: class names, by number.
        numbers_of: returns the class numbers by key, given `names`; called on first access.

    Raises:
        KeyError: there is no such class.
        CorruptReplay: the class has no serializer.
    """

    def __init__(
        self,
        layouts: ClassLayouts,
        names: Mapping[int, str],
        numbers_of: Callable[[Mapping[int, str]], Mapping[_Key, int]],
    ) -> None:
        self._layouts = layouts
        self._names = names
        self._numbers_of = numbers_of

    @cached_property
    def _numbers(self) -> Mapping[_Key, int]:
        return self._numbers_of(self._names)

    def __getitem__(self, key: _Key) -> ClassInfo:
        number = self._numbers[key]
        return self._layouts.class_info(number, self._names[number])

    def __contains__(self, key: object) -> bool:
        return key in self._numbers

    def __iter__(self) -> Iterator[_Key]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        return f"<{len(self)} classes>"


def by_id(names: Mapping[int, str]) -> Mapping[int, int]:
    """Return the class numbers, by number."""
    return {number: number for number in names}


def by_name(names: Mapping[int, str]) -> Mapping[str, int]:
    """Return the class numbers, by name."""
    return {name: number for number, name in names.items()}
