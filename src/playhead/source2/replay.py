"""`Source2Replay`: a demo of the Source 2 engine (``.dem``) as a `Replay`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakMethod

from playhead.clock import ticks_between
from playhead.errors import ReplayError, TruncatedReplay
from playhead.events import Event, EventSource, event_table_of, events_of_tables
from playhead.io.source import Source
from playhead.model import Check, Info, Options, Player, Problem
from playhead.replay import Replay, handler_of, one_moment
from playhead.runtime.cached import shared_property
from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.libraries import pa
from playhead.source2.container.frames import iterate_frames
from playhead.source2.games import GAMES, UNKNOWN_GAME
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording, Schema
from playhead.source2.playback.riders import Riders, Trial
from playhead.source2.tables import PREFIX, TABLES
from playhead.tables.registry import build_or_note
from playhead.tables.shared import EVENTS

if TYPE_CHECKING:
    from pathlib import Path

    from playhead.model import ProblemHandler
    from playhead.presentation import Presentation
    from playhead.source2.messages.decoded import Message
    from playhead.source2.messages.game_events import GameEvent
    from playhead.source2.playback.checked import Checked
    from playhead.source2.playback.collector import Collector
    from playhead.source2.playback.world import World
    from playhead.source2.tables.entities import EntityQuery
    from playhead.source2.tables.request import TableRequest
    from playhead.tables.deferred import Built, BuiltTables
    from playhead.tables.registry import TableRegistry
    from playhead.tables.schema import TableSchema
from playhead.text.names import flat, listed, one_name, unknown_name

# Tables and moments import their modules on use: a playback alone needs none of them.


class Source2Replay(Replay):
    """One Source 2 demo.

    In addition to every `Replay`: `recording`, messages, game events, and the state at any moment.

    Attributes:
        recording: the container: frames, header, content of the sign-on, schema.
    """

    format = "source2"
    format_title = "Source 2 demo"
    capabilities = frozenset({"moment", "messages", "game_events", "entities", "schema", "slice"})

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        self._checked: Checked | None = None
        self._is_compared = True  # there is no pass yet
        self._riders = Riders()
        self._one_by_one = False
        self.trial = Trial()
        self.recording = Recording(
            source, options.limits, handler_of(WeakMethod(self.note), strict=options.strict)
        )

    @property
    def problems_so_far(self) -> tuple[Problem, ...]:
        """As `Replay.problems_so_far`; after a pass, also what its frames say of each other."""
        if not self._is_compared and not self.options.strict:
            from playhead.source2.playback.expected import unmet_by_frames

            self._is_compared = True
            for error, cost in unmet_by_frames(self.recording):
                self.note(error, cost)
        return super().problems_so_far

    @property
    def presentation(self) -> Presentation:
        """As `Replay.presentation`."""
        from playhead.source2.presentation import PRESENTATION

        return PRESENTATION

    def note(self, error: ReplayError, cost: str, where: str = "file") -> None:
        """Record an error with a description of the lost data; raise the error in strict mode."""
        if self.source.place is not None and error.offset is not None:
            from playhead.source2.container.broadcast import is_part

            place = None if is_part(error.where) else self.source.place(error.offset)
            if place is not None:
                error.where, error.offset = f"{error.where or where} in {place[0]}", place[1]
        if self.trial.here:
            problem = Problem.from_error(error.locate(file=self.source.name), cost=cost, where=where)
            self.trial.check(problem, self._found, strict=self.options.strict)
        self._note(error, cost=cost, where=where)

    def _load_info(self) -> Info:
        return self.brief_info

    @shared_property
    def brief_info(self) -> Info:
        """`info` by the head of the file and FileInfo: without the winner, if only the match itself tells it."""
        from playhead.source2.tables.info import load_info

        return load_info(self.recording, self.format, self.name, self.note)

    def _load_players(self) -> tuple[Player, ...]:
        from playhead.source2.tables.players import load_players

        return load_players(self.recording, self.note)

    def _unfilled_reasons(self) -> Mapping[str, str]:
        from playhead.source2.tables.info import UNFILLED

        return UNFILLED

    # -- state ------------------------------------------------------------------------------------------

    def playback(
        self,
        tables: Iterable[str] | None = (),
        *,
        wanted: Callable[[str], Callable[[str], bool] | None] | None = None,
        entities: bool = True,
        check: bool = False,
        on_problem: ProblemHandler | None = None,
    ) -> Playback:
        """Return a playhead at the start, for handlers of entities and messages and for playing frame by frame.

        Without `on_problem`, problems are recorded (in strict mode raised). The other arguments are those of
        `Playback`.

        Args:
            wanted: which fields of which classes to keep; see `EntityManager`. Names of entities then require
                ``EntityNames`` in `tables` and the field `m_pEntity.m_nameStringTableIndex`.
        """
        return Playback(
            self.recording,
            schema=None if wanted is None else Schema(self.recording, wanted),
            tables=tables,
            entities=entities,
            check=check,
            on_problem=on_problem or self.note,
            progress=self._report,
        )

    def at(self, when: int | float | str | None = None, *, seconds: float | None = None) -> World:
        """Return the state at a moment: a tick (int), seconds since the start of the recording (float), or a
        game time (``"12:30"``); see `to_tick`.

        It starts at the last full packet before the moment, not at the beginning.

        Raises:
            ValueError: the time is invalid or outside the recording, or the tick rate is unknown.
        """
        with self.lock:
            found = self._moment(self.tick_within(one_moment(when, seconds)))
            found.word(self.presentation.wording.in_words)
            return found

    def _moment(self, tick: int) -> World:
        from playhead.source2.playback.world import World

        playback = self.playback(None)
        playback.seek(tick)
        return World(playback, tick, self.clock, lambda: self.players)

    @property
    def first_tick(self) -> int:
        """The tick of the first frame after the sign-on; 0 if that is within the first second, or in a pipe."""
        if self.source.stream is not None:
            return 0
        if self.recording.joined is not None:
            return self.recording.joined
        first = 0
        with suppress(ReplayError):  # the pass over all frames reports it
            frames = iterate_frames(memoryview(self.source.data), self.recording.limits)
            first = next((frame.tick for frame in frames if frame.tick >= 0), 0)
        return first if first > (self.recording.ticks_per_second or 1.0) else 0

    def _first_tick(self) -> int:
        joined = self.recording.joined
        return -1 if joined is None else joined  # -1 is after the sign-on

    def _last_tick(self) -> int | None:
        if self.source.stream is not None:
            return None
        return max(self.brief_info.duration_ticks or 0, self.recording.frames.highest_tick() or 0)

    def write_slice(self, path: str | Path, start: int | float | str, end: int | float | str) -> None:
        """Write the ticks from `start` to `end` (both included, as for `to_tick`) as a separate recording.

        `playhead.source2.writing.slice` lists the parts that are not copied. The file is written atomically.

        Raises:
            ValueError: the range is invalid, or the state at `start` is unknown.
            ReplayError: in strict mode, the first problem before `end`.
        """
        from pathlib import Path

        from playhead.io.atomic import write_whole
        from playhead.source2.writing.slice import slice_demo

        data = slice_demo(self.recording, self.playback(None), self.tick_within(start), self.tick_within(end))
        write_whole(Path(path), data)

    # -- tables -----------------------------------------------------------------------------------------

    def entity_table(
        self,
        pattern: str,
        fields: str | Iterable[str] | None = None,
        *,
        every: int | float | str | None = None,
        jobs: int = 1,
    ) -> pa.Table:
        """Return fields of entities over time, as a table.

        Args:
            pattern: class name or pattern (``CDOTA_Unit_Hero_*``).
            fields: dotted names or patterns of them (``m_iHealth``, ``CBodyComponent.m_cell?``); None is every
                field that occurs. Other fields are not kept while decoding.
            every: interval between samples: seconds (float), text such as ``"1s"``, ``"500ms"``, ``"30 ticks"``,
                or 1 for every tick. It is rounded to whole ticks: ``"0.3s"`` at 64 ticks per second is 19 ticks,
                0.297 s. None instead gives a row for each change of one of the fields, and for each
                entering, leaving and deletion.
            jobs: number of processes, as for `read_tables`.

        Raises:
            KeyError: no class matches the pattern, or no matching class has one of the fields.
            ValueError: the interval is invalid.
            LimitExceeded: the table has more cells than `Limits.cells`.
            ReplayError: in strict mode, the first problem.
        """
        from playhead.source2.tables.entities import EntityQuery

        interval = ticks_between(every, self.recording.ticks_per_second)
        query = EntityQuery(
            one_name(pattern, "a pattern such as C*Hero*"),
            None if fields is None else tuple(listed(fields)),
            interval,
        )
        query.check(self.recording.class_names.values(), self.recording.schema.tree)
        with self.lock, self._sharing(jobs):
            return self._collect((), {}, [query])[query.name]

    def table(
        self, name: str, *, columns: str | Iterable[str] | None = None, jobs: int = 1, **options: Any
    ) -> pa.Table:
        """As `Replay.table`; a name such as ``entities:CDOTA_Unit_Hero_*`` calls `entity_table` with `options`.

        The fields that an option (`fields`, `raw`) asks for follow `columns`.
        """
        chosen = None if columns is None else listed(columns)
        if not one_name(name, "read_tables([…])").startswith(PREFIX):
            if chosen is not None and "raw" in options:
                chosen += [each for each in listed(options["raw"]) if each not in chosen]
            with self.lock:
                before, self._one_by_one = self._one_by_one, True
                try:
                    return super().table(name, columns=chosen, jobs=jobs, **options)
                finally:
                    self._one_by_one = before
        table = self.entity_table(name.removeprefix(PREFIX), jobs=jobs, **options)
        if chosen is None:
            return table
        for each in chosen:
            if each not in table.column_names:
                raise KeyError(unknown_name(each, table.column_names, f"column of {name}"))
        fields = table.column_names[len(self.schema_of(name).columns) :] if "fields" in options else ()
        return table.select([*chosen, *(each for each in fields if each not in chosen)])

    def schema_of(self, name: str) -> TableSchema:
        """As `Replay.schema_of`; for ``entities:…`` the columns that all such tables have."""
        if not one_name(name, "read_tables([…])").startswith(PREFIX):
            try:
                return super().schema_of(name)
            except KeyError as error:
                head = next((each for each in self.problems_so_far if each.where == "FileHeader"), None)
                if head is None:
                    raise
                # The tables of its game might have it.
                raise KeyError(f"{error.args[0]}; the game is unknown: {head.what}") from None
        from playhead.source2.tables.entities import query_schema

        return query_schema(name)

    def _schema_alone(self, name: str) -> TableSchema | None:
        maker = self._registry().find(name)
        return None if maker is None else next(schema for schema in maker.schemas if schema.name == name)

    def _registry(self) -> TableRegistry[type[Collector]]:
        """Return the registry of this replay's tables."""
        return TABLES

    def _make_collectors(self, kinds: Iterable[type[Collector]], options: Mapping[str, Any]) -> list[Collector]:
        """Return collectors of these kinds for one pass."""
        return [kind(self.recording, **options) for kind in kinds]  # type: ignore[call-arg]

    def _table_schemas(self) -> Iterable[TableSchema]:
        return self._registry().schemas().values()

    def play(self, *names: str) -> tuple[Playback, BuiltTables]:
        """Play the recording once to its end, for its final state and for tables.

        Args:
            names: names of tables.

        Returns:
            The playback, with every field of every entity and every string table; and the tables, by name.

        Raises:
            KeyError: this replay has no such table; the message lists the existing tables.
            ReplayError: in strict mode, the first problem.
        """
        with self.lock, GC_PAUSED:
            for name in names:
                self.schema_of(name)
            playback = self.playback(None, entities=self.recording.declares_classes)
            built = self._build_tables(frozenset(names), playback)
            if not playback.position:  # no table needed it
                playback.run()
            self._tables.update(built)
            return playback, self._read_tables(names)

    def _build_tables(self, names: frozenset[str], playback: Playback | None = None) -> Mapping[str, Built]:
        kept = self._completed(self._riders.take(names))
        missing = names - kept.keys()
        return {**kept, **self._make_tables(missing, playback)} if missing else kept

    def forget_tables(self, *names: str) -> None:
        """As `Replay.forget_tables`."""
        super().forget_tables(*names)
        with self.lock:
            self._riders.take(names)

    def _makers_of(self, names: frozenset[str]) -> tuple[list[type[Collector]], list[EntityQuery]]:
        """Return the collectors of tables, and their queries of entities."""
        chosen = self._registry().makers_of(name for name in names if not name.startswith(PREFIX))
        queries = []
        for name in sorted(names):
            if name.startswith(PREFIX):
                from playhead.source2.tables.entities import EntityQuery

                query = EntityQuery(name.removeprefix(PREFIX))
                query.check(self.recording.class_names.values(), self.recording.schema.tree)
                queries.append(query)
        return chosen, queries

    def _make_tables(self, names: frozenset[str], playback: Playback | None) -> Mapping[str, Built]:
        """Make tables, with `playback` if it is given, else with a new one."""
        chosen, queries = self._makers_of(names)
        # A request for all tables also performs the checks of `problems` and `verify` in the same pass.
        check = playback is None and self._checked is None
        check = check and self._registry().are_all(names)
        if self._one_by_one and not (playback or queries or self._jobs > 1 or self.source.stream):
            riders = self._riders.choose(chosen, self._may_ride(chosen), self._tables.keys())
            if riders:
                from playhead.source2.riding import collect_with_riders

                makers = self._registry().makers_of(
                    schema.name for kind in (*chosen, *riders) for schema in kind.schemas
                )
                built = collect_with_riders(self, self._riders, makers, riders, names)
                if built is not None:
                    return self._completed(built)
        built = self._collect(chosen, {}, queries, check=check, wanted=names, playback=playback)
        return {name: table for name, table in built.items() if name in names}

    def _may_ride(self, kinds: Iterable[type[Collector]]) -> Mapping[str, type[Collector]]:
        """Return the collectors that may ride along in a pass for `kinds`, by table; see `Riders`."""
        return {}

    def _completed(self, built: dict[str, Built]) -> dict[str, Built]:
        """Fill what a collector could not know, in tables that a caller gets."""
        return built

    def _collect(
        self,
        kinds: Iterable[type[Collector]],
        options: Mapping[str, Any],
        queries: Iterable[EntityQuery] = (),
        *,
        check: bool = False,
        wanted: frozenset[str] | None = None,
        playback: Playback | None = None,
    ) -> dict[str, Built]:
        """Return the tables of these kinds of collectors and of `queries`, in one pass over the recording.

        `playback` plays the recording if it is given. Tables outside `wanted` may be missing.
        """
        from playhead.source2.tables.request import TableRequest

        request = TableRequest(tuple(kinds), options, tuple(queries), wanted, check)
        if self._jobs > 1 and playback is None and not self.options.strict and self.source.stream is None:
            from playhead.source2.stretches import share

            with GC_PAUSED:
                shared = share(self, request, self._jobs)
            if shared is not None:
                built, checked = shared
                if checked is not None:
                    self._checked = checked
                self._report(len(self.source.data))
                return self._completed(built)
        return self._completed(self.collect_alone(request, playback))

    def collectors_for(self, request: TableRequest) -> list[Collector]:
        """Return the collectors of a request."""
        collectors = self._make_collectors(request.kinds, request.options)
        if request.queries:
            from playhead.source2.tables.entities import EntityTable

            collectors += [EntityTable(self.recording, query) for query in request.queries]
        for collector in collectors:
            collector.wanted = request.wanted
        return [*collectors, *self._checks_of(collectors)] if request.check else collectors

    def collect_alone(self, request: TableRequest, playback: Playback | None = None) -> dict[str, Built]:
        """Return the tables of a request, built in this process; `playback` is as for `play_for`."""
        built: dict[str, Built] = {}
        for tables in self._collect_in_turn(request, playback):
            built |= tables
        return built

    def _collect_in_turn(
        self, request: TableRequest, playback: Playback | None = None
    ) -> Iterator[Mapping[str, Built]]:
        """Yield the tables of each collector of a request; what it has collected is released then."""
        collectors = self.collectors_for(request)
        with GC_PAUSED:
            if request.check or any(collector.plays for collector in collectors):
                self.play_for(collectors, check=request.check, playback=playback)
            del playback
            while collectors:
                each = collectors.pop(0)
                built = build_or_note(each, each.tables, self.note)
                del each
                yield built

    def tables_in_turn(self, names: Iterable[str], *, jobs: int = 1) -> Iterator[BuiltTables]:
        """As `Replay.tables_in_turn`: a table is released before the next collector makes its own. Those with
        events come last, for table ``events`` is made of them.
        """
        from playhead.tables.deferred import BuiltTables

        wanted = frozenset(names)
        of_events = self._tables_of_events(frozenset(self.event_kinds)) if EVENTS.name in wanted else frozenset()
        with self.lock, self._sharing(jobs):
            before = frozenset(self._tables)
            self._tables.update(self._completed(self._riders.take(wanted | of_events)))
            try:
                missing = (wanted | of_events) & self._registry().tables().keys() - self._tables.keys()
                for built in self._made_in_turn(missing, of_events):
                    self._tables.update((name, table) for name, table in built.items() if name in of_events)
                    yield BuiltTables({name: table for name, table in built.items() if name in wanted})
                    del built
                yield self._read_tables(wanted - missing)
            finally:
                for name in self._tables.keys() - before:
                    del self._tables[name]

    def _made_in_turn(self, names: frozenset[str], last: frozenset[str]) -> Iterator[dict[str, Built]]:
        """Make tables, and yield those of a collector each time, with those in `last` at the end."""
        if self._jobs > 1 or self.options.strict:  # processes end together; a problem comes before all tables
            made = dict(self._make_tables(names, None)) if names else {}
            for name in sorted(made, key=last.__contains__):
                yield {name: made.pop(name)}
            return
        from playhead.source2.tables.request import TableRequest

        kinds, queries = self._makers_of(names)
        kinds.sort(key=lambda kind: any(schema.name in last for schema in kind.schemas))
        check = self._checked is None and names >= self._registry().tables().keys()
        for built in self._collect_in_turn(TableRequest(tuple(kinds), {}, tuple(queries), names, check)):
            yield self._completed({name: table for name, table in built.items() if name in names})

    def play_for(
        self, collectors: Sequence[Collector], *, check: bool = False, playback: Playback | None = None
    ) -> None:
        """Play the recording once for all collectors; `check` finds all its problems, if they are `_checks_of`.

        `playback`, if given, is at the start and keeps everything.
        """
        if playback is None:
            playback = self.playback_for(collectors, check=check)
        else:
            for collector in collectors:
                playback.guard.attach(collector, playback)
        playback.run()
        playback.release()
        self._is_compared = False
        self._report(len(self.source.data))
        if check:
            from playhead.source2.playback.checked import Checked

            self._checked = Checked.of(playback)

    def _checks_of(self, collectors: Iterable[Collector]) -> list[Collector]:
        """Return a collector that decodes the messages which the others do not, for a pass that checks all."""
        from playhead.source2.tables.messages import MessageCheck, UserMessages

        numbers = frozenset(number for kind in self._registry().makers() for number in kind.numbers)
        return [MessageCheck(numbers, of_user=not any(isinstance(each, UserMessages) for each in collectors))]

    def playback_for(
        self,
        collectors: Sequence[Collector],
        *,
        check: bool = False,
        on_problem: ProblemHandler | None = None,
        begin: int | None = None,
    ) -> Playback:
        """Return a playback that keeps the data the collectors read, with their handlers.

        Args:
            begin: number of the full packet after which a stretch begins; see `Playback.begin_after`.
        """
        from playhead.source2.playback.collector import fields_read, tables_read

        wanted = None if check else fields_read(collector.fields for collector in collectors)
        entities = check or any(collector.entities for collector in collectors)
        reports = any(collector.reports_missing for collector in collectors)
        playback = self.playback(
            None if check else tables_read(collectors),
            wanted=wanted if entities else None,
            # Entities cannot be decoded without a schema.
            entities=entities and (self.recording.declares_classes or reports),
            check=check,
            on_problem=on_problem,
        )
        if begin is not None:
            playback.begin = self.recording.frames[begin].tick
        for collector in collectors:
            playback.guard.attach(collector, playback)
        return playback

    # -- events and messages ----------------------------------------------------------------------------

    def _event_sources(self) -> Sequence[EventSource]:
        """The tables whose rows are events."""
        return [source for kind in self._registry().makers() for source in kind.events]

    def _event_kinds(self) -> Mapping[str, str]:
        return {source.kind: source.doc for source in self._event_sources()}

    def _tables_of_events(self, kinds: frozenset[str]) -> frozenset[str]:
        return frozenset(source.table for source in self._event_sources() if source.kind in kinds)

    def _read_events(self, kinds: frozenset[str]) -> Iterator[Event]:
        yield from events_of_tables(*self._event_rows(kinds))

    def _event_table(self) -> Built:
        return event_table_of(*self._event_rows(frozenset(self.event_kinds)))

    def _event_rows(
        self, kinds: frozenset[str]
    ) -> tuple[list[EventSource], Mapping[str, pa.Table], Callable[[int], float | None]]:
        """Return the tables with events of these kinds, where their events are, and the seconds of a tick."""
        clock = self.brief_info.clock
        return (
            [source for source in self._event_sources() if source.kind in kinds],
            self.read_tables(self._tables_of_events(kinds)),
            lambda tick: clock.seconds(tick) if clock is not None and tick >= 0 else None,
        )

    def _read_tables(self, names: Iterable[str] | None) -> BuiltTables:
        with GC_PAUSED:
            return super()._read_tables(names)

    def messages(self, *names: str | int | Iterable[str | int], by_priority: bool = False) -> Iterator[Message]:
        """Yield decoded inner messages in file order: those in `names`, or all.

        Other messages are skipped by their size. Messages inside svc_UserMessage are unwrapped, unless `names`
        has svc_UserMessage itself. An undecodable message is skipped and is a problem; table ``user_messages``
        has its bytes.

        Args:
            names: message numbers, names (``DOTA_UM_ChatEvent``), names of definitions
                (``CDOTAUserMsg_ChatEvent``), or patterns (``DOTA_UM_Chat*``).
            by_priority: within a packet, yield string tables first and entities last (`inner_messages`).

        Raises:
            KeyError: this game has no message of that name.
        """
        from playhead.source2.tables.messages import messages_of

        return messages_of(
            self.playback(entities=False), self.recording.game, tuple(flat(names)), by_priority=by_priority
        )

    def game_events(self, *names: str | Iterable[str]) -> Iterator[GameEvent]:
        """Yield game events with their values by name, in file order: those of these names or patterns, or all.

        An undecodable event is skipped and is a problem.

        Raises:
            KeyError: after the last event, the recording's list of events has no such name.
        """
        from playhead.source2.tables.messages import game_events_of

        return game_events_of(self.playback(entities=False), flat(names))

    def message_counts(self) -> dict[str, int]:
        """Return the number of occurrences of each inner message, by name (or number), most frequent first."""
        from playhead.source2.messages.numbers import message_names
        from playhead.source2.tables.frames import Messages

        messages = Messages(self.recording, store=False)
        self.play_for([messages])
        known = message_names(self.recording.game)
        counts = Counter({known.get(n, str(n)): count for n, count in messages.counts.items()})
        return dict(counts.most_common())

    # -- checks -----------------------------------------------------------------------------------------

    def _survey(self) -> None:
        if self._checked is None:
            self.play_for(self._checks_of(()), check=True)
        from playhead.source2.playback.expected import unmet

        build = self.recording.file_header.get("build_num")
        needed = GAMES.get(self.recording.game, UNKNOWN_GAME).needed(build)
        for error, cost in unmet(self.recording, needed, self._fields_read() if needed else ()):
            self.note(error, cost)

    def _fields_read(self) -> frozenset[str]:
        """Return the last parts of the names of all fields that the tables read."""
        from playhead.source2.tables.request import TableRequest

        collectors = self.collectors_for(TableRequest(tuple(self._registry().makers()), {}, (), None, False))
        names = (name for each in collectors for fields in each.fields.values() for name in fields)
        return frozenset(name.rpartition(".")[2] for name in names)

    def _checks(self) -> Iterable[Check]:
        broken = sum(each.where == "frame" and each.kind == TruncatedReplay.__name__ for each in self._found)
        yield Check("frames", len(self.recording.frames), broken, "read in sequence to the end of the file")
        if self._checked is not None and self.recording.declares_classes:
            yield from self._checked.checks()
