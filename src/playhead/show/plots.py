"""`Plots`: pictures of one replay, or of several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from playhead.presentation import PresentedReplay
from playhead.show.canvas import FigureSize
from playhead.show.maps import Background, Bounds, draw_kills, draw_positions
from playhead.show.series import draw_activity, draw_advantage, draw_comparison, draw_economy
from playhead.show.timelines import draw_build_order, draw_input_timing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_METHODS = ("positions", "kills", "economy", "advantage", "activity", "build_order", "input_timing", "compare")


class Plots:
    """Pictures of one replay. Each method draws into `ax`, or makes a figure (of `figsize` inches), and returns
    the axes, whose ``figure`` has ``savefig``.

    Two sides are blue and vermilion, which nearly all people can tell apart, and differ in more than colour. Names
    are drawn with those of the installed fonts that have their script. A picture that would be empty is an error.

    Every method raises:
        ModuleNotFoundError: Matplotlib is not installed (extra ``plot``).
        NothingToPlot: the replay has nothing of the kind; the text says what is missing and which replays have it.
        KeyError: there is no such player or column.
        ValueError: both `ax` and `figsize` are given, or a number or a time makes no sense.
    """

    def __init__(self, replay: PresentedReplay) -> None:
        self._replay = replay

    def __repr__(self) -> str:
        return f"<plots {', '.join(f'{name}()' for name in _METHODS)}>"

    def positions(
        self,
        player: int | str | None = None,
        *,
        bins: int = 96,
        background: Background = True,
        bounds: Bounds | None = None,
        ax: Axes | None = None,
        figsize: FigureSize | None = None,
    ) -> Axes:
        """Draw where the players were, or one of them: a heat map of table ``positions`` with logarithmic colours.

        Args:
            player: number or name; all by default.
            bins: fields across the longer side of the map.
            background: what lies below: what the replay has of the map (ground that somebody walked on, buildings,
                resources), nothing (False), or a picture (a path, or an array as of ``matplotlib.image.imread``).
            bounds: left, right, bottom and top edge of the map and of that picture, in the unit of the axes; on
                DDNet's maps, which count downwards, bottom is the greater. By default what was drawn.
            ax: axes to draw into.
            figsize: width and height in inches.
        """
        return draw_positions(
            self._replay, player, bins=bins, background=background, bounds=bounds, ax=ax, figsize=figsize
        )

    def kills(
        self,
        player: int | str | None = None,
        *,
        background: Background = True,
        bounds: Bounds | None = None,
        ax: Axes | None = None,
        figsize: FigureSize | None = None,
    ) -> Axes:
        """Draw where heroes (Dota 2) or units (StarCraft II) were killed, or where tees were gone, by side.

        Args:
            player: only the deaths and the kills of one, by number or name; all by default.
            background: as of `positions`.
            bounds: as of `positions`.
            ax: axes to draw into.
            figsize: width and height in inches.
        """
        return draw_kills(self._replay, player, background=background, bounds=bounds, ax=ax, figsize=figsize)

    def economy(self, *columns: str, ax: Axes | None = None, figsize: FigureSize | None = None) -> Axes:
        """Draw economy over time: net worth (Dota 2), minerals and vespene collected in a minute (StarCraft II).

        Args:
            columns: other columns of table ``player_series`` or ``player_stats``.
            ax: axes to draw into.
            figsize: width and height in inches.
        """
        return draw_economy(self._replay, columns, ax=ax, figsize=figsize)

    def advantage(
        self, *columns: str, events: bool = True, ax: Axes | None = None, figsize: FigureSize | None = None
    ) -> Axes:
        """Draw by how much one side led over time, in net worth (Dota 2) or in what its army, economy and
        technology are worth (StarCraft II).

        Args:
            columns: other columns of table ``player_series`` or ``player_stats``, which are added up.
            events: mark objectives (Dota 2) or town halls (StarCraft II) on the curve, and deaths at its foot.
            ax: axes to draw into.
            figsize: width and height in inches.
        """
        return draw_advantage(self._replay, columns, events=events, ax=ax, figsize=figsize)

    def activity(self, *, ax: Axes | None = None, figsize: FigureSize | None = None) -> Axes:
        """Draw how busy the players were: rows of table ``inputs`` by minute (the last one may be shorter), or by
        ten seconds of a replay below three minutes.

        Orders in Dota 2, actions in StarCraft II (the camera is none), changes of the keys or the aim in
        teehistorian.
        """
        return draw_activity(self._replay, ax=ax, figsize=figsize)

    def build_order(
        self,
        player: int | str | None = None,
        *,
        kinds: Iterable[str] | None = None,
        until: int | float | str | None = None,
        ax: Axes | None = None,
        figsize: FigureSize | None = None,
    ) -> Axes:
        """Draw what players built (StarCraft II), a bar from start to end for each, of table ``build_order``.

        Args:
            player: number or name; all by default.
            kinds: only ``structure``, ``unit``, ``morph``, ``upgrade``; all by default.
            until: only what was begun by this time, as for `Replay.to_tick`.
            ax: axes to draw into.
            figsize: width and height in inches.
        """
        seconds = self._seconds(until)
        return draw_build_order(self._replay, player, kinds=kinds, until=seconds, ax=ax, figsize=figsize)

    def input_timing(
        self,
        player: int | str | None = None,
        *,
        start: int | float | str | None = None,
        end: int | float | str | None = None,
        ax: Axes | None = None,
        figsize: FigureSize | None = None,
    ) -> Axes:
        """Draw which keys a tee held, and for how long (teehistorian).

        Args:
            player: number or name; by default who pressed the most.
            start: beginning of the stretch to draw, as for `Replay.to_tick`. Without either end, the ten seconds
                with the most presses are drawn.
            end: end of the stretch.
            ax: axes to draw into.
            figsize: width and height in inches.
        """
        span = self._seconds(start), self._seconds(end)
        return draw_input_timing(self._replay, player, span=span, ax=ax, figsize=figsize)

    def compare(
        self,
        *others: PresentedReplay,
        column: str | None = None,
        player: int | str | None = None,
        ax: Axes | None = None,
        figsize: FigureSize | None = None,
    ) -> Axes:
        """Draw the economy of this and other replays of the game over time: a colour for each replay, a line for
        each side.

        Args:
            others: replays of the same game.
            column: another column of table ``player_series`` or ``player_stats``.
            player: only this one, who is in all of them, by number or name.
            ax: axes to draw into.
            figsize: width and height in inches.

        Raises:
            TypeError: one of `others` is no replay, as `playhead.open` gives it.
        """
        for other in others:
            if not hasattr(other, "players"):
                raise TypeError(f"expected replays, as playhead.open gives them, found a {type(other).__name__}")
        return draw_comparison([self._replay, *others], column, player, ax=ax, figsize=figsize)

    def _seconds(self, when: int | float | str | None) -> float | None:
        """Seconds of the recording at a time that a user gave."""
        clock = self._replay.info.clock
        return None if when is None or clock is None else clock.seconds(self._replay.to_tick(when))
