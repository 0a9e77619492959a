"""Corrections and additions to published type tables, as data: each change with its reason.

A patch applies to the table chosen for base builds `first` to `last` and, if one base build covers two wire
formats, to game builds from `from_build` to `to_build`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.blizzard.protocol.pool import TypePool
from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER
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
