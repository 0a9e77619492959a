"""The table ``measures``: how each player did, beside the player of another game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, pairwise
from typing import NamedTuple

from playhead.model import ReplayLike
from playhead.runtime.libraries import pa
from playhead.sc2.abilities.unit_types import display_name
from playhead.sc2.coaching.comparison import Minutes, Pairs, known_seconds, players_of, relative
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

#: Minutes at which curves are compared.
_MINUTES = (2, 4, 6, 8, 10, 14)
#: Limits of the phases of a game, in minutes; the last has no end.
PHASES = (0, 4, 8, 12)
#: Buildings whose idle time counts as that of production.
PRODUCTION = frozenset(
    "CommandCenter OrbitalCommand PlanetaryFortress Nexus Barracks Factory Starport Gateway WarpGate "
    "RoboticsFacility Stargate".split()
)
_QUOTIENT = "player_stats; whatthefat, Do you macro like a pro?, TeamLiquid 2011"

MEASURES = TableSchema.of(
    "measures",
    "How each player did: economy, production, casts, fights; beside the player of the same race in the game "
    "that `--against` names.",
    *words("player name"),
    Column("measure", "string", "What is measured."),
    Column("own", "float64", "Of the player."),
    Column("against", "float64", "Of the other game's player."),
    Column("unit", "string", "Unit of both."),
    Column("lead", "float64", "From -1 to 1: the difference by the larger, above 0 if the player did better."),
    word("known_by", "The table, and the formula if it has an author."),
)


class Measure(NamedTuple):
    """A measure of a player.

    Attributes:
        sense: 1 if more is better, -1 if less is, 0 if neither.
    """

    player: int
    name: str
    value: float | None
    unit: str
    sense: int
    known_by: str


Measures = Mapping[int, Mapping[str, Measure]]


def measures_of(replay: ReplayLike, minutes: Minutes) -> Measures:
    """Return the measures by player number and name."""
    found: dict[int, dict[str, Measure]] = {each.player or 0: {} for each in players_of(replay)}
    length = replay.info.duration_seconds or 0.0
    kinds = (_stats, _supply, _bases, _idle, _casts, _larvae, _fights)
    for measure in chain(_curves(minutes), *(each(replay, length) for each in kinds)):
        if measure.player in found:
            found[measure.player][measure.name] = measure
    return found


def table(pairs: Pairs, mine: Measures, theirs: Measures) -> pa.Table:
    rows = []
    for player, rival in pairs:
        other = {} if rival is None else theirs.get(rival.player or 0, {})
        for name, each in mine.get(player.player or 0, {}).items():
            against = other[name].value if name in other else None
            known = each.value is not None and against is not None and each.sense
            difference = relative(each.value or 0.0, against or 0.0) if known else None
            rows.append(
                {
                    "player": player.player,
                    "name": player.name,
                    "measure": name,
                    "own": each.value,
                    "against": against,
                    "unit": each.unit,
                    "lead": None if difference is None else each.sense * difference + 0.0,  # no negative zero
                    "known_by": each.known_by,
                }
            )
    return MEASURES.build_rows(rows)


def _curves(minutes: Minutes) -> Iterator[Measure]:
    units = {"workers": "", "supply": "supply", "army": "resources"}
    for player, found in minutes.items():
        for minute in _MINUTES:
            for name, unit in units.items() if minute in found else ():
                yield Measure(player, f"{name} at {minute} min", found[minute][name], unit, 1, "player_series")


def _stats(replay: ReplayLike, length: float) -> Iterator[Measure]:
    wanted = (
        ("spending_quotient", "spending quotient", "", 1, _QUOTIENT),
        ("workers_made", "workers made", "", 1, "player_stats"),
        ("workers_lost", "workers lost", "", -1, "player_stats"),
        ("apm", "actions", "1/min", 0, "player_stats"),
        ("first_gas_seconds", "first gas", "s", 0, "player_stats"),
        ("supply_blocked_seconds", "time without free supply", "s", -1, "player_stats"),
    )
    for row in replay.table("player_stats").to_pylist():
        for column, measure, unit, sense, known_by in wanted:
            yield Measure(row["player"], measure, row[column], unit, sense, known_by)


def blocked(replay: ReplayLike, length: float) -> dict[int, list[list[tuple[float, float]]]]:
    """Return how long each block of supply lasts within each phase, and its start there, by player."""
    limits = [*(60.0 * minute for minute in PHASES), max(length, 60.0 * PHASES[-1])]
    found: dict[int, list[list[tuple[float, float]]]] = {
        each.player or 0: [[] for _ in PHASES] for each in players_of(replay)
    }
    for row in replay.table("supply_blocks").to_pylist():
        for phase, (first, last) in enumerate(pairwise(limits)):
            start = max(row["seconds"], first)
            within = min(row["end_seconds"], last) - start
            if row["player"] in found and within > 0:
                found[row["player"]][phase].append((within, start))
    return found


def phase_name(phase: int) -> str:
    """Return a phase in words."""
    return f"{PHASES[phase]} to {PHASES[phase + 1]} min" if phase + 1 < len(PHASES) else f"after {PHASES[-1]} min"


def _supply(replay: ReplayLike, length: float) -> Iterator[Measure]:
    for player, phases in blocked(replay, length).items():
        for phase, blocks in enumerate(phases):
            if 60 * PHASES[phase] < length:
                name = f"time without free supply, {phase_name(phase)}"
                yield Measure(player, name, sum(lasts for lasts, _ in blocks), "s", -1, "supply_blocks")


def _bases(replay: ReplayLike, length: float) -> Iterator[Measure]:
    for row in replay.table("bases").to_pylist():
        if row["nth"] is not None and 1 < row["nth"] <= 4:
            yield Measure(row["player"], f"base {row['nth']} begun", row["seconds"], "s", -1, "bases")


def _idle(replay: ReplayLike, length: float) -> Iterator[Measure]:
    """Yield the share of time in which production buildings had nothing to do."""
    times: dict[int, Counter[str]] = {}
    known = known_seconds(replay)
    for row in replay.table("production").to_pylist():
        if row["unit_type"] in PRODUCTION and row["state"] != "cancelled":
            end = known if row["end_seconds"] is None else min(row["end_seconds"], known)
            times.setdefault(row["player"], Counter())[row["state"]] += max(0.0, end - row["seconds"])
    for player, held in times.items():
        if held.total():
            yield Measure(player, "production idle", 100 * held["idle"] / held.total(), "%", -1, "production")


def _casts(replay: ReplayLike, length: float) -> Iterator[Measure]:
    for name, sense in (("injects", 1), ("mules", 1), ("boosts", 1), ("scans", 0)):
        rows = replay.table(name).to_pylist()
        orders = (row["player"] for row in rows if row.get("known_by") != "build time")
        for player, count in Counter(orders).items():
            yield Measure(player, name, float(count), "", sense, name)


def _larvae(replay: ReplayLike, length: float) -> Iterator[Measure]:
    """Yield what became of injects, larvae and queens."""
    sums: dict[int, Counter[str]] = {}
    for row in replay.table("hatcheries").to_pylist() if known_seconds(replay) >= length else ():
        held = sums.setdefault(row["player"], Counter())
        for name in ("injected_seconds", "injectable_seconds", "larvae_idle_seconds", "larvae_count"):
            held[name] += row[name]
    for player, held in sums.items():
        if held["injectable_seconds"]:
            share = 100 * held["injected_seconds"] / held["injectable_seconds"]
            yield Measure(player, "injects under way", share, "%", 1, "hatcheries")
        if held["larvae_count"]:
            mean = held["larvae_idle_seconds"] / held["larvae_count"]
            yield Measure(player, "a larva waited", mean, "s", -1, "hatcheries")
    idle: Counter[tuple[int, str]] = Counter()
    for row in replay.table("casters").to_pylist():
        if row["idle_seconds"] is not None:
            idle[row["player"], row["unit_type"]] += row["idle_seconds"]
    for (player, caster), seconds in idle.items():
        yield Measure(player, f"energy waited, {display_name(caster)}", seconds, "s", -1, "casters")


def _fights(replay: ReplayLike, length: float) -> Iterator[Measure]:
    rows = replay.table("engagements").to_pylist()
    for player in sorted({row["player"] for row in rows}):
        mine = [row for row in rows if row["player"] == player]
        lost = sum(row["minerals_lost"] + row["vespene_lost"] for row in mine)
        for name, value, unit, sense in (
            ("engagements", len(mine), "", 0),
            ("lost in engagements", lost, "resources", -1),
            ("trade of engagements", sum(row["trade"] for row in mine), "resources", 1),
        ):
            yield Measure(player, name, float(value), unit, sense, "engagements")
