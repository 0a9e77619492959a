"""Plots on the map: positions and deaths of players."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.presentation import FOLDER, Death, Mark, MarkStyle, PresentedReplay
from playhead.runtime.libraries import np
from playhead.show.canvas import (
    FigureSize,
    Placement,
    Who,
    add_legend,
    canvas,
    import_matplotlib,
    nothing,
    rows_of,
    set_title,
)
from playhead.show.cast import Cast

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Counts above which the bar has marks for powers of ten only.
_DECADES = 1000.0
#: Colour map, and the start of the part that is not too faint.
_COLOURS = ("magma_r", 0.1)


def draw_heat(
    axes: Axes, library: Any, xs: Any, ys: Any, bins: int, *, things: str, unit: str = "", wide: bool = False
) -> None:
    """Draw a heat map of `things` with its colour bar, below a `wide` map; `bins` are fields across the longer
    side."""
    edges = edges_of(xs, ys, bins)
    counts = counts_of(xs, ys, edges)
    norm = library.colors.LogNorm(1.0, max(10.0, float(counts.max())))
    image = axes.pcolormesh(*edges, counts, norm=norm, cmap=_map(library), zorder=2, rasterized=True)
    field = float(edges[0][1] - edges[0][0])
    _add_bar(axes, library, image, f"{things} per field of {field:,.3g} {unit}".rstrip(), wide)


def _add_bar(axes: Axes, library: Any, image: Any, label: str, wide: bool) -> None:
    """Add the colour bar, at the right or below a wide map, with plain numbers instead of powers."""
    place: dict[str, Any] = {"shrink": 0.7, "pad": 0.02, "anchor": (0.0, 0.0)}
    if wide:
        place = {"location": "bottom", "shrink": 0.5, "pad": 0.06}
    bar = axes.figure.colorbar(image, ax=axes, **place)
    axis = bar.ax.xaxis if wide else bar.ax.yaxis
    steps = (1.0, 2.0, 5.0) if image.norm.vmax < _DECADES else (1.0,)
    axis.set_major_locator(library.ticker.LogLocator(subs=steps))
    axis.set_major_formatter(library.ticker.FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axis.set_minor_formatter(library.ticker.NullFormatter())
    bar.set_label(f"{label}\nlog scale: equal steps of colour multiply the count", fontsize="small")


def _map(library: Any) -> Any:
    name, first = _COLOURS
    return library.colors.ListedColormap(library.colormaps[name](np.linspace(first, 1.0, 256)), name=name)


def edges_of(xs: Any, ys: Any, bins: int) -> tuple[Any, Any]:
    """Return the edges of square fields that cover all places, `bins` across the longer side."""
    size = (max(float(np.ptp(xs)), float(np.ptp(ys))) or 1.0) / bins
    found = []
    for axis in (xs, ys):
        first = np.floor(axis.min() / size) * size
        found.append(first + size * np.arange(int(np.floor((axis.max() - first) / size)) + 2))
    return found[0], found[1]


def counts_of(xs: Any, ys: Any, edges: tuple[Any, Any]) -> Any:
    """Return the number of places by field, rows from the first y on; empty fields are masked."""
    counts = np.histogram2d(xs, ys, bins=edges)[0].T
    return np.ma.masked_equal(counts, 0.0)


#: A picture below the plot, True for the replay's own map, or False for none.
Background = bool | str | Path | Any
#: Left, right, bottom and top edge, in the unit of the map's axes.
Bounds = tuple[float, float, float, float]

_SIZE = (7.0, 6.6)
_WIDE = 1.7
_STRIP = 7.0
_NARROWEST = 5.0
_FIELDS = 96
_MARGIN = 0.04
_NEUTRAL = "#7a7a7a"
_GROUND = "#e9e9e6"
_FEW = 150
_DEATHS = ("X", "o", "^", "s", "D", "v", "P", "*")


def draw_positions(
    replay: PresentedReplay,
    player: Who,
    bins: int,
    background: Background,
    bounds: Bounds | None,
    frame: Placement,
) -> Axes:
    """See `Plots.positions`."""
    if bins < 1:
        raise ValueError(f"expected at least one field across the map, got bins={bins}")
    library = import_matplotlib()
    cast = Cast(replay)
    number = None if player is None else cast.number(player)
    who, xs, ys = _positions(replay)
    chosen = slice(None) if number is None else who == number
    if not len(xs[chosen]):
        missing = "none of them has a place" if number is None else f"{cast.label(number)} was never seen"
        raise nothing(replay, "positions", missing)
    wide = bool(np.ptp(xs) > _WIDE * np.ptp(ys))
    size = _size_of(xs, ys, 1.1)
    with canvas(frame, cast, size) as (axes, _):
        marks = _draw_background(axes, library, replay, cast, background, bounds, (xs, ys))
        look = replay.presentation.map
        places, unit = (xs[chosen], ys[chosen]), look.length[0]
        draw_heat(axes, library, *places, bins, things=look.samples, unit=unit, wide=wide)
        whose = "everybody" if number is None else cast.label(number)
        _finish(axes, replay, cast, f"Positions of {whose}", marks, own=frame.ax is None, bounds=bounds)
    return axes


def draw_kills(
    replay: PresentedReplay,
    player: Who,
    side: Who,
    rounds: int | Iterable[int] | None,
    background: Background,
    bounds: Bounds | None,
    frame: Placement,
) -> Axes:
    """See `Plots.kills`."""
    library = import_matplotlib()
    cast = Cast(replay)
    number = None if player is None else cast.number(player)
    deaths_of = replay.presentation.deaths
    if deaths_of is None:
        raise nothing(replay, "kills", f"a {replay.format_title} of {replay.info.game} has no deaths")
    team = None if side is None else cast.team(side)
    chosen = None if rounds is None else {rounds} if isinstance(rounds, int) else set(rounds)
    deaths = [
        death
        for death in deaths_of(replay)
        if (number is None or number in (death.player, death.killer))
        and team in (None, death.team)
        and (chosen is None or death.round_num in chosen)
    ]
    placed = [death for death in deaths if death.x is not None and death.y is not None]
    if not placed:
        missing = "it has no deaths" if not deaths else f"none of {len(deaths)} deaths has a place"
        raise nothing(replay, "kills", missing if number is None else f"{missing} with {cast.label(number)}")
    size = _size_of(*_places_of(replay), 0.3) if frame.ax is None else _SIZE
    with canvas(frame, cast, size) as (axes, _):
        marks = _draw_background(axes, library, replay, cast, background, bounds, None)
        few = len(placed) < _FEW
        handles = [
            _draw_deaths(axes, replay, library, group, _DEATHS[place % len(_DEATHS)], few)
            for place, group in enumerate(_groups(cast, placed, number))
        ]
        title = replay.presentation.deaths_label
        title = title[0].upper() + title[1:] + ("" if number is None else f": {cast.label(number)}")
        notes = (
            [f"{len(deaths) - len(placed)} of {len(deaths)} without a place"] if len(placed) < len(deaths) else []
        )
        _finish(axes, replay, cast, title, handles + marks, own=frame.ax is None, bounds=bounds, notes=notes)
    return axes


def _groups(cast: Cast, deaths: Sequence[Death], number: int | None) -> list[tuple[str, str, list[Death]]]:
    """Return groups of deaths with the same look: label, colour and deaths."""
    if number is not None:
        own = [death for death in deaths if death.player == number]
        others = [death for death in deaths if death.player != number]
        colour = cast.look(number).colour
        groups = [
            (f"losses of {cast.label(number)}", colour, own),
            (f"kills by {cast.label(number)}", "#222222", others),
        ]
    elif any(death.team is not None for death in deaths):
        teams = sorted({death.team for death in deaths if death.team is not None})
        groups = [
            (f"lost by {cast.side_label(team)}", cast.side_colour(team), [d for d in deaths if d.team == team])
            for team in teams
        ]
        groups.append(("lost by nobody known", _NEUTRAL, [death for death in deaths if death.team is None]))
    else:
        often = Counter(death.player for death in deaths)
        most = [who for who, _ in often.most_common(len(_DEATHS))]
        groups = [
            (cast.label(who), cast.look(who).colour, [death for death in deaths if death.player == who])
            for who in most
            if who is not None
        ]
        groups.append(
            ("others", _NEUTRAL, [death for death in deaths if death.player not in most or death.player is None])
        )
    return [group for group in groups if group[2]]


def _draw_deaths(
    axes: Axes, replay: PresentedReplay, library: Any, group: tuple[str, str, list[Death]], symbol: str, few: bool
) -> Any:
    """Draw one group of deaths; return its legend entry."""
    label, colour, deaths = group
    scale = replay.presentation.map.length[1]
    xs = [death.x / scale for death in deaths if death.x is not None]
    ys = [death.y / scale for death in deaths if death.y is not None]
    text = f"{label}: {len(xs)}"
    alpha, size = (0.85, 48) if few else (0.55, 26)
    axes.scatter(
        xs,
        ys,
        marker=symbol,
        s=size,
        color=colour,
        edgecolors="white",
        linewidths=0.5,
        alpha=alpha,
        label=text,
        zorder=4,
    )
    return library.lines.Line2D([], [], linestyle="none", marker=symbol, color=colour, label=text)


def _positions(replay: PresentedReplay) -> tuple[Any, Any, Any]:
    """Return player, x and y of every known position, in the unit of the axes."""
    look, names = replay.presentation.map, ["player", "x", "y"]
    heights = [] if look.levels(replay) is None else ["z"]
    table = look.drawn(replay, rows_of(replay, "positions", "positions", [*names, *heights])).select(names)
    who, xs, ys = (column.to_numpy().astype(float) for column in table.columns)
    known = ~(np.isnan(xs) | np.isnan(ys))
    scale = look.length[1]
    return who[known], xs[known] / scale, ys[known] / scale


def _places_of(replay: PresentedReplay) -> tuple[Any, Any]:
    """Return x and y of all known positions."""
    if "positions" in replay.tables and replay.table("positions").num_rows:
        return _positions(replay)[1:]
    return np.empty(0), np.empty(0)


def _size_of(xs: Any, ys: Any, more: float) -> FigureSize:
    """Return the size of a figure for these positions, with `more` inches below a wide map."""
    if not len(xs):
        return _SIZE
    if np.ptp(xs) <= _WIDE * np.ptp(ys):  # a narrow map: a narrow figure with room for title and bar
        narrow = float(np.ptp(xs) / (np.ptp(ys) or 1.0))
        return min(_SIZE[0], max(_NARROWEST, _SIZE[1] * narrow + 1.6)), _SIZE[1]
    across = 1.4 * _SIZE[0]
    return across, 1.9 + more + across * max(1.0 / _STRIP, float(np.ptp(ys) / np.ptp(xs)))


def _draw_background(
    axes: Axes,
    library: Any,
    replay: PresentedReplay,
    cast: Cast,
    background: Background,
    bounds: Bounds | None,
    places: tuple[Any, Any] | None,
) -> list[Any]:
    """Draw the map below a plot; return legend entries of its marks."""
    axes.grid(visible=False)
    if isinstance(background, bool):
        if not background:
            return []
        places = _places_of(replay) if places is None else places
        if len(places[0]):
            edges = edges_of(*places, _FIELDS)
            ground = library.colors.ListedColormap([_GROUND])
            visited = counts_of(*places, edges)
            axes.pcolormesh(*edges, visited, cmap=ground, zorder=0, rasterized=True)
        return _draw_marks(axes, library, cast, replay)
    picture: Any = background
    if isinstance(background, str | Path):
        path = Path(background)
        read = replay.presentation.map.files.get(FOLDER if path.is_dir() else path.suffix.lower())
        if read is None:
            picture = library.image.imread(path)
        else:  # the game's own map file knows its bounds
            found = read(path, replay, bounds)
            picture, bounds = library.image.imread(BytesIO(found.data)), found.bounds
    axes.imshow(picture, extent=bounds or _extent(replay, places), zorder=0, aspect="auto")
    return []


def _extent(replay: PresentedReplay, places: tuple[Any, Any] | None) -> Bounds:
    """Return the default bounds of a picture: those of the players' positions."""
    xs, ys = _places_of(replay) if places is None else places
    if not len(xs):
        raise ValueError("expected bounds= with a background picture: this replay has no positions")
    low, high = float(ys.min()), float(ys.max())
    bottom, top = (high, low) if replay.presentation.map.y_is_down else (low, high)
    return float(xs.min()), float(xs.max()), bottom, top


def _draw_marks(axes: Axes, library: Any, cast: Cast, replay: PresentedReplay) -> list[Any]:
    """Draw the marks, a symbol for each kind and a colour for each side; return legend entries of both."""
    groups: dict[tuple[str, int | None], list[Mark]] = {}
    for mark in replay.presentation.map.marks(replay):
        groups.setdefault((mark.kind, mark.team if mark.team in cast.sides else None), []).append(mark)
    scale = replay.presentation.map.length[1]
    styles = replay.presentation.map.mark_styles
    for (kind, team), marks in groups.items():
        style = styles.get(kind, MarkStyle())
        colour = cast.side_colour(team)
        label = kind if team is None else f"{kind}, {cast.side_label(team)}"
        axes.scatter(
            [mark.x / scale for mark in marks], [mark.y / scale for mark in marks], marker=style.symbol,
            s=style.area, facecolors=colour if style.filled else "white", edgecolors=colour, linewidths=1.0,
            label=label, zorder=3,
        )  # fmt: skip
    owners: dict[str, set[int | None]] = {}
    for kind, team in groups:
        owners.setdefault(kind, set()).add(team)
    kinds = [*(kind for kind in styles if kind in owners), *sorted(owners.keys() - styles.keys())]
    handles = [_symbol(library, kind, styles.get(kind, MarkStyle())) for kind in kinds]
    teams = sorted({team for team in set().union(*owners.values()) if team is not None}) if owners else []
    return handles + [
        library.patches.Patch(color=cast.side_colour(team), label=cast.side_label(team)) for team in teams
    ]


def _symbol(library: Any, kind: str, style: MarkStyle) -> Any:
    return library.lines.Line2D(
        [], [], linestyle="none", marker=style.symbol, markersize=min(9.0, style.area**0.5), color=_NEUTRAL,
        label=kind, markerfacecolor=_NEUTRAL if style.filled else "white",
    )  # fmt: skip


def _finish(
    axes: Axes,
    replay: PresentedReplay,
    cast: Cast,
    title: str,
    handles: Sequence[Any],
    *,
    own: bool,
    bounds: Bounds | None,
    notes: Sequence[str] = (),
) -> None:
    unit, _ = replay.presentation.map.length
    axes.set_aspect("equal")
    if bounds is not None:
        axes.set(xlim=bounds[:2], ylim=bounds[2:])
    else:
        axes.use_sticky_edges = False
        axes.margins(_MARGIN)
        axes.autoscale(enable=True)
        if replay.presentation.map.y_is_down and not axes.yaxis_inverted():
            axes.invert_yaxis()
        _widen(axes)
    axes.set(xlabel=f"x ({unit})", ylabel=f"y ({unit})")
    set_title(axes, cast, title, [*cast.summary(names=own), *notes], own=own)
    add_legend(axes, handles, own=own, below=True)
    if own:
        axes.set_anchor("W")  # the title starts at the left edge of the map
        # The free room beside a map of fixed shape is known only after a layout
        for _ in range(2):
            axes.figure.figure.draw_without_rendering()


def _widen(axes: Axes) -> None:
    """Show more of the map above and below a narrow strip."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    missing = abs(right - left) / _STRIP - abs(top - bottom)
    if missing > 0:
        grow = math.copysign(missing / 2, top - bottom)
        axes.set_ylim(bottom - grow, top + grow)
