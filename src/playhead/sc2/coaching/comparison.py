"""A player compared with others: the peers, and the standing among them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from math import ceil
from typing import Any

from playhead.model import Player, ReplayLike
from playhead.presentation.stage import Builds
from playhead.runtime.libraries import pa
from playhead.sc2.abilities.unit_types import display_name, is_worker
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import words

#: What is compared: name, meaning, unit, and the columns of `player_series` that it adds up; others are counted.
VALUES: tuple[tuple[str, str, str, Sequence[str]], ...] = (
    ("workers", "Workers", "", ["workers"]),
    ("supply", "Supply in use", "supply", ["supply"]),
    (
        "army",
        "Minerals and vespene in the living army",
        "resources",
        ["minerals_used_current_army", "vespene_used_current_army"],
    ),
    (
        "income",
        "Minerals and vespene collected a minute",
        "resources/min",
        ["minerals_collection_rate", "vespene_collection_rate"],
    ),
    ("unspent", "Minerals and vespene in the bank", "resources", ["minerals", "vespene"]),
    ("bases", "Finished town halls at resources", "", []),
    ("upgrades", "Finished upgrades", "", []),
)
#: Seconds for which statistics hold; the game writes them every ten, until the player leaves.
_HOLDS = 30.0
_LOST = re.compile(r"(?:game|tracker) events(?: after loop (\d+)|: all)")
#: Values that are better if larger; `lead` is the mean over them.
_LEADING = ("workers", "army", "income", "bases", "upgrades")

STANDING = TableSchema.of(
    "standing",
    "What each player had at every minute, beside what the opponents had: their mean, if there are several.",
    *words("player minute tick seconds"),
    *(
        Column(f"{side}{name}", "float64", f"{doc}{' of the opponents' if side else ''}.", unit)
        for name, doc, unit, _ in VALUES
        for side in ("", "opponent_")
    ),
    Column(
        "lead",
        "float64",
        "From -1 to 1: mean over workers, army, income, bases and upgrades of the difference by the larger.",
    ),
)

#: By player number and minute, the values by name.
Minutes = Mapping[int, Mapping[int, Mapping[str, float]]]


def players_of(replay: ReplayLike) -> list[Player]:
    """Return those who play, people and computers."""
    return [each for each in replay.players if each.player is not None and each.kind in ("human", "computer")]


def known_seconds(replay: ReplayLike) -> float:
    """Return the length of the game, or of a damaged replay up to the first loss of events."""
    rate = replay.info.ticks_per_second or 1.0
    lost = map(_LOST.match, replay.info.details.get("lost_parts") or ())
    return min(replay.info.duration_seconds or 0.0, *(int(each[1] or 0) / rate for each in lost if each), math.inf)


def standing_of(replay: ReplayLike) -> Minutes:
    """Return what each player had at every minute of the game, as of statistics at most `_HOLDS` old."""
    length = replay.info.duration_seconds or 0.0
    columns = list(dict.fromkeys(["seconds", "player", *(name for *_, names in VALUES for name in names)]))
    by_player: dict[int, list[dict[str, Any]]] = {}
    for row in replay.table("player_series", columns=columns).to_pylist():
        by_player.setdefault(row["player"], []).append(row)
    stays = [
        row for row in replay.table("bases").to_pylist() if row["nth"] and row["finished_seconds"] is not None
    ]
    upgrades = [
        (row["player"], row["end_seconds"])
        for row in replay.table("build_order").to_pylist()
        if row["kind"] == "upgrade" and row["outcome"] == "finished"
    ]
    found: dict[int, dict[int, dict[str, float]]] = {}
    for player, rows in by_player.items():
        minutes = found.setdefault(player, {})
        for row, after in zip_longest(rows, rows[1:]):
            end = min(length if after is None else after["seconds"] - 1e-9, row["seconds"] + _HOLDS)
            for minute in range(ceil(row["seconds"] / 60 - 1e-9), int(end // 60) + 1):
                at = 60.0 * minute
                held = {name: sum(row[each] or 0 for each in names) for name, *_, names in VALUES if names}
                held["bases"] = sum(
                    stay["player"] == player
                    and stay["finished_seconds"] <= at
                    and (stay["end_seconds"] is None or stay["end_seconds"] > at)
                    for stay in stays
                )
                held["upgrades"] = sum(who == player and done <= at for who, done in upgrades)
                minutes[minute] = held
    return found


def opponents_of(player: Player, replay: ReplayLike) -> list[Player]:
    """Return the players of other teams; none if the team of `player` is unknown."""
    known = () if player.team is None else players_of(replay)
    return [each for each in known if each.team not in (None, player.team)]


def beside(player: Player, replay: ReplayLike, minutes: Minutes) -> Iterator[tuple[int, Any, Mapping[str, float]]]:
    """Yield the minutes at which a player and an opponent have values: the minute, his, and the opponents'."""
    others = [each.player for each in opponents_of(player, replay) if each.player is not None]
    for minute, mine in minutes.get(player.player or 0, {}).items():
        theirs = [minutes[each][minute] for each in others if minute in minutes.get(each, {})]
        if theirs:
            yield minute, mine, {name: sum(each[name] for each in theirs) / len(theirs) for name in mine}


def lead(mine: Mapping[str, float], theirs: Mapping[str, float]) -> float | None:
    """Return the mean over some values of the difference by the larger; None if all are 0."""
    parts = [relative(mine[name], theirs[name]) for name in _LEADING if name in mine and name in theirs]
    known = [each for each in parts if each is not None]
    return sum(known) / len(known) if known else None


def relative(one: float, two: float) -> float | None:
    """Return a difference by the larger of two values; None if both are 0."""
    most = max(abs(one), abs(two))
    return (one - two) / most if most else None


def moment_of(minute: int, replay: ReplayLike) -> dict[str, float]:
    """Return a minute of the game as the columns of its time."""
    rate = replay.info.ticks_per_second or 1.0
    return {"minute": minute, "tick": round(60 * minute * rate), "seconds": 60.0 * minute}


def standing_rows(replay: ReplayLike, minutes: Minutes) -> list[dict[str, Any]]:
    """Return the rows of the table ``standing``."""
    return [
        {"player": player.player, **moment_of(minute, replay)}
        | mine
        | {f"opponent_{name}": value for name, value in theirs.items()}
        | {"lead": lead(mine, theirs)}
        for player in players_of(replay)
        for minute, mine, theirs in beside(player, replay, minutes)
    ]


STEPS = TableSchema.of(
    "steps",
    "Build orders side by side: the first of each thing with the first in the other game, the second with the "
    "second. Equal steps that began one soon after the other are one. Workers, and steps that were not finished, "
    "are left out.",
    *words("player tick seconds"),
    Column("step", "string", "What was built; the second and later ones with their number."),
    Column("times", "int32", "How many began together."),
    *words("supply boosted"),
    Column("against_tick", "int32", "When it began in the other game.", "ticks"),
    Column("against_seconds", "float64", "`seconds` at `against_tick`.", "s"),
    Column("against_times", "int32", "How many began together in the other game."),
    Column("against_supply", "float32", "Supply in the other game.", "supply"),
    Column("against_boosted", "bool", "It had a chrono boost in the other game."),
    Column("later_seconds", "float64", "By how much it was later than in the other game.", "s"),
    Column("lead", "float64", "From -1, a minute later or more, to 1, a minute earlier or more."),
)

CURVES = TableSchema.of(
    "curves",
    "Workers, supply and army of each player at every minute, beside those of the other game's player.",
    *words("player minute tick seconds"),
    *(
        Column(f"{side}{name}", "float64", f"{doc}{' in the other game' if side else ''}.", unit)
        for name, doc, unit in (
            ("workers", "Workers", ""),
            ("supply", "Supply in use", "supply"),
            ("army", "Minerals and vespene in the living army", "resources"),
        )
        for side in ("", "against_")
    ),
    Column("lead", "float64", "From -1 to 1: mean over workers and army of the difference by the larger."),
)

#: Equal steps in a row are one, as in `playhead sc2 buildorder`.
_LINES = Builds("build_order", "product", "build order", notes={"boosted": {True: ""}}, grouped=True)

#: Each player, and the one of the other game that he is compared with.
Pairs = Sequence[tuple[Player, Player | None]]


def rival(player: Player, replay: ReplayLike, other: ReplayLike) -> Player | None:
    """Return the player of the other game with the same race: a winner before others, and one whose opponents have
    the same races before all."""
    race = player.details.get("race")
    enemies = _enemies(player, replay)
    same = [each for each in players_of(other) if race is not None and each.details.get("race") == race]
    return min(same, key=lambda each: (_enemies(each, other) != enemies, each.result != "win"), default=None)


def _enemies(player: Player, replay: ReplayLike) -> list[str]:
    return sorted(str(each.details.get("race")) for each in opponents_of(player, replay))


def steps(pairs: Pairs, replay: ReplayLike, other: ReplayLike) -> pa.Table:
    rows = [
        row
        for player, against in pairs
        if against is not None
        for row in _side_by_side(player, _steps(replay, player), _steps(other, against))
    ]
    return STEPS.build_rows(rows)


def _steps(replay: ReplayLike, player: Player) -> dict[str, Mapping[str, Any]]:
    """Return the finished steps of a player by what was built, with the number of the second and later ones."""
    made = [
        row
        for row in replay.table("build_order").to_pylist()
        if row["player"] == player.player and row["outcome"] == "finished" and not is_worker(row["product"])
    ]
    first = {(row["tick"], row["product"]): row for row in reversed(made)}
    counts: dict[str, int] = {}
    found: dict[str, Mapping[str, Any]] = {}
    for line in _LINES.lines(made, replay.info.ticks_per_second or 1.0):
        counts[line.name] = count = counts.get(line.name, 0) + 1
        row = first[line.tick, line.name]
        found[display_name(line.name) + (f" {count}" if count > 1 else "")] = {**row, "times": line.times}
    return found


def _side_by_side(
    player: Player, mine: Mapping[str, Mapping[str, Any]], theirs: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return rows for all steps of either, by their own start, or else by the other's."""
    columns = ("tick", "seconds", "times", "supply", "boosted")
    rows = []
    for step in {**mine, **theirs}:
        one, two = mine.get(step, {}), theirs.get(step, {})
        row = {"player": player.player, "step": step, **{name: one.get(name) for name in columns}}
        row |= {f"against_{name}": two.get(name) for name in columns}
        if one and two:
            row["later_seconds"] = later = one["seconds"] - two["seconds"]
            row["lead"] = max(-1.0, min(1.0, -later / 60))
        rows.append(((one or two)["seconds"], row))
    return [row for _, row in sorted(rows, key=lambda each: each[0])]


def curves(pairs: Pairs, replay: ReplayLike, minutes: Minutes, beside: Minutes) -> pa.Table:
    names = ("workers", "supply", "army")
    rows = []
    for player, against in pairs:
        other = {} if against is None else beside.get(against.player or 0, {})
        for minute, held in minutes.get(player.player or 0, {}).items():
            row: dict[str, Any] = {"player": player.player, **moment_of(minute, replay)}
            mine, theirs = ({name: each[name] for name in names} for each in (held, other.get(minute, held)))
            if minute in other:
                row |= {f"against_{name}": value for name, value in theirs.items()}
                row["lead"] = lead(mine, theirs)
            rows.append({**row, **mine})
    return CURVES.build_rows(rows)
