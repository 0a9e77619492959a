"""A teehistorian recording as a `Replay`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay
from playhead.replay import Info, Options, Player, Replay
from playhead.source import Source
from playhead.tables.schema import TableSchema
from playhead.teehistorian.columns import ColumnPass
from playhead.teehistorian.connections import Connection, ConnectionTracker
from playhead.teehistorian.extensions import ExtensionNames
from playhead.teehistorian.feed import Feed, read_source_header
from playhead.teehistorian.messages import Message
from playhead.teehistorian.reader import MessageReader
from playhead.teehistorian.tables import (
    SCHEMAS,
    TICKS_PER_SECOND,
    build_inputs,
    build_joins,
    build_messages,
    build_positions,
)

if TYPE_CHECKING:
    import pyarrow as pa

#: Messages between two reports of progress.
_STRETCH = 1 << 18

#: The tables that grow with every tick: those that `TeehistorianReplay.batches` makes piece by piece.
_LONG_TABLES = frozenset({"messages", "positions", "inputs"})


class _Listener:
    """Hands rare messages to the connection tracker and remembers what it could not decode."""

    def __init__(self, reader: MessageReader) -> None:
        self.tracker = ConnectionTracker()
        self.damaged = 0
        self.first_damage: ReplayError | None = None
        self._reader = reader

    def __call__(self, tick: int, message: Message) -> None:
        try:
            self.tracker.on_message(tick, message)
        except TruncatedReplay as error:
            self.damaged += 1
            if self.first_damage is None:
                text = f"expected a whole extension payload: {error.message}"
                self.first_damage = CorruptReplay(text, offset=self._reader.offset, tick=tick)


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
        self.header = read_source_header(source, options.limits)
        self._outcome: _Outcome | None = None
        if self.header.problem is not None:
            self._note(self.header.problem, cost="the fields of the header: map, version, time …", where="header")

    def messages(self) -> Iterator[tuple[int, Message]]:
        """Every message with its tick, in the order of the file; of a followed file, as they are written.

        Raises:
            ReplayError: at the first message that cannot be decoded, after the good ones.
        """
        yield from self._feed(wait=True)

    def _feed(self, *, wait: bool = False) -> Feed:
        return Feed(self.source, self.header, self.options.limits, wait=wait)

    # -- the pass -----------------------------------------------------------------------------------------

    def _run(self, names: frozenset[str]) -> ColumnPass:
        """One pass over the stream that fills the columns of the named tables."""
        feed = self._feed()
        reader = feed.reader
        listener = _Listener(reader) if self._outcome is None else None
        columns = self._columns(reader, names, listener)
        damage: ReplayError | None = None
        try:
            while feed.drive(columns.run, _STRETCH):
                self._report(reader.end_offset())
        except ReplayError as error:
            damage = error.with_traceback(None)  # no cycle through this frame, which holds all columns
        self._report(len(self.source.data))
        trailing = feed.trailing()
        if listener is not None and listener.first_damage is not None:
            cost = f"what {listener.damaged} extension messages tell"
            self._note(listener.first_damage, cost=cost)
        self._note_stray(columns)
        self._note_end(feed, damage, trailing)
        if listener is not None:  # last, so that strict reading raises each time
            complete = reader.finished and not trailing
            self._outcome = _Outcome(reader.tick, complete, tuple(listener.tracker.connections))
        return columns

    def _columns(
        self, reader: MessageReader, names: frozenset[str], listener: _Listener | None = None
    ) -> ColumnPass:
        return ColumnPass(
            reader,
            messages="messages" in names,
            positions="positions" in names,
            inputs="inputs" in names,
            listener=listener,
        )

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

    def _note_end(self, feed: Feed, damage: ReplayError | None, trailing: int) -> None:
        reader = feed.reader
        if feed.damage is not None:
            here = reader.end_offset() + trailing
            self._note(feed.damage, cost=f"everything after {here} decompressed bytes")
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
        if names != {"joins"}:
            columns = self._run(names)
            for name in names & _LONG_TABLES:
                built[name] = self._built(name, columns, self.header.size)
        if "joins" in names:
            built["joins"] = build_joins(self._finished_pass().connections)
        return built

    def _built(self, name: str, columns: ColumnPass, first_offset: int) -> pa.Table:
        """One of the long tables from the columns that a pass has filled so far; they start anew."""
        if name == "positions":
            return build_positions(columns.position_columns)
        if name == "inputs":
            return build_inputs(columns.input_columns)
        extensions = ExtensionNames(self.header.extension_names)
        return build_messages(columns.message_columns, columns.extension_codes, extensions, first_offset)

    def batches(self, name: str, *, rows: int = 65_536) -> Iterator[pa.RecordBatch]:
        """A table in batches of at most `rows` rows; see `playhead.Replay.batches`.

        ``messages``, ``positions`` and ``inputs`` are made as they are asked for, in flat memory, and of a
        followed file as it grows: whatever has come is handed on before each wait. The others are built whole.
        """
        if name not in _LONG_TABLES:
            yield from super().batches(name, rows=rows)
            return
        feed = self._feed(wait=True)
        columns = self._columns(feed.reader, frozenset({name}))
        offset = self.header.size
        damage: ReplayError | None = None
        more = True
        while more:
            ready = columns.longest()
            try:
                more = feed.drive(columns.run, rows - ready)
            except ReplayError as error:
                damage = error.with_traceback(None)
                more = False
            self._report(feed.reader.end_offset())
            ready = columns.longest()
            if ready and (ready == rows or feed.idle or not more):
                table = self._built(name, columns, offset)
                offset = feed.reader.end_offset()
                yield from table.combine_chunks().to_batches()
        self._note_stray(columns)
        self._note_end(feed, damage, feed.trailing())

    def _survey(self) -> None:
        self._finished_pass()
