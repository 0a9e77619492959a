"""`Event`: something that happened at a moment of a replay, the same in every format; kinds of events; events that
are rows of tables."""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from playhead.runtime.records import dataclass, field
from playhead.tables.arrow import is_ascending, row_numbers
from playhead.tables.shared import EVENTS
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.text.json import to_json

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.tables.json_rows import JsonRows

#: What makes a name a pattern of names.
WILDCARDS = frozenset("*?[")
_ROWS = 1 << 16
_ROWS_OF_TABLE = 4096
#: Columns of JSON text: their values become objects again.
_JSON = frozenset({"fields", "details"})

#: Columns, each with the values of which it has one.
Condition = tuple[tuple[str, tuple[Any, ...]], ...]


@runtime_checkable
class ReplayEvent(Protocol):
    """What an event of any format has, beside the fields of its kind."""

    @property
    def tick(self) -> int:
        """The format's own time, as in every table."""

    @property
    def seconds(self) -> float | None:
        """`tick` in seconds, as in every table; None before the first tick or without a known rate."""

    @property
    def kind(self) -> str:
        """Short word for what happened (``chat``); one of `Replay.event_kinds`."""

    @property
    def player(self) -> int | None:
        """Who did it, as in `Replay.players`; None for nobody or where it is not known."""

    @property
    def payload(self) -> Mapping[str, Any]:
        """The fields of its kind by name: what column ``payload`` of table ``events`` has as JSON."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event whose fields are those of its kind: ``event.fields["text"]``, or ``event.text``.

    Attributes:
        tick: the format's own time.
        seconds: the same in seconds; None before the first tick or if the file does not have its rate.
        kind: short word for what happened.
        player: who did it, as in `Replay.players`; None for nobody or where it is not known.
        fields: the fields of its kind by name.
    """

    tick: int
    seconds: float | None
    kind: str
    player: int | None
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def payload(self) -> Mapping[str, Any]:
        """The same as `fields`."""
        return self.fields

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copying and pickling ask for these before there are fields
            raise AttributeError(name)
        try:
            return self.fields[name]
        except KeyError:
            known = ", ".join(self.fields) or "none"
            raise AttributeError(f"a {self.kind} event has no field {name!r}; it has {known}") from None

    def __dir__(self) -> Iterable[str]:
        return [*object.__dir__(self), *self.fields]


def choose_kinds(asked: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    """Return the kinds of events that names or patterns (``ward_*``) mean; all of them if none are asked for.

    Raises:
        KeyError: there is no such kind; the text suggests others.
    """
    return choose_names(asked, known, "events of kind")


def choose_names(asked: Iterable[str], known: Iterable[str], what: str) -> frozenset[str]:
    """Return the known names that `asked` names or patterns mean; all of them if none are asked for.

    Raises:
        KeyError: there is no such name; the text says ``no <what> …`` and suggests others.
    """
    known = list(known)
    asked = list(asked)
    if not asked:
        return frozenset(known)
    found: set[str] = set()
    for one in asked:
        if not isinstance(one, str):
            raise TypeError(f"expected names as arguments of their own ('chat', 'kill'), got {type(one).__name__}")
        fits = {kind for kind in known if kind == one or (WILDCARDS & set(one) and fnmatchcase(kind, one))}
        if not fits:
            raise KeyError(unknown_name(one, known, what))
        found |= fits
    return frozenset(found)


def unknown_kind(asked: str, known: Iterable[str]) -> str:
    """Return what to say of an unknown kind of events, with those whose names are near."""
    return unknown_name(asked, known, "events of kind")


def unknown_name(asked: str, known: Iterable[str], what: str) -> str:
    """Return what to say of an unknown name, with those that are near."""
    import difflib

    known = sorted(known)
    near = difflib.get_close_matches(asked, known, n=3)
    near += [kind for kind in known if set(re.split(r"\W|_", asked)) & set(kind.split("_")) and kind not in near]
    hint = f"did you mean {' or '.join(near[:4])}?" if near else f"there are {', '.join(known) or 'none'}"
    return f"no {what} {asked!r}; {hint}"


def event_batches(events: Iterable[ReplayEvent], rows: int = _ROWS) -> Iterator[pa.Table]:
    """Yield table ``events``, `rows` rows at a time; at least one table, if an empty one."""
    ticks: list[int] = []
    seconds: list[float | None] = []
    kinds: list[str] = []
    players: list[int | None] = []
    payloads: list[str] = []
    columns: dict[str, list[Any]] = {
        "tick": ticks,
        "seconds": seconds,
        "kind": kinds,
        "player": players,
        "payload": payloads,
    }
    built = 0
    for event in events:
        ticks.append(_int32(event.tick) or 0)
        seconds.append(event.seconds)
        kinds.append(event.kind)
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
    """Return the number, or None for one that damage made up."""
    return value if value is not None and -(1 << 31) <= value < 1 << 31 else None


@dataclass(frozen=True, slots=True)
class EventSource:
    """Where the events of a kind are.

    Attributes:
        kind: short word for them.
        doc: what they are, in a sentence.
        table: the table whose rows they are.
        tick: its column that says when; rows where that is null are none.
        player: its column that says who; empty if none does.
        where: columns, and of which values each of them must have one.
        unless: the same; rows that fit are none.
        names: what columns are called as fields of the event, where that is another name.
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
    sources: Iterable[EventSource],
    tables: Mapping[str, pa.Table],
    seconds: Callable[[int], float | None],
) -> Iterator[Event]:
    """Iterate over the events of all sources in time order; of one tick, in the order of the sources."""
    return heapq.merge(
        *(_events(source, tables[source.table], seconds) for source in sources), key=attrgetter("tick")
    )


def _events(source: EventSource, table: pa.Table, seconds: Callable[[int], float | None]) -> Iterator[Event]:
    """Iterate over the events of one source, in time order."""
    rows = _rows(source, table)
    names = _names(source, rows)
    for batch in rows.to_batches(max_chunksize=_ROWS_OF_TABLE):
        for row in batch.to_pylist():
            fields = {
                shown: json.loads(value) if name in _JSON and isinstance(value, str) else value
                for name, shown in names.items()
                if (value := row[name]) is not None
            }
            tick = row[source.tick]
            yield Event(tick, seconds(tick), source.kind, row.get(source.player), fields)


def _names(source: EventSource, rows: pa.Table | pa.RecordBatch) -> dict[str, str]:
    """Columns that are fields of an event, and what they are called there."""
    renamed = dict(source.names)
    common = {"tick", "seconds", source.tick, source.player}
    return {
        name: renamed.get(name, name)
        for name in rows.schema.names
        if name not in common and not (name == "game_seconds" and source.tick != "tick")
    }


def event_table_of(
    sources: Iterable[EventSource],
    tables: Mapping[str, pa.Table],
    seconds: Callable[[int], float | None],
) -> pa.Table:
    """Return table ``events`` of the events of all sources: what `event_batches` makes of `events_of_tables`, from
    columns to columns.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from playhead.tables.json_rows import merged_rows

    kinds = list(sources)
    parts = [
        (number, batch)
        for number, source in enumerate(kinds)
        for batch in _rows(source, tables[source.table]).combine_chunks().to_batches()
    ]
    if not parts:
        return EVENTS.arrow().empty_table()
    writers, ticks, players = [], [], []
    for number, rows in parts:
        source = kinds[number]
        writers.append(_payloads(source, rows))
        ticks.append(rows.column(source.tick))
        known = source.player in rows.schema.names
        players.append(rows.column(source.player) if known else pa.nulls(len(rows), pa.int32()))
    sizes = [len(rows) for _, rows in parts]
    every_tick, every_player = pa.concat_arrays(ticks), pa.concat_arrays(players)
    every_part = pa.concat_arrays([pa.repeat(scalar_of(i, pa.int32()), size) for i, size in enumerate(sizes)])
    every_row = pa.concat_arrays([row_numbers(size, pa.int32()) for size in sizes])
    places = _in_time(every_tick)
    names = array_of([kinds[number].kind for number, _ in parts], pa.string())
    built = []
    for first in range(0, len(places), _ROWS):
        here = places[first : first + _ROWS]
        tick, part = every_tick.take(here), every_part.take(here)
        known = pc.unique(tick)
        times = array_of([seconds(each) for each in known.to_pylist()], pa.float64())
        columns = {
            "tick": tick,
            "seconds": times.take(pc.index_in(tick, known)),
            "kind": names.take(part).dictionary_encode(),
            "player": every_player.take(here),
            "payload": merged_rows(writers, part, every_row.take(here)),
        }
        built.append(EVENTS.build(columns))
    return pa.concat_tables(built)


def _payloads(source: EventSource, rows: pa.RecordBatch) -> JsonRows:
    """Return what writes the payloads of the events of one source."""
    from playhead.tables.json_rows import JsonRows

    payload = JsonRows()
    for name, shown in _names(source, rows).items():
        payload.add(shown, rows.column(name), parse=name in _JSON)
    return payload


def _rows(source: EventSource, table: pa.Table) -> pa.Table:
    """Return the rows that are events, in time order; payloads of bytes stay in the table."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ticks = table[source.tick]
    kept = pc.is_valid(ticks) if ticks.null_count else None
    if source.where:
        fits = _fits(table, source.where)
        kept = fits if kept is None else pc.and_(kept, fits)
    if source.unless:
        others = pc.invert(_fits(table, source.unless))
        kept = others if kept is None else pc.and_(kept, others)
    rows = table.select([field.name for field in table.schema if not pa.types.is_binary(field.type)])
    if kept is not None:
        rows = rows.filter(kept)
    if not rows.num_rows:
        return rows
    ticks = rows[source.tick].combine_chunks()
    return rows if is_ascending(ticks) else rows.take(_in_time(ticks))


def _in_time(ticks: pa.Array) -> pa.Array:
    """Return the places of ticks in their order; of equal ones, in the order in which they are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    # Sorting is stable only with the number of a row as another key; both fit into one number.
    keys = pc.shift_left(ticks.cast(pa.int64()), scalar_of(32, pa.int64()))
    return pc.sort_indices(pc.add(keys, row_numbers(len(ticks), pa.int64())))


def _fits(table: pa.Table, condition: Condition) -> pa.ChunkedArray:
    """Return which rows fit all of a condition; a null fits nothing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    fits = None
    for column, values in condition:
        held = table[column]
        if pa.types.is_dictionary(held.type):
            held = held.cast(held.type.value_type)
        one = pc.is_in(held, value_set=array_of(values, held.type))
        fits = one if fits is None else pc.and_(fits, one)
    return fits
