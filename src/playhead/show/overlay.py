"""Plots of rows of many rounds or matches on one map."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.errors import NothingToPlot
from playhead.runtime.libraries import np, pa
from playhead.show.canvas import Placement, import_matplotlib
from playhead.show.maps import Bounds, draw_heat
from playhead.text.names import counted, unknown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HOW = ("heat", "ways", "points")
_SIZE = (7.0, 6.6)
#: Colours of two sides that most people with colour blindness can tell apart, and of rows without a side.
_COLOURS, _NOBODY = ("#d55e00", "#0072b2"), "#5a5a5a"
_SYMBOLS = ("o", "X", "s")
_LONGEST = 3.0


def draw_overlay(
    rows: pa.Table, how: str, role: str, bins: int, bounds: Bounds | None, background: Any, frame: Placement
) -> Axes:
    """See `playhead.corpus.reading.overlay.Overlay.plot`."""
    if how not in HOW:
        raise ValueError(unknown_name(how, HOW, "way to draw"))
    if frame.ax is not None and frame.figsize is not None:
        raise ValueError("expected ax= or figsize=, got both: axes have the size that their figure gives them")
    x, y = _places(rows.column_names, role)
    known = [row for row in rows.to_pylist() if row[x] is not None and row[y] is not None]
    if not known:
        raise NothingToPlot(f"overlay: {'no row has a place' if rows.num_rows else 'there are no rows'}")
    library = import_matplotlib()
    axes = frame.ax or library.pyplot.figure(figsize=frame.figsize or _SIZE, layout="constrained").add_subplot()
    if background is not None:
        picture = library.image.imread(background) if isinstance(background, str | Path) else background
        axes.imshow(picture, extent=bounds, zorder=0, aspect="auto")
    if how == "heat":
        xs, ys = (np.array([row[name] for row in known], float) for name in (x, y))
        draw_heat(axes, library, xs, ys, bins, things="rows")
    else:
        side = _column(rows.column_names, role, "side")
        sides = sorted({str(row[side]) for row in known if row[side] is not None}, reverse=True) if side else []
        for place, name in enumerate([*sides, None]):
            some = [row for row in known if (row[side] if side else None) == name]
            colour = _NOBODY if name is None else _COLOURS[place % 2]
            label = f"{name or 'no side'}: {len(some)}"
            if some and how == "points":
                symbol = _SYMBOLS[place % 3]
                across, up = ([row[name] for row in some] for name in (x, y))
                axes.scatter(across, up, s=26, color=colour, marker=symbol, alpha=0.6, linewidths=0, label=label)
            elif some:
                _ways(axes, some, (x, y), colour, label)
        axes.legend(loc="upper right", fontsize="small")
    axes.set_aspect("equal")
    if bounds is not None:
        axes.set(xlim=bounds[:2], ylim=bounds[2:])
    replays = len({row["replay"] for row in known})
    axes.set_title(f"{len(known)} places of {counted(replays, 'replay')}", loc="left")
    return axes


def _places(columns: Sequence[str], role: str) -> tuple[str, str]:
    x, y = (_column(columns, role, name) for name in ("x", "y"))
    if x is None or y is None:
        raise KeyError(f"the table has no places of {role or 'its rows'}: role='attacker' or 'victim'")
    return x, y


def _column(columns: Sequence[str], role: str, name: str) -> str | None:
    """Return the column with a fact of the role; without one, of the row or else of the victim."""
    asked = [f"{role}_{name}"] if role else [name, f"victim_{name}"]
    asked += ["thrower_side"] if name == "side" else []
    return next((each for each in asked if each in columns), None)


def _ways(axes: Axes, rows: Sequence[Mapping[str, Any]], places: tuple[str, str], colour: str, label: str) -> None:
    """Draw a line for each player of a round; it ends where the next row is seconds later."""
    ways: dict[tuple[Any, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        ways[row["replay"], row.get("round_num"), row.get("player")].append(row)
    x, y = places
    for number, way in enumerate(ways.values()):
        way.sort(key=lambda row: row["overlay_seconds"])
        step = min((b["overlay_seconds"] - a["overlay_seconds"] for a, b in pairwise(way)), default=1.0)
        xs, ys, last = [], [], None
        for row in way:
            if last is not None and row["overlay_seconds"] - last > max(_LONGEST, 2 * step):
                xs.append(np.nan)
                ys.append(np.nan)
            last = row["overlay_seconds"]
            xs.append(row[x])
            ys.append(row[y])
        axes.plot(xs, ys, color=colour, alpha=0.5, linewidth=1.0, label=None if number else label)
