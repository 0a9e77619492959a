"""Heat maps: how many places are in each square field of a map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playhead.runtime.libraries import np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Counts above which the bar has marks for powers of ten only.
_DECADES = 1000.0
#: Colour map, and the start of the part that is not too faint.
_COLOURS = ("magma_r", 0.1)


def draw_heat(
    axes: Axes, library: Any, xs: Any, ys: Any, bins: int, *, things: str, unit: str = "", wide: bool = False
) -> None:
    """Draw a heat map with its colour bar.

    Args:
        library: matplotlib.
        bins: fields across the longer side.
        things: the counted things, in the plural.
        unit: of the places.
        wide: the map is wide: the bar is below it.
    """
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
