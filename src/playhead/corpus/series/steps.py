"""Players at fixed time steps, over replays of any format, as input for models.

Each format declares the tables and columns (`playhead.presentation.SeriesSource`). This module aligns their rows:
at each step, a player has the values of its last row at or before the step.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import reduce
from typing import TYPE_CHECKING, Self

from playhead.clock import ticks_between
from playhead.corpus.delta import DataFile, LakeTable
from playhead.corpus.facts import READING
from playhead.corpus.writing.decode import Request
from playhead.io.store import Store
from playhead.limits import Limits
from playhead.presentation import SeriesSource
from playhead.registry import series_sources
from playhead.runtime.libraries import pa, pc, pq
from playhead.runtime.records import dataclass, replace
from playhead.tables.arrow import repeated, row_numbers, with_schema, without_rows
from playhead.tables.combined import FILE, REPLAY
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import array_of, scalar_of
from playhead.tables.vocabulary import word
from playhead.text.names import listed, unknown_name
from playhead.text.visible import visible

if TYPE_CHECKING:
    from playhead.replay import Replay

#: Greatest number of rows of a batch.
BATCH_ROWS = 1 << 16

#: Format and game of a replay.
Game = tuple[str | None, str | None]

_UNIT = 1_000_000
#: Bits of the number of a step in a key; the player is above them.
_STEP_BITS = 32
#: A row that is late by less than this part of a step counts for the step.
_CLOSE = 1e-6


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps and fields of a series.

    Attributes:
        every: seconds between two steps.
        fields: names of fields, in their order.
    """

    every: float
    fields: tuple[str, ...]

    @property
    def schema(self) -> TableSchema:
        """The columns of the series of one replay."""
        columns = (
            word("seconds", "Here a multiple of the step.", required=True),
            word("player", required=True),
            *(Column(name, "float64", _meaning(name)) for name in self.fields),
        )
        return TableSchema.of("series", "One row for each player and step.", *columns)

    def arrow(self) -> pa.Schema:
        """The columns over many replays, with `REPLAY` and `FILE` first."""
        schema = self.schema
        return replace(schema, columns=(REPLAY, FILE, *schema.columns)).arrow().remove_metadata()

    def of(self, format: str | None, game: str | None) -> list[tuple[SeriesSource, list[str]]]:
        """Return the needed sources of a game of a format, with their fields, also one that tells who is gone."""
        sources = _sources({(format, game)})
        both = [(each, [name for name in self.fields if name in each.fields]) for each in sources]
        wanted = any(fields for _, fields in both)
        return [(source, fields) for source, fields in both if fields or (wanted and source.gone)]

    def tables(self) -> list[str]:
        """Return the names of the tables that have any of the fields, over all games, sorted."""
        return sorted({each.table for each in _sources() if not each.fields.keys().isdisjoint(self.fields)})


def _sources(games: Collection[Game] = ()) -> list[SeriesSource]:
    """Return the sources of games; all without any."""
    every = [(format, each) for format, some in series_sources().items() for each in some]
    return [
        each
        for format, each in every
        if not games or any(format == one and each.game in (None, game) for one, game in games)
    ]


def _meaning(field: str) -> str:
    """Return the source of a field, by game; by format if its games have the same source."""
    found = [
        f"{' + '.join(source.fields[field])} of {source.table} ({source.game or format})"
        for format, some in series_sources().items()
        for source in some
        if field in source.fields
    ]
    return f"{'; '.join(found)}. 1 and 0 stand for yes and no."


def fields_by_game() -> Mapping[str, tuple[str, ...]]:
    """Return the fields of each game, by `Info.game`; by name of the format if its games have the same fields."""
    found: dict[str, tuple[str, ...]] = {}
    for format, some in series_sources().items():
        for source in some:
            whose = source.game or format
            found[whose] = (*found.get(whose, ()), *source.fields)
    return found


def make_steps(
    every: float | str, fields: str | Iterable[str] | None, games: Callable[[], Collection[Game]]
) -> Steps:
    """Return the steps for a user's arguments.

    Args:
        every: seconds, or text as ``"1s"``.
        fields: names; None for those of sources that are `by_default`.
        games: returns the games whose sources count if no fields are named; without any, all count.

    Raises:
        KeyError: no game has such a field.
        ValueError: `every` is not a step of time, or `fields` is empty.
    """
    if isinstance(every, int) or (isinstance(every, str) and "tick" in every):
        raise ValueError(f"expected a step in seconds, as 1.0 or '1s' (ticks differ by format), got {every!r}")
    parts = ticks_between(every, float(_UNIT))
    if parts is None:
        raise ValueError("expected a step in seconds, as 1.0 or '1s', got None")
    if fields is None:
        fields = [name for each in _sources(games()) if each.by_default for name in each.fields]
    chosen = tuple(dict.fromkeys(listed(fields)))
    names = {name for each in _sources() for name in each.fields}
    for name in chosen:
        if name not in names:
            raise KeyError(unknown_name(name, names, "field"))
    if not chosen:
        raise ValueError("expected the name of a field, got none")
    return Steps(parts / _UNIT, chosen)


@dataclass(frozen=True, slots=True)
class SeriesRequest(Request):
    """Requests the series of each replay as its only table."""

    steps: Steps = Steps(1.0, ())

    def read(self, replay: Replay) -> Mapping[str, pa.Table]:
        """Return the series of a replay; errors as in `Replay.read_tables`."""
        sources = self.steps.of(replay.format, replay.brief_info.game)
        needed = [each for each in sources if each[0].table in replay.tables]
        every = self.steps.every
        finer = {source.table for source, _ in needed if source.sampled and every < (source.step or 0.0)}
        # Others have their own steps, as in a lake, so the series of both are the same.
        plain = {source.table: source.columns(fields) for source, fields in needed if source.table not in finer}
        tables = replay.read_tables(plain) if plain else {}
        parts = []
        for source, fields in needed:
            if source.table in finer:
                table = replay.table(source.table, columns=source.columns(fields), every=every)
            else:
                table = tables[source.table]
            parts.append((source, fields, table))
        duration = replay.brief_info.duration_seconds
        return {"series": align(self.steps, parts, duration, self.limits)}


def align(
    steps: Steps,
    parts: Sequence[tuple[SeriesSource, list[str], pa.Table]],
    duration: float | None,
    limits: Limits | None = None,
) -> pa.Table:
    """Align the rows of tables of one replay to common steps.

    A player's rows go from the first step with a value to the last, without a gap; unknown fields are null. Rows
    are sorted by player, then by time.

    Args:
        parts: sources with their fields and their tables.
        duration: seconds at which the recording ends; None ends the series with the last row.
        limits: `Limits.steps` bounds the rows; the defaults if None.

    Raises:
        LimitExceeded: the recording claims to last for more steps than its rows pay for.
    """
    schema = steps.schema.arrow().remove_metadata()
    if duration is None:
        ends = [pc.max(table["seconds"]).as_py() for _, _, table in parts]
        duration = max((each for each in ends if each is not None), default=0.0)
    last = int(duration / steps.every + _CLOSE)
    aligned = [_held(steps, last, limits or Limits(), *part) for part in parts]
    if not aligned:
        return without_rows(schema)
    # Another table does not tell who is gone, as the inputs of DDNet.
    for (source, *_), told in zip(parts, aligned, strict=True):
        if source.gone is not None:
            there = told["key"].filter(told["known"]).combine_chunks()
            others = (each.filter(pc.is_in(each["key"], there)) for each in aligned)
            aligned = [told if each is told else other for each, other in zip(aligned, others, strict=True)]
    # `Table.join` would import pandas.
    keys = pc.unique(pa.chunked_array([chunk for each in aligned for chunk in each["key"].chunks], pa.int64()))
    keys = keys.take(pc.array_sort_indices(keys))
    step = pc.bit_wise_and(keys, _whole((1 << _STEP_BITS) - 1))
    if len(keys):
        ends = pc.min_max(step)
        span = ends["max"].as_py() - ends["min"].as_py() + 1
        (limits or Limits()).check_steps(span, len(keys), "series")
    columns = {
        "seconds": pc.multiply(step.cast(pa.float64()), scalar_of(steps.every, pa.float64())),
        "player": pc.shift_right(keys, _whole(_STEP_BITS)),
        **{name: pa.nulls(len(keys)) for name in steps.fields},
    }
    for each in aligned:
        rows = each.drop_columns(["key", "known"]).take(pc.index_in(keys, value_set=each["key"].combine_chunks()))
        columns.update(zip(rows.column_names, rows.columns, strict=True))
    return steps.schema.build(columns).combine_chunks()


def _held(
    steps: Steps, last: int, limits: Limits, source: SeriesSource, fields: list[str], table: pa.Table
) -> pa.Table:
    """Return the values at each step of one table, ``known``, and ``key``, player and step in one number."""
    table = table.filter(pc.and_(pc.is_valid(table["player"]), pc.is_valid(table["seconds"])))
    step = _first_step(steps, table["seconds"])
    table = table.append_column("step", pc.max_element_wise(step, _whole(0)))
    table = table.append_column("place", row_numbers(table.num_rows, pa.int64()))
    table = table.filter(pc.less_equal(table["step"], _whole(last)))
    table = table.sort_by([("player", "ascending"), ("step", "ascending"), ("place", "ascending")])
    table = _with_ends(steps, source, last, table.combine_chunks())
    lengths = pc.subtract(
        pc.if_else(_differs(table["player"]), _whole(last + 1), _next(table["step"])), table["step"]
    )
    found = {name: _sum([table[column].cast(pa.float64()) for column in source.fields[name]]) for name in fields}
    known = table["known"]
    found = {name: pc.if_else(known, held, scalar_of(None, pa.float64())) for name, held in found.items()}
    # Between rows with values, unknown steps stay: models take neighbouring rows for neighbouring times.
    there = pc.if_else(known, table["player"].cast(pa.int64()), scalar_of(None, pa.int64())).combine_chunks()
    around = (pc.equal(fill(there), table["player"]) for fill in (pc.fill_null_forward, pc.fill_null_backward))
    inside = pc.fill_null(reduce(pc.and_, around), scalar_of(False, pa.bool_()))
    lengths = pc.if_else(inside, lengths, _whole(0))
    limits.check_steps(pc.sum(lengths).as_py() or 0, table.num_rows, "series")
    player = pc.shift_left(table["player"].cast(pa.int64()), _whole(_STEP_BITS))
    runs = pc.cumulative_sum(lengths)
    places = _places(runs, lengths)
    begins = pc.subtract(table["step"], pc.subtract(runs, lengths))
    keys = pc.add(pc.add(player, begins).take(places), row_numbers(len(places), pa.int64()))
    return pa.table({**found, "known": known}).take(places).append_column("key", keys)


def _first_step(steps: Steps, seconds: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the number of the first step at or after each time."""
    numbers = pc.divide(seconds, scalar_of(steps.every, pa.float64()))
    return pc.ceil(pc.subtract(numbers, scalar_of(_CLOSE, pa.float64()))).cast(pa.int64())


def _with_ends(steps: Steps, source: SeriesSource, last: int, table: pa.Table) -> pa.Table:
    """Return the last row of each step, and a row wherever one no longer holds; ``known`` is false in the latter
    and where the player is gone. Rows are sorted by player, then by time, and stay so."""
    no = scalar_of(False, pa.bool_())
    known = pc.is_valid(table["player"])
    if source.gone is not None:
        column, value = source.gone
        gone = pc.equal(table[column].cast(pa.string()), scalar_of(value, pa.string()))
        known = pc.invert(pc.fill_null(gone, no))
    table = table.append_column("known", known)
    between = pc.subtract(_next(table["seconds"]), table["seconds"])
    more = pc.and_(pc.invert(_differs(table["player"])), pc.greater(between, scalar_of(_CLOSE, pa.float64())))
    between = pc.min(between.filter(more)).as_py()
    table = table.filter(_differs(table["player"], table["step"]))
    if source.step is None or (between is None and not source.sampled):
        return table
    # A tick is no part of every step: rows of 0.25 s may be 0.27 s apart.
    hold = max(min(source.step, steps.every) if source.sampled else source.step, between or 0.0)
    over = _first_step(steps, pc.add(table["seconds"], scalar_of(hold, pa.float64())))
    late = pc.less_equal(over, table["step"])
    ends = pc.if_else(_differs(table["player"]), _whole(last + 1), _next(table["step"]))
    place, marked = table.schema.get_field_index("step"), table.schema.get_field_index("known")
    table = table.set_column(marked, "known", pc.if_else(late, no, table["known"]))
    over_rows = table.set_column(place, "step", over).set_column(marked, "known", pc.if_else(late, no, no))
    over_rows = over_rows.filter(pc.and_(pc.invert(late), pc.less(over, ends)))
    return (
        pa.concat_tables([table, over_rows])
        .sort_by([("player", "ascending"), ("step", "ascending")])
        .combine_chunks()
    )


def _places(runs: pa.ChunkedArray, lengths: pa.ChunkedArray) -> pa.Array:
    """Return each row number repeated by its length; `runs` are the cumulative lengths."""
    if not len(runs):
        return array_of([], pa.int64())
    some = pc.greater(lengths, _whole(0))
    ends = runs.filter(some).combine_chunks()
    values = row_numbers(len(runs), pa.int64()).filter(some.combine_chunks())
    return repeated(values, ends)


def _whole(number: int) -> pa.Scalar:
    return scalar_of(number, pa.int64())


def _next(column: pa.ChunkedArray) -> pa.Array:
    """Return the value of the next row; null in the last."""
    values = column.combine_chunks()
    return pa.concat_arrays([values.slice(1), pa.nulls(min(len(values), 1), values.type)])


def _differs(*columns: pa.ChunkedArray) -> pa.Array:
    """Return whether the next row has another value in one of the columns; true in the last row."""
    changes = (pc.not_equal(each.combine_chunks(), _next(each)) for each in columns)
    return reduce(pc.or_, (pc.fill_null(each, scalar_of(True, pa.bool_())) for each in changes))


def _sum(columns: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    if len(columns) == 1:
        return columns[0]
    zero, nothing = (scalar_of(value, pa.float64()) for value in (0.0, None))
    total = reduce(pc.add, (pc.fill_null(each, zero) for each in columns))
    return pc.if_else(reduce(pc.or_, map(pc.is_valid, columns)), total, nothing)


def _lacking(steps: Steps, games: Collection[Game]) -> str:
    """Return what the games without any of the chosen fields have, as the end of a message."""
    known = fields_by_game()
    lacking = sorted(
        str(game if game in known else format) for format, game in games if not steps.of(format, game)
    )
    return "".join(
        f"; {each} has none of {', '.join(steps.fields)}, but {', '.join(known.get(each, ())) or 'no field'}"
        for each in lacking
    )


def batches(
    steps: Steps,
    files: Mapping[str, str],
    tables: Iterable[pa.Table],
    chosen: str | None,
    games: Collection[Game],
    why: Callable[[str], str] = lambda file: "",
) -> pa.RecordBatchReader:
    """Return the series of several replays as batches, built lazily.

    All batches share the dictionaries of `replay` and `file`, because Arrow groups by no column whose dictionary
    changes: `files` has the names of files by replay. Without any row, the fields that the user chose, in words,
    are a KeyError; replays without a row are then a warning that names those of `games` that lack the fields.
    `games` may grow while `tables` are read. `why` says why the fields of a file are empty.
    """
    schema = steps.arrow()
    numbers = {replay: number for number, replay in enumerate(files)}
    shared = [array_of(list(files), pa.string()), array_of(list(files.values()), pa.string())]

    def pieces() -> Iterator[pa.RecordBatch]:
        without = dict(files)
        for table in tables:
            if not table.num_rows:
                continue
            replay = table[0][0].as_py()
            without.pop(replay, None)
            number = pa.repeat(scalar_of(numbers[replay], pa.int32()), table.num_rows)
            for place, words in enumerate(shared):
                column = pa.DictionaryArray.from_arrays(number, words)
                table = table.set_column(place, table.field(place), column.cast(table.field(place).type))
            yield from table.cast(schema).to_batches(max_chunksize=BATCH_ROWS)
        if chosen and len(without) == len(files) > 0:
            text = f"no replay of {len(files)} has {chosen}"
            if having := sorted({str(game) for format, game in games if steps.of(format, game)}):
                reason = next(filter(None, map(why, without.values())), "")
                text += f": {', '.join(having)} has them, but no row of these has values{reason}"
            raise KeyError(visible(f"{text}{_lacking(steps, games)}"))
        if chosen and without:
            count = f"{len(without)} of {len(files)} replays"
            text = f"{count} add no rows to the series, the first {next(iter(without.values()))}"
            warnings.warn(visible(f"{text}{_lacking(steps, games)}"), stacklevel=2)

    return pa.RecordBatchReader.from_batches(schema, pieces())


class ReplayRows:
    """The rows of single replays in data files; a context manager. Holds one row group at a time."""

    def __init__(self, table: LakeTable, files: Iterable[DataFile], readings: Mapping[str, str]) -> None:
        """Locate the replays.

        Args:
            readings: the readings whose rows are wanted, each with its replay.
        """
        self._table = table
        self._readings = {replay: reading for reading, replay in readings.items()}
        self._places: dict[str, list[tuple[DataFile, int]]] = {}
        files = list(files)
        with ThreadPoolExecutor(8) as threads:
            found = threads.map(lambda file: _groups(table.store, file), files)
            for file, groups in zip(files, found, strict=True):
                for number, held in enumerate(groups):
                    for reading in held:
                        if reading in readings:
                            self._places.setdefault(readings[reading], []).append((file, number))
        self._files = ExitStack()
        self._open: tuple[DataFile, pq.ParquetFile, list[str]] | None = None
        self._latest: tuple[tuple[DataFile, int], Collection[str], pa.Table] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()
        self._open = self._latest = None

    def __iter__(self) -> Iterator[str]:
        """Iterate over the replays."""
        return iter(self._places)

    def read(self, replay: str, columns: Collection[str]) -> pa.Table | None:
        """Return columns of the rows of a replay, null where a file lacks one; None if there are no rows.

        Raises:
            OSError: a file cannot be read.
        """
        parts = []
        for place in self._places.get(replay, ()):
            group = self._group(place, columns)
            mine = pc.equal(group[READING.name], scalar_of(self._readings[replay], pa.string()))
            parts.append(group.filter(mine).drop_columns(READING.name))
        return pa.concat_tables(parts) if parts else None

    def _group(self, place: tuple[DataFile, int], columns: Collection[str]) -> pa.Table:
        if self._latest is not None and self._latest[:2] == (place, columns):
            return self._latest[2]
        file, number = place
        schema = pa.schema([field for field in self._table.schema if field.name in {*columns, READING.name}])
        if self._open is None or self._open[0] != file:
            self._files.close()
            self._open = (file, *self._files.enter_context(self._table.opened(file, schema)))
        rows = self._open[1].read_row_group(number, columns=self._open[2])
        table = with_schema(rows, schema)
        self._latest = (place, columns, table)
        return table


def _groups(store: Store, file: DataFile) -> list[list[str]]:
    """Return the readings in each row group of a file."""
    with store.open(file.path) as data, pq.ParquetFile(data, page_checksum_verification=True) as opened:
        groups = (opened.read_row_group(each, columns=[READING.name]) for each in range(opened.num_row_groups))
        return [group[READING.name].unique().to_pylist() for group in groups]
