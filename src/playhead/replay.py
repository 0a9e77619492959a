"""`Replay`: what every format promises, whatever its bytes look like.

A format subclasses `Replay` and provides `_load_info`, `_load_players`, `_table_schemas`, `_build_tables` and
`_survey`. Everything is decoded on first access and kept.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from playhead.capabilities import Capabilities
from playhead.clock import Clock, format_seconds, plain_when
from playhead.errors import LimitExceeded, ReplayError
from playhead.events import ReplayEvent, choose_kinds, event_batches, unknown_name
from playhead.io.opened import Opened
from playhead.io.source import Source
from playhead.model import Check, Info, Moment, Options, Player, Problem
from playhead.presentation import Presentation
from playhead.runtime.cached import cached_property, shared_property
from playhead.tables.schema import TableSchema
from playhead.tables.shared import EVENTS, INFO, PLAYERS

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb
    import pandas
    import polars
    import pyarrow as pa

    from playhead.show import Plots
    from playhead.show.notebook import Tables


def _rows(schema: TableSchema, shared: TableSchema, records: Iterable[Info | Player]) -> pa.Table:
    """Return table ``info`` or ``players``: the format's own columns are items of `details`."""
    own = schema.column_names[len(shared.columns) :]
    return schema.build_rows(
        [{**record.as_row(), **{name: record.details.get(name) for name in own}} for record in records]
    )


class Replay(Capabilities, Opened, ABC):
    """One opened replay.

    Opening reads only the head of the file. Everything else happens on first access and is kept:
    `info`, `players`, `tables`, `table(name)`, `problems`.
    """

    def __init__(self, source: Source, options: Options) -> None:
        super().__init__(source, options)
        self._found: dict[Problem, None] = dict.fromkeys(source.problems)
        self._tables: dict[str, pa.Table] = {}
        if options.strict and source.problems:
            raise source.problems[0].as_error(file=source.name)
        if "IPython" in sys.modules:
            from playhead.show.notebook import teach_ipython

            teach_ipython()

    # -- what a format provides -------------------------------------------------------------------------

    @abstractmethod
    def _load_info(self) -> Info:
        """Return facts of the whole, from as little of the file as will do."""

    @abstractmethod
    def _load_players(self) -> tuple[Player, ...]:
        """Return the participants that the file names."""

    @abstractmethod
    def _table_schemas(self) -> Iterable[TableSchema]:
        """Return the schemas of the tables of this format. This class adds ``info``, ``players`` and ``events``
        unless the format makes that by itself."""

    @abstractmethod
    def _build_tables(self, names: frozenset[str]) -> Mapping[str, pa.Table]:
        """Build the named tables, in one pass over the streams they need. Problems go to `_note`."""

    def _build_columns(
        self, names: Collection[str], columns: Mapping[str, Sequence[str]]
    ) -> Mapping[str, pa.Table]:
        """Return those of the tables in `columns` of which these columns alone are to be read, with them.

        `names` are all tables that are asked for. The pass for them puts what it reads whole into `_tables`.
        """
        return {}

    def _large_tables(self) -> frozenset[str]:
        """Return the tables that `batches` makes piece by piece, without building them whole."""
        return frozenset()

    def _event_kinds(self) -> Mapping[str, str]:
        """Return the kinds of the events of `_read_events`, each with a sentence that says what it is."""
        return {}

    def _read_events(self, kinds: frozenset[str]) -> Iterator[ReplayEvent]:
        """Iterate over the events of these kinds in time order. Problems go to `_note`."""
        return iter(())

    def _event_table(self) -> pa.Table:
        """Return table ``events``, where the format's own tables do not have it."""
        import pyarrow as pa

        return pa.concat_tables(event_batches(self.events()), promote_options="none")

    def _tables_of_events(self, kinds: frozenset[str]) -> frozenset[str]:
        """Return the tables that `_read_events` makes the events from, so that one pass gives all of them."""
        return frozenset()

    def _moment(self, tick: int) -> Moment:
        """Return the state at a tick that the recording has."""
        raise self.cannot("moment")

    #: Tables ``info`` and ``players``: the shared columns, and behind them those items of the format's `details`
    #: that are columns too (`TableSchema.extended`).
    info_schema: TableSchema = INFO
    players_schema: TableSchema = PLAYERS

    #: What pictures need to know of the format.
    presentation = Presentation()

    @abstractmethod
    def _survey(self) -> None:
        """Read everything that can be read, for the problems alone; each goes to `_note`."""

    def _note(self, error: ReplayError, *, cost: str, where: str = "file") -> None:
        """Record what was lost, once; in strict mode raise it instead."""
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

    def _report(self, done: int) -> None:
        """Report how many bytes of the source are done (of a stream, it knows by itself)."""
        if self.options.progress is None:
            return
        stream = self.source.stream
        if stream is None:
            self.options.progress(done, len(self.source.data))
        elif stream.size:
            self.options.progress(stream.done, stream.size)

    # -- what a user sees -------------------------------------------------------------------------------

    @cached_property
    def content_hash(self) -> str | None:
        """SHA-256 of the decompressed bytes, the same under any name; None of a pipe, which is read only once."""
        return self.source.content_hash()

    @shared_property
    def info(self) -> Info:
        """Facts of the whole recording."""
        return self._load_info()

    @property
    def brief_info(self) -> Info:
        """As `info`, without `details` that take longer than all the rest: what ``playhead info`` shows."""
        return self.info

    @shared_property
    def players(self) -> tuple[Player, ...]:
        """The participants that the file names."""
        return self._load_players()

    def name_of(self, player: int, tick: int) -> str | None:
        """Return what a player was called at a tick; None where it is not known."""
        return self._name_by_player.get(player)

    @cached_property
    def _name_by_player(self) -> Mapping[int | None, str | None]:
        """Names by number; of players with one number, the first."""
        return {each.player: each.name for each in reversed(self.players)}

    @shared_property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that could not be read, where, and what it cost. Empty is a promise: the first access
        reads the whole file if no earlier call did.
        """
        self.info  # noqa: B018  (decoding it is what finds its problems)
        self.players  # noqa: B018
        self._survey()
        return tuple(self._found)

    def verify(self) -> tuple[Check, ...]:
        """Check the recording against itself, as far as its format is redundant; count how often each check held.

        Reads everything, as `problems` does; a failure is a problem too.
        """
        with self.lock:
            self.problems  # noqa: B018  (finding them is what counts)
            checks = tuple(self._checks())
            self.__dict__.pop("problems", None)  # a check may have found more
            return checks

    def _checks(self) -> Iterable[Check]:
        """Return the self-checks, once everything has been read. A format without redundancy has none."""
        return ()

    @property
    def problems_so_far(self) -> tuple[Problem, ...]:
        """Those of `problems` that earlier calls met; reads nothing."""
        return tuple(self._found)

    @property
    def tables_so_far(self) -> Mapping[str, pa.Table]:
        """Those tables that earlier calls built, by name; builds nothing."""
        return MappingProxyType(self._tables)

    def forget_tables(self, *names: str) -> None:
        """Let go of tables that earlier calls built; asked for again, they are built again."""
        with self.lock:
            for name in names:
                self._tables.pop(name, None)

    @cached_property
    def tables(self) -> Mapping[str, TableSchema]:
        """Schemas of the tables this replay can give, by name; printed as a list with rows, where known."""
        from playhead.show.notebook import TableList

        schemas = {INFO.name: self.info_schema, PLAYERS.name: self.players_schema}
        schemas.update((schema.name, schema) for schema in self._table_schemas())
        if self.event_kinds:
            schemas.setdefault(EVENTS.name, EVENTS)
        return TableList(schemas, self._tables)

    def schema_of(self, name: str) -> TableSchema:
        """Return the schema of one table.

        Raises:
            KeyError: this replay has no such table; the text lists those it has.
        """
        if name not in self.tables:
            hint = unknown_name(str(name), self.tables, "table")
            raise KeyError(f"{hint}; a {self.format} replay has {', '.join(self.tables)}")
        return self.tables[name]

    def table(self, name: str, *, columns: Iterable[str] | None = None, **options: Any) -> pa.Table:
        """Return one table as a `pyarrow.Table`, or some of its columns; built on first access and kept.

        Some tables of a format take `options` of their own, such as ``every="10s"``; its schema lists them.

        Raises:
            KeyError: this replay has no such table; the text lists those it has.
            TypeError: the table has no such option.
            ReplayError: in strict mode, the first problem.
        """
        self.schema_of(name)
        if options:
            raise TypeError(f"table {name} has no option {min(options)!r}; its options are: none")
        return self.read_tables([name] if columns is None else {name: columns})[name]

    def read_tables(
        self, names: Iterable[str] | Mapping[str, Iterable[str] | None] | None = None
    ) -> dict[str, pa.Table]:
        """Return several tables (all by default) at the cost of one pass over the file.

        Args:
            names: of the tables; a mapping gives for each which columns are wanted, None for all of them. Of a
                large recording a format may read those alone, which takes less memory and is not kept.
        """
        with self.lock:
            return self._read_tables(names)

    def _read_tables(self, names: Iterable[str] | None) -> dict[str, pa.Table]:
        if isinstance(names, str):
            names = [names]
        wanted = list(self.tables) if names is None else list(names)
        for name in wanted:
            self.schema_of(name)
        columns: dict[str, list[str]] = {}
        if isinstance(names, Mapping):
            columns = {name: list(some) for name, some in names.items() if some is not None}
        parts = self._build_columns(wanted, columns)
        missing = frozenset(wanted) - self._tables.keys() - parts.keys()
        built_by_format = missing - {"info", "players"}
        if EVENTS.name in missing and EVENTS not in self._table_schemas():
            built_by_format -= {EVENTS.name}
            built_by_format |= self._tables_of_events(frozenset(self.event_kinds)) - self._tables.keys()
        if built_by_format:  # first: the pass for them may find the other two, and a pipe allows only one
            self._tables.update(self._build_tables(built_by_format))
        if "info" in missing:
            self._tables["info"] = _rows(self.info_schema, INFO, [self.info])
        if "players" in missing:
            self._tables["players"] = _rows(self.players_schema, PLAYERS, self.players)
        if EVENTS.name in missing - built_by_format:
            self._tables[EVENTS.name] = self._event_table()
        found = {name: parts[name] if name in parts else self._tables[name] for name in wanted}
        return {name: table.select(columns[name]) if name in columns else table for name, table in found.items()}

    # -- events -----------------------------------------------------------------------------------------

    @cached_property
    def event_kinds(self) -> Mapping[str, str]:
        """The kinds of events that `events` knows in this replay, each with a sentence that says what it is."""
        return MappingProxyType(dict(self._event_kinds()))

    def events(self, *kinds: str) -> Iterator[ReplayEvent]:
        """Iterate over what happened, in time order: events of these kinds, or all.

        Each event has at least `tick`, `seconds`, `kind` and `player`, and the fields of its kind as attributes.
        What no asked kind needs is not decoded. Damage ends what it ends, and is noted in `problems`.

        Args:
            kinds: short words as `event_kinds` lists them, or patterns of them (``ward_*``).

        Raises:
            KeyError: there is no such kind in this format; the text suggests others.
            ReplayError: in strict mode, the first problem.
        """
        return self._read_events(choose_kinds(kinds, self.event_kinds))

    # -- time -------------------------------------------------------------------------------------------

    @property
    def clock(self) -> Clock | None:
        """Ticks as seconds and as the time that the game shows, and back; None without a known rate."""
        return self.brief_info.clock

    def to_tick(self, when: int | float | str) -> int:
        """Return the tick that `when` means: a tick (int), seconds of the recording (float, as in the tables), the
        time that the game shows (``"12:30"``, ``"-0:45"``), or either of the others as text: ``"22500t"``,
        ``"750s"``. Whether the recording has it, `tick_within` says.

        Raises:
            ValueError: it is no time, the game never showed it, or the file does not have its rate.
        """
        when = plain_when(when)
        if isinstance(when, int):
            return when
        clock = self.recording_clock if isinstance(when, float) else self.clock
        if clock is None:
            raise ValueError("the recording does not have its tick rate; expected a tick")
        return clock.tick_at(when)

    @property
    def recording_clock(self) -> Clock | None:
        """Ticks as seconds of the recording and back, whatever the game shows; the same as `clock` in formats that
        have one clock only."""
        return self.clock

    def _first_tick(self) -> int:
        """Return the earliest moment of the recording."""
        return 0

    def _last_tick(self) -> int | None:
        """Return the last tick of the recording; None if that is not known without reading all of a stream."""
        return self.brief_info.duration_ticks

    def tick_within(self, when: int | float | str) -> int:
        """Return the tick that `when` means, as `to_tick`, of a moment that the recording has.

        Raises:
            ValueError: it is no time, or before the first tick or after the last; the text has both.
        """
        return self._in_range(self.to_tick(when), when, self._last_tick())

    def _in_range(self, tick: int, when: object, last: int | None) -> int:
        """Return a tick that a recording up to `last` has; `when` is what the caller gave."""
        if last is not None and tick > last and self.clock and self.clock.displayed(last) == when:
            return last  # it ends within the second that it shows then
        if tick < self._first_tick() or (last is not None and tick > last):
            first, clock = self._first_tick(), self.clock
            shown = "" if clock is None or last is None else clock.shown_between(first, last)
            span = f"from tick {first} " + ("on" if last is None else f"to {last}")
            raise ValueError(f"expected a moment of the recording, {span}{shown}, got {when!r} (tick {tick})")
        return tick

    def at(self, when: int | float | str) -> Moment:
        """Return the state at a moment: who is where and has what, and below it the format's own state; `when` is
        as for `to_tick`.

        Raises:
            ValueError: `when` is no time, or the recording does not have it; the text says what it has.
            NotImplementedError: ``moment`` is none of `capabilities`.
        """
        with self.lock:
            return self._moment(self.tick_within(when))

    # -- to other libraries, and to files ---------------------------------------------------------------

    def batches(self, name: str, *, rows: int = 65_536) -> Iterator[pa.RecordBatch]:
        """Iterate over one table in batches of at most `rows` rows, in order.

        Where the format can, each batch is made when it is asked for, so that a table larger than memory goes
        through; else the whole table is built first.

        Raises:
            KeyError, ReplayError: as `table` does.
        """
        yield from self.table(name).to_batches(max_chunksize=rows)

    def to_polars(self, name: str, **query: Any) -> polars.DataFrame:
        """Return one table as a Polars frame; `query` is what `table` takes beside the name.

        Raises:
            ModuleNotFoundError: Polars is not installed (extra ``polars``).
            KeyError, ReplayError: as `table` does.
        """
        from playhead.export.frames import to_polars

        return to_polars(self.table(name, **query))

    def to_pandas(self, name: str, **query: Any) -> pandas.DataFrame:
        """Return one table as a pandas frame; `query` is what `table` takes beside the name.

        Whole numbers that may be missing become pandas' own ``Int32``, ``Int64`` …, so that they stay whole.

        Raises:
            ModuleNotFoundError: pandas is not installed (extra ``pandas``).
            KeyError, ReplayError: as `table` does.
        """
        from playhead.export.frames import to_pandas

        return to_pandas(self.table(name, **query))

    def to_duckdb(
        self, names: Iterable[str] | None = None, connection: duckdb.DuckDBPyConnection | None = None
    ) -> duckdb.DuckDBPyConnection:
        """Return a DuckDB connection with the tables (all by default) as views, by their names.

        Each is decoded when it is first queried (DuckDB 2.0 and later; earlier ones decode them now).

        Args:
            connection: where to add the views; a new database in memory by default.

        Raises:
            ModuleNotFoundError: DuckDB is not installed (extra ``duckdb``).
            KeyError: this replay has no such table.
        """
        from playhead.sql import connect, register

        return register(connection or connect(), self, names)

    def export(
        self,
        folder: str | Path,
        *,
        format: str = "parquet",
        tables: str | Iterable[str] | None = None,
        formulas: bool = True,
    ) -> list[Path]:
        """Write tables (all by default) as ``folder/<table>.<format>``; returns the paths.

        Each file appears whole or not at all. `format` is ``parquet``, ``csv`` or ``ndjson``. Without
        `formulas`, a text in CSV that a spreadsheet would run gets an apostrophe in front, and control
        characters are spelled out. Of an input opened with ``stream=True``, large tables are written batch by
        batch, at the cost of a pass each. A file
        ``_playhead.json`` says which replay the tables are of, so that those of two are never mixed.

        Raises:
            KeyError: this replay has no such table.
            ValueError: there is no such format.
            FileExistsError: the folder holds tables of another replay.
            OSError: the folder or a file cannot be written.
            ReplayError: in strict mode, the first problem.
        """
        from pathlib import Path

        from playhead.export.files import write_tables

        stream = self.source.stream
        large = self._large_tables() if stream is not None and stream.reopenable else frozenset()
        if isinstance(tables, str):
            tables = [tables]
        names = list(self.tables) if tables is None else list(tables)
        return write_tables(self, Path(folder), names, format, piecewise=large, formulas=formulas)

    # -- at a prompt, in a notebook ---------------------------------------------------------------------

    @property
    def t(self) -> Tables:
        """The tables as attributes that complete: ``replay.t.chat`` is ``replay.table("chat")``."""
        from playhead.show.notebook import Tables

        return Tables(self)

    @property
    def plot(self) -> Plots:
        """Pictures: ``replay.plot.positions()``, ``.economy()`` and more (extra ``plot``); see `Plots`."""
        from playhead.show import Plots

        return Plots(self)

    def __getitem__(self, name: str) -> pa.Table:
        """``replay["chat"]`` is ``replay.table("chat")``."""
        return self.table(name)

    def __contains__(self, name: object) -> bool:
        return name in self.tables

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.tables)

    def _repr_html_(self) -> str:
        from playhead.show.notebook import replay_html

        return replay_html(self)

    def __repr__(self) -> str:
        if self.closed:
            return f"<Replay {self.format} {self._closed_name!r}, closed>"
        info = self.brief_info
        parts = [f"{self.format} {self.name!r}", " ".join(filter(None, (info.game, info.version)))]
        if info.map:
            parts.append(f"map {info.map!r}")
        if info.duration_seconds is not None:
            parts.append(format_seconds(info.duration_seconds))
        if not info.complete:
            parts.append("incomplete")
        return f"<Replay {', '.join(parts)}>"
