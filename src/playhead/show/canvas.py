"""Axes to draw into: their style, titles, legends and clocks."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from playhead.errors import NothingToPlot
from playhead.presentation import PresentedReplay
from playhead.runtime.extras import import_extra
from playhead.runtime.libraries import np, pc
from playhead.show.cast import Cast
from playhead.text.names import unknown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLE = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "axes.titlesize": "medium",
    "axes.edgecolor": "0.4",
    "grid.color": "0.9",
    "legend.frameon": False,
    "legend.fontsize": "small",
    "lines.linewidth": 1.6,
    "text.parse_math": False,  # a name may contain dollars
}
_MINUTE = 60.0
# Steps of a clock, in seconds.
_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400)
# Titles: share of the width of the figure, inches of a line, and number of lines that need no extra room.
_TITLE, _LINE, _USUAL = 0.85, 0.17, 2
# Letters of a legend per inch.
_LETTERS = 13.0
_MOST_TICKS = 9
_MOST_ROWS = 16
# Entries of a legend below.
_MOST_BELOW = 8

FigureSize = tuple[float, float]
#: A player or a side as the user names it; None for all.
Who = int | str | None


class Placement(NamedTuple):
    """Where to draw: axes of the caller, or a figure of our own of a size in inches."""

    ax: Axes | None
    figsize: FigureSize | None


@contextmanager
def canvas(frame: Placement, cast: Cast, default: FigureSize) -> Iterator[tuple[Axes, Any]]:
    """Yield axes in the style of these plots, and Matplotlib; close our own figure if drawing fails.

    Raises:
        ModuleNotFoundError: Matplotlib is not installed (extra ``plot``).
        ValueError: both `ax` and `figsize` are given.
    """
    ax, figsize = frame
    if ax is not None and figsize is not None:
        raise ValueError("expected ax= or figsize=, got both: axes have the size that their figure gives them")
    library = import_matplotlib()
    pyplot = library.pyplot
    # Before the style: the first figure of a process chooses the backend, and leaving the style would reset the
    # backend's settings (in a notebook: show figures at the end of a cell).
    made = pyplot.figure(figsize=figsize or default, layout="constrained") if ax is None else None
    with library.rc_context({**_STYLE, "font.family": cast.lettering.families}):
        try:
            axes = ax if made is None else made.add_subplot()
            assert axes is not None
            yield axes, library
        except BaseException:
            if made is not None:
                pyplot.close(made)
            raise


def import_matplotlib() -> Any:
    """Return Matplotlib with the modules that plots use."""
    library = import_extra("matplotlib", "plot", "plotting")
    for part in ("pyplot", "colors", "ticker", "lines", "patches", "image"):
        import_extra(f"matplotlib.{part}", "plot", "plotting")
    return library


def set_title(
    axes: Axes, cast: Cast, title: str, parts: Iterable[str], *, own: bool, share: float = _TITLE
) -> None:
    """Set a title and, in the lines below it, the replay; our own figure grows with the number of lines.

    `share` is the part of our own figure's width to the right of the axes' left edge.
    """
    figure: Any = axes.figure.figure  # the figure of a subfigure
    size: Any = axes.title.get_fontsize()
    across, high = figure.get_size_inches()
    width = 72.0 * across * (share if own else axes.get_position().width)
    letters = max(24, int(width / (0.54 * size)))
    lines = [*_wrapped([title], letters), *_wrapped(list(parts), letters)]
    text = "\n".join(lines)
    if own:
        figure.set_size_inches(across, high + _LINE * (len(lines) - _USUAL))
    axes.set_title(text, loc="left", fontfamily=cast.lettering.families, parse_math=False)


def _wrapped(parts: Sequence[str], width: int) -> list[str]:
    """Return the parts in lines of at most `width` Latin letters; a longer part has lines of its own."""
    lines: list[str] = []
    for part in parts:
        words = part.split(" ")
        if lines and _width(lines[-1]) + _width(part) + 3 <= width:
            lines[-1] += f" · {part}"
            continue
        line = ""
        for word in words:
            if line and _width(line) + _width(word) + 1 > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
        lines.append(line)
    return lines


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def set_clock(axes: Axes, library: Any, label: str) -> None:
    """Label the x axis, which is in minutes, with minutes and seconds."""
    axes.xaxis.set_major_locator(_clock_locator(library))
    axes.xaxis.set_major_formatter(library.ticker.FuncFormatter(lambda minutes, _: clock_text(minutes * _MINUTE)))
    axes.set_xlabel(label)


def _clock_locator(library: Any) -> Any:
    """Ticks of an axis in minutes, at round times."""

    class ClockLocator(library.ticker.Locator):  # type: ignore[misc]
        def __call__(self) -> Any:
            return self.tick_values(*self.axis.get_view_interval())

        def tick_values(self, low: float, high: float) -> Any:
            seconds = abs(high - low) * _MINUTE
            step = next((step for step in _STEPS if seconds <= _MOST_TICKS * step), _STEPS[-1])
            first, last = sorted((low * _MINUTE / step, high * _MINUTE / step))
            return np.arange(np.ceil(first - 1e-9), np.floor(last + 1e-9) + 1) * step / _MINUTE

    return ClockLocator()


def clock_text(seconds: float) -> str:
    """Return a time as ``12:30``, ``-0:45``; with parts of a second if there are any."""
    whole, part = divmod(abs(seconds) + 0.005, 1)
    minutes, rest = divmod(int(whole), 60)
    text = f"{minutes}:{rest:02d}" + (f".{int(part * 10)}" if part >= 0.05 else "")
    return f"-{text}" if seconds < 0 and text.strip("0:.") else text


def set_numbers(axes: Axes, library: Any) -> None:
    """Separate thousands on the y axis."""
    axes.yaxis.set_major_formatter(library.ticker.FuncFormatter(lambda value, _: f"{value:,.6g}"))


def add_legend(axes: Axes, handles: Sequence[Any], *, own: bool, below: bool = False) -> None:
    """Add a legend: below the axes in our own figure, so that they fill it, a long one beside them; inside axes of
    the caller."""
    if not handles:
        return
    labels = [str(handle.get_label()) for handle in handles]
    if not own:
        axes.legend(handles, labels, loc="best", frameon=True, framealpha=0.8, fontsize="x-small")
    elif below or len(handles) <= _MOST_BELOW:
        axes.figure.legend(handles, labels, loc="outside lower center", ncols=_columns(axes, labels))
    else:
        columns = -(-len(handles) // _MOST_ROWS)
        axes.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.0, 1.0), ncols=columns)


def _columns(axes: Axes, labels: Sequence[str]) -> int:
    """Return the number of columns of labels that fit the width of the figure."""
    across = float(axes.figure.figure.get_size_inches()[0])
    letters = max(map(_width, labels)) + 6
    return max(1, min(4, len(labels), int(across * _LETTERS / letters)))


def player_handles(cast: Cast, library: Any, drawn: Iterable[tuple[int, Any]]) -> list[Any]:
    """Return legend entries of the players' lines, below the name of their side if it has one."""
    by_number: dict[int | None, list[Any]] = {}
    for number, handle in drawn:
        by_number.setdefault(number, []).append(handle)
    handles: list[Any] = []
    for team, players in cast.sides.items():
        here = [handle for each in players for handle in by_number.get(each.player, ())]
        if here and any(each.side for each in players):
            handles.append(library.lines.Line2D([], [], linestyle="none", label=cast.side_label(team)))
        handles += here
    mates = {each.player for players in cast.sides.values() for each in players}
    return handles + [handle for number, found in by_number.items() if number not in mates for handle in found]


def nothing(replay: PresentedReplay, picture: str, missing: str) -> NothingToPlot:
    """Return the error for a replay without the data of a plot; the message has the plots of the game."""
    plots, title = replay.presentation.plots, replay.presentation.title(replay.info)
    known = ", ".join(f"{name} ({note})" for name, note in plots.items())
    hint = f". Plots of {title}: {known}" if known else ""
    return NothingToPlot(f"no {picture} to plot: {missing}{hint}", file=replay.name)


def check_table(replay: PresentedReplay, picture: str, table: str) -> None:
    """Raise NothingToPlot if the replay has no such table."""
    if table not in replay.tables:
        raise nothing(replay, picture, f"a {replay.format_title} of {replay.info.game} has no table {table}")


def rows_of(replay: PresentedReplay, picture: str, table: str, columns: list[str], **options: Any) -> Any:
    """Return columns of a table that has rows; those that do not count for the match are left out, if others do.

    Raises:
        NothingToPlot: the replay has no such table, or it is empty.
        KeyError: the table has no such column.
    """
    check_table(replay, picture, table)
    known = replay.schema_of(table).column_names
    for column in columns:
        if column not in known:
            raise KeyError(unknown_name(column, known, f"column of {table}"))
    flag = ["counts"] if "counts" in known else []
    found = replay.table(table, columns=list(dict.fromkeys([*columns, *flag])), **options)
    if flag and pc.any(found["counts"]).as_py():
        found = found.filter(found["counts"])
    if not found.num_rows:
        reason = replay.why_empty(table).get(table, "nothing fits these choices")
        raise nothing(replay, picture, f"table {table} is empty: {reason}")
    return found.select(columns)
