"""Situations of rounds that people look for: wins with fewer players, retakes, clutches, traded opening deaths."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from playhead.cs2.sources.words import TEAMS, are_enemies
from playhead.model import ReplayLike
from playhead.presentation.notes import Note
from playhead.runtime.typing import Any

#: A side that wins with so many players less than the other one had is noted.
_FEWER = 2


def situations(replay: ReplayLike) -> Iterator[Note]:
    """Yield the situations of the rounds that count, in order."""
    found = [note for make in (_outnumbered, _retakes, _clutches, _traded) for note in make(replay)]
    yield from sorted(found, key=lambda note: note.tick or 0)


def _rows(replay: ReplayLike, table: str, columns: str) -> list[dict[str, Any]]:
    """Return the rows of rounds that count."""
    names = ["round_num", "counts", *columns.split()]
    return [row for row in replay.table(table, columns=names).to_pylist() if row["counts"] and row["round_num"]]


def _outnumbered(replay: ReplayLike) -> Iterator[Note]:
    """Yield the moment at which the side that won a round was most outnumbered."""
    alive: dict[int, dict[str, int]] = {}
    for row in _rows(replay, "economy", "side"):
        if row["side"] in TEAMS:
            held = alive.setdefault(row["round_num"], dict.fromkeys(TEAMS, 0))
            held[row["side"]] += 1
    won = {row["round_num"]: row for row in _rows(replay, "rounds", "winner_side end_tick")}
    deaths = _rows(replay, "kills", "tick victim_side")
    for number, kills in groupby(deaths, key=lambda row: row["round_num"]):
        round_ = won.get(number)
        if round_ is None or round_["winner_side"] not in TEAMS or number not in alive:
            continue
        side, left = round_["winner_side"], alive[number]
        other = next(each for each in TEAMS if each != side)
        worst, tick = None, 0
        for row in kills:
            if row["victim_side"] in left and (round_["end_tick"] is None or row["tick"] <= round_["end_tick"]):
                left[row["victim_side"]] -= 1
                fewer = left[other] - left[side]
                if fewer >= _FEWER and left[side] > 0 and (worst is None or fewer > worst[1] - worst[0]):
                    worst, tick = (left[side], left[other]), row["tick"]
        if worst is not None:
            yield Note(tick, f"{worst[0]} v {worst[1]} won", f"round {number}, {side.upper()}", None, TEAMS[side])


def _retakes(replay: ReplayLike) -> Iterator[Note]:
    """Yield the plantings of bombs that were defused."""
    for row in _rows(replay, "rounds", "bomb_planted_tick bomb_site reason winner_side"):
        if row["reason"] == "bomb_defused" and row["bomb_planted_tick"] is not None:
            site = f" of {row['bomb_site']}" if row["bomb_site"] else ""
            text = f"round {row['round_num']}{site}"
            yield Note(row["bomb_planted_tick"], "retake", text, None, TEAMS.get(row["winner_side"]))


def _clutches(replay: ReplayLike) -> Iterator[Note]:
    for row in _rows(replay, "clutches", "tick player side opponents won"):
        if row["won"] is not None:
            kind = "clutch won" if row["won"] else "clutch lost"
            text = f"round {row['round_num']}, 1 v {row['opponents']}"
            yield Note(row["tick"], kind, text, row["player"], TEAMS.get(row["side"]))


def _traded(replay: ReplayLike) -> Iterator[Note]:
    """Yield the first deaths of rounds that a teammate avenged."""
    columns = "tick victim_player victim_side attacker_side victim_traded"
    for number, kills in groupby(_rows(replay, "kills", columns), key=lambda row: row["round_num"]):
        first = next((row for row in kills if are_enemies(row["attacker_side"], row["victim_side"])), None)
        if first is not None and first["victim_traded"]:
            whose = first["victim_player"], TEAMS.get(first["victim_side"])
            yield Note(first["tick"], "opening death traded", f"round {number}", *whose)
