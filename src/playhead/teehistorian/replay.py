"""A teehistorian recording as a `Replay`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from playhead.clock import Clock
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay
from playhead.events import choose_kinds, choose_names
from playhead.io.atomic import whole_file
from playhead.io.source import Source
from playhead.model import Info, Moment, Options, Player, Presentation
from playhead.replay import Replay
from playhead.tables.schema import TableSchema
from playhead.teehistorian.network import NetworkMessage, decode_network
from playhead.teehistorian.state.connections import Clients, Connection, ConnectionTracker
from playhead.teehistorian.state.seek import STRIDE, Checkpoint, SeekIndex, Tee, tees_at
from playhead.teehistorian.stream.column_pass import ColumnPass
from playhead.teehistorian.stream.extensions import Extension, ExtensionNames
from playhead.teehistorian.stream.feed import Feed, read_source_header
from playhead.teehistorian.stream.messages import Message, NetMessage, PlayerNew
from playhead.teehistorian.stream.reader import MAX_TICK, MessageReader
from playhead.teehistorian.tables import (
    COLLECTORS,
    SCHEMAS,
    TICKS_PER_SECOND,
    Collector,
    Collectors,
    build_inputs,
    build_messages,
    build_positions,
    build_sessions,
)
from playhead.teehistorian.tables.window import Window

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.teehistorian.events import TeehistorianEvent

#: A point in time; see `TeehistorianReplay.to_tick`.
Time = int | float | str | datetime

#: Messages between two reports of progress.
_STRETCH = 1 << 18

#: The tables that grow with every tick: those that `TeehistorianReplay.batches` makes piece by piece.
_LONG_TABLES = frozenset({"messages", "positions", "inputs"})


class _Listener:
    """Hands rare messages to the connection tracker and the collectors and remembers what it could not decode."""

    def __init__(
        self,
        reader: MessageReader,
        tracker: ConnectionTracker,
        collectors: Iterable[Collector] = (),
        index: SeekIndex | None = None,
    ) -> None:
        self.tracker = tracker
        self._collectors = Collectors(collectors)
        self._index = index
        self.damaged = 0
        self.first_damage: ReplayError | None = None
        self._reader = reader

    def __call__(self, tick: int, message: Message) -> None:
        if self._index is not None:
            self._index.on_message(tick, message)
        try:
            extension = self.tracker.on_message(tick, message)
        except TruncatedReplay as error:
            self.damaged += 1
            if self.first_damage is None:
                text = f"expected a whole extension payload: {error.message}"
                self.first_damage = CorruptReplay(text, offset=self._reader.offset, tick=tick)
            return
        self._collectors.take(tick, message, extension, self.tracker)


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
    capabilities = frozenset({"moment", "messages", "slice", "anonymize", "patterns"})

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        self.header = read_source_header(source, options.limits)
        self._outcome: _Outcome | None = None
        if self.header.problem is not None:
            self._note(self.header.problem, cost="the fields of the header: map, version, time …", where="header")

    def messages(self, *names: str | int) -> Iterator[tuple[int, Message]]:
        """Iterate over the messages with their ticks, in file order; of a followed file, as they are written.

        Args:
            names: of their classes (``PlayerNew``), or patterns of those (``Input*``); all by default.

        Raises:
            KeyError: there is no such class.
            ReplayError: at the first message that cannot be decoded, after the good ones.
        """
        feed = self._feed(wait=True)
        found = iter(feed) if self.source.stream is not None else feed.reader
        if not names:
            return found
        known = [kind.__name__ for kind in get_args(Message)]
        chosen = choose_names(map(str, names), known, "messages")
        return ((tick, message) for tick, message in found if type(message).__name__ in chosen)

    def _event_kinds(self) -> Mapping[str, str]:
        from playhead.teehistorian.events import event_kinds

        return event_kinds()

    def events(self, *kinds: str) -> Iterator[TeehistorianEvent]:
        """What is rare in every real file, decoded, in the order of the file: joins, drops, console commands,
        network messages (``net_…``) and extensions (``player_team``, ``team_finish`` …); see `Replay.events`.

        Chat is not among them: servers do not record it. Of a followed file they come as they are written.
        """
        return self._read_events(choose_kinds(kinds, self.event_kinds))

    def _read_events(self, kinds: frozenset[str]) -> Iterator[TeehistorianEvent]:
        from playhead.teehistorian.events import TeehistorianEvent

        feed = self._feed(wait=True)
        tracker = ConnectionTracker.for_header(self.header)
        found: list[TeehistorianEvent] = []
        network = any(kind.startswith("net_") for kind in kinds)
        broken: list[ReplayError] = []

        def listen(tick: int, message: Message) -> None:
            record: Message | Extension | NetworkMessage = message
            try:
                record = tracker.on_message(tick, message) or message
            except TruncatedReplay as error:
                text = f"expected a whole extension payload: {error.message}"
                broken.append(CorruptReplay(text, offset=feed.reader.offset, tick=tick))
                return
            client = getattr(record, "cid", None)
            if isinstance(message, NetMessage):
                if not network:
                    return
                connection = tracker.current(message.cid)
                record = decode_network(message.data, None if connection is None else connection.protocol)
            elif isinstance(message, PlayerNew):
                return
            event = TeehistorianEvent.of(tick, client, record)
            if event.kind in kinds:
                found.append(event)

        columns = self._columns(feed.reader, frozenset(), listen)
        damage: ReplayError | None = None
        more = True
        while more:
            try:
                more = feed.drive(columns, _STRETCH)
            except ReplayError as error:
                damage = error.with_traceback(None)
                more = False
            yield from found
            found.clear()
        if broken:
            self._note(broken[0], cost=f"what {len(broken)} extension messages tell")
        self._note_end(feed, damage, feed.trailing())

    @cached_property
    def clients(self) -> Clients:
        """Who is behind a client id at a tick."""
        return Clients(self._finished_pass().connections)

    def _feed(self, *, wait: bool = False) -> Feed:
        return Feed(self.source, self.header, self.options.limits, wait=wait)

    # -- the pass -----------------------------------------------------------------------------------------

    def _run(
        self, names: frozenset[str], collectors: Iterable[Collector] = (), index: SeekIndex | None = None
    ) -> ColumnPass:
        """One pass over the stream that fills the columns of the named tables, `collectors` and `index`."""
        feed = self._feed()
        reader = feed.reader
        listener = None
        if self._outcome is None or collectors or index is not None:
            listener = _Listener(reader, ConnectionTracker.for_header(self.header), collectors, index)
        columns = self._columns(reader, names, listener)
        damage: ReplayError | None = None
        try:
            if index is not None:
                index.checkpoints.append(Checkpoint.take(reader, columns))
            while feed.drive(columns, _STRETCH if index is None else STRIDE):
                self._report(reader.end_offset())
                if index is not None:
                    index.checkpoints.append(Checkpoint.take(reader, columns))
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
            if index is not None:
                index.connections = self._outcome.connections
                index.last_tick = reader.tick
        return columns

    def _columns(
        self,
        reader: MessageReader,
        names: frozenset[str],
        listener: Callable[[int, Message], object] | None = None,
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

    # -- going to a tick ----------------------------------------------------------------------------------

    @cached_property
    def index(self) -> SeekIndex:
        """What `at` and `window` find their way with; the first access reads the whole recording once.

        `use_index` keeps it in a file for the next time.

        Raises:
            ReplayError: the recording was opened as a stream, which cannot go back.
        """
        self._need_whole()
        index = SeekIndex()
        self._run(frozenset(), index=index)
        return index

    def use_index(self, path: str | Path | None = None) -> bool:
        """Take `index` from the file `path`, or make it and write it there if that is missing or of another
        recording; whether it was taken. By default the recording's own path with ``.index`` added.

        Raises:
            OSError: it cannot be written.
        """
        from playhead.teehistorian.state.index_file import read_index, write_index

        self._need_whole()
        where = Path(f"{self.name}.index" if path is None else path)
        found = read_index(where, self.source.data, self.header.size)
        if found is not None:
            self.index = found
            return True
        write_index(where, self.index, self.source.data)
        return False

    def _need_whole(self) -> None:
        if self.source.stream is not None:
            raise ReplayError(
                "a stream cannot be read from the middle: open the recording without stream=True or follow=True",
                file=self.name,
            )

    @property
    def clock(self) -> Clock:
        """Ticks as seconds: the rate is the same in every recording, so nothing is read for it."""
        return Clock(float(TICKS_PER_SECOND))

    def to_tick(self, when: Time) -> int:
        """As `Replay.to_tick`; a timezone-aware datetime is one too, by the start time in the header.

        Raises:
            ValueError: it is no time, or the header does not tell when the recording began.
        """
        if isinstance(when, datetime):
            if self.header.start_time is None:
                raise ValueError("the header does not tell when the recording began")
            when = (when - self.header.start_time).total_seconds()
        return super().to_tick(when)

    def at(self, when: Time) -> tuple[Tee, ...]:
        """Every tee and connected client at a tick, by client id: position, input, team, name.

        `when` is as for `to_tick`. Before the first tick nobody is there; after the last, who was there then.
        """
        index = self.index
        reader = self._feed().reader
        has_teams = (self.header.version_minor or 0) >= 2
        return tees_at(
            max(0, self.to_tick(when)),
            index,
            reader,
            self._columns(reader, frozenset()),
            default_team=0 if has_teams else None,
        )

    presentation = Presentation(y_is_down=True)

    def _moment(self, tick: int) -> Moment:
        from playhead.teehistorian.state.moment import moment_of

        return moment_of(tick, Clock(TICKS_PER_SECOND).seconds(tick), self.at(tick))

    def window(self, start: Time, end: Time, *, client: int | None = None, player: str | None = None) -> Window:
        """The ticks from `start` to `end` (both included, as for `to_tick`): positions, inputs, messages.

        Args:
            client: only what this client id did.
            player: only what the players of this name did, wherever they were connected.

        Raises:
            KeyError: nobody of that name was ever connected; the text lists who was.
            ValueError: `end` is before `start`.
        """
        first, last = self._range(start, end)
        intervals = None
        if player is not None:
            intervals = [
                (c.cid, c.tick, MAX_TICK if c.drop_tick is None else c.drop_tick)
                for c in self.index.connections
                if c.tick <= last and (c.drop_tick is None or c.drop_tick >= first)  # names are slow to tell
                if player in c.names() and client in (None, c.cid)
            ]
            if not intervals:
                names = {name for c in self.index.connections for name in c.names()}
                if player not in names:
                    raise KeyError(f"nobody called {player!r} here; there are {', '.join(sorted(names))}")
        elif client is not None:
            intervals = [(client, 0, MAX_TICK)]
        return Window(first, last, self.index, lambda: self._feed().reader, intervals)

    def write_slice(self, path: str | Path, start: Time, end: Time) -> None:
        """Write the ticks from `start` to `end` (both included, as for `to_tick`) as a recording of their own.

        `writing.slice` says what of it is synthesised. The file appears whole or not at all; of a
        damaged recording it holds the good part, and `problems` tells.

        Raises:
            ValueError: `end` is before `start`.
            ReplayError: in strict mode, the recording is damaged at or before `end`.
        """
        from playhead.teehistorian.writing.slice import slice_recording

        first, last = self._range(start, end)
        self._write(path, lambda feed: slice_recording(feed, self.header, first, last))

    def write_anonymized(
        self, path: str | Path, *, salt: str | bytes | None = None, keep_chat: bool = False
    ) -> tuple[str, ...]:
        """Write the recording without names, codes, addresses and chat; `writing.anonymize` has the details.

        The file appears whole or not at all; of a damaged recording it holds the good part.

        Args:
            path: where to write.
            salt: makes the words for a person the same in every recording; keep it secret. Without one they are
                numbered in the order of appearance.
            keep_chat: has no effect: servers do not record chat.

        Raises:
            ReplayError: in strict mode, the recording is damaged.
        """
        from playhead.teehistorian.writing.anonymize import anonymize_recording

        key = salt.encode() if isinstance(salt, str) else salt
        self._write(path, lambda feed: anonymize_recording(feed, self.header, key))
        return ()

    def patterns(
        self, player: str | None = None, *, start: Time | None = None, end: Time | None = None
    ) -> list[dict[str, Any]]:
        """Return figures of how players pressed, aimed and moved; of one player also who had the same inputs. See
        `Replay.patterns`.
        """
        from playhead.teehistorian.patterns import player_names, player_report

        window = None
        if start is not None or end is not None:
            last = self.index.last_tick + 1  # on which the last inputs act
            window = self.window(0 if start is None else start, last if end is None else end)
        if player is not None:
            return [player_report(self, player, window=window)]
        return [player_report(self, name, window=window, compare=False) for name in player_names(self)]

    def _write(self, path: str | Path, make: Callable[[Feed], Iterator[bytes]]) -> None:
        with whole_file(Path(path)) as temporary, temporary.open("wb") as file:
            feed = self._feed()
            try:
                for piece in make(feed):
                    file.write(piece)
                    self._report(feed.reader.end_offset())
            except ReplayError as error:
                self._note_end(feed, None if error is feed.damage else error, feed.trailing())

    def _range(self, start: Time, end: Time) -> tuple[int, int]:
        first, last = max(0, self.to_tick(start)), self.to_tick(end)
        if last < first:
            raise ValueError(f"expected an end from tick {first} on, got {last}")
        return first, last

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

    def _large_tables(self) -> frozenset[str]:
        return _LONG_TABLES

    def _build_tables(self, names: frozenset[str]) -> Mapping[str, pa.Table]:
        built: dict[str, pa.Table] = {}
        collectors = [COLLECTORS[name](self.header.version_minor) for name in COLLECTORS if name in names]
        if names != {"sessions"}:
            columns = self._run(names, collectors)
            for name in names & _LONG_TABLES:
                built[name] = self._built(name, columns, self.header.size)
        built.update((collector.schema.name, collector.build()) for collector in collectors)
        if "sessions" in names:
            built["sessions"] = build_sessions(self._finished_pass().connections)
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
                more = feed.drive(columns, rows - ready)
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
