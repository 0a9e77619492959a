"""A teehistorian recording as a `Replay`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from playhead.clock import Clock
from playhead.errors import ReplayError
from playhead.events import choose_kinds, choose_names
from playhead.io.atomic import whole_file
from playhead.io.source import Source
from playhead.model import Check, Info, Options, Player
from playhead.replay import Replay
from playhead.runtime.cached import cached_property, shared_property
from playhead.tables.schema import TableSchema
from playhead.teehistorian.presentation import PRESENTATION
from playhead.teehistorian.state.checks import Checks
from playhead.teehistorian.state.connections import Clients
from playhead.teehistorian.state.driver import Driver, Outcome
from playhead.teehistorian.state.events import TeehistorianEvent, event_kinds
from playhead.teehistorian.state.players import players_of
from playhead.teehistorian.state.seek import STRIDE, SeekIndex, Tees, tees_at
from playhead.teehistorian.stream.column_pass import ColumnPass
from playhead.teehistorian.stream.feed import Feed, read_source_header
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND, Message
from playhead.teehistorian.stream.reader import MAX_TICK
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import BulkBuilder, TableBuilder
from playhead.teehistorian.tables.events import Events
from playhead.teehistorian.tables.window import Window

if TYPE_CHECKING:
    import pyarrow as pa

#: A point in time; see `TeehistorianReplay.to_tick`.
Time = int | float | str | datetime

#: Tables of which one is often asked for after the other: a pass for one fills both.
_COMPANIONS = frozenset({"positions", "inputs"})
#: In recordings up to this many bytes: the columns that wait take up to some ten times as much memory.
_BOTH_BELOW = 32 << 20


class TeehistorianReplay(Replay):
    """A recording of a DDNet server: what every client did and where every tee was.

    Attributes:
        header: what the server wrote about the recording.
    """

    format = "teehistorian"
    capabilities = frozenset({"moment", "messages", "slice", "anonymize", "patterns", "runs"})

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        self.header = read_source_header(source, options.limits)
        self._outcome: Outcome | None = None
        self._verified: tuple[Check, ...] | None = None
        self._filled: dict[str, TableBuilder] = {}  # of tables that were not asked for yet
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

    # -- the pass -----------------------------------------------------------------------------------------

    def _feed(self, *, wait: bool = False) -> Feed:
        return Feed(self.source, self.header, self.options.limits, wait=wait)

    def _run(self, builders: Collection[TableBuilder] = ()) -> Outcome:
        """Read the whole recording once, for `builders` and for the facts about the whole."""
        fills = {builder.fills for builder in builders if builder.fills is not None}
        handlers = [builder for builder in builders if builder.handles]
        connections = self._outcome is None or bool(handlers) or bool(fills)
        driver = Driver(
            self._feed(),
            self.header,
            handlers=handlers,
            columns=fills,
            connections=connections,
            rows=self.options.limits.rows,
        )
        for builder in builders:
            builder.attach(driver.columns, driver.holders)
        while driver.advance():
            self._report(driver.feed.reader.end_offset())
        return self._finish(driver)

    def _finish(self, driver: Driver) -> Outcome:
        """Note the problems of a pass that is over; in strict mode raise the first, each time."""
        self._report(len(self.source.data))
        self._note_all(driver.problems())
        self._outcome = self._outcome or driver.outcome()
        return self._outcome

    def _note_all(self, problems: Iterable[tuple[ReplayError, str]]) -> None:
        for error, cost in problems:
            self._note(error, cost=cost)

    def _finished_pass(self) -> Outcome:
        with self.lock:
            return self._outcome or self._run()

    def _event_kinds(self) -> Mapping[str, str]:
        return event_kinds()

    def events(self, *kinds: str) -> Iterator[TeehistorianEvent]:
        """Yield what is rare in every real file, decoded, in the order of the file; see `Replay.events`.

        These are joins, drops, console commands, network messages (``net_…``) and extensions (``player_team``,
        ``team_finish`` …). Chat is not among them: servers do not record it. Of a followed file they come as they
        are written.
        """
        return self._read_events(choose_kinds(kinds, self.event_kinds))

    def _read_events(self, kinds: frozenset[str]) -> Iterator[TeehistorianEvent]:
        collector = Events(self.header, kinds)
        driver = Driver(self._feed(wait=True), self.header, handlers=[collector])
        more = True
        while more:
            more = driver.advance()
            yield from collector.drain()
        self._note_all(driver.problems())

    def name_of(self, player: int, tick: int) -> str | None:
        """As `Replay.name_of`; `player` is the number of a session."""
        connections = self.clients.connections
        return connections[player].name_at(tick) if 0 <= player < len(connections) else None

    @cached_property
    def clients(self) -> Clients:
        """Who is behind a client id at a tick."""
        return Clients(self._finished_pass().connections)

    # -- going to a tick ----------------------------------------------------------------------------------

    @shared_property
    def index(self) -> SeekIndex:
        """What `at` and `window` find their way with; the first access reads the whole recording once.

        `use_index` keeps it in a file for the next time.

        Raises:
            ReplayError: the recording was opened as a stream, which cannot go back.
        """
        self._need_whole()
        index = SeekIndex()
        driver = Driver(self._feed(), self.header, handlers=[index], rows=self.options.limits.rows)
        for done in index.follow(driver, STRIDE):
            self._report(done)
        index.finish(self._finish(driver))
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
        """Ticks as seconds; the rate is the same in every recording, so nothing is read for it."""
        return Clock(float(TICKS_PER_SECOND))

    def to_tick(self, when: Time) -> int:
        """As `Replay.to_tick`; a timezone-aware datetime is one too, by the start time in the header.

        Raises:
            ValueError: it is no time, or the header does not say when the recording began.
        """
        if isinstance(when, datetime):
            if self.header.start_time is None:
                raise ValueError("the header does not say when the recording began")
            when = (when - self.header.start_time).total_seconds()
        return super().to_tick(when)

    def _last_tick(self) -> int | None:
        return None if self.source.stream is not None else self._finished_pass().last_tick

    def tick_within(self, when: Time) -> int:
        """As `Replay.tick_within`; `when` may be a datetime."""
        return self._in_range(self.to_tick(when), when, self._last_tick())

    def at(self, when: Time) -> Tees:
        """Every tee and connected client at the end of a tick, by client id: position, input, team, name.

        `when` is as for `to_tick`; see `Replay.at`. An input of the last tick would act on the one behind it.
        """
        self._need_whole()
        with self.lock:
            return self._moment(self.tick_within(when))

    def _moment(self, tick: int) -> Tees:
        index = self.index
        reader = self._feed().reader
        has_teams = (self.header.version_minor or 0) >= 2
        tees = tees_at(tick, index, reader, ColumnPass(reader), default_team=0 if has_teams else None)
        return Tees(tick, self.clock, tees)

    presentation = PRESENTATION

    def window(self, start: Time, end: Time, *, client: int | None = None, player: str | None = None) -> Window:
        """The ticks from `start` to `end` (both included, as for `to_tick`): positions, inputs, messages.

        Args:
            client: only what this client id did.
            player: only what the players of this name did, wherever they were connected.

        Raises:
            KeyError: nobody of that name was ever connected; the text lists who was.
            ValueError: the recording does not have all of it, or `end` is before `start`.
        """
        self._need_whole()
        with self.lock:
            return self._window(*self._stretch(start, end), client=client, player=player)

    def _window(self, first: int, last: int, *, client: int | None = None, player: str | None = None) -> Window:
        intervals = None
        if player is not None:
            intervals = self.index.intervals_of(player, first, last, client=client)
        elif client is not None:
            intervals = [(client, 0, MAX_TICK)]
        return Window(first, last, self.index, self.header, lambda: self._feed().reader, intervals)

    def write_slice(self, path: str | Path, start: Time, end: Time) -> None:
        """Write the ticks from `start` to `end` (both included, as for `to_tick`) as a recording of their own.

        `writing.slice` says what of it is synthesised. The file appears whole or not at all; of a
        damaged recording it holds the good part, and `problems` has the damage.

        Raises:
            ValueError: the recording does not have all of it (damage ends it), or `end` is before `start`.
            ReplayError: in strict mode, the recording is damaged at or before `end`.
        """
        from playhead.teehistorian.writing.slice import slice_recording

        # Where the recording ends, this pass finds out; a stream allows no other.
        first, last = self.to_tick(start), self.to_tick(end)
        if first < 0 or last < first:
            self._stretch(start, end)

        def check(end_tick: int) -> None:
            for tick, when in ((first, start), (last, end)):
                self._in_range(tick, when, end_tick)

        self._write(path, lambda feed: slice_recording(feed, self.header, first, last), check)

    def write_anonymized(
        self,
        path: str | Path,
        *,
        salt: str | bytes | None = None,
        keep_chat: bool = False,
        replace: Mapping[str, str] | None = None,
    ) -> tuple[str, ...]:
        """Write the recording without names, codes, addresses and chat; `writing.anonymize` has the details.

        The file appears whole or not at all; of a damaged recording it holds the good part.

        Args:
            path: where to write; a folder that exists gets a file named by the ``game_uuid`` that is written.
            salt: makes the words for a person the same in every recording; keep it secret. Without one they are
                numbered in the order of appearance.
            keep_chat: has no effect: servers do not record chat.
            replace: any of ``game_uuid`` (with it the ids of saves; an empty text: by ids made of salt and old
                id), ``start_time`` and ``server_port``, with the texts to write in their place; an empty one is
                the start of 1970 and port 0.

        Returns:
            What was replaced, removed and kept, with counts; a sentence each.

        Raises:
            ValueError: something else is to be replaced, or by what the header cannot hold.
            ReplayError: in strict mode, the recording is damaged.
        """
        from playhead.teehistorian.writing.anonymize import KEPT_WHOLE, anonymize_recording
        from playhead.teehistorian.writing.anonymize_header import anonymized_name, check_replacements
        from playhead.teehistorian.writing.pseudonyms import Ledger, Words

        check_replacements(replace or {})
        key = salt.encode() if isinstance(salt, str) else salt
        words, ledger = Words(key), Ledger()
        if Path(path).is_dir():
            path = Path(path) / anonymized_name(self.header, words, replace or {})
        self._write(
            path, lambda feed: anonymize_recording(feed, self.header, words, replace=replace, ledger=ledger)
        )
        return (*ledger.sentences(), KEPT_WHOLE)

    def patterns(
        self,
        player: str | None = None,
        *,
        client: int | None = None,
        session: int | None = None,
        start: Time | None = None,
        end: Time | None = None,
    ) -> list[dict[str, Any]]:
        """Return figures of how each session pressed, aimed and moved; of those asked for by name, client id or
        number also who had the same inputs. See `Replay.patterns`.
        """
        from playhead.teehistorian.patterns import chosen_sessions, session_reports

        window = None
        if start is not None or end is not None:
            open_end = self.index.last_tick if end is None else end
            first, last = self._stretch(0 if start is None else start, open_end)
            # The last inputs act on the tick behind the last.
            window = self._window(first, last + 1 if end is None else last)
        chosen = chosen_sessions(self, player=player, client=client, session=session)
        some = (player, client, session) != (None, None, None)
        return session_reports(self, chosen, window=window, compare=some)

    def runs(self) -> list[dict[str, Any]]:
        """Return every finished run; `teehistorian.runs.list_runs` says what of it is known. See `Replay.runs`."""
        from playhead.teehistorian.runs import list_runs

        return list_runs(self)

    def run_arrays(self, run: int, session: int | None = None) -> dict[str, pa.Array]:
        """Return state and input of a runner on every tick of a run; see `teehistorian.runs.run_arrays`."""
        from playhead.teehistorian.runs import run_arrays

        return run_arrays(self, run, session)

    def run_trace(self, run: int) -> pa.Table:
        """Return where every runner was on every tick of a run; see `teehistorian.runs.run_trace`."""
        from playhead.teehistorian.runs import run_trace

        return run_trace(self, run)

    def write_run(self, path: str | Path, run: int) -> None:
        """Write a run as a recording of its own, from its first tick to the finish; see `write_slice`."""
        from playhead.teehistorian.runs import find_run

        found = find_run(self, run)
        self.write_slice(path, found["first_tick"], found["tick"])

    def _write(
        self,
        path: str | Path,
        make: Callable[[Feed], Iterator[bytes]],
        check: Callable[[int], object] | None = None,
    ) -> None:
        """Write what is made of the recording; `check` gets the tick that was reached, before the file appears."""
        with whole_file(Path(path)) as temporary, temporary.open("wb") as file:
            feed = self._feed()
            try:
                for piece in make(feed):
                    file.write(piece)
                    self._report(feed.reader.end_offset())
            except ReplayError as error:
                self._note_all(feed.problems(None if error is feed.damage else error, feed.trailing()))
            if check is not None:
                check(feed.reader.tick)

    def _stretch(self, start: Time, end: Time) -> tuple[int, int]:
        first, last = self.tick_within(start), self.tick_within(end)
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
        return players_of(self._finished_pass().connections)

    def _table_schemas(self) -> Iterable[TableSchema]:
        return TABLES.schemas().values()

    def _large_tables(self) -> frozenset[str]:
        return frozenset(name for name, builder in TABLES.tables().items() if issubclass(builder, BulkBuilder))

    def _build_tables(self, names: frozenset[str]) -> Mapping[str, pa.Table]:
        builders = {name: self._filled.pop(name, None) for name in names}
        new = {name: TABLES.tables()[name](self.header) for name, builder in builders.items() if builder is None}
        if any(builder.needs_pass() for builder in new.values()):
            also = {name: TABLES.tables()[name](self.header) for name in self._companions(frozenset(new))}
            outcome = self._run([*new.values(), *also.values()])
            self._filled.update(also)
        else:
            outcome = self._finished_pass()
        return {name: (builder or new[name]).build(outcome) for name, builder in builders.items()}

    def _build_columns(
        self, names: Collection[str], columns: Mapping[str, Sequence[str]]
    ) -> Mapping[str, pa.Table]:
        """Read some columns alone where the others would take much memory; those of a small recording are kept."""
        if self._is_small() or self.source.stream is not None:
            return {}
        missing = [name for name in names if name in TABLES.tables() and name not in self._tables]
        builders = {name: TABLES.tables()[name](self.header) for name in missing}
        parts = [
            name for name, builder in builders.items() if isinstance(builder, BulkBuilder) and columns.get(name)
        ]
        if not parts:
            return {}
        for name in parts:
            schema = self.schema_of(name).arrow()
            for column in columns[name]:
                schema.field(column)  # raises KeyError as `pa.Table.select` does
            cast(BulkBuilder, builders[name]).only = list(dict.fromkeys(columns[name]))
        outcome = self._run(list(builders.values()))
        built = {name: builder.build(outcome) for name, builder in builders.items()}
        self._tables.update({name: table for name, table in built.items() if name not in parts})
        return {name: built[name] for name in parts}

    def _is_small(self) -> bool:
        return self.source.stream is None and len(self.source.data) <= _BOTH_BELOW

    def _companions(self, names: frozenset[str]) -> frozenset[str]:
        """Tables that a pass for `names` fills too: people who ask for positions ask for inputs next."""
        if not self._is_small() or not names & _COMPANIONS:
            return frozenset()
        return _COMPANIONS - names - self._filled.keys() - self._tables.keys()

    def batches(self, name: str, *, rows: int = 65_536) -> Iterator[pa.RecordBatch]:
        """Yield a table in batches of at most `rows` rows; see `playhead.Replay.batches`.

        ``messages``, ``positions`` and ``inputs`` are made as they are asked for, in flat memory, and of a
        followed file as it grows: whatever has come is handed on before each wait. The others are built whole.
        """
        builder = TABLES.tables()[name](self.header) if name in self._large_tables() else None
        if not isinstance(builder, BulkBuilder) or builder.fills is None:
            yield from super().batches(name, rows=rows)
            return
        driver = Driver(self._feed(wait=True), self.header, columns={builder.fills})
        for batch in builder.batches(driver, rows):
            self._report(driver.feed.reader.end_offset())
            yield batch
        self._report(driver.feed.reader.end_offset())
        self._note_all(driver.problems())

    def _survey(self) -> None:
        self._finished_pass()

    def _checks(self) -> tuple[Check, ...]:
        """`state.checks`, in a pass of its own."""
        if self._verified is None:
            checks = Checks(self.header, self.name)
            feed = self._feed()
            with suppress(ReplayError):  # it is one of `problems` already
                for tick, message in feed:
                    checks.on_message(tick, feed.reader.offset, message)
            checks.end(complete=self._finished_pass().complete)
            self._note_all(checks.failures())
            self._verified = tuple(checks.results())
        return self._verified
