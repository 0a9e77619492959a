"""`MessageForm`: which columns of a table the fields of a message become, declared once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from playhead.runtime.records import dataclass, field
from playhead.runtime.typing import Any
from playhead.source2.message_rows.table import CellPlan, Content, RowPlan
from playhead.source2.messages import wire
from playhead.source2.messages.decoded import MessageFields
from playhead.source2.messages.definitions import decoder, enumeration, fields
from playhead.source2.messages.wire_decoder import FieldPlan
from playhead.tables.schema import Column, TableSchema

_AXES = "xyz"
# Marks a field of an enumeration that was not sent: no enumeration has this number.
_ABSENT = -(1 << 31)
# Cached results of one function.
_MOST_CACHED = 1 << 12


@dataclass(frozen=True, slots=True)
class CellSource:
    """Where the values of a column come from.

    Attributes:
        names: fields; the first that the message has counts.
        content: the value that is made of the field.
        number: the index's content for `Content.NAME`, the axis for `AXIS`, the absent number for `TEXT_OF`, the
            index's distance from the field for `FIELD`.
        extra: texts by number for `Content.TEXT_OF`, the function for `CALL`, the entity's field for `FIELD`.
        outside: the fields are outside of the message that the form flattens.
        shown: a handle of nothing stays among the other fields.
    """

    names: tuple[str, ...]
    content: int = Content.NUMBER
    number: int = 0
    extra: Any = None
    outside: bool = False
    shown: bool = False


def field_value(*names: str, outside: bool = False) -> CellSource:
    """A field as it is."""
    return CellSource(names, outside=outside)


def not_negative(*names: str) -> CellSource:
    """A number; null for one below 0."""
    return CellSource(names, Content.NOT_NEGATIVE)


def not_zero(*names: str) -> CellSource:
    """A number; null for 0."""
    return CellSource(names, Content.NOT_ZERO)


def handle(*names: str, shown: bool = False) -> CellSource:
    """The index in a handle; null for a handle of nothing, which `shown` keeps among the other fields."""
    return CellSource(names, Content.HANDLE, shown=shown)


def players(name: str) -> CellSource:
    """A list of players without those below 0; null if none is left."""
    return CellSource((name,), Content.PLAYERS)


def name_of(index: CellSource) -> CellSource:
    """The name of the entity whose index is in another column."""
    return CellSource(index.names, Content.NAME, index.content, shown=index.shown)


def axes(*names: str) -> dict[str, CellSource]:
    """Columns x, y and z of a vector: 0 for a coordinate that was not sent, null without a vector."""
    return {each: CellSource(names, Content.AXIS, number) for number, each in enumerate(_AXES)}


def named(name: str, texts: Mapping[int, str], absent: str, *, outside: bool = False) -> CellSource:
    """The text for a number, the number itself if it has no text, and `absent` if the field was not sent."""
    return CellSource((name,), Content.TEXT_OF, _ABSENT, dict(texts) | {_ABSENT: absent}, outside)


def called(
    function: Callable[[int | None], Any], *names: str, outside: bool = False, steady: bool = True
) -> CellSource:
    """The result of a function of a number, or of None if it was not sent.

    Results are cached; pass `steady=False` for impure functions.
    """
    return CellSource(names, Content.CALL, 0, lru_cache(_MOST_CACHED)(function) if steady else function, outside)


def field_of_entity(field: str, *names: str, more: int = 0, outside: bool = False) -> CellSource:
    """A field of the entity whose index is a number plus `more`; null for a value below 0."""
    return CellSource(names, Content.FIELD, more, field, outside)


def short_names(enumerated: str, prefix: str, game: str = "") -> dict[int, str]:
    """Return the names of an enumeration's values without a prefix, by number; the first of several names."""
    values = enumeration(enumerated, game)
    return {number: name.removeprefix(prefix) for name, number in reversed(list(values.items()))}


#: Slots of the fields of one `CellSource`, by its names: the first slot, and the distance of the next.
_Slots = Mapping[tuple[str, ...], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class MessageForm:
    """How one kind of message becomes a row.

    Attributes:
        definition: name of the message's definition.
        columns: by name of column its source, or the same text in every row.
        inside: name of a field whose message's fields count as the form's own, if it was sent.
        flat: the fields of every message inside count as the form's own.
        others: name of the column of all other fields as JSON; empty without such a column.
        game: the game whose definition it is; the default is that of the engine and of Dota 2.
        ignored: fields that are skipped though no column has them.
    """

    definition: str
    columns: Mapping[str, CellSource | str]
    inside: str = ""
    flat: bool = False
    others: str = "details"
    game: str = ""
    ignored: tuple[str, ...] = ()
    _plans: dict[str, RowPlan] = field(default_factory=dict, compare=False)

    def plan(self, schema: TableSchema) -> RowPlan:
        """Return the plan by which a `MessageTable` of this schema appends messages, made once for each."""
        found = self._plans.get(schema.name)
        if found is None:
            found = self._plans[schema.name] = self._plan(schema)
        return found

    def _plan(self, schema: TableSchema) -> RowPlan:
        slots: dict[tuple[str, ...], tuple[int, int]] = {}
        size = 0
        for each in self._sources():
            if each.names not in slots:
                step = 4 if each.content == Content.AXIS else 1
                slots[each.names] = size, step
                size += step * len(each.names)
        cells = []
        for column in own_columns(schema):
            source = self.columns.get(column.name)
            if column.name == self.others:
                cells.append(CellPlan(Content.OTHERS))
            elif source is None:
                cells.append(CellPlan(Content.NOTHING))
            elif isinstance(source, str):
                cells.append(CellPlan(Content.CONSTANT, extra=source))
            else:
                slot, step = slots[source.names]
                content = _CONTENT_OF_TYPES.get((source.content, column.type), source.content)
                cells.append(CellPlan(content, slot, len(source.names), step, source.number, source.extra))
        return RowPlan(self._field_plan(slots), cells)

    def in_order(self, found: MessageFields) -> bytes:
        """Return a message as encoders write it, given its decoded fields."""
        return wire.encode(self.definition, found, self.game)

    def _sources(self) -> Iterator[CellSource]:
        return (each for each in self.columns.values() if isinstance(each, CellSource))

    def _field_plan(self, slots: _Slots) -> FieldPlan:
        plan = FieldPlan(decoder(self.definition, self.game))
        flattened = False
        for each in fields(self.definition, self.game):
            if each.kind == "message" and not each.repeated and (self.flat or each.name == self.inside):
                inner = plan.inner(each.name)
                self._store(inner, slots, outside=False)
                plan.flatten(each.name, inner)
                flattened = True
        self._store(plan, slots, outside=True if flattened else None)
        for name in self.ignored:
            plan.ignore(name)
        return plan

    def _store(self, plan: FieldPlan, slots: _Slots, *, outside: bool | None) -> None:
        """Let a plan store the fields of the sources outside or inside, or (None) of all."""
        known = plan.names
        for each in {each.names: each for each in reversed(list(self._sources()))}.values():
            if outside is not None and each.outside != outside:
                continue
            slot, step = slots[each.names]
            first = next((i for i, name in enumerate(each.names) if name in known), None)
            for i, name in enumerate(each.names):
                if name not in known:
                    continue
                before = step * i if i != first else 0
                if each.content == Content.AXIS:
                    vector = plan.inner(name)
                    for part in vector.names:
                        if part in _AXES:
                            vector.store(part, slot + step * i + 1 + _AXES.index(part))
                        else:
                            vector.ignore(part)
                    plan.enter(name, vector, slot + step * i, before=before)
                else:
                    plan.store(name, slot + step * i, before=before, handle=each.shown)


_TIMES = ("tick", "seconds", "game_seconds")
_CONTENT_OF_TYPES = {
    (Content.NUMBER, "binary"): Content.BYTES,
    (Content.NUMBER, "list<int32>"): Content.NUMBERS,
    (Content.NUMBER, "list<int64>"): Content.NUMBERS,
    (Content.NAME, "list<string>"): Content.NAMES,
}


def own_columns(schema: TableSchema) -> tuple[Column, ...]:
    """Return the columns of a table other than those of time."""
    return tuple(column for column in schema.columns if column.name not in _TIMES)
