"""Rounds and matches laid over each other: rows of many replays on one map and one clock."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from playhead.corpus.reading.conditions import fits
from playhead.runtime.libraries import pa, pc
from playhead.show.canvas import FigureSize, Placement
from playhead.show.maps import Bounds
from playhead.show.overlay import draw_overlay
from playhead.tables.arrow import plain_text
from playhead.tables.combined import REPLAY
from playhead.tables.value_arrays import array_of
from playhead.text.names import listed, unknown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The column with the common clock.
CLOCK = "overlay_seconds"

#: Facts of matches by which rows are chosen before any is read.
OF_MATCHES = frozenset(("replay", "file", "format", "game", "version", "build", "map", "start_time", "played_at"))

#: Facts of rounds that rows get, with the same for the side of the row: ``own_buy_type``.
_OF_SIDES = ("buy_type", "equipment_value", "money", "score")
_SIDES = ("t", "ct")

#: Columns that name the side of a row, the first that a table has.
_SIDE = ("side", "attacker_side", "victim_side", "thrower_side")

#: Values that a warning lists.
_SHOWN = 10

#: Arguments of `Overlay.plot`.
_DRAWN = ("role", "bins", "bounds", "background", "ax", "figsize")

_ALWAYS = (float("-inf"), float("inf"))

_Read: TypeAlias = Callable[[Sequence[str], Mapping[str, Any]], "Mapping[str, pa.Table]"]


def overlaid(
    read: _Read,
    table: str,
    align: str,
    where: Mapping[str, Any],
    *,
    window: tuple[float, float],
    options: Mapping[str, Any],
) -> pa.Table:
    """Return the rows of `Replays.overlay`.

    Args:
        read: returns tables by name, the last one with options.
    """
    source = {"round": "rounds", "match": "periods"}.get(align, "events")
    asked = ["info", *dict.fromkeys(("rounds", source)), table]
    found = read(asked, options)
    if table not in found:
        raise KeyError(f"no replay has a table {table!r}")
    rows = found[table].cast(plain_text(found[table].schema))
    if "seconds" not in rows.column_names:
        raise ValueError(f"table {table} has no times to lay over each other: it lacks the column 'seconds'")
    facts = _facts_of_rounds(found.get("rounds"))
    rates = dict(
        zip(*(found["info"][name].to_pylist() for name in (REPLAY.name, "ticks_per_second")), strict=True)
    )
    if align == "round":
        if "rounds" not in found:
            raise ValueError(f"no replay has rounds: align='match' or a kind of event; got {align!r}")
        times = _by_round(rows, facts, rates)
    elif align == "match":
        times = _by_start(rows, _starts_of_matches(found.get("periods"), facts, rates), _ALWAYS)
    else:
        kinds = set(found["events"]["kind"].unique().to_pylist()) if "events" in found else set()
        if align not in kinds:
            raise ValueError(unknown_name(align, ["round", "match", *sorted(filter(None, kinds))], "align"))
        times = _by_start(rows, _times_of_events(found["events"], align), window)
    rows = rows.append_column(CLOCK, array_of(times, pa.float64()))
    rows = _with_facts(rows, facts)
    return _chosen(rows.filter(pc.is_valid(rows[CLOCK])), where)


def _facts_of_rounds(rounds: pa.Table | None) -> dict[tuple[str, Any], dict[str, Any]]:
    if rounds is None:
        return {}
    return {
        (row[REPLAY.name], row["round_num"]): row for row in rounds.to_pylist() if row["round_num"] is not None
    }


def _by_round(
    rows: pa.Table, facts: Mapping[tuple[str, Any], Mapping[str, Any]], rates: Mapping[str, float | None]
) -> list[float | None]:
    """Return the seconds since the end of freeze time; null outside of rounds."""
    if "round_num" not in rows.column_names:
        raise ValueError("the table has no rounds: align='match' or a kind of event")
    starts = {}
    for (replay, number), row in facts.items():
        tick, rate = row["freeze_end_tick"], rates.get(replay)
        starts[replay, number] = None if tick is None or not rate else tick / rate
    found: list[float | None] = []
    counts = rows["counts"].to_pylist() if "counts" in rows.column_names else [True] * rows.num_rows
    columns = (rows[name].to_pylist() for name in (REPLAY.name, "round_num", "seconds"))
    for replay, number, seconds, counted in zip(*columns, counts, strict=True):
        start = starts.get((replay, number)) if counted else None
        found.append(None if start is None or seconds is None else seconds - start)
    return found


def _starts_of_matches(
    periods: pa.Table | None,
    facts: Mapping[tuple[str, Any], Mapping[str, Any]],
    rates: Mapping[str, float | None],
) -> dict[str, list[float]]:
    """Return when each match began: its period `game`, or the end of the first freeze time that counts."""
    found: dict[str, list[float]] = {}
    for row in () if periods is None else periods.to_pylist():
        if row["kind"] == "game" and row["seconds"] is not None:
            found.setdefault(row[REPLAY.name], [row["seconds"]])
    first: dict[str, float] = {}
    for (replay, _), row in facts.items():
        rate = rates.get(replay)
        if row["counts"] and row["freeze_end_tick"] is not None and rate and replay not in found:
            first[replay] = min(first.get(replay, float("inf")), row["freeze_end_tick"] / rate)
    return found | {replay: [start] for replay, start in first.items()}


def _times_of_events(events: pa.Table, kind: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    held = events.filter(pc.equal(events["kind"].cast(pa.string()), kind)).select([REPLAY.name, "seconds"])
    for row in held.to_pylist():
        if row["seconds"] is not None:
            found[row[REPLAY.name]].append(row["seconds"])
    return {replay: sorted(times) for replay, times in found.items()}


def _by_start(
    rows: pa.Table, starts: Mapping[str, Sequence[float]], window: tuple[float, float]
) -> list[float | None]:
    """Return the seconds since the last start, or to the next if that is within the window; null outside of it."""
    before, after = window
    found: list[float | None] = []
    for replay, seconds in zip(rows[REPLAY.name].to_pylist(), rows["seconds"].to_pylist(), strict=True):
        known = starts.get(replay, ()) if seconds is not None else ()
        place = bisect_right(known, seconds) if known else 0
        times = [seconds - each for each in known[max(0, place - 1) : place + 1]]
        found.append(next((each for each in times if before <= each <= after), None))
    return found


def _with_facts(rows: pa.Table, facts: Mapping[tuple[str, Any], Mapping[str, Any]]) -> pa.Table:
    """Add the facts of the round of each row, and those of the side of its player."""
    if not facts or "round_num" not in rows.column_names:
        return rows
    keys = list(zip(rows[REPLAY.name].to_pylist(), rows["round_num"].to_pylist(), strict=True))
    held = [facts.get(key) for key in keys]
    some = next(iter(facts.values()))
    for name in ("winner_side", "reason", "half", *(f"{side}_{fact}" for side in _SIDES for fact in _OF_SIDES)):
        if name in some and name not in rows.column_names:
            rows = rows.append_column(name, _array([row and row[name] for row in held]))
    side = next((name for name in _SIDE if name in rows.column_names), None)
    for fact in (each for each in _OF_SIDES if side is not None and f"{_SIDES[0]}_{each}" in some):
        values = [
            row[f"{mine}_{fact}"] if row and mine in _SIDES else None
            for row, mine in zip(held, rows[side].to_pylist(), strict=True)
        ]
        rows = rows.append_column(f"own_{fact}", _array(values))
    return rows


def _array(values: Sequence[Any]) -> pa.Array:
    first = next((value for value in values if value is not None), None)
    return array_of(values, pa.string() if first is None or isinstance(first, str) else pa.int64())


def _chosen(rows: pa.Table, where: Mapping[str, Any]) -> pa.Table:
    """Return the rows that fit conditions on their columns."""
    for name, wanted in where.items():
        if name not in rows.column_names:
            raise KeyError(unknown_name(name, rows.column_names, "column"))
        known = rows[name].unique()
        kept = [fits({name: value}, {name: wanted}) for value in known.to_pylist()]
        some = known.filter(array_of(kept, pa.bool_()))
        if rows.num_rows and not any(kept):
            there_are = ", ".join(sorted(map(str, known.to_pylist()))[:_SHOWN])
            warnings.warn(f"no row has {name} {wanted!r}; there are {there_are}", stacklevel=4)
        rows = rows.filter(pc.is_in(rows[name], some))
    return rows


class OverlayPlots:
    """Pictures of all replays on one map: ``corpus.plot.kills("points", where={"map": "de_nuke"})``, or of another
    table with places; arguments and errors as of `Replays.overlay` and `Overlay.plot`."""

    def __init__(self, overlay: Callable[..., Overlay], tables: Callable[[], Collection[str]]) -> None:
        self._overlay, self._tables = overlay, tables

    def __getattr__(self, name: str) -> Callable[..., Axes]:
        if name.startswith("_"):  # notebooks and copying look for such names
            raise AttributeError(name)

        def draw(how: str = "heat", **options: Any) -> Axes:
            drawn = {each: options.pop(each) for each in _DRAWN if each in options}
            return self._overlay(name, **options).plot(how, **drawn)

        return draw

    def __dir__(self) -> Iterable[str]:
        return self._tables()


class Overlay:
    """Rows of many rounds or matches on one map and one clock; see `Replays.overlay`.

    Attributes:
        table: the rows, with `overlay_seconds`: seconds since the start to which they are aligned.
    """

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        return f"<Overlay of {len(self)} rows of {len(self.table[REPLAY.name].unique())} replays>"

    def first(self, by: str | Iterable[str] = (REPLAY.name, "round_num")) -> Overlay:
        """Return the first row of each group on the common clock: of kills, the first contacts of each round.

        Raises:
            KeyError: there is no such column.
        """
        columns = [self.table[name].to_pylist() for name in listed(by)]
        order = pc.sort_indices(self.table, sort_keys=[(CLOCK, "ascending")])
        firsts: dict[tuple[Any, ...], int] = {}
        for place in order.to_pylist():
            firsts.setdefault(tuple(column[place] for column in columns), place)
        return Overlay(self.table.take(array_of(sorted(firsts.values()), pa.int64())))

    def between(self, start: float, end: float) -> Overlay:
        """Return the rows from `start` to `end`, in seconds of the common clock."""
        clock = self.table[CLOCK]
        return Overlay(self.table.filter(pc.and_(pc.greater_equal(clock, start), pc.less_equal(clock, end))))

    def plot(
        self,
        how: str = "heat",
        *,
        role: str = "",
        bins: int = 96,
        bounds: Bounds | None = None,
        background: Any = None,
        ax: Axes | None = None,
        figsize: FigureSize | None = None,
    ) -> Axes:
        """Draw the rows on the map with Matplotlib: ``heat``, ``ways`` (a line for each player of a round) or
        ``points``, each in the colour of its side.

        Args:
            role: whose place: ``"attacker"`` or ``"victim"`` of kills; by default that of the row.
            bins: fields across the longer side of a heat map.
            bounds: left, right, bottom and top in the unit of `x`: a part of the map.
            background: a picture of the map (path or array); `bounds` are its edges.

        Raises:
            ModuleNotFoundError: Matplotlib is not installed (extra ``plot``).
            NothingToPlot: no row has a place.
            KeyError: the table has no places of that role.
            ValueError: `how` is another word, or `ax` and `figsize` are both given.
        """
        return draw_overlay(self.table, how, role, bins, bounds, background, Placement(ax, figsize))
