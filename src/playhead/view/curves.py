"""Curves over time: numbers of players' tables, and how much each player did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playhead.replay import Replay

#: Points of one line at most.
POINTS = 1500
_ACTIVITY = "activity"
_BIN_SECONDS = 10.0
_NUMBERS = ("int", "float", "double", "decimal", "uint")
_NOT_CURVES = frozenset({"tick", "seconds", "game_seconds", "player", "team"})

#: Sums of columns that people look for, by table.
_SUMS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "player_stats": {
        "army value": ("minerals_used_current_army", "vespene_used_current_army"),
        "income": ("minerals_collection_rate", "vespene_collection_rate"),
        "unspent resources": ("minerals_current", "vespene_current"),
        "workers": ("workers_active_count",),
        "supply used": ("food_used",),
    }
}


def curve_list(replay: Replay) -> list[dict[str, str]]:
    """Return the curves that there are: name, label, whether it is one of the first."""
    found = []
    series = replay.presentation.economy
    if series is not None and series.table in replay.tables:
        columns = replay.schema_of(series.table).columns
        known = {column.name for column in columns}
        found += [{"name": "economy", "label": series.label, "first": "yes"}]
        for label, parts in _SUMS.get(series.table, {}).items():
            if set(parts) <= known and parts != series.columns:
                found.append({"name": f"sum:{label}", "label": label, "first": "yes"})
        for column in columns:
            if column.name not in _NOT_CURVES and str(column.type).startswith(_NUMBERS):
                found.append({"name": f"column:{column.name}", "label": column.name, "first": ""})
    if "inputs" in replay.tables:
        found.append({"name": _ACTIVITY, "label": "actions per minute", "first": "yes"})
    return found


def curve(replay: Replay, name: str) -> dict[str, Any]:
    """Return a curve: ticks and values by player.

    Raises:
        KeyError: there is no such curve.
    """
    known = {each["name"]: each["label"] for each in curve_list(replay)}
    if name not in known:
        raise KeyError(f"no curve {name!r}; there are {', '.join(known)}")
    if name == _ACTIVITY:
        return {"label": known[name], "lines": _activity(replay)}
    series = replay.presentation.economy
    assert series is not None
    sort, _, rest = name.partition(":")
    if sort == "economy":
        columns: Sequence[str] = series.columns
    else:
        columns = _SUMS[series.table][rest] if sort == "sum" else (rest,)
    table = replay.table(series.table, columns=["tick", "player", *columns], **series.options)
    lines: dict[int, tuple[list[int], list[float]]] = {}
    for tick, player, *values in zip(*(column.to_pylist() for column in table.columns), strict=True):
        if player is None or any(value is None for value in values):
            continue
        ticks, sums = lines.setdefault(player, ([], []))
        ticks.append(tick)
        sums.append(float(sum(values)))
    return {"label": known[name], "lines": [_line(player, *line) for player, line in sorted(lines.items())]}


def _line(player: int, ticks: list[int], values: list[float]) -> dict[str, Any]:
    every = max(1, -(-len(ticks) // POINTS))
    return {"player": player, "tick": ticks[::every], "value": values[::every]}


def _activity(replay: Replay) -> list[dict[str, Any]]:
    """Return actions a minute by player, in bins of some seconds."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rate = replay.info.ticks_per_second or 1.0
    last = replay.info.duration_ticks or 0
    width = max(1, round(max(_BIN_SECONDS, last / rate / POINTS) * rate))
    table = replay.table("inputs", columns=["tick", "player", "kind"])
    kinds = table["kind"].cast(pa.string())
    ignored = pa.array(sorted(replay.presentation.no_actions), pa.string())
    keep = pc.and_(pc.is_valid(table["player"]), pc.invert(pc.is_in(kinds, value_set=ignored)))
    table = table.filter(keep)
    bins = pc.divide(table["tick"], width)
    counted = (
        pa.table({"player": table["player"], "bin": bins})
        .group_by(["player", "bin"])
        .aggregate([([], "count_all")])
    )
    by_player: dict[int, dict[int, int]] = {}
    for row in counted.to_pylist():
        by_player.setdefault(row["player"], {})[row["bin"]] = row["count_all"]
    minute = 60.0 * rate / width
    return [
        _line(
            player,
            [place * width for place in range(last // width + 1)],
            [round(found.get(place, 0) * minute, 1) for place in range(last // width + 1)],
        )
        for player, found in sorted(by_player.items())
    ]
