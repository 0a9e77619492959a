"""The table ``standing``: what each player and his opponents had at every minute."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from math import ceil
from typing import Any

from playhead.model import Player, ReplayLike
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
