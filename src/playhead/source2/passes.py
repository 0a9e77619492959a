"""`TablePasses`: the part of a `Source2Replay` that plays the recording, for tables and checks."""

from __future__ import annotations

from _thread import get_ident  # `threading` is not imported by a start
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from weakref import WeakMethod

from playhead.errors import ReplayError
from playhead.io.source import Source
from playhead.model import Options, Problem
from playhead.recorded import handler_of
from playhead.replay import Replay
from playhead.runtime.garbage import GC_PAUSED
from playhead.runtime.records import replace
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.container.demo import part_of
from playhead.source2.playback.playback import Playback
from playhead.source2.playback.recording import Recording, Schema
from playhead.source2.tables import PREFIX, TABLES
from playhead.tables.registry import build_or_note
from playhead.tables.shared import EVENTS

if TYPE_CHECKING:
    from playhead.model import Info, ProblemHandler
    from playhead.runtime.libraries import pa
    from playhead.source2.playback.collector import Collector
    from playhead.source2.playback.frame_player import Checked
    from playhead.source2.tables.entities import EntityQuery
    from playhead.source2.tables.request import TableRequest
    from playhead.tables.deferred import Built, BuiltTables
    from playhead.tables.registry import TableRegistry
    from playhead.tables.schema import TableSchema


#: `Jobs.extra` that riders may add to the pass for the first table, all together: a tenth of what `kills` of a
#: long match costs a new process.
FIRST = 25
#: `Jobs.extra` of cheap tables, and of the dearest that ride along.
CHEAP, DEAREST = 25, 200

#: Number of passes in which only usual tables ride.
USUAL_PASSES = 3

#: Bytes of tables that are kept, and of one of them; those made first are released first.
KEPT, LARGEST = 32 << 20, 8 << 20


class Disturbed(BaseException):
    """A pass with riders met a problem. It is not known whose it is: the pass is repeated without riders."""


class Riders:
    """Tables of one replay that no caller has requested yet, made in the pass for another table.

    A pass over the recording costs more than most tables. So collectors ride along when `Replay.table` needs one:
    in the first pass those that callers request most (`TableRegistry.first`), in the second all cheap ones, in
    later ones all but the dearest. Tables that few callers request (`TableRegistry.usual` lacks them) ride from
    the fourth pass on.

    Attributes:
        stay: whether collectors may ride along; False after a pass that was disturbed.
        passes: number of passes for which `choose` was called.
        kept: tables without a request yet, by name.
    """

    def __init__(self) -> None:
        self.stay = True
        self.passes = 0
        self.kept: dict[str, Built] = {}

    def choose(
        self, kinds: Collection[type[Collector]], known: Mapping[str, type[Collector]], built: Collection[str]
    ) -> list[type[Collector]]:
        """Return the collectors that ride along in the next pass, which is for `kinds`.

        Args:
            known: the collectors that may ride, by table; in the first passes not all (`USUAL_PASSES`).
            built: names of the tables that exist.
        """
        self.passes += 1
        if not self.stay:
            return []
        missing = (kind for name, kind in known.items() if name not in built and name not in self.kept)
        riders = [kind for kind in dict.fromkeys(missing) if kind not in kinds]
        if self.passes == 1:
            budget, chosen = FIRST, []
            for kind in sorted(riders, key=lambda kind: kind.jobs.extra):
                if kind.jobs.extra <= budget:
                    budget -= kind.jobs.extra
                    chosen.append(kind)
            return chosen
        most = CHEAP if self.passes == 2 else DEAREST
        return [kind for kind in riders if kind.jobs.extra <= most]

    def keep(self, tables: Mapping[str, Built]) -> None:
        """Keep tables until someone asks for them."""
        self.kept.update((name, table) for name, table in tables.items() if table.nbytes <= LARGEST)
        size = sum(table.nbytes for table in self.kept.values())
        while size > KEPT:
            size -= self.kept.pop(next(iter(self.kept))).nbytes

    def take(self, names: Iterable[str]) -> dict[str, Built]:
        """Return the tables of these names that are kept, and keep them no longer."""
        return {name: self.kept.pop(name) for name in names if name in self.kept}


# Tables import their modules on use: a playback alone needs none of them.


class TablePasses(Replay):
    """The part of `Source2Replay` that plays the recording.

    Attributes:
        recording: the container: frames, header, content of the sign-on, schema.
        in_turn: whether tables are made and released one after another; then few rows may wait uncompressed.
    """

    format = "source2"
    format_title = "Source 2 demo"

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        self._checked: Checked | None = None
        self._is_compared = False
        self._riders = Riders()
        self._one_by_one = False
        self.in_turn = False
        self._trying: int | None = None  # the thread in which a problem may be that of a rider
        note = handler_of(WeakMethod(self.note), strict=options.strict)
        if source.stream is None and source.fragments is None:
            source, another = part_of(source, options.limits, options.part)
            if another is not None:
                note(another, f"that recording: playhead.open(FILE, part={options.part + 1}) reads it")
        self.recording = Recording(source, options.limits, note)

    def note(self, error: ReplayError, cost: str, where: str = "file") -> None:
        """Record an error with a description of the lost data; raise the error in strict mode."""
        if self.source.place is not None and error.offset is not None:
            from playhead.source2.container.broadcast import is_part

            place = None if is_part(error.where) else self.source.place(error.offset)
            if place is not None:
                error.where, error.offset = f"{error.where or where} in {place[0]}", place[1]
        if self._trying == get_ident():
            problem = Problem.from_error(error.locate(file=self.source.name), cost=cost, where=where)
            # Every pass meets those of frames; an earlier call may have found it.
            if self.options.strict or not (problem.where == "frame" or problem in self._found):
                raise Disturbed
        self._note(error, cost=cost, where=where)

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
            wanted: fields to keep, by class; see `EntityManager`. Names of entities then require
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

    @contextmanager
    def _sharing(self, jobs: int) -> Iterator[None]:
        if jobs > 1 and not self.options.strict and self.source.stream is None:
            from playhead.source2.stretches import prepare

            prepare(self, jobs)
        with super()._sharing(jobs):
            yield

    def _registry(self) -> TableRegistry[type[Collector]]:
        """Return the registry of this replay's tables."""
        return TABLES

    def _make_collectors(self, kinds: Iterable[type[Collector]], options: Mapping[str, Any]) -> list[Collector]:
        """Return collectors of these kinds for one pass."""
        return [kind(self.recording, **options) for kind in kinds]  # type: ignore[call-arg]

    def _table_schemas(self) -> Iterable[TableSchema]:
        return self._registry().schemas().values()

    def _build_tables(self, names: frozenset[str], playback: Playback | None = None) -> Mapping[str, Built]:
        kept = self._completed(self._riders.take(names))
        missing = names - kept.keys()
        return {**kept, **self._make_tables(missing, playback)} if missing else kept

    def forget_tables(self, *names: str) -> None:
        """As `Replay.forget_tables`."""
        super().forget_tables(*names)
        with self.lock:
            self._riders.take(names)

    def known_table(self, name: str) -> pa.Table | None:
        """Return a table that an earlier pass made, requested or not; None without one, or after any
        problem, since another pass may then find other rows and problems.
        """
        from playhead.tables.deferred import BuiltTables

        return None if self._found else BuiltTables({**self._riders.kept, **self._tables}).get(name)

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
                makers = self._registry().makers_of(
                    schema.name for kind in (*chosen, *riders) for schema in kind.schemas
                )
                with GC_PAUSED:
                    built = self._collect_with_riders(makers, riders, names)
                if built is not None:
                    return self._completed(built)
        built = self._collect(chosen, {}, queries, check=check, wanted=names, playback=playback)
        return {name: table for name, table in built.items() if name in names}

    @contextmanager
    def _trial(self) -> Iterator[None]:
        """Let this thread's problems raise `Disturbed`."""
        self._trying = get_ident()
        try:
            yield
        finally:
            self._trying = None

    def _collect_with_riders(
        self, makers: Sequence[type[Collector]], riding: Sequence[type[Collector]], names: frozenset[str]
    ) -> dict[str, Built] | None:
        """Return the tables of these names, and keep those of the collectors that ride along (`riding`, among all
        `makers`); None if the pass met a problem: the one without riders records it.
        """
        from playhead.source2.tables.request import TableRequest

        more = riding if self._riders.passes == 1 else makers
        wanted = names.union(schema.name for kind in more for schema in kind.schemas)
        try:
            with self._trial():
                collectors = self.collectors_for(TableRequest(tuple(makers), wanted=wanted))
                self.play_for(collectors)
        except Disturbed:
            self._riders.stay = False
            return None
        built: dict[str, Built] = {}
        for each in collectors:
            if type(each) not in riding:
                built |= build_or_note(each, each.tables, self.note)
        for each in collectors:
            if type(each) in riding:
                with suppress(Disturbed), self._trial():
                    self._riders.keep(build_or_note(each, each.tables, self.note))
        self._riders.keep({name: table for name, table in built.items() if name in wanted - names})
        return {name: built[name] for name in names}

    def _may_ride(self, kinds: Iterable[type[Collector]]) -> Mapping[str, type[Collector]]:
        """Return the collectors that may ride along in a pass for `kinds`, by table; see `Riders`."""
        return {}

    def _completed(self, built: dict[str, Built]) -> dict[str, Built]:
        """Fill columns that a collector could not know, in tables that a caller gets."""
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
                self._report(len(self.recording.source.data))
                self._compare_frames()
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
        """Yield the tables of each collector of a request; its data is released then."""
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
            self.in_turn = True
            try:
                missing = (wanted | of_events) & self._registry().tables().keys() - self._tables.keys()
                for built in self._made_in_turn(missing, of_events):
                    self._tables.update((name, table) for name, table in built.items() if name in of_events)
                    yield BuiltTables({name: table for name, table in built.items() if name in wanted})
                    del built
                yield self._read_tables(wanted - missing)
            finally:
                self.in_turn = False
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
        self._report(len(self.recording.source.data))
        self._compare_frames()
        if self.recording.numbers.moved:
            self._show_moved()
        if check:
            from playhead.source2.playback.frame_player import Checked

            self._checked = Checked.of(playback)

    def _show_moved(self) -> None:
        """Add the messages that moved, which a pass has found, to facts that were read before."""
        from playhead.source2.tables.info import moved_messages

        for name in ("info", "brief_info"):
            found: Info | None = self.__dict__.get(name)
            if found is not None:
                self.__dict__[name] = replace(found, details={**found.details, **moved_messages(self.recording)})

    def _compare_frames(self) -> None:
        """Note contradictions of frames and FileInfo, after the first pass over all frames."""
        if not self._is_compared:
            from playhead.source2.playback.expected import unmet_by_frames

            for error, cost in unmet_by_frames(self.recording):
                self.note(error, cost)  # in strict mode it raises, each time
            self._is_compared = True

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
        if self.in_turn:
            from playhead.tables.packed import SMALL_ROOM, Room

            playback.room = Room(SMALL_ROOM)
        if begin is not None:
            playback.begin = self.recording.frames[begin].tick
        for collector in collectors:
            playback.guard.attach(collector, playback)
        return playback

    def _read_tables(self, names: Iterable[str] | None) -> BuiltTables:
        with GC_PAUSED:
            return super()._read_tables(names)
