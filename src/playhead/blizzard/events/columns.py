"""The three streams of events, decoded into Arrow columns."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from typing import Any, Generic, TypeVar

from playhead.blizzard.encoding.event_columns import MAX_TEXT, EventColumns
from playhead.blizzard.encoding.field_column import NOTHING, FieldColumn, first_of
from playhead.blizzard.events import Event, Scope, event_name
from playhead.blizzard.events.base import PLAYER_FIELDS, ColumnSource, column_sources
from playhead.blizzard.members.text import decode_text
from playhead.blizzard.protocol.program import Leaf, Program
from playhead.blizzard.protocol.tables import ID_BITS, TRACKER, short_name
from playhead.errors import ReplayError
from playhead.limits import Limits
from playhead.runtime.cached import cached_property
from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import dataclass, field
from playhead.tables import arrow
from playhead.tables.arrow import to_list
from playhead.tables.number_columns import int32_column
from playhead.tables.value_arrays import array_of
from playhead.text.json import to_json

_T = TypeVar("_T")
_Key = TypeVar("_Key")


class StreamRows:
    """The columns of all events of a stream, and its texts. It has no reference to derived data, so derived data
    can refer to it without a cycle.

    Attributes:
        names: of events by number.
    """

    def __init__(self, decoder: EventColumns, names: Mapping[int, str]) -> None:
        self.names = names
        self._decoder = decoder

    def __len__(self) -> int:
        return self._decoder.rows

    @cached_property
    def heads(self) -> tuple[array[int], array[int], array[int], array[int]]:
        """Loop, user, number and end offset of every event, as arrays without Arrow."""
        decoder = self._decoder
        ends = decoder.ends.to_array()
        return decoder.ticks.to_array(), decoder.users.to_array(), decoder.numbers.to_array(), ends

    @cached_property
    def first_loops(self) -> Mapping[int, int]:
        """The loop of the first event of each known kind that occurs, by number."""
        return self._decoder.first_loops

    @cached_property
    def tick(self) -> pa.Array:
        """The loop of every event, in file order."""
        return arrow.int32_array(self.heads[0])

    @cached_property
    def user(self) -> pa.Array:
        """The user of every event: -1 in the tracker, 16 for none elsewhere."""
        return arrow.int32_array(self.heads[1])

    @cached_property
    def number(self) -> pa.Array:
        """The number of every event's type."""
        return arrow.int32_array(self.heads[2])

    @cached_property
    def texts(self) -> list[str]:
        """The distinct texts of text fields."""
        return list(map(decode_text, self._decoder.texts))

    @cached_property
    def text_values(self) -> pa.Array:
        """`texts` as an Arrow column."""
        return array_of(self.texts, pa.string())

    def named(self, places: array[int]) -> pa.Array:
        """Return the texts at these indices (``array('q')``, `NOTHING` for null) as a category."""
        return _as_texts(int32_column(places, NOTHING), self.text_values)

    @cached_property
    def json_texts(self) -> list[bytes]:
        """Return `texts` as JSON."""
        return [to_json(text).encode() for text in self.texts]

    def column(self, leaf: Leaf, column: FieldColumn) -> pa.Array:
        """Return a raw field of one kind of event."""
        if leaf.is_text and not leaf.is_list:
            return self.named(column.numbers())
        values = column.to_arrow()
        return _lists_as_texts(values, self.text_values) if leaf.is_text else values

    def is_odd(self, type_: type[Event]) -> bool:
        """Return whether an event of a class has other fields than the type table, or in another order."""
        name = event_name(type_)
        return any(short_name(self.names[number]) == name for number in self._decoder.odd if number in self.names)


@dataclass(eq=False)
class EventFields:
    """The events of one class in a stream.

    Attributes:
        type: the class.
        stream: the columns of all events of the stream.
        orders: row of each in the stream, ``array('i')``.
        _held: the raw fields by path.
    """

    type: type[Event]
    stream: StreamRows
    orders: array[int]
    _held: Mapping[str, tuple[Leaf, FieldColumn]]
    _derived: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.orders)

    @cached_property
    def order(self) -> pa.Array:
        """Row of each in the stream (int32)."""
        return arrow.int32_array(self.orders)

    @cached_property
    def tick(self) -> pa.Array:
        """The loop of each (int32)."""
        return self.stream.tick.take(self.order) if self.orders else self.order

    @cached_property
    def user(self) -> pa.Array:
        """The user of each (int32)."""
        return self.stream.user.take(self.order) if self.orders else self.order

    @cached_property
    def columns(self) -> Mapping[str, pa.Array]:
        """The raw fields by path, each converted to Arrow on first access."""
        if self.orders:
            stream = self.stream
            return _WhenAsked(self._held, lambda held: stream.column(*held))
        # Most kinds of a replay are empty.
        return {path: _empty(leaf.is_text, leaf.is_list) for path, (leaf, _) in self._held.items()}

    @property
    def is_odd(self) -> bool:
        """Whether one of them has other fields than the type table, or in another order."""
        return self.stream.is_odd(self.type)

    def leaf(self, path: str) -> Leaf | None:
        """Return the `Leaf` of a raw field; None if it has no column or is missing in the build."""
        return self._held[path][0] if path in self._held else None

    def leaves_below(self, path: str) -> dict[str, Leaf]:
        """Return the `Leaf` of each part of a raw field, by path."""
        return {each: leaf for each, (leaf, _) in self._held.items() if each.startswith(path + ".")}

    @property
    def names(self) -> Collection[str]:
        """The fields of the class that can be columns."""
        return self._sources.keys()

    @property
    def _sources(self) -> Mapping[str, ColumnSource]:
        return column_sources(self.type)  # type: ignore[arg-type]

    def get(self, *paths: str) -> pa.Array:
        """Return the first of these raw fields that the build has; nulls if it has none."""
        for path in paths:
            if path in self.columns:
                return self.columns[path]
        return pa.nulls(len(self.orders), pa.int64())

    def _paths(self, name: str) -> tuple[str, ...]:
        return (name,) if name.startswith("m_") else self._sources[name].paths

    def stored(self, name: str) -> pa.Array:
        """Return a field of the class as it is stored, or the raw field ``m_…``."""
        if name.startswith("m_"):
            return self.get(name)
        paths = self._paths(name)
        found = [self.columns[path] for path in paths if path in self.columns]
        return pc.coalesce(*found) if len(found) > 1 else self.get(*paths)

    def numbers(self, name: str) -> array[int]:
        """Return the values of `stored` as ``array('q')``, with `NOTHING` for null, and for a text its index in
        `StreamRows.texts`. Not for lists."""
        found = [self._held[path][1].numbers() for path in self._paths(name) if path in self._held]
        if not found:
            return array("q", [NOTHING]) * len(self)
        return found[0] if len(found) == 1 else first_of(found)

    def flat_lists(self, name: str) -> tuple[array[int], array[int]]:
        """Return the lists of a raw field: the end of each event's list (``array('i')``), and the items of all."""
        held = self._held.get(name)
        return (array("i", [0]) * len(self), array("q")) if held is None else held[1].lists()

    def friendly(self, *names: str, scope: Scope) -> dict[str, pa.Array]:
        """Return fields of the class by name, with the values of its objects, or null.

        Raises:
            KeyError: the class has no such field, or the field has no column.
        """
        return {name: self.once(name, partial(self._friendly, name, scope)) for name in names}

    def _friendly(self, name: str, scope: Scope) -> pa.Array:
        return self._sources[name].conversion.column(self, name, scope)

    def once(self, name: str, derive: Callable[[], _T]) -> _T:
        """Return the result of `derive`, cached by name, since several tables need it."""
        if name not in self._derived:
            self._derived[name] = derive()
        found: _T = self._derived[name]
        return found

    @property
    def player(self) -> pa.Array:
        """Player number in the fields of a tracker event (int32)."""
        held = next((self._held[path] for path in PLAYER_FIELDS if path in self._held), None)
        numbers = array("q", [NOTHING]) * len(self) if held is None else held[1].numbers()
        return int32_column(numbers, NOTHING)

    def lists(self, *names: str) -> list[list[Any]]:
        """Return `order`, loop and the fields `names` (see `stored`), each as a list of Python values."""
        return [to_list(column) for column in (self.order, self.tick, *map(self.stored, names))]

    def rows(self, *names: str) -> list[tuple[Any, ...]]:
        """Return `order`, loop and the fields `names` (see `stored`) of each event as Python values."""
        return list(zip(*self.lists(*names), strict=True))


class EventStream:
    """One decoded stream. Its columns are converted to Arrow on first access, so checking whether it is readable
    does not import pyarrow.

    Attributes:
        data: the stream, decompressed.
        rows: the columns of all its events.
        program: of its build.
        name: of the stream.
        names: of events by number.
        captured: short names of the events whose fields are columns, if the build has them.
        has_text: whether the pass has made the fields of all events as JSON text too.
        error: the damage that ended the stream early, if any.
    """

    def __init__(
        self,
        decoder: EventColumns,
        data: bytes,
        program: Program,
        name: str,
        types: Mapping[str, type[Event]],
        *,
        has_text: bool,
        error: ReplayError | None,
    ) -> None:
        """`decoder` has read the stream; `types` are the classes of the captured events, by short name."""
        self.data = data
        self.program = program
        self.name = name
        self.names = dict(program.names)
        self.rows = StreamRows(decoder, self.names)
        self.captured = frozenset(types)
        self.has_text = has_text
        self.error = error
        self._decoder = decoder
        self._types = types
        self._derived: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def tick(self) -> pa.Array:
        """The loop of every event, in file order."""
        return self.rows.tick

    @property
    def user(self) -> pa.Array:
        """The user of every event: -1 in the tracker, 16 for none elsewhere."""
        return self.rows.user

    @property
    def number(self) -> pa.Array:
        """The number of every event's type."""
        return self.rows.number

    @property
    def is_long(self) -> bool:
        """Whether its text may be longer than a column."""
        return is_long(self.data)

    @cached_property
    def text(self) -> pa.Array:
        """The fields as JSON, if `has_text`."""
        return self._decoder.text_to_arrow()

    def text_later(self) -> Callable[[], pa.Array]:
        """Return a function that decodes the stream again for its text; it needs the data alone."""
        return partial(_text_of, self.data, self.program, self.name, len(self))

    @cached_property
    def kinds(self) -> Mapping[str, EventFields]:
        """The captured events of the build by short name, each converted on first access."""
        decoder, rows, names, types = self._decoder, self.rows, self.names, self._types

        def fields_of(number: int) -> EventFields:
            orders = decoder.orders[number].to_array()
            return EventFields(types[short_name(names[number])], rows, orders, decoder.columns_of(number))

        return _WhenAsked({short_name(names[number]): number for number in decoder.orders}, fields_of)

    @property
    def lacking(self) -> Collection[int]:
        """Numbers of events that in part lack fields of the type table."""
        return self._decoder.lacking

    def name_of(self, number: int) -> str:
        """Return the short name of events by number; ``event 123`` if unknown."""
        known = self.names.get(number)
        return f"event {number}" if known is None else short_name(known)

    def number_of(self, type_: type[Event]) -> int | None:
        """Return the number of the events of a class; None unless exactly one captured kind has the class."""
        name = event_name(type_)
        numbers = [number for number in self._decoder.orders if short_name(self.names[number]) == name]
        return numbers[0] if len(numbers) == 1 else None

    def has(self, type_: type[Event]) -> bool:
        """Return whether the build has events of a class."""
        return event_name(type_) in self.kinds

    def of(self, type_: type[Event]) -> EventFields:
        """Return the events of a class; empty if the build does not have them.

        Raises:
            KeyError: the events of this class were not captured.
        """
        name = event_name(type_)
        if name in self.kinds:
            return self.kinds[name]
        if name not in self.captured:
            raise KeyError(f"the fields of {name} were not captured; the table that needs them must say so")
        return EventFields(type_, self.rows, array("i"), {})

    def once(self, name: str, derive: Callable[[EventStream], _T]) -> _T:
        """Return the result of `derive` from the stream, cached by name, since several tables need it."""
        if name not in self._derived:
            self._derived[name] = derive(self)
        found: _T = self._derived[name]
        return found

    def forget(self) -> None:
        """Drop the cached derived data, since another of its inputs has changed."""
        self._derived.clear()


class _WhenAsked(Mapping[str, _T], Generic[_Key, _T]):
    """A mapping that makes a value from its key on first access; `keys` are by name."""

    def __init__(self, keys: Mapping[str, _Key], make: Callable[[_Key], _T]) -> None:
        self._keys = keys
        self._make = make
        self._made: dict[str, _T] = {}

    def __getitem__(self, name: str) -> _T:
        if name not in self._made:
            self._made[name] = self._make(self._keys[name])
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def _no_texts() -> pa.Array:
    return array_of([], pa.string())


@cache
def _empty(is_text: bool, is_list: bool) -> pa.Array:
    """Return a column without events, of the type of a filled one."""
    column = FieldColumn(is_list)
    if is_text and not is_list:
        return _as_texts(int32_column(column.numbers(), NOTHING), _no_texts())
    values = column.to_arrow()
    return _lists_as_texts(values, _no_texts()) if is_text else values


def _as_texts(places: pa.Array, texts: pa.Array) -> pa.Array:
    """Return texts from their indices in `texts` (int32)."""
    return pa.DictionaryArray.from_arrays(places, texts)


def _lists_as_texts(column: pa.Array, texts: pa.Array) -> pa.Array:
    """Return lists of texts from lists of their indices in `texts`."""
    return pa.ListArray.from_arrays(column.offsets, _as_texts(column.values.cast(pa.int32()), texts))


def is_long(data: bytes) -> bool:
    """Return whether the text of a stream may be longer than a column. The longest is that of absent fields: each
    is one bit, and its name and null are at most 64 bytes."""
    return len(data) * 8 * 64 > MAX_TEXT


def _text_of(data: bytes, program: Program, stream: str, rows: int) -> pa.Array:
    """Return the fields of the first `rows` events as JSON, which are all up to the end or to the first damage."""
    decoder = EventColumns(
        program, data, tagged=stream == TRACKER, id_bits=ID_BITS[stream], text=True, max_events=rows
    )
    with suppress(ReplayError):
        decoder.read_columns()
    return decoder.text_to_arrow()


def decode_stream(
    data: bytes,
    program: Program,
    stream: str,
    *,
    capture: Collection[type[Event]] = (),
    text: bool = False,
    limits: Limits | None = None,
) -> EventStream:
    """Decode a whole stream; damage ends it and becomes `EventStream.error`.

    Args:
        data: the member, decompressed.
        program: of the stream, in the replay's build.
        stream: ``game``, ``message`` or ``tracker``.
        capture: classes of the events whose fields become columns.
        text: whether the fields of all events become JSON text.
        limits: bound on the number of events; None for the default limits.
    """
    types = {event_name(type_): type_ for type_ in capture}
    numbers = program.numbers_of(frozenset(types))
    decoder = EventColumns(
        program,
        data,
        tagged=stream == TRACKER,
        id_bits=ID_BITS[stream],
        capture=numbers,
        text=text,
        max_events=(limits or Limits()).events,
    )
    error = None
    try:
        decoder.read_columns()
    except ReplayError as caught:
        error = caught
    return EventStream(decoder, data, program, stream, types, has_text=text, error=error)
