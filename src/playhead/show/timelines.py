"""Plots of actions over time: build orders, and the keys of a tee."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from playhead.presentation import PresentedReplay
from playhead.show.canvas import (
    Placement,
    Who,
    add_legend,
    canvas,
    import_matplotlib,
    nothing,
    rows_of,
    set_clock,
    set_title,
)
from playhead.show.cast import Cast

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MINUTE = 60.0
_ROW = 0.22
_BESIDE_NAMES = 0.68
_KINDS = {"structure": "#0072b2", "unit": "#e69f00", "morph": "#009e73", "upgrade": "#cc79a7"}
_OTHER = "#8a8a8a"
_FAILED = ("cancelled", "lost")

#: Rows of the plot of a tee's keys, from the top: label and colour.
_KEYS = {"left": "#0072b2", "right": "#d55e00", "jump": "#009e73", "fire": "#000000", "hook": "#cc79a7"}
_STRETCH = 10.0


class Built(NamedTuple):
    """One row of table ``build_order``."""

    player: int
    kind: str
    name: str
    start: float
    end: float | None
    outcome: str | None


class Pressed(NamedTuple):
    """A key that was held: first and last second."""

    key: str
    start: float
    end: float


def draw_build_order(
    replay: PresentedReplay, player: Who, kinds: Iterable[str] | None, until: float | None, frame: Placement
) -> Axes:
    """See `Plots.build_order`; `until` is in seconds."""
    library = import_matplotlib()
    cast = Cast(replay)
    number = None if player is None else cast.number(player)
    wanted = None if kinds is None else frozenset(kinds)
    built = [
        each
        for each in _built(replay)
        if (number is None or each.player == number)
        and (wanted is None or each.kind in wanted)
        and (until is None or each.start <= until)
    ]
    if not built:
        raise nothing(replay, "build order", "nothing was built that fits these choices")
    order = [each for each in cast.numbers if any(row.player == each for row in built)]
    rows = _rows(built, order)
    last = max(each.start if each.end is None else each.end for each in built)
    end = last if until is None else min(last, until)
    with canvas(frame, cast, (9.0, 1.6 + _ROW * (len(rows) + len(order)))) as (axes, _):
        _draw_bars(axes, built, rows, end)
        _label_rows(axes, cast, rows, order)
        axes.set_xlim(left=0.0, right=end / _MINUTE * 1.01)
        set_clock(axes, library, replay.presentation.time_label)
        shown = [kind for kind in _KINDS if any(each.kind == kind for each in built)]
        handles: list[Any] = [library.patches.Patch(color=_KINDS[kind], label=kind) for kind in shown]
        if any(each.outcome in _FAILED for each in built):
            hatched = library.patches.Patch(
                facecolor="white", edgecolor=_OTHER, hatch="////", label="cancelled or lost"
            )
            handles.append(hatched)
        whose = "" if number is None else f" of {cast.label(number)}"
        set_title(
            axes,
            cast,
            f"Build order{whose}: bars from start to end",
            cast.summary(names=number is not None),
            own=frame.ax is None,
            share=_BESIDE_NAMES,
        )
        add_legend(axes, handles, own=frame.ax is None)
    return axes


def _built(replay: PresentedReplay) -> list[Built]:
    columns = ["player", "kind", "product", "seconds", "end_seconds", "outcome"]
    table = rows_of(replay, "build order", "build_order", columns)
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    built = (Built(*row) for row in rows if row[0] is not None and row[3] is not None)
    shown = replay.presentation.wording.shown
    return [each._replace(name=shown(each.name)) for each in built]


def _rows(built: Sequence[Built], order: Sequence[int]) -> dict[tuple[int, str], int]:
    """Return the row of each thing that a player built, from the top, in the order of its first build; the row
    above each player is free for the name."""
    found: dict[tuple[int, str], int] = {}
    place = 0
    for number in order:
        place += 1
        firsts: dict[str, tuple[int, float]] = {}
        for each in built:
            if each.player == number:
                rank = list(_KINDS).index(each.kind) if each.kind in _KINDS else len(_KINDS)
                firsts.setdefault(each.name, (rank, each.start))
        for name in sorted(firsts, key=lambda name: firsts[name]):
            found[number, name] = place
            place += 1
    return found


def _draw_bars(axes: Axes, built: Sequence[Built], rows: Mapping[tuple[int, str], int], end: float) -> None:
    for key, place in rows.items():
        for failed in (False, True):
            here = [row for row in built if (row.player, row.name) == key and (row.outcome in _FAILED) is failed]
            if not here:
                continue
            colour = _KINDS.get(here[0].kind, _OTHER)
            spans = [(row.start / _MINUTE, max((row.end or end) - row.start, end / 400) / _MINUTE) for row in here]
            look: dict[str, Any] = {"facecolors": colour, "alpha": 0.6, "edgecolors": "white", "linewidth": 0.4}
            if failed:
                look = {"facecolors": "white", "edgecolors": colour, "hatch": "////", "linewidth": 0.6}
            axes.broken_barh(spans, (place - 0.4, 0.8), **look)


def _label_rows(axes: Axes, cast: Cast, rows: Mapping[tuple[int, str], int], order: Sequence[int]) -> None:
    axes.set_yticks(list(rows.values()), [cast.lettering(name) for _, name in rows], fontsize="small")
    bottom = max(rows.values()) + 0.7
    axes.set_ylim(bottom, -0.6)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    for number in order:
        top = min(place for (who, _), place in rows.items() if who == number) - 1
        if top:
            axes.axhline(top - 0.5, color="0.8", linewidth=0.8)
        axes.text(
            0.0, top, cast.label(number), transform=axes.get_yaxis_transform(), va="center", ha="left",
            fontweight="bold", fontsize="small", color=cast.look(number).colour,
        )  # fmt: skip


def draw_input_timing(
    replay: PresentedReplay, player: Who, span: tuple[float | None, float | None], frame: Placement
) -> Axes:
    """See `Plots.input_timing`; `span` is in seconds."""
    library = import_matplotlib()
    cast = Cast(replay)
    columns = ["seconds", "player", "direction", "jump", "fire", "hook"]
    if "inputs" in replay.tables and not set(columns) <= set(replay.schema_of("inputs").column_names):
        raise nothing(replay, "input timing", f"inputs of {replay.info.game} are no keys that are held")
    table = rows_of(replay, "input timing", "inputs", columns)
    rows: dict[int, list[tuple[float, int, int, int, int]]] = {}
    for seconds, who, *keys in zip(*(column.to_pylist() for column in table.columns), strict=True):
        if who is not None and seconds is not None:
            rows.setdefault(who, []).append((seconds, *keys))
    number = cast.number(player) if player is not None else max(rows, key=lambda who: len(rows[who]), default=0)
    if len(rows.get(number, ())) < 2:
        raise nothing(replay, "input timing", f"{cast.label(number)} pressed nothing")
    held = list(_held(rows[number]))
    start, end = _stretch(held, rows[number], span)
    held = [each for each in held if each.end > start and each.start < end]
    if not held:
        raise nothing(
            replay, "input timing", f"{cast.label(number)} held no key in these {end - start:.0f} seconds"
        )
    with canvas(frame, cast, (9.0, 3.0)) as (axes, _):
        for place, (key, colour) in enumerate(_KEYS.items()):
            bars = [(each.start / _MINUTE, (each.end - each.start) / _MINUTE) for each in held if each.key == key]
            if bars:
                axes.broken_barh(bars, (place - 0.38, 0.76), facecolors=colour, label=key)
        counts = [sum(each.key == key and each.start >= start for each in held) for key in _KEYS]
        names = [f"{key}: {count}" for key, count in zip(_KEYS, counts, strict=True)]
        axes.set_yticks(range(len(_KEYS)), names)
        axes.set_ylim(len(_KEYS) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        axes.set_xlim(start / _MINUTE, end / _MINUTE)
        set_clock(axes, library, replay.presentation.time_label)
        title = f"Keys of {cast.label(number)}: how often pressed, and how long"
        set_title(axes, cast, title, cast.summary(names=False), own=frame.ax is None)
    return axes


def _held(rows: Sequence[tuple[float, int, int, int, int]]) -> Iterable[Pressed]:
    """Yield the keys that were held, from the states of all keys; a key that is held at the end ends with the last
    state. `fire` counts presses and releases and is odd while pressed."""
    since: dict[str, float] = {}
    for seconds, direction, jump, fire, hook in rows:
        down = {
            "left": direction < 0,
            "right": direction > 0,
            "jump": jump > 0,
            "fire": fire & 1,
            "hook": hook > 0,
        }
        for key, pressed in down.items():
            if pressed:
                since.setdefault(key, seconds)
            elif key in since:
                yield Pressed(key, since.pop(key), seconds)
    for key, start in since.items():
        yield Pressed(key, start, rows[-1][0])


def _stretch(
    held: Sequence[Pressed],
    rows: Sequence[tuple[float, int, int, int, int]],
    span: tuple[float | None, float | None],
) -> tuple[float, float]:
    """Return the requested stretch; without either end, the ten seconds with the most presses."""
    start, end = span
    if start is None and end is None:
        starts = sorted(each.start for each in held)
        best = max(
            starts,
            key=lambda first: sum(first <= other < first + _STRETCH for other in starts),
            default=rows[0][0],
        )
        return best, min(best + _STRETCH, max(rows[-1][0], best + 1.0))
    first = rows[0][0] if start is None else start
    last = rows[-1][0] if end is None else end
    if last <= first:
        raise ValueError(f"expected an end after the start, got {first:g} s and {last:g} s")
    return first, last
