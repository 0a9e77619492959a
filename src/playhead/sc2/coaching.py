"""Tables for a coach: the measures of each player, and a build order beside that of another game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise, zip_longest
from math import ceil
from typing import Any

from playhead.model import Player, ReplayLike
from playhead.runtime.libraries import pa
from playhead.sc2.abilities.unit_types import display_name, is_worker
from playhead.tables.schema import Column, TableSchema

#: Minutes at which curves are compared.
_MINUTES = (2, 4, 6, 8, 10, 14)
#: Lapses of less than so many seconds are not listed.
_LEAST = 3.0
#: Buildings whose idle time counts as that of production.
_PRODUCTION = frozenset(
    "CommandCenter OrbitalCommand PlanetaryFortress Nexus Barracks Factory Starport Gateway WarpGate "
    "RoboticsFacility Stargate".split()
)

MEASURES = TableSchema.of(
    "measures",
    "How each player did: economy, production, casts, fights; beside the player of the same race in the game "
    "that `--against` names.",
    Column("player", "int32", "Player number."),
    Column("name", "string", "Name of the player."),
    Column("measure", "string", "What is measured."),
    Column("value", "float64", "Of the player."),
    Column("against", "float64", "Of the other game's player."),
    Column("unit", "string", "Unit of both."),
)

STEPS = TableSchema.of(
    "steps",
    "Build orders side by side: the first of each thing with the first in the other game, the second with the "
    "second. Workers, and steps that were not finished, are left out.",
    Column("player", "int32", "Player number."),
    Column("step", "string", "What was built; the second and later ones with their number."),
    Column("seconds", "float64", "When it began.", "s"),
    Column("supply", "float64", "Supply in use before it began.", "supply"),
    Column("against_seconds", "float64", "When it began in the other game.", "s"),
    Column("against_supply", "float64", "Supply in the other game.", "supply"),
    Column("later", "float64", "By how much it was later than in the other game.", "s"),
)


CURVES = TableSchema.of(
    "curves",
    "Workers, supply and army of each player at every minute, beside those of the other game's player.",
    Column("player", "int32", "Player number."),
    Column("minute", "int32", "Time of the last statistics before.", "min"),
    *(
        Column(f"{side}{name}", "float64", f"{doc}{' in the other game' if side else ''}.", unit)
        for name, doc, unit in (
            ("workers", "Workers", ""),
            ("supply", "Supply in use", "supply"),
            ("army", "Minerals and vespene used in the living army", "resources"),
        )
        for side in ("", "against_")
    ),
)

LAPSES = TableSchema.of(
    "lapses",
    "Where time was lost, the longest first: without free supply, production buildings that did nothing, and "
    "hatcheries without an inject after the first.",
    Column("player", "int32", "Player number."),
    Column("lapse", "category", "no free supply, idle or no inject."),
    Column("what", "string", "The type of the building, with its clock position if it is a town hall."),
    Column("seconds", "float64", "When it began.", "s"),
    Column("lasted", "float64", "How long it lasted.", "s"),
)


def coach(replay: ReplayLike, other: ReplayLike | None) -> Mapping[str, tuple[TableSchema, pa.Table]]:
    """Return the tables of a coach's page by name, with their schemas; with another game, compared with its
    players of the same race."""
    pairs = [(player, None if other is None else _rival(player, replay, other)) for player in _players(replay)]
    minutes = _by_minute(replay)
    minutes_beside = {} if other is None else _by_minute(other)
    mine = _measures(replay, minutes)
    theirs = {} if other is None else _measures(other, minutes_beside)
    rows = []
    for player, rival in pairs:
        held = theirs.get(rival.player, {}) if rival is not None else {}
        rows += [
            (player.player, player.name, measure, value, held.get(measure, (None, unit))[0], unit)
            for measure, (value, unit) in mine.get(player.player, {}).items()
        ]
    found = {MEASURES.name: (MEASURES, _table(MEASURES, rows))}
    if other is not None:
        steps = [
            row
            for player, rival in pairs
            if rival is not None
            for row in _side_by_side(player, _steps(replay, player), _steps(other, rival))
        ]
        found[STEPS.name] = (STEPS, _table(STEPS, steps))
    curves = [
        {"player": player.player, "minute": minute, **held}
        | {f"against_{name}": value for name, value in beside.get(minute, {}).items()}
        for player, rival in pairs
        for beside in [{} if rival is None else minutes_beside.get(rival.player, {})]
        for minute, held in minutes.get(player.player, {}).items()
    ]
    found[CURVES.name] = CURVES, CURVES.build_rows(curves)
    found[LAPSES.name] = LAPSES, _lapses(replay)
    return found


def _table(schema: TableSchema, rows: Iterable[Sequence[Any]]) -> pa.Table:
    """Return a table from the values of its columns by row."""
    return schema.build_rows([dict(zip(schema.column_names, row, strict=True)) for row in rows])


def _players(replay: ReplayLike) -> list[Player]:
    return [each for each in replay.players if each.player is not None and each.kind in ("human", "computer")]


def _rival(player: Player, replay: ReplayLike, other: ReplayLike) -> Player | None:
    """Return the player of the other game with the same race: a winner before others, and one whose opponents have
    the same races before all."""
    race = player.details.get("race")
    enemies = _enemies(player, replay)
    same = [each for each in _players(other) if race is not None and each.details.get("race") == race]
    return min(same, key=lambda each: (_enemies(each, other) != enemies, each.result != "win"), default=None)


def _enemies(player: Player, replay: ReplayLike) -> list[str]:
    return sorted(str(each.details.get("race")) for each in _players(replay) if each.team != player.team)


Measures = dict[str, tuple[float | None, str]]
#: By player number and minute, the values by name.
Minutes = dict[int | None, dict[int, dict[str, float | None]]]


def _measures(replay: ReplayLike, minutes: Minutes) -> dict[int | None, Measures]:
    """Return the measures of each player, with their units."""
    found: dict[int | None, Measures] = {player.player: {} for player in _players(replay)}
    length = replay.info.duration_seconds or 0.0
    kinds = (_metrics, _bases, _idle, _casts, _fights)
    for player, measure, value, unit in chain(_curves(minutes), *(each(replay, length) for each in kinds)):
        if player in found:
            found[player][measure] = (value, unit)
    return found


Measured = Iterator[tuple[int | None, str, float | None, str]]


def _by_minute(replay: ReplayLike) -> Minutes:
    """Return workers, supply and army of each player at every minute of the game, as of the last statistics."""
    army = ("minerals_used_current_army", "vespene_used_current_army")
    columns = ("seconds", "player", "workers", "supply", *army)
    length = replay.info.duration_seconds or 0.0
    by_player: dict[int | None, list[dict[str, Any]]] = {}
    for row in replay.table("player_series", columns=columns).to_pylist():
        by_player.setdefault(row["player"], []).append(row)
    found: Minutes = {player: {} for player in by_player}
    for player, rows in by_player.items():
        for row, after in zip_longest(rows, rows[1:]):
            end = length if after is None else after["seconds"] - 1e-9
            for minute in range(ceil(row["seconds"] / 60), int(end // 60) + 1):
                held = {name: row[name] for name in ("workers", "supply")}
                found[player][minute] = held | {"army": sum(row[name] or 0 for name in army)}
    return found


def _curves(minutes: Minutes) -> Measured:
    units = {"workers": "", "supply": "supply", "army": "resources"}
    for player, found in minutes.items():
        for minute in _MINUTES:
            for name, value in found.get(minute, {}).items():
                yield player, f"{name} at {minute} min", value, units[name]


def _lapses(replay: ReplayLike) -> pa.Table:
    """Return the table ``lapses``."""
    length = replay.info.duration_seconds or 0.0
    rows: list[tuple[int, str, str | None, float, float]] = [
        (row["player"], "no free supply", None, row["seconds"], row["end_seconds"])
        for row in replay.table("supply_blocks").to_pylist()
    ]
    rows += [
        (row["player"], "idle", display_name(row["unit_type"]), row["seconds"], row["end_seconds"] or length)
        for row in replay.table("production").to_pylist()
        if row["state"] == "idle" and row["unit_type"] in _PRODUCTION
    ]
    halls = {row["unit"]: row for row in replay.table("bases").to_pylist() if row["unit"] is not None}
    injected: dict[int, list[tuple[float, float]]] = {}
    for row in replay.table("injects").to_pylist():
        if row["target_unit"] in halls and row["larvae_seconds"] is not None:
            injected.setdefault(row["target_unit"], []).append((row["seconds"], row["larvae_seconds"]))
    for hall, times in injected.items():
        row, left = halls[hall], halls[hall]["end_seconds"]
        name = f"{display_name(row['unit_type'])} at {row['clock']} o'clock"
        for (_, ready), (again, _) in pairwise([*times, (length if left is None else left, 0.0)]):
            rows.append((row["player"], "no inject", name, ready, again))
    found = [(*row[:4], row[4] - row[3]) for row in rows if row[4] - row[3] >= _LEAST]
    found.sort(key=lambda row: (row[0] or 0, row[1], -row[4]))
    return _table(LAPSES, found)


def _metrics(replay: ReplayLike, length: float) -> Measured:
    wanted = (
        ("supply_blocked_seconds", "time without free supply", "s"),
        ("spending_quotient", "spending quotient", ""),
        ("workers_made", "workers made", ""),
        ("workers_lost", "workers lost", ""),
        ("apm", "actions", "1/min"),
        ("first_gas_seconds", "first gas", "s"),
    )
    for row in replay.table("player_stats").to_pylist():
        for column, measure, unit in wanted:
            yield row["player"], measure, row[column], unit


def _bases(replay: ReplayLike, length: float) -> Measured:
    for row in replay.table("bases").to_pylist():
        if row["nth"] is not None and 1 < row["nth"] <= 4:
            yield row["player"], f"base {row['nth']} begun", row["seconds"], "s"


def _idle(replay: ReplayLike, length: float) -> Measured:
    """Yield the share of time in which production buildings had nothing to do."""
    times: dict[int, dict[str, float]] = {}
    for row in replay.table("production").to_pylist():
        if row["unit_type"] in _PRODUCTION and row["state"] != "cancelled":
            end = length if row["end_seconds"] is None else row["end_seconds"]
            held = times.setdefault(row["player"], {"busy": 0.0, "idle": 0.0})
            held[row["state"]] += max(0.0, end - row["seconds"])
    for player, held in times.items():
        total = held["busy"] + held["idle"]
        if total:
            yield player, "production idle", 100 * held["idle"] / total, "%"


def _casts(replay: ReplayLike, length: float) -> Measured:
    for name in ("injects", "mules", "boosts", "scans"):
        rows = replay.table(name).to_pylist()
        players = [row["player"] for row in rows if row.get("known_by") != "build time"]
        for player in sorted({each for each in players if each is not None}):
            yield player, name, float(players.count(player)), ""


def _fights(replay: ReplayLike, length: float) -> Measured:
    rows = replay.table("engagements").to_pylist()
    for player in sorted({row["player"] for row in rows}):
        mine = [row for row in rows if row["player"] == player]
        lost = sum(row["minerals_lost"] + row["vespene_lost"] for row in mine)
        yield player, "engagements", float(len(mine)), ""
        yield player, "lost in engagements", float(lost), "resources"
        yield player, "trade of engagements", float(sum(row["trade"] for row in mine)), "resources"


def _steps(replay: ReplayLike, player: Player) -> dict[str, Mapping[str, Any]]:
    """Return the finished steps of a player by what was built, with the number of the second and later ones."""
    counts: dict[str, int] = {}
    found = {}
    for row in replay.table("build_order").to_pylist():
        if row["player"] != player.player or row["outcome"] != "finished" or is_worker(row["product"]):
            continue
        counts[row["product"]] = count = counts.get(row["product"], 0) + 1
        found[display_name(row["product"]) + (f" {count}" if count > 1 else "")] = row
    return found


def _side_by_side(
    player: Player, mine: Mapping[str, Mapping[str, Any]], theirs: Mapping[str, Mapping[str, Any]]
) -> Sequence[tuple[Any, ...]]:
    """Return rows for all steps of either, by the earlier start."""
    nothing = {"seconds": None, "supply": None}
    rows = []
    for step in {**mine, **theirs}:
        one, two = mine.get(step, nothing), theirs.get(step, nothing)
        seconds, against = one["seconds"], two["seconds"]
        later = None if seconds is None or against is None else seconds - against
        rows.append((player.player, step, seconds, one["supply"], against, two["supply"], later))
    return sorted(rows, key=lambda row: min(each for each in (row[2], row[4]) if each is not None))
