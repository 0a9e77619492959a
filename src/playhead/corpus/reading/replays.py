"""`Replays`: the verbs that a corpus and a lake share."""

from __future__ import annotations

import hashlib
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Self, TypeVar

from playhead.corpus.facts import CORPUS_INFO, CORPUS_PROBLEMS
from playhead.corpus.reading.conditions import check_values, check_word, fits, which_fit, with_own_facts
from playhead.corpus.reading.overlay import OF_MATCHES, Overlay, OverlayPlots, overlaid
from playhead.corpus.reading.statistics import player_statistics
from playhead.corpus.series.arrays import Read, SeriesReader, state_action_pairs, torch_series
from playhead.corpus.series.steps import Game, Steps, make_steps
from playhead.errors import ColumnTypeError
from playhead.export.frames import to_pandas, to_polars
from playhead.registry import list_formats, vocabulary
from playhead.show.table_list import Tables
from playhead.sql.connection import LazyTable, add_table, connect
from playhead.sql.query import named_tables, query_tables
from playhead.tables.arrow import to_rows
from playhead.tables.shared import INFO, PROBLEMS
from playhead.text.html import page_html, rows_html, title_html
from playhead.text.names import listed, unknown_name
from playhead.text.visible import visible

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars

    from playhead.runtime.libraries import pa
    from playhead.sql.statement import Statement

_T = TypeVar("_T")

#: Facts of replays that a notebook lists, of so many.
_IN_HTML = ["file", "game", "map", "played_at", "duration_seconds", "winner_name", "winner_side", "error"]
LISTED = 20


class CorpusSplit(tuple[_T, ...]):
    """The parts of a corpus, in order: ``train, valid, test = parts``, ``parts.train`` or ``parts["train"]``."""

    names: tuple[str, ...]

    def __new__(cls, parts: Mapping[str, _T]) -> CorpusSplit[_T]:
        made = super().__new__(cls, parts.values())
        made.names = tuple(parts)
        return made

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self.names.index(key) if key in self.names else key)

    def __getattr__(self, name: str) -> _T:
        if name == "names" or name not in self.names:
            raise AttributeError(unknown_name(name, () if name == "names" else self.names, "part"))
        return self[name]  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<CorpusSplit into {', '.join(self.names)}>"


def shares(parts: Mapping[str, float], seed: int) -> dict[str, Callable[[object], bool]]:
    """Return a test for each part, by name: whether it has the replays with a value. ``test`` has the rest, unless
    it is one of `parts`.

    The place of a replay between 0 and 1 follows from the value and the seed alone, so added replays change no
    others.

    Raises:
        ValueError: a part is not between 0 and 1, or all together are more than 1.
    """
    if any(not 0 <= size <= 1 for size in parts.values()) or sum(parts.values()) > 1 + 1e-9 or not parts:
        raise ValueError(f"expected parts between 0 and 1 that are at most 1 together, got {dict(parts)}")

    def has(low: float, high: float, value: object) -> bool:
        digest = hashlib.blake2b(f"{seed}\0{value}".encode(errors="surrogatepass"), digest_size=8).digest()
        return low <= int.from_bytes(digest, "big") / (1 << 64) < high

    ends = list(accumulate(parts.values(), initial=0.0))
    names = dict.fromkeys((*parts, "test"))
    return {name: partial(has, *bounds) for name, bounds in zip(names, pairwise((*ends, 1.0)), strict=False)}


@contextmanager
def skipping(table: str) -> Iterator[None]:
    """Skip a table with a warning if a column has types that cannot be combined."""
    try:
        yield
    except ColumnTypeError as error:
        warnings.warn(f"table {table} is skipped: {error}", stacklevel=5)


class Replays(ABC):
    """Many replays as one: a `Corpus` decodes them when they are needed, a `Lake` has them as Parquet. Both have
    these verbs, with the same results."""

    # -- choosing replays -------------------------------------------------------------------------------

    @abstractmethod
    def info(self) -> pa.Table:
        """Return a row for each replay, sorted by `replay`: its facts, or why it could not be read
        (`CORPUS_INFO`); table ``info`` has other columns, and of readable replays only."""

    @abstractmethod
    def _only(self, replays: Collection[str]) -> Self:
        """Return those of the replays with these SHA-256."""

    def filter(self, /, **facts: Any) -> Self:
        """Return the replays whose facts fit. If none fits a condition, a warning lists the existing values.

        Args:
            facts: columns of `info`, or a format's own columns of table ``info`` (``matchup="PvT"``): a value, a
                list of values, a pattern (``map="*LE"``), a comparison (``build=">=80949"``,
                ``start_time="<2024-05-01"``), or a function of the value.

        Raises:
            KeyError: there is no such column.
            ValueError: playhead reads no such format or game, or a condition is no value of its column.
        """
        columns = CORPUS_INFO.column_names
        if not facts.keys() <= {*columns}:
            columns = (*columns, *vocabulary().facts)
        for name in facts:
            if name not in columns:
                raise KeyError(unknown_name(name, columns, "column"))
        check_values(facts, CORPUS_INFO.arrow())
        check_word(facts, "format", [each.name for each in list_formats()])
        if facts.keys() <= {"replay"}:  # no replay has to be opened
            return self._only({replay for replay in self.replays if fits({"replay": replay}, facts)})
        known = self.info()
        if "game" in facts:
            check_word(facts, "game", {*vocabulary().games, *filter(None, known["game"].to_pylist())})
        rows = with_own_facts(to_rows(known), facts, lambda: self.table(INFO.name))
        fit = which_fit(rows, facts)
        return self._only({row["replay"] for row, is_one in zip(rows, fit, strict=True) if is_one})

    def split(self, *, by: str = "replay", seed: int = 0, **parts: float) -> CorpusSplit[Self]:
        """Divide the replays at random, for training and testing: ``split(train=0.8, valid=0.1)``.

        The part of a replay follows from its bytes and the seed, so that replays may be added later.

        Args:
            by: column of `info`; replays with the same value are in the same part (``map``, ``start_time``).
            seed: another seed gives another division.
            parts: the share of each part; ``test`` has the rest.

        Raises:
            KeyError: `info` has no such column.
            ValueError: the shares are not between 0 and 1, or more than 1 together.
        """
        return CorpusSplit({name: self.filter(**{by: share}) for name, share in shares(parts, seed).items()})

    @property
    @abstractmethod
    def replays(self) -> tuple[str, ...]:
        """The SHA-256 of each replay, sorted, and ``path-…`` for an input that could not be read."""

    @property
    @abstractmethod
    def files(self) -> tuple[str, ...]:
        """The name of each replay, in the order of `replays`: of several copies the first."""

    @property
    @abstractmethod
    def copies(self) -> dict[str, tuple[str, ...]]:
        """The other names of each replay that has several, by the name in `files`."""

    def __len__(self) -> int:
        """Return the number of replays."""
        return len(self.replays)

    def __iter__(self) -> Iterator[str]:
        """Iterate over `files`."""
        return iter(self.files)

    # -- tables over all --------------------------------------------------------------------------------

    @property
    @abstractmethod
    def tables(self) -> tuple[str, ...]:
        """The names of the tables, sorted; also of those without rows."""

    @property
    @abstractmethod
    def problems(self) -> pa.Table:
        """Everything that could not be read (`CORPUS_PROBLEMS`)."""

    @abstractmethod
    def table(self, name: str, *, columns: str | Iterable[str] | None = None, **options: Any) -> pa.Table:
        """Return one table over all replays, or some of its columns, sorted by replay; `replay` and `file` are
        always the first columns.

        A replay without the table adds no rows. A column that a game or version lacks is null.

        Args:
            name: name of the table; ``"info"`` is the table of the format, not the method `info`.
            columns: names of columns; all by default.
            options: those of the table, such as ``every="10s"``. The tables of a lake have none.

        Raises:
            KeyError: no replay has such a table or column.
            ValueError: the table has no such option, or an option has an invalid value.
            ColumnTypeError: a column has types that cannot be combined.
        """

    @abstractmethod
    def batches(self, name: str) -> pa.RecordBatchReader:
        """Return one table as a reader of batches (``__arrow_c_stream__``), with text instead of categories.
        Memory is bounded by the largest replay or data file. Errors as of `table`."""

    @abstractmethod
    def lazy(self, name: str) -> polars.LazyFrame:
        """Return one table as a lazy Polars frame, which reads the needed data when it is collected. Text
        is never categorical.

        Raises:
            ModuleNotFoundError: Polars is not installed (extra ``polars``).
            KeyError, ColumnTypeError: as of `table`.
        """

    def to_polars(self, name: str, **query: Any) -> polars.DataFrame:
        """Return one table as a Polars frame; arguments and errors as of `table` and `Replay.to_polars`."""
        return to_polars(self.table(name, **query))

    def to_pandas(self, name: str, **query: Any) -> pandas.DataFrame:
        """Return one table as a pandas frame; arguments and errors as of `table` and `Replay.to_pandas`."""
        return to_pandas(self.table(name, **query))

    def to_duckdb(
        self, names: str | Iterable[str] | None = None, connection: duckdb.DuckDBPyConnection | None = None
    ) -> duckdb.DuckDBPyConnection:
        """Return a DuckDB connection with tables (all by default) as views of their names.

        A corpus reads the named tables at once, in one pass; without names, each when a query first uses it. A
        lake reads the data that a query needs, and has a view `INPUTS_OF_LAKE`, the manifest rows.

        Raises:
            ModuleNotFoundError: DuckDB is not installed (extra ``duckdb``).
            KeyError, ColumnTypeError: as of `table`. Without names, a warning names each skipped table.
        """
        connection = connection or connect()
        self._register(connection, None if names is None else [names] if isinstance(names, str) else list(names))
        return connection

    @abstractmethod
    def _register(self, connection: duckdb.DuckDBPyConnection, names: Sequence[str] | None) -> None:
        """Add tables, or all, to a connection."""

    def query(self, text: str) -> pa.Table:
        """Return the result of one statement of DuckDB's SQL; only the tables that it uses are read. `problems` is
        one too. A warning tells of a join of several files that names neither `file` nor `replay`.

        Raises:
            ModuleNotFoundError: DuckDB is not installed (extra ``duckdb``).
            ValueError: there is more than one statement.
            ColumnTypeError: a column of a used table has types that cannot be combined.
            duckdb.Error: the statement is wrong.
        """

        def add(connection: duckdb.DuckDBPyConnection, statement: Statement) -> None:
            if statement.asks_for_tables or PROBLEMS.name in statement.tables:
                add_table(connection, PROBLEMS.name, LazyTable(CORPUS_PROBLEMS.arrow(), lambda: self.problems))
            names = None if statement.asks_for_tables else sorted(named_tables(statement, self._known_tables()))
            self._register(connection, names)

        def known() -> tuple[str, ...]:
            return (*self._known_tables(), PROBLEMS.name)

        return query_tables(text, known, add, no_table=self._no_such_table, files=self.__len__)

    def _no_such_table(self, name: str) -> str:
        """Return the message of the error for a table that it lacks."""
        return unknown_name(name, self.tables, "table")

    def _known_tables(self) -> Iterable[str]:
        """Return the tables that a statement may use; they may be more than `tables`."""
        return self.tables

    def player_stats(
        self, by: str | Iterable[str] = "player", *, per: str = "match", percentiles: bool = False, least: int = 1
    ) -> pa.Table:
        """Return what players did over all matches, from the tables `player_stats` and, for DDNet, `runs`.

        One row for each game and combination of values of `by`, those with most matches first: matches, players
        (a person in a match is one), wins, losses, share of wins, then `player_rounds` (CS2) and `player_minutes`,
        sums over these players of the rounds each played and of the time each was there (from coming to leaving
        in CS2 and DDNet, else the match), then every number of `player_stats`. A count (kills) is a mean as `per`
        says; any other (`adr`, `spending_quotient`) is the mean over the matches, of CS2 weighted by rounds. A
        warning names the first replay with results but without these numbers: it does not count.

        Args:
            by: dimensions, of `statistics.DIMENSIONS` or columns of `players`: ``"player"``,
                ``["map", "side"]``, ``["player", "month"]``. A person is the account, or the name where a
                file has none.
            per: ``match``, ``round``, ``minute`` or ``total``: what counts are divided by.
            percentiles: add a column ``…_percentile`` for each number: the share of rows of the same game that
                are below, in percent; equal ones count half.
            least: leave out rows of fewer matches.

        Raises:
            KeyError: there is no such dimension.
            ValueError: `per` is another word; a lake, or replays of other games beside CS2, cannot be divided by
                side or half.
        """
        return player_statistics(self._read_several, by, per, percentiles=percentiles, least=least)

    def overlay(
        self,
        table: str = "positions",
        *,
        align: str = "match",
        where: Mapping[str, Any] | None = None,
        window: tuple[float, float] = (-10.0, 30.0),
        **options: Any,
    ) -> Overlay:
        """Return the rows of a table of many rounds or matches laid over each other: on one clock, with the facts
        of their rounds, to count, filter and draw (`Overlay.plot`).

        Args:
            table: a table with places, such as ``positions``, ``kills``, ``grenades``.
            align: the zero of the clock: ``match`` (its period `game`), ``round`` (CS2: the end of freeze time),
                or a kind of event (``bomb_planted``): the last one, or the next if that is within the window.
            where: conditions as of `filter`: on facts of the match (``map``, ``game``) and on columns of the
                result (``side``, ``own_buy_type``, ``round_num``, ``player``).
            window: seconds before and after an event.
            options: those of the table, such as ``every="1s"``.

        Raises:
            KeyError: no replay has such a table, or the result no such column.
            ValueError: there is no such event; the table has no rounds; an option is invalid.
        """
        wanted = dict(where or {})
        of_match = {name: wanted.pop(name) for name in [*wanted] if name in OF_MATCHES}
        chosen = self.filter(**of_match) if of_match else self
        return Overlay(overlaid(chosen._read_several, table, align, wanted, window=window, options=options))

    @abstractmethod
    def _read_several(self, names: Sequence[str], options: Mapping[str, Any]) -> Mapping[str, pa.Table]:
        """Return those of the tables that any replay has; the last one with options."""

    # -- at a prompt, in a notebook ---------------------------------------------------------------------

    @property
    def t(self) -> Tables:
        """The tables as attributes, for completion: ``corpus.t.kills`` is ``corpus.table("kills")``."""
        return Tables(self)

    @property
    def plot(self) -> OverlayPlots:
        """Pictures of all replays on one map: ``corpus.plot.positions()``, ``.kills()`` (extra ``plot``)."""
        return OverlayPlots(self.overlay, lambda: self.tables)

    def _repr_html_(self) -> str:
        rows = to_rows(self.info().slice(0, LISTED).select(_IN_HTML))
        more = f"<div class='ph-note'>… {len(self) - len(rows):,} more</div>" if len(self) > len(rows) else ""
        return page_html(title_html(f"{len(self):,} replays", repr(self)), rows_html(rows, LISTED), more)

    # -- series -----------------------------------------------------------------------------------------

    def series(self, *, every: float | str = "1s", fields: str | Iterable[str] | None = None) -> SeriesReader:
        """Return the players at fixed time steps, over replays of all games, as input for models.

        There is one row per player and step: `replay`, `file`, `seconds` of the recording, `player`, and the
        fields, all float64. A field has the value of the player's last row at or before the step, if that is not
        older than a step of its table; it is null before the first row, while the player is gone, in steps that do
        not count (warm-up and undone rounds of CS2), or if the game lacks the field. Rows start at the first step
        with a value for the player and end at the last, without a gap. A corpus has its replays in the order of
        `files`, a lake in that of its data files.

        The result is an iterator of Arrow batches that DuckDB, Polars and pandas accept; ``read_all()`` makes a
        table, ``numpy()`` arrays of players × steps × fields. Replays are read lazily: memory is bounded
        by the largest replay. A replay adds no rows if it cannot be read, if its game lacks the named fields, if
        it claims to last for more steps than its rows pay for (`Limits.steps`), or exceeds another limit; warnings
        tell of them.

        Args:
            every: the step: seconds, or text (``"1s"``, ``"500ms"``, ``"1min"``). A lake has ``player_series`` at
                every second, as exported.
            fields: names of fields; by default those of the games of the replays, but `creep_area`, which takes
                longer.

        Raises:
            KeyError: no game has such a field; the message has the nearest. A lake has no table with any of
                the fields. While the result is read: no replay has any of the named fields.
            ValueError: `every` is not a step of time, or `fields` is empty.
        """
        steps = make_steps(every, fields, self._games)
        return self._series(steps, None if fields is None else ", ".join(steps.fields))

    def pairs(
        self,
        *,
        every: float | str = "1s",
        fields: str | Iterable[str] | None = None,
        kinds: str | Iterable[str] | None = None,
        actions: str = "inputs",
    ) -> Iterator[pa.Table]:
        """Iterate over the replays as pairs of state and action, a table for each replay with actions.

        An action is a row of table ``inputs``: a command of a client (CS2, Deadlock; DDNet where it changes), an
        order (Dota 2), a command, selection, control group or camera (StarCraft II, Heroes of the Storm; of these
        ``actions="commands"`` has the orders with ability and target). Its state is that of its player in
        `series`, at the last step before it: ``state_seconds`` and ``state_FIELD``; so no state knows of its
        action. ``is_new`` is false where all fields are those of the player's previous action: StarCraft II
        records most of them every ten seconds.

        Args:
            every, fields: as of `series`.
            kinds: kinds of actions, or patterns of them; all by default.
            actions: another table with the columns `seconds` and `player`. A warning tells of replays without rows
                of it.

        Raises:
            KeyError: no replay has such a table, or one has no action of a kind; else as of `series`.
            ValueError: as of `series`.
        """
        asked = None if kinds is None else listed(kinds)
        self.batches(actions)  # raises the error of a table that none has
        count, without = 0, list[str]()
        for game in self.series(every=every, fields=fields).numpy():
            count += 1
            one = self.filter(replay=game.replay)
            has = actions in one.tables
            found = state_action_pairs(game, one.table(actions), asked) if has else None
            if found:
                yield found
            else:
                without.append(game.file)
        if without:
            text = f"{len(without)} of {count} replays have no action in table {actions}, the first {without[0]}"
            warnings.warn(visible(text), stacklevel=2)

    def torch(self, *, every: float | str = "1s", fields: str | Iterable[str] | None = None) -> Any:
        """Return the series as a ``torch.utils.data.IterableDataset`` with an item for each replay; see
        `torch_series`. Replays without the fields are skipped. Workers of a ``DataLoader`` and processes of
        ``torch.distributed`` share the replays.

        Raises:
            ModuleNotFoundError: PyTorch is not installed.
            KeyError, ValueError: as of `series`.
        """
        return torch_series(*self._reader(make_steps(every, fields, self._games)))

    def _games(self) -> set[Game]:
        """Return format and game of the replays that can be read."""
        rows = self.info().select(["format", "game", "error"]).to_pylist()
        return {(row["format"], row["game"]) for row in rows if row["error"] is None}

    @abstractmethod
    def _series(self, steps: Steps, chosen: str | None) -> SeriesReader:
        """Return the series; that no replay has the fields is an error if `chosen` names them."""

    @abstractmethod
    def _reader(self, steps: Steps) -> tuple[Sequence[str], Read]:
        """Return the keys of the replays, and a function that reads the series of some, which can be pickled."""
