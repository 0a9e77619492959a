"""`Collector`: makes one group of tables while a recording is played once for all groups that are asked for."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import translate
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from playhead.events import WILDCARDS, EventSource
from playhead.runtime.records import dataclass
from playhead.source2.entities.handlers import class_matches
from playhead.source2.playback.playback import Playback
from playhead.source2.schema.patches import aliases_of
from playhead.tables.schema import TableSchema

if TYPE_CHECKING:
    import pyarrow as pa


class Collector(ABC):
    """One group of tables.

    A subclass declares what it needs, so that nothing else is decoded or kept, registers its handlers in `attach`,
    and gives its tables at the end. It must not assume that other collectors run.

    Attributes:
        schemas: the tables it makes.
        events: the events that are rows of these tables.
        fields: by class name or pattern, the entity fields (names or patterns) that it reads; options may decide.
        string_tables: names of the string tables that it reads; None is all.
        numbers: the messages that it decodes.
        options: names of the keyword arguments that it takes besides the first one; each has a default.
        entities: it needs entities; without any collector that does, entity messages are not decoded.
        plays: it needs the recording played; one that does not reads sign-on frames alone.
        wanted: names of the tables that were asked for, known before `attach`: it may make these alone; None is
            all.
    """

    schemas: ClassVar[Sequence[TableSchema]] = ()
    events: ClassVar[Sequence[EventSource]] = ()
    fields: Mapping[str, Sequence[str]] = MappingProxyType({})
    string_tables: ClassVar[Sequence[str] | None] = ()
    numbers: ClassVar[Sequence[int]] = ()
    options: ClassVar[Sequence[str]] = ()
    entities: ClassVar[bool] = False
    plays: ClassVar[bool] = True
    wanted: frozenset[str] | None = None

    def attach(self, playback: Playback) -> None:  # noqa: B027  (one that does not play needs none)
        """Register handlers: `Playback.on_message`, `Playback.on_tick`, `EntityManager.on_entity`."""

    @abstractmethod
    def tables(self) -> Mapping[str, pa.Table]:
        """Return the tables, by name, once the recording has been played."""


def tables_read(collectors: Iterable[Collector]) -> frozenset[str] | None:
    """Return the names of the string tables that collectors read; None is all."""
    names: set[str] = set()
    for collector in collectors:
        if collector.string_tables is None:
            return None
        names.update(collector.string_tables)
    return frozenset(names)


@dataclass(frozen=True, slots=True)
class FieldsRead:
    """Which fields of which classes some collectors read, as `EntityManager` asks for them.

    Equal ones share what is learnt of the classes.
    """

    fields: frozenset[tuple[str, tuple[str, ...]]]

    def __call__(self, class_name: str) -> Callable[[str], bool] | None:
        patterns = [name for pattern, names in self.fields if class_matches(class_name, pattern) for name in names]
        return _any_of(frozenset(patterns)) if patterns else None


def fields_read(groups: Iterable[Mapping[str, Sequence[str]]]) -> FieldsRead:
    """Return the fields of several groups, each by class name or pattern."""
    return FieldsRead(frozenset((pattern, tuple(names)) for group in groups for pattern, names in group.items()))


@cache
def _any_of(patterns: frozenset[str]) -> Callable[[str], bool]:
    """Return whether a field has one of these names or fits one of the patterns, under any name it has had."""
    exact = frozenset(pattern for pattern in patterns if WILDCARDS.isdisjoint(pattern))
    # Those of one run of ``?``, an element of a vector, are looked up by what is before and behind it: compiling
    # an expression of all of them takes longer than playing a state.
    split: dict[tuple[int, int], set[tuple[str, str]]] = {}
    others = []
    for pattern in patterns - exact:
        begin, _, _ = pattern.partition("?")
        end = pattern[len(begin) :].lstrip("?")
        if WILDCARDS.isdisjoint(begin + end):
            place = (len(begin), len(pattern) - len(end))
            split.setdefault(place, set()).add((begin, end))
        else:
            others.append(pattern)
    fits = re.compile("|".join(map(translate, sorted(others)))).match if others else None
    # Nearly all fields are others already by the first level of their names.
    begins = {pattern.partition(".")[0] for pattern in patterns}
    all_begin_so = all(map(WILDCARDS.isdisjoint, begins))

    def is_one(name: str) -> bool:
        if all_begin_so and name.partition(".")[0] not in begins:
            return False
        if name in exact:
            return True
        for (first, behind), known in split.items():
            if len(name) >= behind and (name[:first], name[behind:]) in known:
                return True
        return fits is not None and fits(name) is not None

    @lru_cache(maxsize=1 << 16)
    def wanted(name: str) -> bool:
        return is_one(name) or any(map(is_one, aliases_of(name)))

    return wanted
