"""Curves over time: columns of players' tables, and actions per minute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from playhead.presentation import Series
from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import replace
from playhead.tables.value_arrays import array_of, scalar_of

if TYPE_CHECKING:
    from playhead.presentation import PresentedReplay

#: Limit of the points of a line.
POINTS = 1500
_ACTIVITY, _COLUMN = "activity", "column:"
_BIN_SECONDS = 10.0
_NUMBERS = ("int", "float", "double", "decimal", "uint")
_NOT_CURVES = frozenset({"tick", "seconds", "game_seconds", "player", "team"})

#: Time between two samples of a table with the option ``every``.
_EVERY = "10s"


def _curves(replay: PresentedReplay) -> Mapping[str, Series]:
    """Return the curves of players' tables by name."""
    shown = replay.presentation
    found = {} if shown.economy is None else {"economy": shown.economy}
    for label, fields in shown.curves.items():
        for source in shown.series:
            if source.fields.keys() >= set(fields):
                columns = tuple(column for name in fields for column in source.fields[name])
                options = {"every": _EVERY} if source.sampled else {}
                found[f"series:{label}"] = Series(source.table, columns, label, options)
    return {name: each for name, each in found.items() if each.table in replay.tables}


def curve_list(replay: PresentedReplay) -> list[dict[str, str]]:
    """Return all curves: name, label, and whether the page shows its button at once."""
    first = _curves(replay)
    found = [{"name": name, "label": each.label, "first": "yes"} for name, each in first.items()]
    if "economy" in first:
        for column in replay.schema_of(first["economy"].table).columns:
            if column.name not in _NOT_CURVES and str(column.type).startswith(_NUMBERS):
                found.append({"name": f"{_COLUMN}{column.name}", "label": column.name, "first": ""})
    if "inputs" in replay.tables and "kind" in replay.schema_of("inputs").column_names:
        found.append({"name": _ACTIVITY, "label": "actions per minute", "first": "yes"})
    return found


def curve(replay: PresentedReplay, name: str) -> dict[str, Any]:
    """Return a curve: ticks and values by player.

    Raises:
        KeyError: there is no such curve.
    """
    known = {each["name"]: each["label"] for each in curve_list(replay)}
    if name not in known:
        raise KeyError(f"no curve {name!r}; there are {', '.join(known)}")
    if name == _ACTIVITY:
        return {"label": known[name], "lines": _activity(replay)}
    first = _curves(replay)
    source = first.get(name) or replace(first["economy"], columns=(name.removeprefix(_COLUMN),))
    table = replay.table(source.table, columns=["tick", "player", *source.columns], **source.options)
    lines: dict[int, tuple[list[int], list[float]]] = {}
    for tick, player, *values in zip(*(column.to_pylist() for column in table.columns), strict=True):
        there = [value for value in values if value is not None]
        if player is None or not there:
            continue
        ticks, sums = lines.setdefault(player, ([], []))
        ticks.append(tick)
        sums.append(float(sum(there)))
    return {"label": known[name], "lines": [_line(player, *line) for player, line in sorted(lines.items())]}


def _line(player: int, ticks: list[int], values: list[float]) -> dict[str, Any]:
    every = max(1, -(-len(ticks) // POINTS))
    return {"player": player, "tick": ticks[::every], "value": values[::every]}


def _activity(replay: PresentedReplay) -> list[dict[str, Any]]:
    """Return actions per minute by player, in bins of some seconds."""
    rate = replay.info.ticks_per_second or 1.0
    last = replay.info.duration_ticks or 0
    width = max(1, round(max(_BIN_SECONDS, last / rate / POINTS) * rate))
    ignored = array_of(sorted(replay.presentation.no_actions), pa.string())
    by_player: dict[int, dict[int, int]] = {}
    for batch in replay.batches("inputs"):
        bins = pc.divide(batch["tick"], scalar_of(width, batch["tick"].type))
        kept = pa.table({"player": batch["player"], "bin": bins}).filter(
            pc.and_(batch["player"].is_valid(), pc.invert(pc.is_in(batch["kind"].cast(pa.string()), ignored)))
        )
        for row in kept.group_by(["player", "bin"]).aggregate([([], "count_all")]).to_pylist():
            counted = by_player.setdefault(row["player"], {})
            counted[row["bin"]] = counted.get(row["bin"], 0) + row["count_all"]
    minute = 60.0 * rate / width
    places = range(-(-replay.first_tick // width), last // width + 1)
    return [
        _line(
            player,
            [place * width for place in places],
            [round(found.get(place, 0) * minute, 1) for place in places],
        )
        for player, found in sorted(by_player.items())
    ]
