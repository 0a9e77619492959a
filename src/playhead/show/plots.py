"""`Plots`: plots of one replay or several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from playhead.presentation import PresentedReplay
from playhead.show.canvas import FigureSize, Placement
from playhead.show.maps import Background, Bounds, draw_kills, draw_positions
from playhead.show.series import draw_activity, draw_advantage, draw_comparison, draw_economy
from playhead.show.timelines import draw_build_order, draw_input_timing
from playhead.text.names import unknown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Names of the plots.
PLOTS = ("positions", "kills", "economy", "advantage", "activity", "build_order", "input_timing", "compare")


class Plots:
    """Plots of one replay. Each method draws into the axes `ax`, or makes a figure of `figsize` inches (width and
    height), and returns the axes, whose ``figure`` has ``savefig``.

    Two sides are blue and vermilion, which nearly all people can distinguish, and differ in more than colour.
    Names use the installed fonts that have their script. A plot without content raises an error.

    Every method raises:
        ModuleNotFoundError: Matplotlib is not installed (extra ``plot``).
        NothingToPlot: the replay lacks the data; the message says which, and lists the plots of the game.
        KeyError: there is no such player or column.
        ValueError: both `ax` and `figsize` are given, or a number or a time is invalid.
    """

    def __init__(self, replay: PresentedReplay) -> None:
        self._replay = replay

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name.startswith("_"):  # notebooks and copying look for such names
                raise AttributeError(name)
            raise AttributeError(unknown_name(name, PLOTS, "plot"))

    def __repr__(self) -> str:
        return f"<plots {', '.join(f'{name}()' for name in PLOTS)}>"

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
        """Draw the positions of all players or one: a heat map of table ``positions`` with logarithmic colours.

        Args:
            player: number or name; all by default.
            bins: fields across the longer side of the map.
            background: the replay's own map (ground with positions, buildings, resources) by default, False for
                none, or a picture (a path, or an array as of ``matplotlib.image.imread``).
            bounds: left, right, bottom and top edge of the map and of that picture, in the unit of the axes; if
                coordinates grow downwards (DDNet), bottom is the greater. By default all of the drawn map.
        """
        return draw_positions(self._replay, player, bins, background, bounds, Placement(ax, figsize))

    def kills(
        self,
        player: int | str | None = None,
        *,
        side: int | str | None = None,
        rounds: int | Iterable[int] | None = None,
        background: Background = True,
        bounds: Bounds | None = None,
        ax: Axes | None = None,
        figsize: FigureSize | None = None,
    ) -> Axes:
        """Draw the places where heroes (Dota 2) or units (StarCraft II) were killed, or tees were gone, by side.

        Args:
            player: only deaths and kills of this player, by number or name; all by default.
            side: only deaths of this side at that time, by its number or its word in table `players`.
            rounds: only deaths in these rounds (CS2).
            background, bounds: as of `positions`.
        """
        return draw_kills(self._replay, player, side, rounds, background, bounds, Placement(ax, figsize))

    def economy(self, *columns: str, ax: Axes | None = None, figsize: FigureSize | None = None) -> Axes:
        """Draw economy over time: net worth (Dota 2), minerals and vespene collected in a minute (StarCraft II).

        `columns` are other ones of table ``player_series`` or ``player_stats``.
        """
        return draw_economy(self._replay, columns, Placement(ax, figsize))

    def advantage(
        self, *columns: str, events: bool = True, ax: Axes | None = None, figsize: FigureSize | None = None
    ) -> Axes:
        """Draw the lead of one side over time, in net worth (Dota 2) or in the value of army, economy and
        technology (StarCraft II).

        Args:
            columns: other columns of table ``player_series`` or ``player_stats``, to add up.
            events: mark objectives (Dota 2) or town halls (StarCraft II) on the curve, and deaths at its foot.
        """
        return draw_advantage(self._replay, columns, events, Placement(ax, figsize))

    def activity(self, *, ax: Axes | None = None, figsize: FigureSize | None = None) -> Axes:
        """Draw the actions of the players: rows of table ``inputs`` per minute (the last one may be shorter), or
        per ten seconds in a replay of less than three minutes.

        Actions are orders in Dota 2, actions without camera moves in StarCraft II, and changes of the keys or the
        aim in teehistorian.
        """
        return draw_activity(self._replay, Placement(ax, figsize))

    def build_order(
        self,
        player: int | str | None = None,
        *,
        kinds: Iterable[str] | None = None,
        until: float | str | None = None,
        ax: Axes | None = None,
        figsize: FigureSize | None = None,
    ) -> Axes:
        """Draw the builds of players (StarCraft II), a bar from start to end for each row of ``build_order``.

        Args:
            player: number or name; all by default.
            kinds: only ``structure``, ``unit``, ``morph``, ``upgrade``; all by default.
            until: only builds that began by this time, as for `Replay.to_tick`.
        """
        seconds = self._seconds(until)
        return draw_build_order(self._replay, player, kinds, seconds, Placement(ax, figsize))

    def input_timing(
        self,
        player: int | str | None = None,
        *,
        start: float | str | None = None,
        end: float | str | None = None,
        ax: Axes | None = None,
        figsize: FigureSize | None = None,
    ) -> Axes:
        """Draw the keys that a tee held, and their durations (teehistorian).

        Args:
            player: number or name; by default the player with the most presses.
            start: beginning of the stretch to draw, as for `Replay.to_tick`. Without either end, the ten seconds
                with the most presses are drawn.
            end: end of the stretch.
        """
        span = self._seconds(start), self._seconds(end)
        return draw_input_timing(self._replay, player, span, Placement(ax, figsize))

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
            player: only this player, by number or name; every replay must have the player.

        Raises:
            TypeError: one of `others` is not a replay from `playhead.open`.
        """
        for other in others:
            if not hasattr(other, "players"):
                raise TypeError(f"expected replays from playhead.open, found {other!r}: open it first")
        return draw_comparison([self._replay, *others], column, player, Placement(ax, figsize))

    def _seconds(self, when: float | str | None) -> float | None:
        """Return the seconds of the recording at a time that the user gave.

        Raises:
            ValueError: it is an integer, which could be ticks or seconds.
        """
        if isinstance(when, int):
            raise ValueError(
                f"expected a time such as '12:30', '{when}s' (seconds) or '{when}t' (ticks), got {when}"
            )
        clock = self._replay.info.clock
        return None if when is None or clock is None else clock.seconds(self._replay.to_tick(when))
