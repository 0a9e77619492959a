"""A teehistorian recording as a `Replay`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay
from playhead.replay import Info, Options, Player, Replay
from playhead.source import Source
from playhead.tables.schema import TableSchema
from playhead.teehistorian.columns import ColumnPass
from playhead.teehistorian.connections import Clients, Connection, ConnectionTracker
from playhead.teehistorian.extensions import Extension, ExtensionNames
from playhead.teehistorian.header import read_header
from playhead.teehistorian.messages import Message, NetMessage, PlayerNew
from playhead.teehistorian.network import NetworkMessage, decode_network
from playhead.teehistorian.reader import MessageReader
from playhead.teehistorian.tables import (
    COLLECTORS,
    SCHEMAS,
    TICKS_PER_SECOND,
    Collector,
    Happening,
    build_inputs,
    build_messages,
    build_positions,
    build_sessions,
)

if TYPE_CHECKING:
    import pyarrow as pa

#: Messages between two reports of progress.
_STRETCH = 1 << 18


class _Listener:
    """Hands rare messages to the connection tracker and the collectors and remembers what it could not decode."""

    def __init__(self, reader: MessageReader, tracker: ConnectionTracker, collectors: Iterable[Collector]) -> None:
        self.tracker = tracker
        self._collectors = tuple(collectors)
        self.damaged = 0
        self.first_damage: ReplayError | None = None
        self._reader = reader

    def __call__(self, tick: int, message: Message) -> None:
        try:
            extension = self.tracker.on_message(tick, message)
        except TruncatedReplay as error:
            self.damaged += 1
            if self.first_damage is None:
                text = f"expected a whole extension payload: {error.message}"
                self.first_damage = CorruptReplay(text, offset=self._reader.offset, tick=tick)
            return
        if self._collectors:
            happening = Happening(tick, message, extension, self.tracker)
            for collector in self._collectors:
                collector.take(happening)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What one pass over the whole stream tells beside the columns."""

    last_tick: int
    complete: bool
    connections: tuple[Connection, ...]


class TeehistorianReplay(Replay):
    """A recording of a DDNet server: what every client did and where every tee was.

    Attributes:
        header: what the server tells about the recording.
    """

    format = "teehistorian"

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        self.header = read_header(source.data, options.limits)
        self._outcome: _Outcome | None = None
        if self.header.problem is not None:
            self._note(self.header.problem, cost="the fields of the header: map, version, time …", where="header")

    def messages(self) -> Iterator[tuple[int, Message]]:
        """Every message with its tick, in the order of the file.

        Raises:
            ReplayError: at the first message that cannot be decoded, after the good ones.
        """
        yield from self._reader()

    def events(self) -> Iterator[tuple[int, int | None, Message | Extension | NetworkMessage]]:
        """What is rare in every real file, decoded: (tick, client id, record), in the order of the file.

        Joins, drops, console commands; network messages as `NetworkMessage`; extensions as their records
        of `playhead.teehistorian.extensions`, as `Extra` if unknown. The client id is None where there is none.

        Raises:
            ReplayError: at the first message that cannot be decoded, after the good ones.
        """
        reader = self._reader()
        tracker = self._tracker()
        found: list[tuple[int, int | None, Message | Extension | NetworkMessage]] = []

        def listen(tick: int, message: Message) -> None:
            extension = tracker.on_message(tick, message)
            cid = getattr(message if extension is None else extension, "cid", None)
            if isinstance(message, NetMessage):
                connection = tracker.current(message.cid)
                protocol = None if connection is None else connection.protocol
                found.append((tick, cid, decode_network(message.data, protocol)))
            elif not isinstance(message, PlayerNew):
                found.append((tick, cid, message if extension is None else extension))

        columns = ColumnPass(reader, listener=listen)
        more = True
        while more:
            try:
                more = columns.run(_STRETCH)
            finally:
                yield from found
                found.clear()

    @cached_property
    def clients(self) -> Clients:
        """Who is behind a client id at a tick."""
        return Clients(self._finished_pass().connections)

    def _reader(self) -> MessageReader:
        return MessageReader(
            self.source.data,
            self.header.size,
            version=self.header.version,
            max_payload=self.options.limits.message,
        )

    # -- the pass -----------------------------------------------------------------------------------------

    def _tracker(self) -> ConnectionTracker:
        header = self.header
        if header.problem is not None:
            return ConnectionTracker()
        return ConnectionTracker(header.extension_names, header.version_minor)

    def _run(self, names: frozenset[str], collectors: Iterable[Collector] = ()) -> ColumnPass:
        """One pass over the stream that fills the columns of the named tables, and the collectors."""
        reader = self._reader()
        listener = _Listener(reader, self._tracker(), collectors) if self._outcome is None or collectors else None
        columns = ColumnPass(
            reader,
            messages="messages" in names,
            positions="positions" in names,
            inputs="inputs" in names,
            listener=listener,
        )
        damage: ReplayError | None = None
        try:
            while columns.run(_STRETCH):
                self._report(reader.end_offset())
        except ReplayError as error:
            damage = error.with_traceback(None)  # no cycle through this frame, which holds all columns
        self._report(len(self.source.data))
        trailing = len(self.source.data) - reader.end_offset()
        if listener is not None and listener.first_damage is not None:
            cost = f"what {listener.damaged} extension messages tell"
            self._note(listener.first_damage, cost=cost)
        self._note_stray(columns)
        self._note_end(reader, damage, trailing)
        if listener is not None and self._outcome is None:  # last, so that strict reading raises each time
            complete = reader.finished and not trailing
            self._outcome = _Outcome(reader.tick, complete, tuple(listener.tracker.connections))
        return columns

    def _note_stray(self, columns: ColumnPass) -> None:
        count = columns.stray_positions + columns.stray_inputs
        if count:
            error = CorruptReplay(
                f"{columns.stray_positions} records change the position of a tee that is not there, "
                f"{columns.stray_inputs} change an input that was never recorded; this is the first",
                offset=columns.first_stray_offset,
                tick=columns.first_stray_tick,
            )
            self._note(error, cost=f"{count} rows of positions and inputs")

    def _note_end(self, reader: MessageReader, damage: ReplayError | None, trailing: int) -> None:
        after_tick = f"everything recorded after tick {reader.tick}; how much that was is unknown"
        if isinstance(damage, TruncatedReplay):
            self._note(damage, cost=after_tick)
        elif isinstance(damage, LimitExceeded):
            self._note(damage, cost=f"the last {trailing} bytes: everything after tick {reader.tick}")
        elif damage is not None:
            cost = f"the last {trailing} bytes: messages have no frame, so nothing after a bad one can be found"
            self._note(damage, cost=cost)
        elif not reader.finished:
            error = TruncatedReplay(
                "expected the FINISH message that ends a recording, found the end of the file "
                "(was the server killed?)",
                offset=reader.end_offset(),
                tick=reader.tick,
            )
            self._note(error, cost=after_tick)
        elif trailing:
            error_text = f"expected the end of the file behind FINISH, found {trailing} more bytes"
            self._note(
                CorruptReplay(error_text, offset=reader.end_offset(), tick=reader.tick),
                cost=f"the last {trailing} bytes",
            )

    def _finished_pass(self) -> _Outcome:
        if self._outcome is None:
            self._run(frozenset())
        assert self._outcome is not None
        return self._outcome

    # -- what `Replay` asks for ---------------------------------------------------------------------------

    def _load_info(self) -> Info:
        outcome = self._finished_pass()
        header = self.header
        details = dict(header.fields)
        if not header.valid_utf8:
            details["header_valid_utf8"] = False
        return Info(
            format=self.format,
            game="ddnet",
            source=self.source.name,
            complete=outcome.complete,
            version=header.text("server_version"),
            build=header.version_minor,
            map=header.text("map_name"),
            start_time=header.start_time,
            duration_ticks=outcome.last_tick,
            ticks_per_second=float(TICKS_PER_SECOND),
            details=details,
        )

    def _load_players(self) -> tuple[Player, ...]:
        """One for each client id and name that was ever connected, in the order of appearance."""
        by_identity: dict[tuple[int, str], list[Connection]] = {}
        for connection in self._finished_pass().connections:
            if connection.name is not None:
                by_identity.setdefault((connection.cid, connection.name), []).append(connection)
        return tuple(
            Player(
                player=cid,
                name=name,
                clan=connections[-1].clan,
                character=connections[-1].skin,
                details={
                    "country": connections[-1].country,
                    "protocol": connections[-1].protocol,
                    "connected": [[c.tick, c.drop_tick] for c in connections],
                },
            )
            for (cid, name), connections in by_identity.items()
        )

    def _table_schemas(self) -> Iterable[TableSchema]:
        return SCHEMAS

    def _build_tables(self, names: frozenset[str]) -> Mapping[str, pa.Table]:
        built: dict[str, pa.Table] = {}
        collectors = [COLLECTORS[name](self.header.version_minor) for name in COLLECTORS if name in names]
        if names != {"sessions"}:
            columns = self._run(names, collectors)
            if "messages" in names:
                extensions = ExtensionNames(self.header.extension_names)
                built["messages"] = build_messages(
                    columns.message_columns, columns.extension_codes, extensions, self.header.size
                )
            if "positions" in names:
                built["positions"] = build_positions(columns.position_columns)
            if "inputs" in names:
                built["inputs"] = build_inputs(columns.input_columns, self.header.version_minor)
        built.update((collector.schema.name, collector.build()) for collector in collectors)
        if "sessions" in names:
            built["sessions"] = build_sessions(self._finished_pass().connections)
        return built

    def _survey(self) -> None:
        self._finished_pass()
