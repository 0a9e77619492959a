"""Table ``situations``: rounds won with fewer players, retakes, clutches, traded opening deaths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from playhead.cs2.facts import TABLES, TIME, person
from playhead.cs2.facts.kills import Cs2Kills
from playhead.cs2.facts.player_stats import Clutches, by_round
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.rounds import Round
from playhead.cs2.sources.words import TEAMS, are_enemies
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word

#: A side that wins with so many players less than the other one had is a situation.
_FEWER = 2
_OF_CLUTCH, _CLUTCH = ("tick", "player", "side", "opponents", "won"), {"kind": "clutch", "own_alive": 1}

SITUATIONS = TableSchema.of(
    "situations",
    "One row for each situation that people look for in ended rounds: at the moment at which the later winner had "
    f"{_FEWER} or more players less than the other side, and the most; at the planting of a bomb that was "
    "defused; at the start of a clutch; at a first death of a round that a teammate avenged.",
    *TIME,
    word("kind", "outnumbered, retake, clutch, opening_traded."),
    *person(),
    Column("own_alive", "int32", "Living players of the side; null for a retake and a traded death."),
    word("opponents", "Null likewise."),
    word("won"),
)


@TABLES.maker_of(SITUATIONS)
class Situations(Cs2Facts):
    def attach(self, playback: Playback) -> None:
        self._kills = self.match.rows_of(Cs2Kills, playback)
        self._clutches = self.match.collector(Clutches, playback)

    def rows(self) -> list[dict[str, Any]]:
        self.match.finish()
        rounds, names = self.match.rounds.rounds, {each.player: each.name for each in self.match.people}
        kills, clutches = by_round(self._kills(), rounds), by_round(self._clutches.rows(), rounds)
        found: list[dict[str, Any]] = []
        for at, round_ in enumerate(rounds):
            if round_.values["phase"] != "live" or round_.values["end_tick"] is None:
                continue
            winner = round_.values["winner_side"]
            own = [*_outnumbered(self._clutches.playing.get(at, {}), kills[at], round_), *_retake(round_)]
            own += [{name: row[name] for name in _OF_CLUTCH} | _CLUTCH for row in clutches[at]]
            own += _traded(kills[at])
            for row in sorted(own, key=lambda row: row["tick"]):
                player, won = row.get("player"), None if winner is None else row["side"] == winner
                found.append({"won": won, **row, "name": None if player is None else names.get(player)})
        return found


def _outnumbered(
    playing: Mapping[int, str], kills: list[dict[str, Any]], round_: Round
) -> Iterator[dict[str, Any]]:
    """Yield the moment at which the side that won was most outnumbered."""
    side, end = round_.values["winner_side"], round_.values["end_tick"]
    if side not in TEAMS or not playing:
        return
    other = next(each for each in TEAMS if each != side)
    left = {each: list(playing.values()).count(each) for each in TEAMS}
    worst: dict[str, Any] | None = None
    for row in kills:
        if row["victim_side"] in left and row["tick"] <= end:
            left[row["victim_side"]] -= 1
            fewer = left[other] - left[side]
            if (
                fewer >= _FEWER
                and left[side] > 0
                and (worst is None or fewer > worst["opponents"] - worst["own_alive"])
            ):
                worst = {"tick": row["tick"], "side": side, "own_alive": left[side], "opponents": left[other]}
    if worst is not None:
        yield {**worst, "kind": "outnumbered"}


def _retake(round_: Round) -> Iterator[dict[str, Any]]:
    values = round_.values
    if values["reason"] == "bomb_defused" and values["bomb_planted_tick"] is not None:
        yield {"tick": values["bomb_planted_tick"], "kind": "retake", "side": values["winner_side"]}


def _traded(kills: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the first death of a round, if a teammate avenged it."""
    first = next((row for row in kills if are_enemies(row["attacker_side"], row["victim_side"])), None)
    if first is not None and first["victim_traded"]:
        who = {"player": first["victim_player"], "side": first["victim_side"]}
        yield {"tick": first["tick"], "kind": "opening_traded", **who}
