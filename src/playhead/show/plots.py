"""`Plots`: positions, economy and activity of one replay."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from playhead.extras import import_extra
from playhead.model import ReplayLike

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.axes import Axes

_STYLE = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "axes.titlesize": "medium",
    "grid.color": "0.9",
    "legend.frameon": False,
    "legend.fontsize": "small",
    "figure.figsize": (8.0, 4.0),
    "figure.dpi": 110,
    "figure.constrained_layout.use": True,
    "lines.linewidth": 1.6,
}
# Okabe and Ito's colours, which most people can tell apart, without their yellow; two more for ten players.
_COLOURS = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9"),
    *("#e69f00", "#000000", "#8c564b", "#7f7f7f", "#6a3d9a"),
)
_LINES = ("-", "--", ":", "-.")
_MINUTE = 60.0


class Plots:
    """Of one replay. Each method takes `ax` to draw into; otherwise it makes a figure."""

    def __init__(self, replay: ReplayLike) -> None:
        self._replay = replay

    def __repr__(self) -> str:
        return "<plots positions(), economy(), activity()>"

    def positions(self, player: int | str | None = None, *, bins: int = 96, ax: Axes | None = None) -> Axes:
        """Where the players were, or one of them: a heat map of table ``positions``, brighter the more often.

        Args:
            player: number or name; all by default.
            bins: fields across the longer side of the map.

        Raises:
            ModuleNotFoundError: Matplotlib is not installed (extra ``plot``).
            KeyError: the replay has no positions, or no such player.
            ValueError: nobody was anywhere.
        """
        with _axes(ax, square=True) as (axes, library):
            table = self._replay.table("positions", columns=["player", "x", "y"])
            number = None if player is None else self._number(player)
            places = [
                (x, y)
                for who, x, y in zip(*(column.to_pylist() for column in table.columns), strict=True)
                if x is not None and y is not None and (number is None or who == number)
            ]
            if not places:
                raise ValueError("there are no positions to draw")
            xs, ys = zip(*places, strict=True)
            across = max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0
            counts = [max(1, round(bins * (max(axis) - min(axis)) / across)) for axis in (xs, ys)]
            *_, image = axes.hist2d(xs, ys, bins=counts, norm=library.colors.LogNorm(), cmap="magma")
            axes.set_facecolor(library.colormaps["magma"](0.0))
            axes.grid(visible=False)
            axes.set_aspect("equal")
            if self._replay.presentation.y_is_down:
                axes.invert_yaxis()
            axes.figure.colorbar(image, ax=axes, shrink=0.8, label="samples")
            axes.set(xlabel="x", ylabel="y", title=f"Positions: {'all' if number is None else self._name(number)}")
        return axes

    def economy(self, *columns: str, ax: Axes | None = None) -> Axes:
        """Economy over time: net worth (Dota 2), minerals and vespene collected in a minute (StarCraft II).

        Args:
            columns: other columns of table ``player_series`` or ``player_stats``.

        Raises:
            ModuleNotFoundError: Matplotlib is not installed (extra ``plot``).
            NotImplementedError: the game has no economy.
            KeyError: there is no such column.
        """
        source = self._replay.presentation.economy
        if source is None:
            raise NotImplementedError(f"a {self._replay.format} replay has no economy to draw")
        drawn = columns or source.columns
        with _axes(ax) as (axes, _):
            table = self._replay.table(source.table, columns=["seconds", "player", *drawn], **source.options)
            for index, (player, rows) in enumerate(_by_player(table)):
                minutes = [seconds / _MINUTE for seconds in rows["seconds"].to_pylist()]
                for line, column in enumerate(drawn):
                    label = self._name(player) + (f", {column}" if len(drawn) > 1 else "")
                    values = [math.nan if value is None else value for value in rows[column].to_pylist()]
                    colour, style = _COLOURS[index % len(_COLOURS)], _LINES[line % len(_LINES)]
                    axes.plot(minutes, values, label=label, color=colour, linestyle=style)
            label = ", ".join(columns) or source.label
            _finish(axes, ylabel=label, title=label[0].upper() + label[1:])
        return axes

    def activity(self, *, ax: Axes | None = None) -> Axes:
        """How busy the players were: rows of table ``inputs`` by minute (the last one may be shorter).

        Orders in Dota 2, actions in StarCraft II (the camera is none), changes of the keys or the aim in
        teehistorian.

        Raises:
            ModuleNotFoundError: Matplotlib is not installed (extra ``plot``).
            KeyError: the replay has no inputs.
        """
        with _axes(ax) as (axes, _):
            table = self._replay.table("inputs", columns=["seconds", "player", "kind"])
            table = table.filter(
                [kind not in self._replay.presentation.no_actions for kind in table["kind"].to_pylist()]
            )
            for index, (player, rows) in enumerate(_by_player(table)):
                counts = Counter(max(0, int(time // _MINUTE)) for time in rows["seconds"].to_pylist())
                values = [counts[minute] for minute in range(max(counts) + 1)]
                edges = range(len(values) + 1)
                axes.stairs(values, edges, label=self._name(player), color=_COLOURS[index % len(_COLOURS)])
            _finish(axes, ylabel="inputs in a minute", title="Activity")
        return axes

    def _number(self, player: int | str) -> int:
        for each in self._replay.players:
            if each.player is not None and player in (each.player, each.name):
                return each.player
        known = ", ".join(str(each.name) for each in self._replay.players if each.player is not None)
        raise KeyError(f"no player {player!r}; there are {known}")

    def _name(self, number: int) -> str:
        name = next((each.name for each in self._replay.players if each.player == number), None)
        # Matplotlib takes text between dollars for a formula, and leaves a label with a leading _ out of legends.
        return "\u200b" * (name or "").startswith("_") + (name or f"player {number}").replace("$", r"\$")


@contextmanager
def _axes(ax: Axes | None, *, square: bool = False) -> Iterator[tuple[Axes, Any]]:
    """Axes to draw into, in the style of these plots, and Matplotlib."""
    library = import_extra("matplotlib", "plot", "plots")
    pyplot = import_extra("matplotlib.pyplot", "plot", "plots")
    import_extra("matplotlib.colors", "plot", "plots")
    with library.rc_context(_STYLE):
        made = None
        if ax is None:
            made, ax = pyplot.subplots(figsize=(6.0, 5.2) if square else None)
        try:
            yield ax, library
        except BaseException:
            if made is not None:
                pyplot.close(made)
            raise


def _by_player(table: pa.Table) -> Iterable[tuple[int, pa.Table]]:
    """The rows of each player that is known, by number; those without a time are left out."""
    import pyarrow.compute as pc

    table = table.filter(pc.is_valid(table["seconds"]))
    found = pc.unique(table["player"]).to_pylist()
    numbers: list[int] = sorted(number for number in found if number is not None)
    return [(number, table.filter(pc.equal(table["player"], number))) for number in numbers]


def _finish(axes: Axes, *, ylabel: str, title: str) -> None:
    axes.set(xlabel="minutes", ylabel=ylabel, title=title)
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
