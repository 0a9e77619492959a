"""Plots over time: economy, activity, advantage, and a comparison of several replays."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from playhead.presentation import Highlight, PresentedReplay, Series
from playhead.runtime.libraries import np
from playhead.show.canvas import (
    Placement,
    Who,
    add_legend,
    canvas,
    import_matplotlib,
    nothing,
    player_handles,
    rows_of,
    set_clock,
    set_numbers,
    set_title,
)
from playhead.show.cast import Cast, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE = (9.0, 4.6)
_MINUTE = 60.0
_SHORT = 180.0
_SLICE = 10.0
_LINES = ("-", "--", ":", "-.")
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#000000")
_MARKERS = ("o", "s", "^", "D", "P", "X", "v", "*")
# A player that the replay does not name, such as the one who recorded.
_UNKNOWN = -1
_MOST_LINES = 12
_FAINT = "0.82"
_NEUTRAL = "#555555"


class Line(NamedTuple):
    """Values of one player or side over time, in minutes."""

    minutes: Any  # sequences, or arrays, of floats
    values: Any


def draw_economy(replay: PresentedReplay, columns: Sequence[str], frame: Placement) -> Axes:
    """See `Plots.economy`."""
    library = import_matplotlib()
    source = _source(replay, "economy", replay.presentation.economy)
    cast = Cast(replay)
    drawn = columns or source.columns
    lines, clock = _lines(replay, "economy", source, drawn)
    with canvas(frame, cast, _SIZE) as (axes, _):
        found = []
        for number in _in_order(cast, lines):
            look = Look(cast.side_colour(number), "-") if source.of_side else cast.look(number)
            name = cast.side_label(number) if source.of_side else cast.label(number)
            for place, column in enumerate(drawn):
                label = name + (f": {_words(column)}" if len(drawn) > 1 else "")
                style = look.line if len(drawn) == 1 else _LINES[place % len(_LINES)]
                minutes, values = lines[number][column]
                dot = "o" if len(minutes) == 1 else None  # a line needs two points
                [line] = axes.plot(minutes, values, label=label, color=look.colour, linestyle=style, marker=dot)
                found.append((number, line))
        label = ", ".join(map(_words, columns)) or source.label
        _finish(axes, library, clock, ylabel=label)
        set_title(axes, cast, label[0].upper() + label[1:], cast.summary(names=False), own=frame.ax is None)
        add_legend(axes, player_handles(cast, library, found), own=frame.ax is None)
    return axes


def draw_activity(replay: PresentedReplay, frame: Placement) -> Axes:
    """See `Plots.activity`."""
    library = import_matplotlib()
    cast = Cast(replay)
    every, rows, clock = _timed_rows(replay, "activity", "inputs", ["player", "kind"])
    ignored = replay.presentation.no_actions
    times: dict[int, list[float]] = {}
    unknown: list[float] = []
    for seconds, number, kind in zip(every, rows["player"], rows["kind"], strict=True):
        if kind not in ignored and seconds is not None:
            (unknown if number is None else times.setdefault(number, [])).append(seconds)
    if not times and unknown:
        times[_UNKNOWN] = unknown
    if not times:
        raise nothing(replay, "activity", "no input in it is an action")
    first, last = min(map(min, times.values())), max(map(max, times.values()))
    width = _MINUTE if last - first >= _SHORT else _SLICE
    with canvas(frame, cast, _SIZE) as (axes, _):
        found = []
        busiest = sorted(times, key=lambda number: -len(times[number]))[:_MOST_LINES]
        for number in _in_order(cast, times):
            counts = Counter(math.floor(seconds / width) for seconds in times[number])
            places = range(min(counts), max(counts) + 1)  # from their first to their last input
            values = [counts[place] for place in places]
            edges = [place * width / _MINUTE for place in (*places, places.stop)]
            shown = number in busiest
            look = cast.look(number) if shown else Look(_FAINT, "-")
            label = cast.label(number) if shown else ""
            stairs = axes.stairs(
                values, edges, label=label, color=look.colour, linestyle=look.line, linewidth=1.6, baseline=None,
                zorder=2 if shown else 1,
            )  # fmt: skip
            if shown:
                found.append((number, stairs))
        span = "minute" if width == _MINUTE else f"{_SLICE:.0f} seconds"
        _finish(axes, library, clock, ylabel=f"inputs in each {span}")
        axes.yaxis.set_major_locator(library.ticker.MaxNLocator(integer=True))
        set_title(axes, cast, f"Activity: inputs in each {span}", cast.summary(names=False), own=frame.ax is None)
        handles = player_handles(cast, library, found)
        if len(times) > len(found):
            handles.append(library.lines.Line2D([], [], color=_FAINT, label=f"{len(times) - len(found)} others"))
        add_legend(axes, handles, own=frame.ax is None)
    return axes


def draw_advantage(replay: PresentedReplay, columns: Sequence[str], events: bool, frame: Placement) -> Axes:
    """See `Plots.advantage`."""
    library = import_matplotlib()
    source = _source(replay, "advantage", replay.presentation.advantage)
    cast = Cast(replay)
    if not cast.two_sided:
        raise nothing(replay, "advantage", f"this replay has {len(cast.sides) or 'no'} sides, not two")
    drawn = columns or source.columns
    lines, clock = _lines(replay, "advantage", source, drawn)
    sums = _by_side(cast, lines, of_side=source.of_side)
    ahead, behind = cast.sides
    if len(sums) < 2:
        raise nothing(replay, "advantage", f"only one side has {', '.join(drawn)}")
    minutes = np.array(sums[ahead].minutes)
    if len(minutes) < 2:
        raise nothing(replay, "advantage", f"table {source.table} has each player at one moment only")
    lead = np.array(sums[ahead].values) - np.array(sums[behind].values)
    with canvas(frame, cast, _SIZE) as (axes, _):
        axes.plot(minutes, lead, color="0.25", linewidth=1.2, label="lead")
        handles = []
        for team, where in ((ahead, lead >= 0), (behind, lead <= 0)):
            label = f"{cast.side_label(team)} ahead"
            colour = cast.side_colour(team)
            axes.fill_between(
                minutes, lead, 0.0, where=where, interpolate=True, color=colour, alpha=0.45, linewidth=0
            )
            handles.append(library.patches.Patch(color=colour, alpha=0.45, label=label))
        axes.axhline(0.0, color="0.25", linewidth=0.8)
        if events:
            handles += _draw_highlights(axes, library, replay, cast, minutes, lead)
        most = float(np.nanmax(np.abs(lead))) or 1.0
        label = ", ".join(map(_words, columns)) or source.label
        _finish(axes, library, clock, ylabel=label, from_zero=False)
        axes.yaxis.set_major_formatter(library.ticker.FuncFormatter(lambda value, _: f"{abs(value):,.6g}"))
        axes.set_ylim(-1.15 * most, 1.15 * most)
        set_title(axes, cast, f"Lead in {label}", cast.summary(names=frame.ax is None), own=frame.ax is None)
        add_legend(axes, handles, own=frame.ax is None)
    return axes


def draw_comparison(replays: Sequence[PresentedReplay], column: str | None, player: Who, frame: Placement) -> Axes:
    """See `Plots.compare`."""
    library = import_matplotlib()
    first = replays[0]
    source = _source(first, "economy", first.presentation.economy)
    drawn = (column,) if column else source.columns
    casts = [Cast(replay) for replay in replays]
    with canvas(frame, casts[0], _SIZE) as (axes, _):
        handles = []
        for place, (replay, cast) in enumerate(zip(replays, casts, strict=True)):
            own = _source(replay, "economy", replay.presentation.economy)
            if (own.table, own.columns) != (source.table, source.columns):
                raise nothing(replay, "economy", f"the economy of {first.name} is in other columns")
            lines, clock = _lines(replay, "economy", own, drawn)
            shown = _compared(cast, lines, player, of_side=own.of_side)
            if not shown:
                raise nothing(replay, "economy", f"it has no {', '.join(drawn)} of {player or 'either side'}")
            for number, (label, line) in enumerate(shown):
                text = f"{cast.lettering(Path(replay.name).name)}: {label}"
                handles += axes.plot(
                    *line,
                    label=text,
                    color=_COLOURS[place % len(_COLOURS)],
                    linestyle=_LINES[number % len(_LINES)],
                )
        label = _words(column) if column else source.label
        _finish(axes, library, clock, ylabel=label)
        maps = dict.fromkeys(str(replay.info.map) for replay in replays if replay.info.map)
        parts = [f"{len(replays)} replays", *(casts[0].lettering(text) for text in maps)]
        set_title(axes, casts[0], label[0].upper() + label[1:], parts, own=frame.ax is None)
        add_legend(axes, handles, own=frame.ax is None, below=True)
    return axes


def _compared(
    cast: Cast, lines: Mapping[int, Mapping[str, Line]], player: Who, *, of_side: bool
) -> list[tuple[str, Line]]:
    """Return the lines of one replay: one player, the sum of each side, or each player if there are no sides."""
    if player is not None:
        number = cast.number(player)
        known = cast.player(number)
        key = (known.team or 0) if of_side and known is not None else number
        return [] if key not in lines else [(cast.label(number), _sum(list(lines[key].values())))]
    if cast.sides:
        return [(cast.side_label(team), line) for team, line in _by_side(cast, lines, of_side=of_side).items()]
    return [(cast.label(number), _sum(list(lines[number].values()))) for number in _in_order(cast, lines)]


def _source(replay: PresentedReplay, picture: str, source: Series | None) -> Series:
    if source is None:
        raise nothing(replay, picture, f"a {replay.format_title} of {replay.info.game} has nothing of the kind")
    return source


def _timed_rows(
    replay: PresentedReplay, picture: str, table: str, columns: Sequence[str], **options: Any
) -> tuple[list[float | None], dict[str, list[Any]], str]:
    """Return times in seconds, the columns, and the label of the times: those of the game's clock if the table has
    them."""
    clock = replay.presentation.time
    clocks = ["seconds"]
    if clock != "seconds" and table in replay.tables and clock in replay.schema_of(table).column_names:
        clocks.append(clock)
    found = rows_of(replay, picture, table, [*clocks, *columns], **options)
    shown = found[clocks[-1]].null_count < found.num_rows
    times = found[clocks[-1] if shown else "seconds"].to_pylist()
    label = (
        replay.presentation.time_label
        if shown and clocks[-1] == clock
        else "time since the recording began (min:s)"
    )
    return times, found.select(list(columns)).to_pydict(), label


def _lines(
    replay: PresentedReplay, picture: str, source: Series, columns: Sequence[str]
) -> tuple[dict[int, dict[str, Line]], str]:
    """Return every column of each player, or of each side, over time, and the label of the time; `NothingToPlot`
    if no row has a player, a time and a value."""
    key = "team" if source.of_side else "player"
    times, rows, label = _timed_rows(replay, picture, source.table, [key, *columns], **source.options)
    found: dict[int, dict[str, Line]] = {}
    for place, (seconds, number) in enumerate(zip(times, rows[key], strict=True)):
        if seconds is None or number is None:
            continue
        for column in columns:
            line = found.setdefault(number, {}).setdefault(column, Line([], []))
            value = rows[column][place]
            line.minutes.append(seconds / _MINUTE)
            line.values.append(math.nan if value is None else float(value))
    if all(math.isnan(value) for of in found.values() for line in of.values() for value in line.values):
        raise nothing(replay, picture, f"{', '.join(columns)} of table {source.table} has no values of a player")
    if not any(value for of in found.values() for line in of.values() for value in line.values):
        raise nothing(replay, picture, f"{', '.join(columns)} of table {source.table} is 0 throughout")
    return found, label


def _by_side(cast: Cast, lines: Mapping[int, Mapping[str, Line]], *, of_side: bool) -> dict[int, Line]:
    """Return the sum of all columns of each side, or of its players, at the times of any line."""
    every = np.unique(np.concatenate([line.minutes for of in lines.values() for line in of.values()]))
    found = {}
    for team, players in cast.sides.items():
        own = [team] if of_side else [each.player for each in players if each.player is not None]
        here = [line for number in own if number in lines for line in lines[number].values()]
        if here:
            found[team] = _sum(here, every)
    return found


def _sum(lines: Sequence[Line], every: Any = None) -> Line:
    """Return the sum of lines at each time; a line keeps its last value, and is 0 before its first."""
    if every is None:
        every = np.unique(np.concatenate([line.minutes for line in lines]))
    total = np.zeros(len(every))
    for line in lines:
        minutes, values = np.array(line.minutes), np.array(line.values)
        known = ~np.isnan(values)
        minutes, values = minutes[known], values[known]
        if len(values):
            places = np.searchsorted(minutes, every, side="right") - 1
            total += np.where(places >= 0, values[np.maximum(places, 0)], 0.0)
    return Line(every, total)


def _in_order(cast: Cast, lines: Mapping[int, Any]) -> Iterator[int]:
    """Return the players that have lines: the cast in its order, then others."""
    yield from (number for number in cast.numbers if number in lines)
    yield from sorted(lines.keys() - set(cast.numbers))


def _draw_highlights(
    axes: Axes, library: Any, replay: PresentedReplay, cast: Cast, minutes: Any, lead: Any
) -> list[Any]:
    """Draw highlights on the curve, in the colour of their side, and deaths as strokes at the lower edge."""
    kinds: dict[str, list[Highlight]] = {}
    for each in replay.presentation.highlights(replay):
        kinds.setdefault(each.kind, []).append(each)
    handles = []
    for place, (kind, found) in enumerate(kinds.items()):
        marker = _MARKERS[place % len(_MARKERS)]
        times = [each.seconds / _MINUTE for each in found]
        colours = [cast.side_colour(each.team) for each in found]
        axes.scatter(
            times, np.interp(times, minutes, lead), marker=marker, c=colours, s=44, edgecolors="white",
            linewidths=0.7, label=kind, zorder=4,
        )  # fmt: skip
        handles.append(library.lines.Line2D([], [], linestyle="none", marker=marker, color=_NEUTRAL, label=kind))
    deaths = replay.presentation.deaths
    lost = list(deaths(replay)) if deaths is not None else []
    for team in cast.sides:
        times = [death.seconds / _MINUTE for death in lost if death.team == team]
        if times:
            colour = cast.side_colour(team)
            rug = axes.get_xaxis_transform()
            label = f"{replay.presentation.deaths_label}: {cast.side_label(team)}"
            low = 0.0 if team == list(cast.sides)[1] else 0.04
            axes.vlines(times, low, low + 0.035, color=colour, transform=rug, linewidth=0.9, label=label)
            handles.append(
                library.lines.Line2D([], [], linestyle="none", marker="|", color=colour, markersize=9, label=label)
            )
    return handles


def _finish(axes: Axes, library: Any, clock: str, *, ylabel: str, from_zero: bool = True) -> None:
    set_clock(axes, library, clock)
    set_numbers(axes, library)
    axes.set_ylabel(ylabel)
    if from_zero:
        axes.set_ylim(bottom=0.0 if axes.dataLim.y0 >= 0.0 else None)


def _words(column: str) -> str:
    return column.replace("_", " ")
