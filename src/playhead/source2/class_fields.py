"""The fields of a class by path: a path of numbers leads down through the serializers to one value.

The name of a field is that of every level joined by dots; elements of arrays and vectors are four digits
(``m_vecItems.0003``). Where a serializer declares a name twice (Dota's DataTeamPlayer_t does), the second is
called ``m_nPlayerID~2``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from playhead.errors import CorruptReplay
from playhead.source2.field_encoding import Encoding, element_encoding_of, encoding_of
from playhead.source2.send_table import Field, Model, SendTables, Serializer

_WITH_ELEMENTS = (Model.TABLES, Model.ARRAY, Model.VECTOR)


@dataclass(frozen=True, slots=True)
class Slot:
    """One value of a class, by path.

    Attributes:
        name: dotted name.
        path: number of every level.
        field: the declaration.
        encoding: form of the value.
        types: of each pointer with several types above it, the type under which this holds; 0 is its own.
    """

    name: str
    path: tuple[int, ...]
    field: Field
    encoding: Encoding
    types: tuple[int, ...] = ()


class ClassFields:
    """The fields of one class.

    Raises:
        CorruptReplay: there is no serializer for it.
    """

    def __init__(self, class_name: str, send_tables: SendTables) -> None:
        self.class_name = class_name
        self.serializer = send_tables.root(class_name)
        self._serializers = send_tables.serializers
        self._names: dict[tuple[str, int], tuple[str, ...]] = {}

    def _names_of(self, serializer: Serializer) -> tuple[str, ...]:
        """The names of its fields, made different from each other."""
        key = (serializer.name, serializer.version)
        names = self._names.get(key)
        if names is None:
            seen: Counter[str] = Counter()
            listed = []
            for field in serializer.fields:
                seen[field.name] += 1
                listed.append(field.name if seen[field.name] == 1 else f"{field.name}~{seen[field.name]}")
            names = self._names[key] = tuple(listed)
        return names

    def walk(self, path: Sequence[int], types: Sequence[int]) -> Iterator[tuple[int, Field, str]]:
        """The fields that `path` leads through, each with the level it stands at and its name; elements have
        levels but no fields of their own. `types` tells the types of the pointers with several, and may grow
        while this runs.

        Raises:
            CorruptReplay: it leads nowhere.
        """
        serializer: Serializer | None = self.serializer
        level = pointers = 0
        while level < len(path):
            if serializer is None:
                raise CorruptReplay(f"expected no more levels in field path {path} of class {self.class_name}")
            if path[level] >= len(serializer.fields):
                raise CorruptReplay(
                    f"expected one of {len(serializer.fields)} fields of {serializer.name}, found number "
                    f"{path[level]} in field path {path} of class {self.class_name}"
                )
            field = serializer.fields[path[level]]
            yield level, field, self._names_of(serializer)[path[level]]
            level += 1
            serializer = None
            if field.serializer is not None:
                key = field.serializer
                if field.polymorphic:
                    if level < len(path) and types[pointers]:
                        key = field.polymorphic[types[pointers] - 1]
                    pointers += 1
                serializer = self._serializers[key]
            if field.model in _WITH_ELEMENTS:
                level += 1

    def describe(self, path: tuple[int, ...], types: tuple[int, ...]) -> Slot:
        """The value at `path`.

        Raises:
            CorruptReplay: none stands there.
            UnsupportedVersion: its form is not known.
        """
        names: list[str] = []
        slot = None
        for level, field, name in self.walk(path, types):
            names.append(name)
            encoding = None
            if level + 1 == len(path):
                if field.model != Model.ARRAY:
                    encoding = encoding_of(field)
            elif field.model in _WITH_ELEMENTS:
                element = path[level + 1]
                names.append(f"{element:04}")
                if field.model == Model.ARRAY and element >= (field.type.count or 0):
                    break
                if level + 2 == len(path) and field.model != Model.TABLES:
                    encoding = element_encoding_of(field)
            if encoding is not None:
                slot = Slot(".".join(names), path, field, encoding, types)
        if slot is None:
            raise CorruptReplay(f"expected a value at {self.class_name} {'.'.join(names)}, found path {path}")
        return slot

    def parents(self, slot: Slot) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int]]:
        """Path, types and element of every vector and pointer above a slot; the element is -1 below a pointer."""
        pointers = 0
        path = slot.path
        for level, field, _ in self.walk(path, slot.types):
            if level + 1 == len(path):
                break
            if field.model in (Model.TABLE, Model.TABLES, Model.VECTOR):
                element = -1 if field.model == Model.TABLE else path[level + 1]
                yield path[: level + 1], slot.types[:pointers], element
            if field.polymorphic:
                pointers += 1

    def path_of(self, name: str) -> tuple[int, ...] | None:
        """The path of a field's dotted name; None if the class has no such field.

        Below a pointer of several types, the fields of its own type are found.
        """
        path: list[int] = []
        serializer: Serializer | None = self.serializer
        parts = name.split(".")
        while parts:
            if serializer is None:
                return None
            part = parts.pop(0)
            try:
                number = self._names_of(serializer).index(part)
            except ValueError:
                return None
            path.append(number)
            field = serializer.fields[number]
            serializer = None if field.serializer is None else self._serializers[field.serializer]
            if parts and field.model in _WITH_ELEMENTS:
                element = parts.pop(0)
                if not element.isdecimal():
                    return None
                path.append(int(element))
        return tuple(path)
