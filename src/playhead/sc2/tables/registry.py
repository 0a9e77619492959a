"""The tables of a StarCraft II replay: each declares its schema, the events it reads and its builder in one place.

A module of this package declares a table with `table`, or with `event_table` if it is built from events:

    PINGS = TableSchema.of("pings", ...)

    @event_table(PINGS, PingMessage)
    def pings(messages: EventStream, source: TableSource) -> pa.Table:
        ...

No other list names the table (see `playhead.tables.registry`). The events that the tables read are the events that
are decoded into columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any, Protocol

from playhead.blizzard.events import STREAM_OF, Event
from playhead.blizzard.members.attributes import Attribute
from playhead.errors import ReplayError
from playhead.limits import Limits
from playhead.model import Player
from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass
from playhead.sc2.members.battle_lobby import BattleLobby
from playhead.sc2.members.lobby import Lobby
from playhead.sc2.members.resumable import ResumeMarker
from playhead.sc2.members.sync import SyncColumns
from playhead.sc2.state.players.winner import Inference, Side
from playhead.sc2.state.source import StateSource
from playhead.sc2.state.timeline import STATE_EVENTS
from playhead.tables.registry import TableRegistry, build_or_note
from playhead.tables.schema import TableSchema


class TableSource(StateSource, Protocol):
    """The parts of a replay that tables read. A missing or damaged member is None or empty.

    Attributes:
        duration: loops of the game, and the part of the file that has them.
        players: the participants.
        names_by_user: name by user id of events, without clan.
        players_by_lobby_user: player number by position in the lobby's list of users.
        sides: the teams at the end of the game.
        inferred_winner: the side that probably won; None if the file does not show it.
        limits: bounds on the memory and time that the file may cost.
        lobby, attributes, sync_columns, resume_markers, battle_lobby: decoded members.
        cache_handles_source: the member that lists the game's cache files, and the files.
    """

    @property
    def battle_lobby(self) -> BattleLobby | None: ...
    @property
    def cache_handles_source(self) -> tuple[str | None, Sequence[bytes]]: ...
    @property
    def duration(self) -> tuple[int | None, str]: ...
    @property
    def players(self) -> Sequence[Player]: ...
    @property
    def names_by_user(self) -> Mapping[int, str | None]: ...
    @property
    def players_by_lobby_user(self) -> Mapping[int, int]: ...
    @property
    def sides(self) -> Sequence[Side]: ...
    @property
    def inferred_winner(self) -> Inference | None: ...
    @property
    def lobby(self) -> Lobby | None: ...
    @property
    def attributes(self) -> Sequence[Attribute]: ...
    @property
    def sync_columns(self) -> SyncColumns | None: ...
    @property
    def resume_markers(self) -> Sequence[ResumeMarker]: ...

    @property
    def limits(self) -> Limits: ...

    def member_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the table ``members``."""
        ...

    def note(self, error: ReplayError, cost: str) -> None:
        """Report a problem; raises in strict mode."""
        ...


Builder = Callable[..., "pa.Table"]
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


TABLES: TableRegistry[Table] = TableRegistry("playhead.sc2.tables")


def table(
    schema: TableSchema,
    *,
    reads: tuple[type[Event], ...] = (),
    text_of: str | None = None,
    options: tuple[str, ...] = (),
) -> Callable[[Builder], Builder]:
    """Declare the table that the decorated function builds."""

    def declare(build: Builder) -> Builder:
        TABLES.add(Table((schema,), build, reads, text_of, made_of=text_of, options=options))
        return build

    return declare


def event_table(
    schema: TableSchema, first: type[Event], *others: type[Event], options: tuple[str, ...] = ()
) -> Callable[[EventBuilder], EventBuilder]:
    """Declare the table that the decorated function builds from the events of these classes.

    The function gets the stream of the first class. If the replay has no such stream, the table is empty.
    """

    def declare(build: EventBuilder) -> EventBuilder:
        def build_from(source: TableSource, **given: Any) -> pa.Table:
            stream = source.stream(STREAM_OF[first])
            if stream is None or not stream.kinds:
                return schema.build_rows([])
            return build(stream, source, **given)

        own = (first, *others)
        TABLES.add(Table((schema,), build_from, own, made_of=STREAM_OF[first], options=options))
        return build

    return declare


def tables_of(stream: str) -> list[str]:
    """Return the names of the tables that are empty if a replay does not have this stream."""
    return [name for name, each in TABLES.tables().items() if each.made_of == stream]


@cache
def captured(stream: str) -> frozenset[type[Event]]:
    """Return the classes of the events of a stream whose fields tables and states read as columns."""
    needed = {*STATE_EVENTS, *(type_ for each in TABLES.makers() for type_ in each.reads)}
    return frozenset(type_ for type_ in needed if STREAM_OF[type_] == stream)


def build_tables(source: TableSource, names: Iterable[str]) -> dict[str, pa.Table]:
    """Build the named tables. Damage in the file makes a table shorter or empty."""
    wanted = {name: TABLES.tables()[name] for name in names}
    # Decode a stream once: with the text of its events if any of the tables reads that.
    for stream in sorted({each.text_of for each in wanted.values() if each.text_of is not None}):
        source.stream(stream, text=True)

    def build(name: str) -> Mapping[str, pa.Table]:
        return {name: wanted[name].build(source)}

    with GC_PAUSED:
        return {
            name: build_or_note(each, partial(build, name), source.note)[name] for name, each in wanted.items()
        }
