"""The register of tables: schema, what the table reads and how it is built, said once and beside each other.

A module of this package declares a table with `table`, or with `event_table` if it is made of events:

    PINGS = TableSchema(name="pings", ...)

    @event_table(PINGS, PingMessage)
    def pings(messages: EventStream, source: TableSource) -> pa.Table:
        ...

Nothing else has to know of it: modules are found in the package, and which events become columns follows from what
the tables read.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from playhead.runtime.garbage import COLLECTOR_PAUSED
from playhead.runtime.records import dataclass
from playhead.sc2.events import STREAM_OF, Event, Scope
from playhead.sc2.events.columns import EventStream
from playhead.sc2.members.attributes import Attribute
from playhead.sc2.members.battle_lobby import BattleLobby
from playhead.sc2.members.lobby import Lobby
from playhead.sc2.members.resumable import ResumeMarker
from playhead.sc2.members.sync import SyncColumns
from playhead.sc2.state.timeline import STATE_EVENTS
from playhead.sc2.state.winner import Inference, Side
from playhead.tables.schema import TableSchema

if TYPE_CHECKING:
    import pyarrow as pa


class TableSource(Protocol):
    """What a table may ask a replay for; members that are missing or damaged give nothing.

    Attributes:
        builds: base build and build.
        loops_per_second: of the clock that the game shows.
        event_scope: units of coordinates, and names of abilities.
        players_by_user: player number by user id of events.
        names_by_user: name by user id of events, without clan.
        players_by_lobby_user: player number by place in the lobby's list of users.
        sides: the teams at the end of the game.
        inferred_winner: who of them probably won; None where nothing in the file shows it.
        lobby, attributes, sync_columns, resume_markers, battle_lobby: members, decoded.
        cache_handles_source: the files of the game's cache, and the member that has them.
    """

    @property
    def builds(self) -> tuple[int, int]: ...
    @property
    def battle_lobby(self) -> BattleLobby | None: ...
    @property
    def cache_handles_source(self) -> tuple[str | None, Sequence[bytes]]: ...
    @property
    def loops_per_second(self) -> float: ...
    @property
    def event_scope(self) -> Scope: ...
    @property
    def players_by_user(self) -> Mapping[int, int]: ...
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

    def member_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the table ``members``."""
        ...

    def stream(self, name: str, *, text: bool = False) -> EventStream | None:
        """Return a stream of events, with the fields of all of them as JSON `text` if that is asked for."""
        ...


Builder = Callable[[TableSource], "pa.Table"]
EventBuilder = Callable[[EventStream, TableSource], "pa.Table"]


@dataclass(frozen=True, slots=True)
class Table:
    """A table that is declared.

    Attributes:
        schema: its columns.
        build: makes it from a replay.
        reads: classes of the events whose fields it needs.
        text_of: the stream whose events it needs as JSON text; None for none.
        made_of: the stream without which it is empty; None for none.
    """

    schema: TableSchema
    build: Builder
    reads: tuple[type[Event], ...] = ()
    text_of: str | None = None
    made_of: str | None = None


_declared: dict[str, Table] = {}


def table(
    schema: TableSchema, *, reads: tuple[type[Event], ...] = (), text_of: str | None = None
) -> Callable[[Builder], Builder]:
    """Declare the table that the decorated function builds."""

    def declare(build: Builder) -> Builder:
        _declared[schema.name] = Table(schema, build, reads, text_of, made_of=text_of)
        return build

    return declare


def event_table(
    schema: TableSchema, first: type[Event], *others: type[Event]
) -> Callable[[EventBuilder], EventBuilder]:
    """Declare the table that the decorated function builds of the events of these classes.

    The function gets the stream of the first class; where the replay does not have it, the table is empty.
    """

    def declare(build: EventBuilder) -> EventBuilder:
        def build_from(source: TableSource) -> pa.Table:
            stream = source.stream(STREAM_OF[first])
            return schema.build_rows([]) if stream is None or not stream.kinds else build(stream, source)

        _declared[schema.name] = Table(schema, build_from, (first, *others), made_of=STREAM_OF[first])
        return build

    return declare


@cache
def tables() -> Mapping[str, Table]:
    """Return the tables of all modules of the package by name, in alphabetical order."""
    package = import_module("playhead.sc2.tables")
    for module in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
        import_module(f"{package.__name__}.{module}")
    return MappingProxyType(dict(sorted(_declared.items())))


def tables_of(stream: str) -> list[str]:
    """Return the names of the tables that are empty where a replay does not have a stream."""
    return [name for name, each in tables().items() if each.made_of == stream]


@cache
def captured(stream: str) -> frozenset[type[Event]]:
    """Return the classes of the events of a stream whose fields tables and states need as columns."""
    needed = {*STATE_EVENTS, *(type_ for each in tables().values() for type_ in each.reads)}
    return frozenset(type_ for type_ in needed if STREAM_OF[type_] == stream)


def build_tables(source: TableSource, names: Iterable[str]) -> dict[str, pa.Table]:
    """Return the named tables; damage makes a table end early or be empty."""
    wanted = [tables()[name] for name in names]
    # A stream is decoded once: with its text if any of the tables wants that.
    for stream in sorted({each.text_of for each in wanted if each.text_of is not None}):
        source.stream(stream, text=True)
    with COLLECTOR_PAUSED:
        return {each.schema.name: each.build(source) for each in wanted}
