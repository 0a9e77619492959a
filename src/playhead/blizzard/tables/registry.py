"""`GameTables`: the tables of a game, each with its schema, its events and its builder.

A module of the game's package of tables declares a table with `table`, or with `event_table` if it is built from
events:

    PINGS = TableSchema.of("pings", ...)

    @event_table(PINGS, PingMessage)
    def pings(messages: EventStream, source: TableSource) -> pa.Table:
        ...

No other list names the table (see `playhead.tables.registry`). The events that the tables read are the events that
are decoded into columns. A stream is decoded once, for the first requested table, so `GameTables` gets
their names, and no table's module is imported for another table's sake."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events import Event, Scope, event_types, stream_of
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.merged_rows import row_heads
from playhead.blizzard.members.lobby import Attribute, Lobby
from playhead.errors import LimitExceeded, ReplayError
from playhead.limits import Limits
from playhead.model import Player
from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass
from playhead.tables.deferred import Built
from playhead.tables.number_columns import float64_column, int32_column
from playhead.tables.registry import TableRegistry, build_or_note
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from playhead.blizzard.events.columns import EventFields, EventStream, StreamRows


class StreamSource(Protocol):
    """The parts of a replay that tables and states of every game read.

    Attributes:
        builds: base build and build.
        loops_per_second: rate of the game's displayed clock.
        start_tick: loop at which the game begins.
        event_scope: units of coordinates, and names of abilities.
        players_by_user: player number by user id of events.
    """

    @property
    def builds(self) -> tuple[int, int]: ...
    @property
    def loops_per_second(self) -> float: ...
    @property
    def start_tick(self) -> int: ...
    @property
    def event_scope(self) -> Scope: ...
    @property
    def players_by_user(self) -> Mapping[int, int]: ...

    def stream(self, name: str, *, text: str = "") -> EventStream | None:
        """Return a stream of events; with `text`, ``now`` or ``later``, also the fields of every event as JSON."""
        ...


class GameSource(StreamSource, Protocol):
    """The parts of a replay that the tables of every game read. A missing or damaged member is None or empty.

    Attributes:
        duration: loops of the game, and the part of the file that has them.
        players: the participants.
        names_by_user: name by user id of events, without clan.
        limits: bounds on the memory and time that the file may cost.
        lobby, attributes: decoded members.
    """

    @property
    def duration(self) -> tuple[int | None, str]: ...
    @property
    def players(self) -> Sequence[Player]: ...
    @property
    def names_by_user(self) -> Mapping[int, str | None]: ...
    @property
    def lobby(self) -> Lobby | None: ...
    @property
    def attributes(self) -> Sequence[Attribute]: ...
    @property
    def limits(self) -> Limits: ...

    def events(self, name: str, numbers: frozenset[int] | None) -> Iterator[Event]:
        """Return the events of a stream with these numbers, or all."""
        ...

    def member_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the table ``members``."""
        ...

    def note(self, error: ReplayError, cost: str) -> None:
        """Report a problem; raises in strict mode."""
        ...


Builder = Callable[..., Built]
EventBuilder = Callable[..., "pa.Table"]


@dataclass(frozen=True, slots=True)
class Table:
    """One declared table.

    Attributes:
        schemas: its schema, alone.
        build: function that builds it from a replay.
        reads: classes of the events whose fields it reads.
        text_of: the stream whose events it reads as JSON text, if any.
        made_of: the stream without which it is empty, if any.
        options: keyword arguments of `build` that `Replay.table` accepts.
    """

    schemas: tuple[TableSchema]
    build: Builder
    reads: tuple[type[Event], ...] = ()
    text_of: str | None = None
    made_of: str | None = None
    options: tuple[str, ...] = ()


class GameTables(TableRegistry[Table]):
    """The tables of one game.

    Args:
        package: dotted name of the package whose modules declare the tables.
        captured: by stream, the names of the event classes that tables and states read.
    """

    def __init__(self, package: str, captured: Mapping[str, str]) -> None:
        super().__init__(package)
        self._captured = captured

    def table(
        self,
        schema: TableSchema,
        *,
        reads: tuple[type[Event], ...] = (),
        text_of: str | None = None,
        options: tuple[str, ...] = (),
    ) -> Callable[[Builder], Builder]:
        """Declare the table that the decorated function builds."""

        def declare(build: Builder) -> Builder:
            self.add(Table((schema,), build, reads, text_of, made_of=text_of, options=options))
            return build

        return declare

    def event_table(
        self, schema: TableSchema, first: type[Event], *others: type[Event], options: tuple[str, ...] = ()
    ) -> Callable[[EventBuilder], EventBuilder]:
        """Declare the table that the decorated function builds from the events of these classes.

        The function gets the stream of the first class. If the replay has no such stream, the table is empty.
        """

        name = stream_of(first)

        def declare(build: EventBuilder) -> EventBuilder:
            def build_from(source: StreamSource, **given: Any) -> pa.Table:
                stream = source.stream(name)
                if stream is None or not stream.kinds:
                    return schema.build_rows([])
                return build(stream, source, **given)

            own = (first, *others)
            self.add(Table((schema,), build_from, own, made_of=name, options=options))
            return build

        return declare

    def _modules_about(self, name: str) -> Iterator[str]:
        """Yield the module whose text has a builder of that name; a module declares several tables."""
        for source in Path(import_module(self._package).__file__ or "").parent.glob("*.py"):
            if f"\ndef {name}(" in source.read_text(encoding="utf-8"):
                yield f"{self._package}.{source.stem}"

    def made_of(self, stream: str) -> list[str]:
        """Return the names of the tables that are empty if a replay does not have this stream."""
        return [name for name, each in self.tables().items() if each.made_of == stream]

    def captured(self, stream: str) -> frozenset[type[Event]]:
        """Return the classes of the events of a stream whose fields are read as columns."""
        types = event_types(stream)
        named = {types[f"S{name}"] for name in self._captured[stream].split()}
        read = {type_ for each in self._added.values() for type_ in each.reads}  # some may be in no list
        return frozenset(named.union(type_ for type_ in read if stream_of(type_) == stream))

    def build(self, source: GameSource, names: Iterable[str]) -> dict[str, Built]:
        """Build the named tables. Damage in the file makes a table shorter or empty."""
        wanted = {name: found for name in sorted(names) if (found := self.find(name)) is not None}
        # Decode a stream once, with the text of its events if only tables of text are wanted. Callers of all
        # tables seldom read those.
        text = "now" if all(each.text_of is not None for each in wanted.values()) else "later"
        for stream in sorted({each.text_of for each in wanted.values() if each.text_of is not None}):
            source.stream(stream, text=text)

        def build(name: str) -> Mapping[str, Built]:
            return {name: wanted[name].build(source)}

        with GC_PAUSED:
            return {
                name: build_or_note(each, partial(build, name), source.note)[name] for name, each in wanted.items()
            }


WHEN = words("tick seconds player")
WHO = words("tick seconds user player")
END = words("end_tick end_seconds")


def when(ticks: array[int], source: StreamSource, prefix: str = "") -> dict[str, pa.Array]:
    """Return the columns tick and seconds of loops (``array('q')``, `NOTHING` for none); ``end_`` is a prefix."""
    seconds = float64_column(ticks, NOTHING, 10, 10 * source.loops_per_second)  # as `Clock.seconds`
    return {f"{prefix}tick": int32_column(ticks, NOTHING), f"{prefix}seconds": seconds}


def when_of(events: EventFields, source: StreamSource) -> dict[str, pa.Array]:
    """Return the columns tick and seconds of events."""
    columns = when_and_who(events, source)
    return {name: columns[name] for name in ("tick", "seconds")}


def when_and_who(events: EventFields | EventStream, source: StreamSource) -> dict[str, pa.Array]:
    """Return the columns tick, seconds, user and player of events."""
    from playhead.blizzard.events.columns import EventStream

    if isinstance(events, EventStream):
        return dict(events.once("when_and_who", lambda held: rows_of(held.rows, None, source)))
    return dict(events.once("when_and_who", lambda: rows_of(events.stream, events.orders, source)))


def rows_of(stream: StreamRows, orders: array[int] | None, source: StreamSource) -> dict[str, pa.Array]:
    """Return the columns tick, seconds, user and player of some rows of a stream (``array('i')``), or of all."""
    ticks, users, *_ = stream.heads
    return row_heads(orders, ticks, users, source.players_by_user, source.loops_per_second)


def rows_with(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
    """Return rows as mappings, from the values of these columns."""
    return [dict(zip(names, row, strict=True)) for row in rows]


def may_make(count: int, tick: int, source: GameSource, table: str, cost: str) -> bool:
    """Return whether a table may have so many rows; if not, that is noted."""
    try:
        source.limits.check_steps(count, 0, table)
    except LimitExceeded as error:
        source.note(error.locate(where="events", tick=tick), cost=cost)
        return False
    return True


def moment(loop: int | None, rate: float, prefix: str = "") -> dict[str, float | None]:
    """Return the values of the columns tick and seconds of a loop, after a prefix (``end_``)."""
    return {f"{prefix}tick": loop, f"{prefix}seconds": None if loop is None else loop * 10 / (rate * 10)}
