"""`MessageForm`: which columns of a table the fields of a message are, declared once.

A form says it to `MessageTable`, which reads messages as encoders write them, and to `MessageForm.row`, which
takes the decoded fields of any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from playhead.runtime.records import dataclass
from playhead.source2.entities.entity import INDEX_MASK
from playhead.source2.messages.decoded import MessageFields
from playhead.source2.messages.definitions import decoder, enumeration, fields, message_numbers
from playhead.source2.messages.field_reader import FieldPlan
from playhead.source2.tables.message_rows import EntityNames, RowPlan
from playhead.source2.tables.row_content import Content
from playhead.tables.schema import Column, TableSchema

_AXES = "xyz"
_NO_HANDLES = (0xFFFFFF, 0xFFFFFFFF)
# No number of an enumeration that means anything.
_ABSENT = -(1 << 31)
# Results of a function that are remembered.
_MOST_KNOWN = 1 << 12


@dataclass(frozen=True, slots=True)
class Taken:
    """What is in a column.

    Attributes:
        names: the fields it may be in: the first that the message has.
        what: what is made of it.
        number: of `Content.NAME` what the number is, of `AXIS` which, of `CODE_OF` what stands for none, of
            `FIELD` how far from it the index is.
        thing: of `Content.CODE_OF` texts by number and name, of `CALL` the function, of `FIELD` its name.
        outside: the fields stand outside of the message that a form flattens.
        shown: a handle of nothing stays among the other fields.
    """

    names: tuple[str, ...]
    what: Content = Content.NUMBER
    number: int = 0
    thing: Any = None
    outside: bool = False
    shown: bool = False


def index_of(handle: int | None) -> int | None:
    """The index in a handle as messages carry it; None if it means nothing."""
    return None if handle is None or handle in _NO_HANDLES else handle & INDEX_MASK


def definition_of(number: int) -> str:
    """The name of the definition of a message of Dota 2.

    Raises:
        KeyError: there is none.
    """
    found = message_numbers("dota")[number].message
    if found is None:
        raise KeyError(f"message {number} has no definition")
    return found


def short_names(enumerated: str, prefix: str) -> dict[int | str, str]:
    """Names of an enumeration without what all begin with, by number (the first of several) and by full name."""
    values = enumeration(enumerated)
    short: dict[int | str, str] = {name: name.removeprefix(prefix) for name in values}
    return short | {values[name]: short[name] for name in reversed(list(values))}


def taken(*names: str, outside: bool = False) -> Taken:
    """A field as it is."""
    return Taken(names, outside=outside)


def not_negative(*names: str) -> Taken:
    """A number; null for one below 0."""
    return Taken(names, Content.NOT_NEGATIVE)


def not_zero(*names: str) -> Taken:
    """A number; null for 0."""
    return Taken(names, Content.NOT_ZERO)


def handle(*names: str, shown: bool = False) -> Taken:
    """The index in a handle; null if it means nothing, which then (`shown`) stays among the other fields."""
    return Taken(names, Content.HANDLE, shown=shown)


def name_of(taken: Taken) -> Taken:
    """The name of the entity that a column has the index of."""
    return Taken(taken.names, Content.NAME, taken.what, shown=taken.shown)


def axis(number: int, *names: str) -> Taken:
    """A coordinate (0 to 2) of a vector: 0 if it is not sent, null without a vector."""
    return Taken(names, Content.AXIS, number)


def axes(*names: str) -> dict[str, Taken]:
    """Columns x, y and z of a vector."""
    return {each: axis(number, *names) for number, each in enumerate(_AXES)}


def named(name: str, texts: Mapping[int | str, str], absent: str, *, outside: bool = False) -> Taken:
    """What a number or a name of an enumeration is called; itself if it is called nothing. `absent` is what a
    field that is not sent is called.
    """
    return Taken((name,), Content.CODE_OF, _ABSENT, dict(texts) | {_ABSENT: absent}, outside)


def called(
    function: Callable[[int | None], Any], *names: str, outside: bool = False, steady: bool = True
) -> Taken:
    """What a function returns for a number, None if it is not sent; the same each time if it is `steady`."""
    return Taken(names, Content.CALL, 0, lru_cache(_MOST_KNOWN)(function) if steady else function, outside)


def field_of_entity(field: str, *names: str, more: int = 0, outside: bool = False) -> Taken:
    """A field of the entity whose index is a number and `more`; null for one below 0."""
    return Taken(names, Content.FIELD, more, field, outside)


@dataclass(frozen=True, slots=True)
class MessageForm:
    """How one kind of message becomes a row.

    Attributes:
        definition: name of its definition.
        columns: by name of column what is in it: fields, or the same text in every row.
        inside: the message in this field is meant, if it is sent.
        flat: all messages in its fields are meant, as if their fields stood outside.
        others: name of the column that has all other fields as JSON; empty if none has.
    """

    definition: str
    columns: Mapping[str, Taken | str]
    inside: str = ""
    flat: bool = False
    others: str = "details"

    # -- fields as encoders write them ------------------------------------------------------------------

    def plan(self, schema: TableSchema) -> RowPlan:
        """For `MessageTable.add` of a table."""
        slots: dict[tuple[str, ...], tuple[int, int]] = {}
        at = 0
        for each in self._taken():
            if each.names not in slots:
                step = 4 if each.what == Content.AXIS else 1
                slots[each.names] = at, step
                at += step * len(each.names)
        columns: list[tuple[int, int, int, int, int, Any]] = []
        for column in own_columns(schema):
            source = self.columns.get(column.name)
            if column.name == self.others:
                columns.append((Content.OTHERS, 0, 0, 1, 0, None))
            elif source is None:
                columns.append((Content.NOTHING, 0, 0, 1, 0, None))
            elif isinstance(source, str):
                columns.append((Content.CODE, 0, 0, 1, 0, source))
            else:
                slot, step = slots[source.names]
                what = source.what
                if what in (Content.NUMBER, Content.NAME):
                    what = _WHAT_OF_TYPES.get((what, column.type), what)
                columns.append((what, slot, len(source.names), step, source.number, source.thing))
        return RowPlan(self._fields(slots), columns)

    def _taken(self) -> Iterator[Taken]:
        return (each for each in self.columns.values() if isinstance(each, Taken))

    def _fields(self, slots: Mapping[tuple[str, ...], tuple[int, int]]) -> FieldPlan:
        plan = FieldPlan(decoder(self.definition))
        flattened = False
        for each in fields(self.definition):
            if each.kind == "message" and not each.repeated and (self.flat or each.name == self.inside):
                inner = plan.inner(each.name)
                self._fill(inner, slots, outside=False)
                plan.flatten(each.name, inner)
                flattened = True
        self._fill(plan, slots, outside=True if flattened else None)
        return plan

    def _fill(
        self, plan: FieldPlan, slots: Mapping[tuple[str, ...], tuple[int, int]], *, outside: bool | None
    ) -> None:
        names = plan.names
        done = set()
        for each in self._taken():
            if each.names in done or (outside is not None and each.outside != outside):
                continue
            done.add(each.names)
            slot, step = slots[each.names]
            found = False
            for i, name in enumerate(each.names):
                if name not in names:
                    continue
                before = step * i if found else 0
                found = True
                if each.what == Content.AXIS:
                    vector = plan.inner(name)
                    for part in vector.names:
                        if part in _AXES:
                            vector.take(part, slot + step * i + 1 + _AXES.index(part))
                        else:
                            vector.ignore(part)
                    plan.enter(name, vector, slot + step * i, before=before)
                else:
                    plan.take(name, slot + step * i, before=before, handle=each.shown)

    # -- decoded fields ---------------------------------------------------------------------------------

    def row(
        self, message: MessageFields, names: EntityNames | None, details: Callable[[MessageFields], str | None]
    ) -> dict[str, Any]:
        """The row of a message.

        Args:
            message: its fields.
            names: what entities are called.
            details: makes text of other fields; None without any.
        """
        inside: Any = message
        outside = {name for each in self._taken() if each.outside for name in each.names}
        if self.inside:
            inside = message.get(self.inside)
            if inside is None:
                inside = {key: value for key, value in message.items() if key not in outside}
        elif self.flat:
            inside = {}
            for key, value in message.items():
                if isinstance(value, dict):
                    inside |= value
                elif key not in outside:
                    inside[key] = value
        row: dict[str, Any] = {}
        shown: set[str | int] = set()
        for column, source in self.columns.items():
            if isinstance(source, str):
                row[column] = source
                continue
            scope = message if source.outside else inside
            name = next((each for each in source.names if each in scope), None)
            value = None if name is None else scope[name]
            row[column] = _meaning(source, value, names)
            if name is not None and not source.outside and not (source.shown and index_of(value) is None):
                shown.add(name)
        if self.others:
            row[self.others] = details({key: value for key, value in inside.items() if key not in shown})
        return row


_TIMES = ("tick", "seconds", "game_seconds")
_WHAT_OF_TYPES = {
    (Content.NUMBER, "binary"): Content.BYTES,
    (Content.NUMBER, "string"): Content.STRING,
    (Content.NUMBER, "list<int32>"): Content.NUMBERS,
    (Content.NUMBER, "list<int64>"): Content.NUMBERS,
    (Content.NAME, "list<string>"): Content.NAMES,
}


def own_columns(schema: TableSchema) -> tuple[Column, ...]:
    """The columns of a table but those of the time."""
    return tuple(column for column in schema.columns if column.name not in _TIMES)


def _meaning(source: Taken, value: Any, names: EntityNames | None) -> Any:
    """What a column has of a field's value; None is none."""
    what = source.what
    if what == Content.NOT_NEGATIVE:
        return None if value is None or value < 0 else value
    if what == Content.NOT_ZERO:
        return value or None
    if what == Content.HANDLE:
        return index_of(value)
    if what == Content.NAME:
        if isinstance(value, list):
            return None if names is None else [names.name(each) for each in value]
        index = index_of(value) if source.number == Content.HANDLE else value
        if source.number == Content.NOT_ZERO:
            index = index or None
        return None if names is None else names.name(index)
    if what == Content.AXIS:
        return float(value.get(_AXES[source.number], 0.0)) if isinstance(value, dict) else None
    if what == Content.CODE_OF:
        return source.thing.get(source.number if value is None else value, str(value))
    if what == Content.CALL:
        return source.thing(value)
    if what == Content.FIELD:
        return None if names is None or value is None else names.number(value + source.number, source.thing)
    return value
