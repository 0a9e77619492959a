"""`Protocols`: the type tables of a game by build, with corrections and additions to the published ones."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from playhead.blizzard.protocol.program import Program, program_of
from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER, ProtocolTable, TypePool, short_name
from playhead.runtime.cached import cached_property
from playhead.runtime.records import dataclass, field

#: An operation and its arguments. ``copy``: stream, event name, event number, build whose body is taken.
#: ``copy_all``: stream, build. ``copy_init_data``: build. ``optional_bits``: stream, event name, field, width of
#: the bit array's length. ``insert``: path in initData, new field, its type, the field before it (None: the last).
Step = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Patch:
    """One change of one table, or of the tables of a span of builds."""

    name: str
    reason: str
    first: int
    last: int
    from_build: int = 0
    to_build: int = 1 << 40
    steps: tuple[Step, ...] = field(default=())

    def applies(self, base_build: int, build: int) -> bool:
        """Return whether the replay with these two builds needs it."""
        return self.first <= base_build <= self.last and self.from_build <= build <= self.to_build


class TableDraft:
    """A table that patches can change."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.streams: dict[str, dict[int, tuple[str, int]]] = {
            stream: {number: (name, type_) for number, name, type_ in raw[stream]}
            for stream in (GAME, MESSAGE, TRACKER)
        }
        self.init_data: int = raw["init_data"]


def insert(pool: TypePool, type_: int, path: list[str], new: list[Any], after: str | None) -> int:
    """Return `type_` with a field added to the struct at `path`, which may lead through arrays."""
    kind = pool.types[type_]
    if kind[0] == "array":
        return pool.add([*kind[:3], insert(pool, kind[3], path, new, after)])
    fields = pool.fields(type_)
    if path:
        for field in fields:
            if field[0] == path[0]:
                field[1] = insert(pool, field[1], path[1:], new, after)
    else:
        names = [field[0] for field in fields]
        fields.insert(len(fields) if after is None else names.index(after) + 1, new)
    return pool.add(["struct", fields])


def apply(draft: TableDraft, step: Step, pool: TypePool, tables: Mapping[int, Mapping[str, Any]]) -> None:
    """Change a table by one step of a patch; `tables` are all tables of the game, by base build."""
    operation, *arguments = step
    if operation == "copy":
        stream, name, number, build = arguments
        types = {known: type_ for _, known, type_ in tables[build][stream]}  # type: ignore[index]
        draft.streams[stream][number] = (name, types[name])  # type: ignore[index, assignment]
    elif operation == "copy_all":
        stream, build = arguments
        draft.streams[stream] = TableDraft(tables[build]).streams[stream]  # type: ignore[index]
    elif operation == "copy_init_data":
        draft.init_data = tables[arguments[0]]["init_data"]  # type: ignore[index]
    elif operation == "optional_bits":
        stream, name, field_name, width = arguments
        for number, (known, type_) in draft.streams[stream].items():  # type: ignore[index]
            if known == name:
                fields = pool.fields(type_)
                for field in fields:
                    if field[0] == field_name:
                        field[1] = pool.add(["optional", pool.add(["bitarray", 0, width])])
                draft.streams[stream][number] = (known, pool.add(["struct", fields]))  # type: ignore[index]
    elif operation == "insert":
        path, name, new_type, after = arguments
        new = [name, pool.add(list(new_type)), -1]  # type: ignore[call-overload]
        draft.init_data = insert(pool, draft.init_data, str(path).split("."), new, after)  # type: ignore[arg-type]
    else:
        raise ValueError(f"unknown patch operation {operation!r}")


#: Returns build and table of another source, for a base build that is newer than all shipped tables: arguments are
#: the base build, the newest shipped one and the pool for the types.
Newer = Callable[[int, int, TypePool], tuple[int, Mapping[str, Any]] | None]

# A game's tables live as long as the program, so the caches of methods keep nothing alive: B019 does not apply.


class Protocols:
    """The type tables of a game.

    Args:
        packed: path of the file with the types and tables of all published builds, as JSON in zlib.
        patches: changes of tables.
        newer: another source of tables; None without one.
    """

    def __init__(self, packed: str, patches: Sequence[Patch] = (), newer: Newer | None = None) -> None:
        self.patches = patches
        self._packed = packed
        self._newer = newer

    @cached_property
    def stored(self) -> tuple[TypePool, Mapping[int, Mapping[str, Any]]]:
        """The pool of types, and the shipped tables by base build, without patches."""
        with open(self._packed, "rb") as file:
            data = json.loads(zlib.decompress(file.read()))
        return TypePool(data["types"]), {build: raw for raw in data["tables"] for build in raw["builds"]}

    @cached_property
    def event_names(self) -> frozenset[str]:
        """The short names of the events of all shipped tables."""
        tables = {id(table): table for table in self.stored[1].values()}.values()
        events = (event for table in tables for stream in (GAME, MESSAGE, TRACKER) for event in table[stream])
        return frozenset(short_name(name) for _, name, _ in events)

    def known_builds(self) -> list[int]:
        """Return the base builds of the shipped tables, in ascending order."""
        return sorted(self.stored[1])

    @lru_cache(maxsize=8)  # noqa: B019
    def wire_formats(self) -> Mapping[tuple[int, int], list[tuple[int, int]]]:
        """Return base build and build of each table of a wire format, by the newest of them; the newest first."""
        seen: dict[tuple[object, ...], tuple[int, int]] = {}
        members: dict[tuple[int, int], list[tuple[int, int]]] = {}
        # Some formats are known only as patches, and one base build may cover two.
        for base in sorted({*self.known_builds(), *(patch.first for patch in self.patches)}, reverse=True):
            here = (patch.from_build for patch in self.patches if patch.first == base and patch.from_build)
            for build in {base, *here}:
                table = self.table(base, build)
                key = (tuple(table.game.items()), tuple(table.message.items()), table.init_data)
                members.setdefault(seen.setdefault(key, (base, build)), []).append((base, build))
        return members

    def distinct_builds(self) -> list[tuple[int, int]]:
        """Return base build and build of each known wire format, the newest first; the newest of equal ones."""
        return list(self.wire_formats())

    @lru_cache(maxsize=64)  # noqa: B019
    def table(self, base_build: int, build: int) -> ProtocolTable:
        """Return the table for a replay with these two builds in its header."""
        pool, tables = self.stored
        known = sorted(tables)
        raw = tables.get(base_build)
        chosen, confidence = base_build, "exact"
        if raw is None and base_build > known[-1] and self._newer is not None:
            newer = self._newer(base_build, known[-1], pool)
            if newer is not None:
                chosen, raw = newer
                nearest = "" if chosen == base_build else f"nearest lower build {chosen}, "
                confidence = f"{nearest}published by s2protocol"
        if raw is None:
            lower = [other for other in known if other <= base_build]
            chosen = lower[-1] if lower else known[0]
            confidence = f"nearest lower build {chosen}" if lower else f"lowest build {chosen}"
            raw = tables[chosen]
        draft = TableDraft(raw)
        for patch in self.patches:
            if patch.applies(base_build, build):
                confidence += f"; patched: {patch.name}"
                for step in patch.steps:
                    apply(draft, step, pool, tables)
        if not draft.streams[TRACKER]:
            # Self-describing: a table adds only names.
            draft.streams[TRACKER] = TableDraft(tables[known[-1]]).streams[TRACKER]
        return ProtocolTable(
            base_build=chosen,
            confidence=confidence,
            pool=pool,
            game=draft.streams[GAME],
            message=draft.streams[MESSAGE],
            tracker=draft.streams[TRACKER],
            init_data=draft.init_data,
        )

    @lru_cache(maxsize=256)  # noqa: B019
    def event_program(self, base_build: int, build: int, stream: str) -> Program:
        """Return the program for one stream of a replay with these two builds."""
        table = self.table(base_build, build)
        return program_of(table.pool, tuple(table.events(stream).items()))

    @lru_cache(maxsize=64)  # noqa: B019
    def init_data_program(self, base_build: int, build: int) -> Program:
        """Return the program for ``replay.initData``: one event, number 0."""
        table = self.table(base_build, build)
        return program_of(table.pool, ((0, ("InitData", table.init_data)),))
