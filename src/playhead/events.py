"""`Event`: an event of a replay, of one shape in every format; choice of kinds; events from rows of tables."""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import dataclass, field
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.tables.arrow import int32_array, row_numbers, to_list
from playhead.tables.number_columns import is_ascending, with_code
from playhead.tables.shared import EVENTS
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.text.json import to_json
from playhead.text.names import unknown_name

if TYPE_CHECKING:
    from playhead.tables.deferred import Built, Maker
    from playhead.tables.json_columns import JsonRows

#: Characters that make a name a pattern.
WILDCARDS = frozenset("*?[")
_ROWS = 1 << 16
_ROWS_OF_TABLE = 4096
#: Columns of JSON text, which events hold parsed.
_JSON = frozenset({"fields", "details"})

#: Columns, each with the values that fit.
Condition = tuple[tuple[str, tuple[Any, ...]], ...]


class Event:
    """An event of any format; the fields of its kind are attributes, too: ``event.text``.

    Attributes:
        tick: tick or game loop, as in every table.
        seconds: `tick` in seconds, as in every table; None before the first tick or if the rate is unknown.
        kind: word for the kind of event (``chat_sent``); one of `Replay.event_kinds`.
        player: number of the acting player, as in `Replay.players`; None if nobody or unknown.
        payload: the fields of its kind by name; column ``payload`` of table ``events`` has them as JSON.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def tick(self) -> int: ...
        @property
        def seconds(self) -> float | None: ...
        @property
        def kind(self) -> str: ...
        @property
        def player(self) -> int | None: ...
        @property
        def payload(self) -> Mapping[str, Any]: ...

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "payload":  # copying and pickling read these before they are set
            raise AttributeError(name)
        try:
            return self.payload[name]
        except KeyError:
            known = ", ".join(self.payload) or "none"
            raise AttributeError(f"a {self.kind} event has no field {name!r}; it has {known}") from None

    def __dir__(self) -> Iterable[str]:
        return [*object.__dir__(self), *self.payload]


@dataclass(frozen=True, slots=True)
class PlainEvent(Event):
    """An event that consists of its attributes."""

    tick: int
    seconds: float | None
    kind: str
    player: int | None
    payload: Mapping[str, Any] = field(default_factory=dict, hash=False)


class EventKinds(dict[str, str]):
    """Kinds of events, each with a sentence that describes it; printed as a list."""

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        return "\n".join(
            [f"{len(self)} kinds of events", *(f"{name:{width}}  {doc}" for name, doc in self.items())]
        )


def choose_kinds(asked: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    """Return the known kinds of events that fit a name or pattern (``ward_*``); all kinds if `asked` is empty.

    Raises:
        KeyError: there is no such kind; the message suggests others.
    """
    return choose_names(asked, known, "events of kind")


def choose_names(asked: Iterable[str], known: Iterable[str], what: str) -> frozenset[str]:
    """Return the known names that fit a name or pattern; all names if `asked` is empty.

    Raises:
        KeyError: there is no such name; the message begins with ``no <what> …`` and suggests others.
    """
    from fnmatch import fnmatchcase

    known = list(known)
    asked = list(asked)
    if not asked:
        return frozenset(known)
    found: set[str] = set()
    for one in asked:
        fits = {kind for kind in known if kind == one or (WILDCARDS & set(one) and fnmatchcase(kind, one))}
        if not fits:
            raise KeyError(unknown_name(one, known, what))
        found |= fits
    return frozenset(found)


def players_of(event: Event) -> Iterator[Any]:
    """Yield the acting player of an event, and the values of its fields for others: target, victim, assisters."""
    yield event.player
    for name, value in event.payload.items():
        if name.endswith("_player"):
            yield value
        elif name.endswith("_players") and not isinstance(value, str):
            yield from value or ()


def event_batches(events: Iterable[Event], rows: int = _ROWS) -> Iterator[pa.Table]:
    """Yield table ``events`` in pieces of `rows` rows; an empty table if there are no events."""
    ticks: list[int] = []
    seconds: list[float | None] = []
    kinds: list[str] = []
    numbers: list[int] = []
    counts: Counter[str] = Counter()
    players: list[int | None] = []
    payloads: list[str] = []
    columns: dict[str, list[Any]] = {
        "tick": ticks,
        "seconds": seconds,
        "kind": kinds,
        "event_id": numbers,
        "player": players,
        "payload": payloads,
    }
    built = 0
    for event in events:
        ticks.append(_int32(event.tick) or 0)
        seconds.append(event.seconds)
        kinds.append(event.kind)
        numbers.append(counts[event.kind])
        counts[event.kind] += 1
        players.append(_int32(event.player))
        payloads.append(to_json(event.payload))
        if len(ticks) == rows:
            yield EVENTS.build(columns)
            built += 1
            for column in columns.values():
                column.clear()
    if ticks or not built:
        yield EVENTS.build(columns)


def _int32(value: int | None) -> int | None:
    """Return the number, or None if it is out of range because of damage."""
    return value if value is not None and -(1 << 31) <= value < 1 << 31 else None


@dataclass(frozen=True, slots=True)
class EventSource:
    """The table whose rows are the events of one kind.

    Attributes:
        kind: word for the events, which no other source of the game has.
        doc: a sentence that describes them.
        table: name of the table.
        tick: the column with the tick; rows with null there are not events.
        player: the column with the acting player; empty if the table has none.
        where: condition on the rows that are events.
        unless: condition on the rows that are not events.
        names: pairs of a column and the name of the event's field, if that is another name.
    """

    kind: str
    doc: str
    table: str
    tick: str = "tick"
    player: str = "player"
    where: Condition = ()
    unless: Condition = ()
    names: tuple[tuple[str, str], ...] = ()


def events_of_tables(
    sources: Iterable[EventSource], tables: Mapping[str, pa.Table], seconds: Callable[[int], float | None]
) -> Iterator[PlainEvent]:
    """Iterate over the events of all sources in time order; events of one tick come in the order of the
    sources."""
    return heapq.merge(
        *(_events(source, tables[source.table], seconds) for source in sources), key=attrgetter("tick")
    )


def _events(source: EventSource, table: pa.Table, seconds: Callable[[int], float | None]) -> Iterator[PlainEvent]:
    """Iterate over the events of one source, in time order."""
    from json import loads

    rows = _rows(source, table)
    names = _names(source, rows)
    for batch in rows.to_batches(max_chunksize=_ROWS_OF_TABLE):
        for values in zip(*map(to_list, batch.columns), strict=True):
            row = dict(zip(batch.schema.names, values, strict=True))
            fields = {
                shown: loads(value) if name in _JSON and isinstance(value, str) else value
                for name, shown in names.items()
                if (value := row[name]) is not None
            }
            tick = row[source.tick]
            yield PlainEvent(tick, seconds(tick), source.kind, row.get(source.player), fields)


def _names(source: EventSource, rows: pa.Table | pa.RecordBatch) -> dict[str, str]:
    """Return the columns that are fields of an event, with the names of the fields.

    Of the times the tick at which a row ends is one, and the displayed time of the event.
    """
    renamed = dict(source.names) | {f"{source.tick.removesuffix('tick')}game_seconds": "game_seconds"}
    common = {"tick", "seconds", "end_seconds", "game_seconds", "end_game_seconds", source.tick, source.player}
    return {name: renamed.get(name, name) for name in rows.schema.names if name in renamed or name not in common}


def event_table_of(
    sources: Iterable[EventSource], tables: Mapping[str, pa.Table], seconds: Callable[[int], float | None]
) -> Built:
    """Build table ``events`` from the columns of other tables, without an `Event` per row.

    The result equals that of `event_batches(events_of_tables(…))`, as a test checks. Building objects instead
    makes all Dota 2 tables of a match of real size 60 % slower. The payloads are made from `tables` when they are
    read.
    """
    from playhead.tables.deferred import DeferredTable

    kinds = list(sources)
    parts = list(_parts(kinds, tables, alone=True))
    if not parts:
        return EVENTS.arrow().empty_table()
    ticks, players = [], []
    for number, rows in parts:
        source = kinds[number]
        ticks.append(rows.column(source.tick))
        known = source.player in rows.schema.names
        players.append(rows.column(source.player) if known else pa.nulls(len(rows), pa.int32()))
    sizes = [len(rows) for _, rows in parts]
    every_tick = pa.concat_arrays(ticks)
    places = _in_time(every_tick)
    tick = every_tick.take(places)
    numbers, rising = array("i"), row_numbers(max(sizes), pa.int32())
    for number, size in enumerate(sizes):
        numbers.extend(array("i", [number]) * size)
    within = pa.concat_arrays([rising.slice(0, size) for size in sizes])
    part, row = int32_array(numbers).take(places), within.take(places)
    known = pc.unique(tick)
    times = array_of([seconds(each) for each in known.to_pylist()], pa.float64())
    names = array_of([kinds[number].kind for number, _ in parts], pa.string())
    columns = {
        "tick": tick,
        "seconds": times.take(pc.index_in(tick, known)),
        "kind": names.take(part).dictionary_encode(),
        "event_id": row.cast(pa.int64()),  # the rows of a source are in time order
        "player": pa.concat_arrays(players).take(places),
    }

    def payloads(_names: Sequence[str]) -> Maker:
        from playhead.tables.json_columns import merged_rows

        writers = [_payloads(kinds[number], rows) for number, rows in _parts(kinds, tables)]
        return lambda first, count: {
            "payload": merged_rows(writers, part.slice(first, count), row.slice(first, count))
        }

    ready = EVENTS.build(columns, only=list(columns))
    return DeferredTable(EVENTS.arrow(), len(tick), ready, payloads, part.nbytes + row.nbytes)


def numbers_within(kinds: pa.Array) -> pa.Array:
    """Return the number of each row among those with its value, from 0; `kinds` are codes without null."""
    rows = row_numbers(len(kinds), pa.int64())
    order = pc.sort_indices(pc.add(pc.shift_left(kinds.cast(pa.int64()), scalar_of(32, pa.int64())), rows))
    sizes = pc.value_counts(kinds.take(order)).field("counts").to_pylist()
    within = [row_numbers(size, pa.int64()) for size in sizes]
    return pa.concat_arrays(within).take(pc.sort_indices(order)) if within else rows


def _parts(
    sources: Iterable[EventSource], tables: Mapping[str, pa.Table], *, alone: bool = False
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Yield the rows that are events, each with the place of its source; `alone`: only their ticks and players."""
    from playhead.tables.deferred import BuiltTables

    for number, source in enumerate(sources):
        if alone and isinstance(tables, BuiltTables):  # JSON is made only for payloads
            known = tables.schema(source.table).names
            needed = (source.tick, source.player, *dict(source.where), *dict(source.unless))
            table = tables.select(source.table, [name for name in dict.fromkeys(needed) if name in known])
        else:
            table = tables[source.table]
        for batch in _rows(source, table, alone=alone).combine_chunks().to_batches():
            yield number, batch


def _payloads(source: EventSource, rows: pa.RecordBatch) -> JsonRows:
    """Return the writer of the payloads of one source's events."""
    from playhead.tables.json_columns import JsonRows

    payload = JsonRows()
    for name, shown in _names(source, rows).items():
        payload.add(shown, rows.column(name), parse=name in _JSON)
    return payload


def _rows(source: EventSource, table: pa.Table, *, alone: bool = False) -> pa.Table:
    """Return the rows that are events, in time order, without columns of bytes; `alone`: ticks and players."""
    if alone:
        names = table.column_names
        shown = [name for name in dict.fromkeys((source.tick, source.player)) if name in names]
    else:
        shown = [field.name for field in table.schema if not pa.types.is_binary(field.type)]
    rows = table.select(shown)
    if not table.num_rows:
        return rows
    ticks = table[source.tick]
    kept = pc.is_valid(ticks) if ticks.null_count else None
    if source.where:
        fits = _fits(table, source.where)
        kept = fits if kept is None else pc.and_(kept, fits)
    if source.unless:
        others = pc.invert(_fits(table, source.unless))
        kept = others if kept is None else pc.and_(kept, others)
    if kept is not None:
        rows = rows.filter(kept)
    if not rows.num_rows:
        return rows
    ticks = rows[source.tick].combine_chunks()
    return rows if is_ascending(ticks) else rows.take(_in_time(ticks))


def _in_time(ticks: pa.Array) -> pa.Array:
    """Return the indices that sort ticks; equal ticks keep their order."""
    return pc.array_sort_indices(ticks)  # which Arrow documents as stable, of one array


def _fits(table: pa.Table, condition: Condition) -> pa.ChunkedArray:
    """Return whether each row fits the whole condition; a null does not fit."""
    fits = None
    for column, values in condition:
        held = table[column]
        if pa.types.is_dictionary(held.type):
            one = pa.chunked_array([_has_name(chunk, values) for chunk in held.chunks], pa.bool_())
        else:
            one = pc.is_in(held, value_set=array_of(values, held.type))
        fits = one if fits is None else pc.and_(fits, one)
    return fits


def _has_name(names: pa.DictionaryArray, wanted: Sequence[str]) -> pa.BooleanArray:
    return with_code(names.indices, array("B", [name in wanted for name in names.dictionary.to_pylist()]))
