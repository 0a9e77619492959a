"""Axes to draw into: their style, titles, legends and clocks."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from playhead.extras import import_extra
from playhead.show.cast import Cast

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
    "text.parse_math": False,  # a name may have dollars in it
}
_MINUTE = 60.0

FigureSize = tuple[float, float]


@contextmanager
def canvas(
    ax: Axes | None, cast: Cast, figsize: FigureSize | None, default: FigureSize
) -> Iterator[tuple[Axes, Any]]:
    """Axes to draw into in the style of these plots, and Matplotlib. A figure that was made for a plot that fails is
    closed.

    Raises:
        ModuleNotFoundError: Matplotlib is not installed (extra ``plot``).
        ValueError: both `ax` and `figsize` are given.
    """
    if ax is not None and figsize is not None:
        raise ValueError("expected ax= or figsize=, got both: axes have the size that their figure gives them")
    library = import_matplotlib()
    pyplot = library.pyplot
    # Before the style: the first figure of a process chooses the backend, whose settings (in a notebook: to show
    # figures at the end of a cell) would be taken back together with the style.
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
    """Matplotlib with the parts that plots use."""
    library = import_extra("matplotlib", "plot", "plots")
    for part in ("pyplot", "colors", "ticker", "lines", "patches", "image"):
        import_extra(f"matplotlib.{part}", "plot", "plots")
    return library


def set_title(axes: Axes, cast: Cast, title: str, parts: Iterable[str]) -> None:
    """What is drawn, and below it of what, in as many lines as it takes."""
    figure = axes.get_figure()
    assert figure is not None
    size = axes.title.get_fontsize()
    width = figure.get_size_inches()[0] * axes.get_position().width * 72.0
    lines = _wrapped(list(parts), max(24, int(width / (0.54 * size))))
    text = "\n".join([title, *lines])
    axes.set_title(text, loc="left", fontfamily=cast.lettering.families, parse_math=False)


def _wrapped(parts: Sequence[str], width: int) -> list[str]:
    """Parts in lines of at most `width` Latin letters; one that is longer has lines of its own."""
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
    """The x axis is in minutes, shown as minutes and seconds."""
    axes.xaxis.set_major_locator(library.ticker.MaxNLocator(nbins=9, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(library.ticker.FuncFormatter(lambda minutes, _: clock_text(minutes * _MINUTE)))
    axes.set_xlabel(label)


def clock_text(seconds: float) -> str:
    """``12:30``, ``-0:45``; parts of a second if there are any."""
    whole, part = divmod(abs(seconds) + 0.005, 1)
    minutes, rest = divmod(int(whole), 60)
    text = f"{minutes}:{rest:02d}" + (f".{int(part * 10)}" if part >= 0.05 else "")
    return f"-{text}" if seconds < 0 and text.strip("0:.") else text


def set_numbers(axes: Axes, library: Any) -> None:
    """Thousands apart on the y axis."""
    axes.yaxis.set_major_formatter(library.ticker.FuncFormatter(lambda value, _: f"{value:,.6g}"))


def add_legend(axes: Axes, handles: Sequence[Any], *, own: bool, below: bool = False, title: str = "") -> None:
    """A legend of `handles`: beside the axes (or below them) in a figure of ours, inside of axes of others."""
    if not handles:
        return
    labels = [str(handle.get_label()) for handle in handles]
    if not own:
        axes.legend(handles, labels, loc="best", title=title or None, frameon=True, framealpha=0.8)
    elif below:
        columns = min(4, len(handles))
        axes.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=columns)
    else:
        axes.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.0, 1.0), title=title or None)


def player_handles(cast: Cast, library: Any, drawn: Iterable[tuple[int, Any]]) -> list[Any]:
    """Legend entries of the players' lines, below the name of their side where it is not theirs alone."""
    by_number: dict[int | None, list[Any]] = {}
    for number, handle in drawn:
        by_number.setdefault(number, []).append(handle)
    handles: list[Any] = []
    for team, players in cast.sides.items():
        here = [handle for each in players for handle in by_number.get(each.player, ())]
        if here and len(players) > 1:
            handles.append(library.lines.Line2D([], [], linestyle="none", label=cast.side_label(team)))
        handles += here
    mates = {each.player for players in cast.sides.values() for each in players}
    return handles + [handle for number, found in by_number.items() if number not in mates for handle in found]
