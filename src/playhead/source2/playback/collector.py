"""`Collector`: produces one group of tables; all requested collectors share one pass over the recording."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import translate
from functools import cache, lru_cache
from types import MappingProxyType

from playhead.events import WILDCARDS, EventSource
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass
from playhead.runtime.typing import TYPE_CHECKING, Any, ClassVar
from playhead.source2.entities.handlers import class_matches
from playhead.source2.playback.playback import Playback
from playhead.source2.schema.patches import aliases_of
from playhead.tables.schema import TableSchema

if TYPE_CHECKING:
    from playhead.tables.deferred import Built


@dataclass(frozen=True, slots=True)
class Jobs:
    """How the processes of option `jobs` share the work of a collector.

    Attributes:
        work: time that it takes in a pass, relative to that of a small collector.
        anew: it can start at any full packet; the tables of several stretches are then joined. Otherwise it needs
            all that came before.
        slow_to_join: joining its parts takes as long as making its tables: if it is `anew`, it rather goes with
            those that need everything before.
        extra: hundredths of a bare pass that it adds to a pass which is made anyway (`Riders`).
    """

    work: int = 1
    anew: bool = False
    slow_to_join: bool = False
    extra: int = 1


class Collector(ABC):
    """One group of tables.

    A subclass declares the data that it needs; nothing else is decoded or kept. It registers handlers in
    `attach` and returns its tables at the end. It does not depend on other collectors: rows of a game's other
    facts come from `GameMatch.collector`.

    Attributes:
        schemas: the tables that it produces.
        events: the events that are rows of these tables.
        fields: by class name or pattern, the entity fields (names or patterns) that it reads; may depend on
            options.
        string_tables: names of the string tables that it reads; None is all.
        numbers: the messages that it decodes.
        options: names of its keyword arguments after the first argument; each has a default.
        selects: its argument `columns` limits its only table to those columns, which saves time.
        entities: whether it needs entities; if no collector does, entity messages are not decoded.
        reports_missing: whether entities without a schema are a problem; other collectors have no rows then.
        plays: whether it needs the recording played; otherwise it reads sign-on frames only.
        jobs: how several processes share its work.
        wanted: names of the requested tables, set before `attach`; it may skip others. None is all.
    """

    schemas: ClassVar[Sequence[TableSchema]] = ()
    events: ClassVar[Sequence[EventSource]] = ()
    fields: Mapping[str, Sequence[str]] = MappingProxyType({})
    string_tables: ClassVar[Sequence[str] | None] = ()
    numbers: ClassVar[Sequence[int]] = ()
    options: ClassVar[Sequence[str]] = ()
    selects: ClassVar[bool] = False
    entities: ClassVar[bool] = False
    reports_missing: ClassVar[bool] = False
    plays: ClassVar[bool] = True
    jobs: ClassVar[Jobs] = Jobs()
    wanted: frozenset[str] | None = None

    def attach(self, playback: Playback) -> None:  # noqa: B027  (one that does not play needs none)
        """Register handlers: `Playback.on_message`, `Playback.on_tick`, `EntityManager.on_entity`."""

    @abstractmethod
    def tables(self) -> Mapping[str, Any]:
        """Return the tables (`Built`) by name, after the recording was played."""

    # -- stretches (`Jobs.anew`) -----------------------------------------------------------------------------

    def prepare(self, *, joins: bool) -> None:  # noqa: B027  (most need nothing)
        """Learn before `attach` that it will see a stretch; `joins`: and may join the parts of others."""

    def begin(self) -> None:  # noqa: B027  (most need nothing)
        """Discard the rows of the full packet before a stretch: they belong to the stretch before."""

    def part(self) -> Any:
        """Return the data of a stretch for `joined`; it must be picklable."""
        return self.tables()

    def joined(self, earlier: Sequence[Any]) -> Mapping[str, Any]:
        """Return the tables of the whole recording.

        Args:
            earlier: parts of all stretches but the last, which this collector has seen.

        Raises:
            Unjoinable: they do not fit together.
        """
        last = self.tables()
        return {name: join_tables([*(part[name] for part in earlier), table]) for name, table in last.items()}


class Unjoinable(Exception):
    """The parts of stretches do not fit together."""


def join_tables(built: Sequence[Built]) -> pa.Table:
    """Return the rows of several tables, with columns in the order of the first, then of the others."""
    tables = [table if isinstance(table, pa.Table) else table.read() for table in built]
    if len(tables) == 1:
        return tables[0]
    return pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()


def tables_read(collectors: Iterable[Collector]) -> frozenset[str] | None:
    """Return the names of the string tables that the collectors read; None is all."""
    names: set[str] = set()
    for collector in collectors:
        if collector.string_tables is None:
            return None
        names.update(collector.string_tables)
    return frozenset(names)


@dataclass(frozen=True, slots=True)
class FieldsRead:
    """The entity fields that some collectors read, in the form that `EntityManager` needs.

    Recordings with equal ones share their class layouts.
    """

    fields: frozenset[tuple[str, tuple[str, ...]]]

    def __call__(self, class_name: str) -> Callable[[str], bool] | None:
        patterns = [name for pattern, names in self.fields if class_matches(class_name, pattern) for name in names]
        return _any_of(frozenset(patterns)) if patterns else None


def fields_read(groups: Iterable[Mapping[str, Sequence[str]]]) -> FieldsRead:
    """Return the fields of several groups, each by class name or pattern."""
    return FieldsRead(frozenset((pattern, tuple(names)) for group in groups for pattern, names in group.items()))


class FieldFilter:
    """A function from a field name to whether it matches one of some patterns, under any of its names.

    Attributes:
        ends: the fields that `ClassInfo` asks about: by the first level of their names the last levels, without
            ``~2``, and empty for an element; None where a pattern begins or ends with wildcards.
    """

    __slots__ = ("_fits_any", "ends")

    def __init__(self, patterns: frozenset[str], fits_any: Callable[[str], bool]) -> None:
        self._fits_any = fits_any
        ends: dict[str, set[str]] = {}
        for pattern in patterns:
            for name in (pattern, *aliases_of(pattern.replace("?", "0"))):
                begin, end = (
                    level.partition("~")[0] for level in (name.partition(".")[0], name.rpartition(".")[2])
                )
                ends.setdefault(begin, set()).add("" if end.isdecimal() or not end.strip("?") else end)
        levels = (level for begin, known in ends.items() for level in (begin, *known))
        self.ends = ends if all(map(WILDCARDS.isdisjoint, levels)) else None

    def __call__(self, name: str) -> bool:
        return self._fits_any(name)


@cache
def _any_of(patterns: frozenset[str]) -> FieldFilter:
    """Return the filter of these patterns."""
    exact = frozenset(pattern for pattern in patterns if WILDCARDS.isdisjoint(pattern))
    # A pattern with one run of ``?``, an element of a vector, is looked up by its parts before and after the
    # run: compiling an expression of all patterns takes longer than playing a state.
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

    def is_one(name: str) -> bool:
        if name in exact:
            return True
        for (first, behind), known in split.items():
            if len(name) >= behind and (name[:first], name[behind:]) in known:
                return True
        return fits is not None and fits(name) is not None

    @lru_cache(maxsize=1 << 16)
    def fits_any(name: str) -> bool:
        return is_one(name) or any(map(is_one, aliases_of(name)))

    return FieldFilter(patterns, fits_any)
