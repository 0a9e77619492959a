"""Table ``clutches``: the last of a side against living enemies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, ClassVar

from playhead.cs2.facts import END, TABLES, TIME, person
from playhead.cs2.facts.fights.kills import Cs2Kills
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.pawn import CONTROLLER
from playhead.cs2.sources.rounds import Round
from playhead.cs2.sources.words import DRAW, are_enemies
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word

CLUTCHES = TableSchema.of(
    "clutches",
    "One row for each player who was the last of a side against living enemies, from the death or the leave of "
    "the last teammate on: after all deaths of that tick, and before the end of the round. Both sides have a row "
    "if each comes down to one player.",
    *TIME,
    *END,
    *person(),
    Column("opponents", "int32", "Enemies who lived at that tick."),
    word("kills", "Those from then on, up to the end of the round."),
    Column("won", "bool", "The side won the round; null if the winner is unknown."),
    Column("survived", "bool", "The player lived at the end of the round."),
)


@TABLES.maker_of(CLUTCHES)
class Clutches(Cs2Facts):
    """Table ``clutches``.

    Attributes:
        playing: side of each player at the end of freeze time of a round, by the place of the round.
        left: tick and player of each leave.
    """

    jobs: ClassVar = Jobs(12)
    entities: ClassVar = True
    fields = Cs2Kills.fields

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self._kills = self.match.rows_of(Cs2Kills, playback)
        self.playing: dict[int, dict[int, str]] = {}
        self.left: list[dict[str, Any]] = []
        self._due = False
        playback.entities.on_entity(self._on_left, CONTROLLER, EntityOp.DELETED)
        self.match.rounds.on_change(self._on_rules)
        playback.after_packet(self._after)

    def _on_rules(self, _tick: int, before: dict[str, Any], now: dict[str, Any]) -> None:
        live = now["m_bFreezePeriod"] is False
        self._due = self._due or (live and (not before or bool(before.get("m_bFreezePeriod"))))

    def _on_left(self, _controller: Entity, _op: EntityOp) -> None:
        tick = self._playback.tick
        gone = [each.player for each in self.match.people if each.controller is None and each.last_tick == tick]
        self.left += [{"tick": tick, "victim_player": player} for player in gone]

    def _after(self, _tick: int) -> None:
        if self._due:
            self._due = False
            self.playing[len(self.match.rounds.rounds) - 1] = {
                each.player: each.side or "" for each in self.match.people.playing
            }

    def rows(self) -> list[dict[str, Any]]:
        self.match.finish()
        rounds, names = self.match.rounds.rounds, {each.player: each.name for each in self.match.people}
        kills, left = by_round(self._kills(), rounds), by_round(self.left, rounds)
        return [
            row | {"name": names.get(row["player"])}
            for at, round_ in enumerate(rounds)
            if round_.values["phase"] == "live" and round_.values["end_tick"] is not None
            for row in clutches_of(self.playing.get(at, {}), kills[at], left[at], round_)
        ]


def by_round(rows: Iterable[dict[str, Any]], rounds: list[Round]) -> Mapping[int, list[dict[str, Any]]]:
    """Return the rows of each round, from its start to the start of the next, by its place."""
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    at = 0
    for row in rows:
        while at + 1 < len(rounds) and rounds[at + 1].begin <= row["tick"]:
            at += 1
        if rounds and rounds[at].begin <= row["tick"]:
            found[at].append(row)
    return found


def is_enemy(row: Mapping[str, Any]) -> bool:
    """Return whether somebody is known to have done it to a player of the other side."""
    return are_enemies(row["attacker_side"], row["victim_side"])


def clutches_of(
    playing: Mapping[int, str], kills: list[dict[str, Any]], left: list[dict[str, Any]], round_: Round
) -> list[dict[str, Any]]:
    """Return the clutches of one round, with the values of their rows but for names and times.

    Args:
        playing: side of each player.
        kills: the rows of ``kills``, in order.
        left: tick and player of each leave.
        round_: the round, which has ended.
    """
    alive = {side: {player for player, each in playing.items() if each == side} for side in ("t", "ct")}
    end = round_.values["end_tick"]
    winner, drawn = round_.values["winner_side"], round_.values["reason"] == DRAW
    lost = sorted((row for row in (*kills, *left) if row["tick"] <= end), key=lambda row: row["tick"])
    found: dict[str, dict[str, Any]] = {}
    for tick, gone in groupby(lost, key=lambda row: row["tick"]):
        dead = {row["victim_player"] for row in gone}
        for living in alive.values():
            living.difference_update(dead)
        for side, others in (("t", "ct"), ("ct", "t")):
            if tick == end or len(alive[side]) != 1 or not alive[others] or side in found:
                continue
            (player,) = alive[side]
            later = [each for each in lost if each["tick"] > tick]
            found[side] = {
                "tick": tick,
                "end_tick": end,
                "player": player,
                "side": side,
                "opponents": len(alive[others]),
                "kills": sum(each.get("attacker_player") == player and is_enemy(each) for each in later),
                "won": None if winner is None and not drawn else side == winner,
                "survived": all(each["victim_player"] != player for each in later),
            }
    return list(found.values())
