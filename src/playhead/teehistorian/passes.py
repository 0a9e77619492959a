"""`RecordingPasses`: a recording read in passes, and the facts and tables that a pass gives."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, cast

from playhead.errors import ReplayError
from playhead.io.source import Source
from playhead.model import Check, Info, Options, Player
from playhead.replay import Replay
from playhead.runtime.cached import shared_property
from playhead.runtime.libraries import pa
from playhead.runtime.records import field_names
from playhead.tables.registry import build_or_note
from playhead.tables.schema import TableSchema
from playhead.teehistorian.state.checks import Checks
from playhead.teehistorian.state.connections import players_of
from playhead.teehistorian.state.driver import Driver, PassOutcome
from playhead.teehistorian.state.seek import STRIDE, SeekIndex
from playhead.teehistorian.stream import extensions as ex
from playhead.teehistorian.stream.feed import Feed, read_source_header
from playhead.teehistorian.stream.header import Header
from playhead.teehistorian.stream.messages import TICKS_PER_SECOND
from playhead.teehistorian.tables import TABLES
from playhead.teehistorian.tables.builder import BulkBuilder, Guarded, TableBuilder

if TYPE_CHECKING:
    from playhead.tables.deferred import Built
    from playhead.teehistorian.physics.simulation import Simulation


#: Why no recording has some columns; and what may be missing where a column is null in all rows.
_UNFILLED = {
    **dict.fromkeys(("*.winner_team", "*.winner_side", "*.winner_name", "players.result"), "a race has no winner"),
    **dict.fromkeys(("*.game_seconds", "*.end_game_seconds"), "the game has no clock"),
    **dict.fromkeys(("players.team", "players.side"), "players change teams: table teams has each change"),
    "info.game_word": "one game writes files of this format",
    "info.end_time": "the file does not tell when the recording ended",
    "info.units_per_metre": "a tile has no size in metres",
    "players.kind": "the file does not tell people from programs",
    "players.account": "players have no accounts",
    **dict.fromkeys(("commands.client", "commands.player", "commands.name"), "the server gave them all"),
    "commands.auth_level": "no client that gave one has a known level",
    "inputs.wanted_weapon": "no input asks for a weapon by its number",
    **dict.fromkeys(("messages.client", "messages.player"), "no message is about a client"),
    "messages.extension": "the recording has no extra messages",
    **dict.fromkeys(("names.end_tick", "names.end_seconds"), "every name lasts to the end of the recording"),
    "net_messages.message_uuid": "all messages have numbers",
    **dict.fromkeys(("periods.end_tick", "periods.end_seconds"), "the file ends before the game does"),
    **dict.fromkeys(("runs.load_tick", "runs.save_uuid"), "no run continued a save"),
    **dict.fromkeys(("saves.names", "saves.save", "saves.save_uuid"), "every attempt failed"),
    **dict.fromkeys(("sessions.end_tick", "sessions.end_seconds"), "everyone stayed to the end of the recording"),
    "sessions.reason": "no session ended with a word of the server or the client",
    **dict.fromkeys(
        ("sessions.took_over_player", "sessions.taken_over_ticks"), "nobody used a timeout code again"
    ),
    "teams.practice": "no team entered or left practice",
    **dict.fromkeys(("teams.target_client", "teams.target_player"), "no two players swapped"),
}
#: Since when servers record others: extension, DDNet's version, tables and columns.
_SINCE = (
    (ex.Antibot, "17.3", "antibot"),
    (ex.AuthLogin, "11.0.3", "auth *.auth_level"),
    (ex.PlayerFinish, "18.3", "finishes runs"),
    (ex.SaveSuccess, "14.0.2", "saves"),
    (ex.PlayerTeam, "15.6", "teams *.team"),
    (ex.PlayerReady, "16.0", "sessions.ready_tick"),
    (ex.DDNetVersion, "13.2", "sessions.ddnet_version sessions.ddnet_version_text sessions.connection_uuid"),
)


def unfilled_reasons(header: Header) -> Mapping[str, str]:
    """Return the reasons, as `Replay._unfilled_reasons` wants them."""
    since = {
        name: version
        for record, version, names in _SINCE
        if record.extension_name not in header.extension_names
        for name in names.split()
    }
    if header.version_minor is None:
        since["info.build"] = "15.6"
    recorded = {name: f"servers record it since DDNet {version}" for name, version in since.items()}
    if "auth" in since:
        recorded["commands.auth_level"] = recorded["auth"]
    return _UNFILLED | recorded


#: Fields of the header that `Info` has too.
_OF_INFO = frozenset(field_names(Info))
#: Tables that callers often request one after the other: a pass for one builds both.
_COMPANIONS = frozenset({"positions", "inputs"})
#: Largest recording, in bytes, for which one pass builds both: the second table takes up to ten times as much
#: memory.
_BOTH_BELOW = 32 << 20


class RecordingPasses(Replay):
    """The part of `TeehistorianReplay` that reads the file.

    Attributes:
        header: the header of the file.
    """

    format = "teehistorian"
    format_title = "DDNet teehistorian"
    jobs_are_threads = True

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        self.header = read_source_header(source, options.limits)
        self._outcome: PassOutcome | None = None
        self._verified: tuple[Check, ...] | None = None
        self._filled: dict[str, TableBuilder] = {}  # by table, built before the first request
        self._simulation: Simulation | None = None
        if self.header.problem is not None:
            self._note(self.header.problem, cost="the fields of the header: map, version, time …", where="header")
        for odd in self.header.odd_values():
            self._note(odd, cost="what is made of this key", where="header")

    def _feed(self, *, wait: bool = False, until: int | None = None) -> Feed:
        return Feed(self.source, self.header, self.options.limits, wait=wait, until=until)

    def _run(self, builders: Collection[TableBuilder] = ()) -> PassOutcome:
        """Read the whole recording once, for `builders` and for the facts about the whole."""
        fills = {builder.fills for builder in builders if builder.fills is not None}
        handlers = [Guarded(builder, self.note) for builder in builders if builder.handles]
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
            builder.attach(driver.columns)
        while driver.advance():
            self._report(driver.feed.reader.end_offset())
        return self._finish(driver)

    def _fill(self, builders: Collection[TableBuilder]) -> PassOutcome:
        """Fill `builders` by one pass if any of them needs it; return the outcome of this or an earlier pass."""
        needs_pass = any(builder.needs_pass() for builder in builders)
        return self._run(builders) if needs_pass else self._finished_pass()

    def _finish(self, driver: Driver) -> PassOutcome:
        """Record the problems of a finished pass; in strict mode raise the first one, each time."""
        self._report(len(self.source.data))
        self._note_all(driver.problems())
        self._outcome = self._outcome or driver.outcome()
        return self._outcome

    def note(self, error: ReplayError, cost: str) -> None:
        """Record a problem and its cost; raise it in strict mode."""
        self._note(error, cost=cost)

    def _note_all(self, problems: Iterable[tuple[ReplayError, str]]) -> None:
        for error, cost in problems:
            self.note(error, cost)

    def _finished_pass(self) -> PassOutcome:
        with self.lock:
            return self._outcome or self._run()

    def _unfilled_reasons(self) -> Mapping[str, str]:
        return unfilled_reasons(self.header)

    @shared_property
    def index(self) -> SeekIndex:
        """The seek index of `at` and `window`; the first access reads the whole recording once.

        `use_index` stores it in a file.

        Raises:
            ReplayError: the recording was opened as a stream, which cannot seek.
        """
        self._need_whole()
        index = SeekIndex()
        driver = Driver(self._feed(), self.header, handlers=[index], rows=self.options.limits.rows)
        for done in index.follow(driver, STRIDE):
            self._report(done)
        index.finish(self._finish(driver))
        return index

    def _need_whole(self) -> None:
        if self.source.stream is not None:
            raise ReplayError(
                "a stream cannot be read from the middle: open the recording without stream=True or follow=True",
                file=self.name,
            )

    def _load_info(self) -> Info:
        outcome = self._finished_pass()
        header = self.header
        # The rest are fields of `Info` too, with other types or meanings.
        details = {f"header_{name}" if name in _OF_INFO else name: value for name, value in header.fields.items()}
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

    def _info_alone(self, game: str | None = "ddnet") -> Info:
        return super()._info_alone(game)

    def _load_players(self) -> tuple[Player, ...]:
        return players_of(self._finished_pass().connections)

    def _table_schemas(self) -> Iterable[TableSchema]:
        own = TABLES.schemas().values()
        return own if self._simulation is None else (*own, *self._simulation.tables.values())

    def _large_tables(self) -> frozenset[str]:
        return frozenset(name for name, builder in TABLES.tables().items() if issubclass(builder, BulkBuilder))

    def _build_tables(self, names: frozenset[str]) -> Mapping[str, Built]:
        if self._simulation is not None and not names.isdisjoint(self._simulation.tables):
            wanted = names & self._simulation.tables.keys()
            return {**self._simulation.read_tables(wanted), **self._build_tables(names - wanted)}
        builders = {name: self._filled.pop(name, None) for name in sorted(names)}
        new = {name: TABLES.tables()[name](self.header) for name, builder in builders.items() if builder is None}
        shared = self._build_shared(new)
        if shared is not None:
            filled = {name: builder for name, builder in builders.items() if builder}
            return {**self._built(filled, self._finished_pass()), **shared}
        also = {name: TABLES.tables()[name](self.header) for name in self._companions(frozenset(new))}
        outcome = self._fill([*new.values(), *also.values()])
        self._filled.update(also)
        return self._built({name: builder or new[name] for name, builder in builders.items()}, outcome)

    def _built(self, builders: Mapping[str, TableBuilder], outcome: PassOutcome) -> dict[str, Built]:
        def build(name: str) -> Mapping[str, Built]:
            return {name: builders[name].build(outcome)}

        built = [build_or_note(each, partial(build, name), self.note) for name, each in builders.items()]
        return {name: table for tables in built for name, table in tables.items()}

    def _build_columns(self, names: Collection[str], columns: Mapping[str, Sequence[str]]) -> Mapping[str, Built]:
        """Read only the requested columns if the recording is large; a small one is read whole and cached."""
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
        built = self._build_shared(builders)
        if built is None:
            outcome = self._fill(builders.values())
            built = self._built(builders, outcome)
        self._tables.update({name: table for name, table in built.items() if name not in parts})
        return {name: built[name] for name in parts}

    def _build_shared(self, builders: Mapping[str, TableBuilder]) -> dict[str, pa.Table] | None:
        """Return the tables of `builders` from several threads; None if one is as fast."""
        from playhead.teehistorian.tables.window import SMALLEST, build_shared

        bulk = {name: builder for name, builder in builders.items() if isinstance(builder, BulkBuilder)}
        if not bulk or self._jobs < 2 or self.source.stream is not None or len(self.source.data) < SMALLEST:
            return None
        index = self.index
        # The limit of messages in a compressed recording holds for a whole pass.
        if self.source.compressed_size is not None and not self._finished_pass().complete:
            return None
        rest = {name: builder for name, builder in builders.items() if name not in bulk}
        built: dict[str, pa.Table] = {}

        def build_rest() -> None:
            built.update(self._built(rest, self._fill(rest.values())))

        shared = build_shared(bulk, index, self.header, lambda end: self._feed(until=end), self._jobs, build_rest)
        return {**built, **shared}

    def _is_small(self) -> bool:
        return self.source.stream is None and len(self.source.data) <= _BOTH_BELOW

    def _companions(self, names: frozenset[str]) -> frozenset[str]:
        """Return the tables that a pass for `names` also builds, because callers often request them next."""
        if not self._is_small() or not names & _COMPANIONS:
            return frozenset()
        return _COMPANIONS - names - self._filled.keys() - self._tables.keys()

    def batches(self, name: str, *, rows: int = 65_536) -> Iterator[pa.RecordBatch]:
        """Yield a table in batches of at most `rows` rows; see `playhead.Replay.batches`.

        Batches of ``messages``, ``positions`` and ``inputs`` are built on demand, in constant memory; for a
        followed file, available rows are yielded before each wait. Other tables are built whole.
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
        """Run `state.checks` in a separate pass."""
        if self._verified is None:
            checks = Checks(self.header, self.name)
            feed = self._feed()
            with suppress(ReplayError):  # `problems` lists it already
                for tick, message in feed:
                    checks.on_message(tick, feed.reader.offset, message)
            checks.end(complete=self._finished_pass().complete)
            self._note_all(checks.failures())
            self._verified = tuple(checks.results())
        return self._verified
