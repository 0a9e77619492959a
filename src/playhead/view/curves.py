"""Curves over time: columns of tables of players or sides, their sums by side, and actions per minute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

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


class Value(NamedTuple):
    """A value from a tick on: of a player, or of a side (`player` is None), and the side that has it."""

    tick: int
    player: int | None
    team: int | None
    value: float


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
    """Return a curve: ticks and values by player, and their sums by team; none of players if the table has sides
    only.

    Raises:
        KeyError: there is no such curve.
    """
    known = {each["name"]: each["label"] for each in curve_list(replay)}
    if name not in known:
        raise KeyError(f"no curve {name!r}; there are {', '.join(known)}")
    if name == _ACTIVITY:
        values, whole = _activity(replay), True
    else:
        first = _curves(replay)
        source = first.get(name) or replace(first["economy"], columns=(name.removeprefix(_COLUMN),))
        values, whole = list(values_of(replay, replace(source, side=None))), is_whole(source)
    lines: dict[int, list[Value]] = {}
    for each in values:
        if each.player is not None:
            lines.setdefault(each.player, []).append(each)
    teams = sides_of(replay)
    ticks, sums = side_sums(values, teams, whole=whole)
    return {
        "label": known[name],
        "lines": [
            {"player": player, **_line([each.tick for each in line], [each.value for each in line])}
            for player, line in sorted(lines.items())
        ],
        "sides": [{"player": team, **_line(ticks, line)} for team, line in zip(teams, sums, strict=True)],
    }


def sides_of(replay: PresentedReplay) -> list[int]:
    """Return the two teams, the first first; none if there are not two."""
    teams = {player.team for player in replay.players if player.team is not None and player.player is not None}
    order = sorted(teams, key=lambda team: (team not in replay.presentation.sides, team))
    return order if len(order) == 2 else []


def is_whole(source: Series) -> bool:
    """Return whether the rows of a tick are all there is: a player without one has left."""
    return "every" in source.options


def values_of(replay: PresentedReplay, source: Series) -> Iterator[Value]:
    """Yield the sums of the columns of a series that are known, in order of time."""
    teams = {player.player: player.team for player in replay.players}
    key = "team" if source.of_side else "player"
    column, numbers = source.side or (key, {})
    names = list(dict.fromkeys(["tick", key, column, *source.columns]))
    for row in replay.table(source.table, columns=names, **source.options).to_pylist():
        held = [row[name] for name in source.columns if row[name] is not None]
        if row[key] is None or not held:
            continue
        player = None if source.of_side else row["player"]
        team = row["team"] if source.of_side else numbers.get(row[column]) if source.side else teams.get(player)
        yield Value(row["tick"], player, team, float(sum(held)))


def side_sums(
    values: Iterable[Value], teams: Sequence[int], *, whole: bool
) -> tuple[list[int], list[list[float]]]:
    """Return the ticks at which a value changes, and the sums of each team from then on. With `whole`, a player
    without a value at such a tick has none any more."""
    held: dict[tuple[int | None, int | None], tuple[int, float]] = {}
    ticks: list[int] = []
    sums: list[list[float]] = [[] for _ in teams]
    for tick, group in (
        groupby(sorted(values, key=lambda each: each.tick), key=lambda each: each.tick) if teams else ()
    ):
        if whole:
            held.clear()
        for each in group:
            if each.team is not None and each.team in teams:
                key = each.player, each.team if each.player is None else None
                held[key] = each.team, each.value
        ticks.append(tick)
        for team, line in zip(teams, sums, strict=True):
            line.append(sum(value for side, value in held.values() if side == team))
    return ticks, sums


def thinned(count: int, most: int) -> list[int]:
    """Return about `most` places of a list of so many, equally far apart, with the last."""
    return [*range(0, count - 1, max(1, -(-count // most))), *([count - 1] if count else [])]


def _line(ticks: Sequence[int], values: Sequence[float]) -> dict[str, Any]:
    places = thinned(len(ticks), POINTS)
    return {"tick": [ticks[place] for place in places], "value": [values[place] for place in places]}


def _activity(replay: PresentedReplay) -> list[Value]:
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
    teams = {player.player: player.team for player in replay.players}
    return [
        Value(place * width, player, teams.get(player), round(found.get(place, 0) * minute, 1))
        for place in range(-(-replay.first_tick // width), last // width + 1)
        for player, found in sorted(by_player.items())
    ]
