"""`Recorded`: the methods that a format implements; facts, problems, tables, events and moments made of them."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from weakref import WeakMethod

from playhead.capabilities import Capabilities
from playhead.errors import FactError, LimitExceeded, ReplayError, fact_errors
from playhead.events import Event, EventKinds, choose_kinds, event_batches
from playhead.io.opened import Opened
from playhead.io.source import Source
from playhead.model import Check, Info, Moment, Options, Player, Problem, ProblemHandler
from playhead.runtime.cached import cached_property, shared_property
from playhead.runtime.libraries import pa
from playhead.runtime.records import replace
from playhead.runtime.typing import TYPE_CHECKING, Any, TypeVar
from playhead.tables.schema import TableSchema
from playhead.tables.shared import EVENTS, INFO, PLAYERS
from playhead.text.names import flat, listed, one_name, unknown_name
from playhead.timed import Timed, one_moment

if TYPE_CHECKING:
    from playhead.presentation import Presentation
    from playhead.tables.deferred import Built, BuiltTables

_T = TypeVar("_T")


#: Beginning of a reason of `Replay.unfilled` that says what is lost.
LOST = "lost: "
_COST = "which tables and columns are empty"


def selected(name: str, table: Built, columns: Sequence[str]) -> pa.Table:
    for column in columns:
        if column not in table.column_names:
            raise KeyError(unknown_name(column, table.column_names, f"column of {name}"))
    return table.select(columns)


def _rows(schema: TableSchema, shared: TableSchema, records: Iterable[Info | Player]) -> pa.Table:
    """Build table ``info`` or ``players``; the format's own columns are items of `details`."""
    own = schema.column_names[len(shared.columns) :]
    return schema.build_rows(
        [{**record.as_row(), **{name: record.details.get(name) for name in own}} for record in records]
    )


def handler_of(note: WeakMethod[ProblemHandler], *, strict: bool) -> ProblemHandler:
    """Return the problem handler of a recording. It does not keep the replay alive, which would form a cycle."""

    def noted(error: ReplayError, cost: str) -> None:
        known = note()
        if known is not None:
            known(error, cost)
        elif strict:  # the replay no longer exists, so it cannot collect problems
            raise error

    return noted


class Recorded(Capabilities, Timed, Opened, ABC):
    """The part of `Replay` that reads. A format implements the methods of its first section."""

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        self._found: dict[Problem, None] = dict.fromkeys(source.problems)
        self._tables: dict[str, Built] = {}
        self._jobs = 1
        if options.strict and source.problems:
            raise source.problems[0].as_error(file=source.name)
        if "IPython" in sys.modules:
            from playhead.show.notebook import teach_ipython

            teach_ipython()

    # -- implemented by formats -------------------------------------------------------------------------

    @abstractmethod
    def _load_info(self) -> Info:
        """Return the facts about the whole recording; read as little of the file as possible."""

    @abstractmethod
    def _load_players(self) -> tuple[Player, ...]:
        """Return the participants listed in the file."""

    @abstractmethod
    def _table_schemas(self) -> Iterable[TableSchema]:
        """Return the schemas of the format's tables. This class adds ``info`` and ``players``, and ``events`` if
        the format does not build that table itself."""

    @abstractmethod
    def _build_tables(self, names: frozenset[str]) -> Mapping[str, Built]:
        """Build the named tables, in one pass over the streams they read. Report problems to `_note`."""

    def _build_columns(self, names: Collection[str], columns: Mapping[str, Sequence[str]]) -> Mapping[str, Built]:
        """Return the tables in `columns` that the format reads with these columns only.

        `names` are all requested tables. The pass that reads them stores complete tables in `_tables`.
        """
        return {}

    def _table_options(self, name: str) -> Sequence[str]:
        """Return the options of a table, as `table` accepts them."""
        return ()

    def _build_with(self, name: str, options: Mapping[str, Any], columns: Sequence[str] | None) -> pa.Table:
        """Build a table with some of its `_table_options`; other columns than `columns` may be missing."""
        raise NotImplementedError

    def _large_tables(self) -> frozenset[str]:
        """Return the tables that `batches` builds in pieces, without building the whole table."""
        return frozenset()

    def _event_kinds(self) -> Mapping[str, str]:
        """Return the kinds of events that `_read_events` yields, each with a sentence that describes it."""
        return {}

    def _read_events(self, kinds: frozenset[str]) -> Iterator[Event]:
        """Iterate over the events of these kinds in time order. Report problems to `_note`."""
        return iter(())

    def _event_table(self) -> Built:
        """Build table ``events`` for a format without a table of that name."""
        return pa.concat_tables(event_batches(self.events()), promote_options="none")

    def _tables_of_events(self, kinds: frozenset[str]) -> frozenset[str]:
        """Return the tables whose rows are events of these kinds, for one pass that builds all of them."""
        return frozenset()

    def _moment(self, tick: int) -> Moment:
        """Return the state at a tick of the recording."""
        raise self.cannot("moment")

    def _unfilled_reasons(self) -> Mapping[str, str]:
        """Return why the recording cannot fill a table, by its name, or a column: ``table.column``, or
        ``*.column`` of every table; and as ``table.*`` why a table has no rows, if that is so."""
        return {}

    def _doubts(self) -> Mapping[str, str]:
        """Return, by table, the lost or unknown parts of the recording that its rows may have been in."""
        return {}

    absent: Mapping[str, str] = MappingProxyType({})

    info_schema: TableSchema = INFO
    players_schema: TableSchema = PLAYERS

    @property
    def presentation(self) -> Presentation:
        """How plots, summaries and the viewer show the game; defaults if a format does not override this."""
        from playhead.presentation import Presentation

        return Presentation()

    @abstractmethod
    def _survey(self) -> None:
        """Read the whole file to find its problems; report each to `_note`."""

    def _note(self, error: ReplayError, *, cost: str, where: str = "file") -> None:
        """Record a problem once; in strict mode raise the error instead."""
        error.locate(file=self.source.name)
        if self.options.strict:
            raise error
        problem = Problem.from_error(error, cost=cost, where=where)
        most = self.options.limits.problems
        with self.lock:
            if len(self._found) == most and problem not in self._found:
                more = f"there are more problems than the limit of {most}"
                problem = Problem("file", None, None, more, "the places of the others", LimitExceeded.__name__)
            if len(self._found) <= most:
                self._found[problem] = None

    def _read_or_note(self, reader: str, read: Callable[[], _T], otherwise: Callable[[], _T], cost: str) -> _T:
        """Return what `read` returns. If a fact fails, note a problem and return what `otherwise` returns; the
        errors of reading itself, `ReplayError`, are passed on.
        """
        try:
            return read()
        except ReplayError:
            raise
        except Exception as error:
            self._note(FactError.of(error, reader), cost=cost)
        return otherwise()

    def _info_alone(self, game: str | None = None) -> Info:
        """Return what `info` has if the facts of `_load_info` fail; `game` is the format by default."""
        return Info(self.format, game or self.format, self.source.name, complete=False)

    def _players_alone(self) -> tuple[Player, ...]:
        """Return what `players` has if the facts of `_load_players` fail."""
        return ()

    def _report(self, done: int) -> None:
        """Report the number of bytes read; a stream counts its bytes itself. Release those that are on disk."""
        self.source.release()
        if self.options.progress is None:
            return
        stream = self.source.stream
        if stream is None:
            self.options.progress(done, len(self.source.data))
        elif stream.size:
            self.options.progress(stream.done, stream.size)

    # -- facts, problems, tables ------------------------------------------------------------------------

    @cached_property
    def content_hash(self) -> str | None:
        """SHA-256 of the decompressed bytes; None for a pipe, which is read only
        once."""
        return self.source.content_hash()

    @shared_property
    def info(self) -> Info:
        """Facts about the whole recording."""
        return self._read_or_note("info", self._load_info, self._info_alone, "facts of the recording")

    @property
    def brief_info(self) -> Info:
        """As `info`, without the `details` that take longer than all other facts; ``playhead info`` shows it."""
        return self.info

    @shared_property
    def players(self) -> tuple[Player, ...]:
        """The participants listed in the file. All have the columns of table ``players`` as attributes, null
        where they do not apply."""
        cost = "players, or facts of them"
        found = self._read_or_note("players", self._load_players, self._players_alone, cost)
        own = dict.fromkeys(self.players_schema.column_names[len(PLAYERS.columns) :])
        return tuple(replace(each, details={**own, **each.details}) for each in found)

    def name_of(self, player: int, tick: int) -> str | None:
        """Return a player's name at a tick; None if unknown."""
        return self._name_by_player.get(player)

    @cached_property
    def _name_by_player(self) -> Mapping[int | None, str | None]:
        """Names by player number; the first name if several players share a number."""
        return {each.player: each.name for each in reversed(self.players)}

    @shared_property
    def problems(self) -> tuple[Problem, ...]:
        """Every part that could not be read, its position, and the data lost. The first access reads the whole
        file, unless an earlier call did: empty means that no part is damaged.
        """
        self.info  # noqa: B018  (decoding it finds its problems)
        self.players  # noqa: B018
        self._read_or_note("problems", self._survey, lambda: None, "problems of parts that were not read")
        return tuple(self._found)

    def verify(self) -> tuple[Check, ...]:
        """Check the recording's redundant data against each other; count how often each check passed.

        Reads the whole file, as `problems` does. Each failure is also a problem.
        """
        with self.lock:
            self.problems  # noqa: B018  (finds the problems of the whole file)
            checks = tuple(self._checks())
            self.__dict__.pop("problems", None)  # a check may have found more
            return checks

    def _checks(self) -> Iterable[Check]:
        """Return the self-checks after the whole file was read. A format without redundancy has none."""
        return ()

    @cached_property
    def unfilled(self) -> Mapping[str, str]:
        """Tables that the recording cannot fill or that have no rows, and columns (``kills.place``) null in all
        rows, with reasons; no tables that repeat others (`TableSchema.is_copy`). The first access builds all."""
        return self._read_or_note("unfilled", lambda: self._empty(None, True), dict, _COST)

    def why_empty(self, *tables: str, columns: bool | Collection[str] = False) -> Mapping[str, str]:
        """The part of `unfilled` about these tables, and about all or some ``kills.place``; builds no others."""
        return self._read_or_note("unfilled", lambda: self._empty(tables, columns), dict, _COST)

    def _empty(self, names: Sequence[str] | None, columns: bool | Collection[str]) -> Mapping[str, str]:
        reasons = self._read_or_note("unfilled", self._unfilled_reasons, dict[str, str], "reasons of empty tables")
        found = {name: why for name, why in reasons.items() if name in (self.tables if names is None else names)}
        built = [name for name, held in self.tables.items() if not held.is_copy] if names is None else names
        doubts: Mapping[str, str] | None = None
        for name, table in self.read_tables(built).items():
            empty = [] if table.num_rows else [name]
            if empty:
                found.setdefault(name, reasons.get(f"{name}.*") or self.tables[name].why_empty)
            for column in table.column_names if table.num_rows and columns else ():
                wanted = isinstance(columns, bool) or f"{name}.{column}" in columns
                if wanted and table[column].null_count == table.num_rows:
                    known = (reasons[key] for key in (f"{name}.{column}", f"*.{column}", name) if key in reasons)
                    found[f"{name}.{column}"] = next(known, f"none of {table.num_rows} rows has a value")
                    empty.append(f"{name}.{column}")
            for each in empty:
                doubts = self._doubts() if doubts is None else doubts  # they may need a pass
                if name in doubts and not found[each].startswith(LOST):
                    found[each] = f"values may be missing: {doubts[name]}; or {found[each]}"
        return MappingProxyType(found)

    @property
    def problems_so_far(self) -> tuple[Problem, ...]:
        """The problems that earlier calls found; reads nothing."""
        return tuple(self._found)

    @property
    def tables_so_far(self) -> BuiltTables:
        """The tables that earlier calls built, by name; builds nothing."""
        from playhead.tables.deferred import BuiltTables

        return BuiltTables(self._tables)

    def forget_tables(self, *names: str) -> None:
        """Release tables that earlier calls built; the next access builds them again."""
        with self.lock:
            for name in names:
                self._tables.pop(name, None)

    @cached_property
    def tables(self) -> Mapping[str, TableSchema]:
        """Schemas of this replay's tables by name; printed as a list, with the number of rows of built tables."""
        from playhead.show.table_list import TableList

        schemas = {INFO.name: self.info_schema, PLAYERS.name: self.players_schema}
        schemas.update((schema.name, schema) for schema in self._table_schemas())
        if self.event_kinds:
            schemas.setdefault(EVENTS.name, EVENTS)
        return TableList(schemas, self._tables)

    def _schema_alone(self, name: str) -> TableSchema | None:
        """Return the schema of one table if a format knows it without those of all, else None."""
        return None

    def schema_of(self, name: str) -> TableSchema:
        """Return the schema of one table.

        Raises:
            KeyError: this replay has no such table; the message suggests names and says where all are listed.
        """
        own = one_name(name, "read_tables([…])") not in (INFO.name, PLAYERS.name, EVENTS.name)
        if own and "tables" not in self.__dict__:
            alone = self._schema_alone(name)
            if alone is not None:
                return alone
        if name not in self.tables:
            reason = self.absent.get(name)
            raise KeyError(f"no table {name!r}: {reason}" if reason else unknown_name(name, self.tables, "table"))
        return self.tables[name]

    def table(
        self, name: str, *, columns: str | Iterable[str] | None = None, jobs: int = 1, **options: Any
    ) -> pa.Table:
        """Return one table as a `pyarrow.Table`, or some of its columns; built on first access and cached.

        Args:
            name: name of the table; ``tables`` lists them.
            columns: names of columns; all by default.
            jobs: as for `read_tables`.
            options: those of the table, which its documentation (``schema_of(name).doc``) explains and the error
                for an unknown one lists; the result is not cached. Of series and positions: ``every="10s"`` (or
                ``"30 ticks"``), a row at each step; ``clock="game"`` or ``"recording"``, whose steps;
                ``ticks=[…]``, these ticks; ``raw=["m_iShotsFired"]``, more fields (CS2, Deadlock). Of CS2
                ``player_stats``: ``by="side"``. Of ``fights``: ``window``, ``radius``, in seconds and units.

        Raises:
            KeyError: this replay has no such table; the message suggests names and says where all are listed.
            TypeError: the table has no such option.
            ValueError: an option has an invalid value.
            ReplayError: in strict mode, the first problem.
        """
        self.schema_of(name)
        chosen = None if columns is None else listed(columns)
        if not options:
            return self.read_tables([name] if chosen is None else {name: chosen}, jobs=jobs)[name]
        known = self._table_options(name)
        odd = sorted(options.keys() - set(known))
        if odd:
            listing = ", ".join(known) or "none"
            raise TypeError(f"table {name} has no option {odd[0]!r}; its options are: {listing}")
        with self.lock, self._sharing(jobs):
            built = self._build_with(name, options, chosen)
        return built if chosen is None else selected(name, built, chosen)

    def read_tables(
        self, names: str | Iterable[str] | Mapping[str, str | Iterable[str] | None] | None = None, *, jobs: int = 1
    ) -> BuiltTables:
        """Return several tables (all by default) by name, at the cost of one pass over the file.

        Large columns of JSON are made when their table is read from the result, and released with that table.

        Args:
            names: names of tables, or a mapping from each name to the columns to return (None: all columns). For a
                large recording a format may read these columns only: that takes less memory and is not cached.
            jobs: greatest number of processes (Source 2) or threads (teehistorian), including this one, that share
                the work if the recording is long. The rows are the same. The first call starts the other
                processes, which takes some tenths of a second; they end after a minute without a call. As always
                with processes, a script must call this under ``if __name__ == "__main__":``.
        """
        with self.lock, self._sharing(jobs):
            return self._read_tables(names)

    def tables_in_turn(self, names: Iterable[str], *, jobs: int = 1) -> Iterator[BuiltTables]:
        """Yield tables, each once, some at a time, as `read_tables` returns them. Those that this makes are not
        kept: if the caller releases them too, a format may need less memory than for all tables at once.
        """
        yield self.read_tables(names, jobs=jobs)

    @contextmanager
    def _sharing(self, jobs: int) -> Iterator[None]:
        """Let that many processes share the work of a call; the caller holds the lock."""
        before, self._jobs = self._jobs, jobs
        try:
            yield
        finally:
            self._jobs = before

    def _read_tables(self, names: Iterable[str] | None) -> BuiltTables:
        wanted = list(self.tables) if names is None else listed(names)
        for name in wanted:
            self.schema_of(name)
        columns: dict[str, list[str]] = {}
        if isinstance(names, Mapping):
            columns = {name: listed(some) for name, some in names.items() if some is not None}
        parts = self._build_columns(wanted, columns)
        missing = frozenset(wanted) - self._tables.keys() - parts.keys()
        built_by_format = missing - {"info", "players"}
        if EVENTS.name in missing and EVENTS not in self._table_schemas():
            built_by_format -= {EVENTS.name}
            built_by_format |= self._tables_of_events(frozenset(self.event_kinds)) - self._tables.keys()
        if built_by_format:  # first: their pass may find info and players too, and a pipe allows only one pass
            self._tables.update(self._build_tables(built_by_format))
        if "info" in missing:
            self._tables["info"] = _rows(self.info_schema, INFO, [self.info])
        if "players" in missing:
            self._tables["players"] = _rows(self.players_schema, PLAYERS, self.players)
        if EVENTS.name in missing - built_by_format:
            self._tables[EVENTS.name] = self._event_table()
        found = {name: parts[name] if name in parts else self._tables[name] for name in wanted}
        from playhead.tables.deferred import BuiltTables

        return BuiltTables(
            {
                name: selected(name, table, columns[name]) if name in columns else table
                for name, table in found.items()
            }
        )

    # -- events -----------------------------------------------------------------------------------------

    @cached_property
    def event_kinds(self) -> Mapping[str, str]:
        """The kinds of events that `events` yields for this replay, each with a sentence that describes it."""
        return EventKinds(self._event_kinds())

    def events(self, *kinds: str | Iterable[str]) -> Iterator[Event]:
        """Iterate over events in time order: those of the given kinds, or all.

        Each event has `tick`, `seconds`, `kind` and `player`, and the fields of its kind as attributes. Data that
        only other kinds need is not decoded. Damaged parts of the file yield no events and are listed in
        `problems`.

        Args:
            kinds: words listed in `event_kinds`, or patterns of them (``ward_*``).

        Raises:
            KeyError: this format has no such kind; the message suggests others.
            ReplayError: in strict mode, the first problem.
        """
        return self._read_events(self._chosen_kinds(kinds))

    def _chosen_kinds(self, kinds: Iterable[str | Iterable[str]]) -> frozenset[str]:
        """Return the kinds that a call of `events` names; raise its KeyError, with the reason in `absent`."""
        asked = flat(kinds)
        for kind in asked:
            if kind in self.absent and kind not in self.event_kinds:
                raise KeyError(f"no events of kind {kind!r}: {self.absent[kind]}")
        return choose_kinds(asked, self.event_kinds)

    # -- moments --------------------------------------------------------------------------------------

    def at(self, when: int | float | str | None = None, *, seconds: float | None = None) -> Moment:
        """Return the state at a moment: players, their positions and resources, units, and the format's own state.

        Args:
            when: as for `to_tick`.
            seconds: seconds of the recording; the same as a float for `when`.

        Raises:
            TypeError: neither or both are given.
            ValueError: `when` is not a time, or lies outside the recording; the message names its first and last
                tick.
            NotImplementedError: `capabilities` lacks ``moment``.
        """
        with self.lock:
            tick = self.tick_within(one_moment(when, seconds))
            with fact_errors("a moment", tick, self.source.name):
                found = self._moment(tick)
            found.word(self.presentation.wording.in_words)
            return found
