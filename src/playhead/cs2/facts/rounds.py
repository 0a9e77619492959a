"""Tables ``rounds`` and ``periods``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from playhead.cs2.facts import ROUND, TABLES
from playhead.cs2.facts.matches import match_rows
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.rounds import ROUND_FIELDS, Round, pause_of
from playhead.runtime.libraries import pa
from playhead.runtime.typing import Any, ClassVar
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import PERIODS as SHARED_PERIODS
from playhead.tables.vocabulary import word, words


def _of_sides(name: str, type_: str, doc: str, unit: str = "") -> tuple[Column, ...]:
    return tuple(Column(f"{side}_{name}", type_, f"{side.upper()} side: {doc}", unit) for side in ("t", "ct"))


ROUNDS = TableSchema.of(
    "rounds",
    "One row for each round that was begun, from the entity of the game rules (CCSGameRulesProxy), so events "
    "need not be recorded. A bare end with reason 16 (game_start) is no round.",
    *words("tick seconds game_seconds"),
    word(
        "round_num",
        "m_totalRoundsPlayed at its start plus 1. A round that a restored backup undid keeps its number, so a "
        "number may occur twice.",
    ),
    word("match_num"),
    word(
        "phase", "warmup; knife (at the end of freeze time no player had anything but knives and the bomb); live."
    ),
    word("counts", "Also false for a round that a restart broke off."),
    word("start_tick", "m_nRoundStartCount changed; null if the recording starts later."),
    Column("freeze_end_tick", "int32", "m_bFreezePeriod ended; null if not recorded.", "ticks"),
    word("end_tick", "m_nRoundEndCount changed."),
    word("end_seconds"),
    Column("official_end_tick", "int32", "The next round started; null if none did.", "ticks"),
    word("winner_side", "t or ct (m_iRoundEndWinnerTeam)."),
    word("reason", "ct_win, t_win, target_bombed, bomb_defused, target_saved … (m_eRoundEndReason)."),
    word("reason_id"),
    *_of_sides("score", "int32", "rounds won after this round (CCSTeam.m_iScore)."),
    Column("half", "int32", "1 or 2 (m_gamePhase); null if the game has none."),
    Column("overtime", "int32", "Number of the overtime; 0 before (m_nOvertimePlaying)."),
    Column("bomb_planted_tick", "int32", "The bomb was planted; null if it was not.", "ticks"),
    word("bomb_site", "CPlantedC4.m_nBombSite."),
    *_of_sides("equipment_value", "int32", "value of equipment at the end of freeze time, of all players.", "$"),
    *_of_sides("money", "int32", "money of all players at the end of freeze time.", "$"),
    *_of_sides(
        "buy_type",
        "category",
        "pistol (first round of a half), eco (equipment below 5,000), full (20,000 or more) or force.",
    ),
    *_of_sides("loss_bonus", "int32", "money of a player for losing this round.", "$"),
)
PERIODS = SHARED_PERIODS.extended(
    ROUND[0],
    word("reason", "Of a pause: technical (m_bTechnicalTimeOut), match (m_bMatchWaitingForResume alone), engine."),
    word("by_side", "That took the timeout."),
)


#: Values of a match that the row of its game has; those of its rounds differ.
_OF_GAME = ("tick", "end_tick", "winner_side", "counts")


@TABLES.maker_of(ROUNDS, PERIODS)
class RoundTable(Cs2Facts):
    """Tables ``rounds`` and ``periods``: warmup, knife, game, half, overtime, round; timeout and
    pause, in which the round clock stops.
    """

    jobs: ClassVar = Jobs(extra=1)

    entities: ClassVar = True
    fields = MappingProxyType(ROUND_FIELDS)

    def attach(self, playback: Playback) -> None:
        self._open: dict[str, Any] | None = None
        self._pause: str | None = None
        self.match.rounds.on_change(self._on_rules)

    def _on_rules(self, tick: int, _before: dict[str, Any], now: dict[str, Any]) -> None:
        found = pause_of(now)
        if self._open is not None and self._pause != found:
            self._open["end_tick"] = tick
            self._open = None
        if found is not None and self._open is None:
            self._open, self._pause = {"tick": tick}, found
            if found.startswith("timeout_"):
                self._open |= {"kind": "timeout", "by_side": found.removeprefix("timeout_")}
            else:
                self._open |= {"kind": "pause", "reason": found}
            self._open["number"] = 1 + sum(each["kind"] == self._open["kind"] for each in self._rows)
            self._rows.append(self._open)

    def tables(self) -> Mapping[str, pa.Table]:
        self.match.finish()
        rounds = self.match.rounds.rounds
        for row in self._rows:
            within = self.match.round_at(row["tick"])
            row["counts"] = within is not None and within.values["counts"]
        clans = {person.player: person.clan for person in self.match.people}
        games = [
            {name: row.get(name) for name in _OF_GAME}
            | {"kind": "game", "number": row["match_num"], "round_num": None}
            for row in match_rows(rounds, clans, ())
        ]
        periods = sorted([*games, *_periods(rounds), *self._rows], key=lambda row: row["tick"])
        return {
            ROUNDS.name: self.match.table(ROUNDS, [each.row() for each in rounds]),
            PERIODS.name: self.match.table(PERIODS, periods),
        }


def _periods(rounds: list[Round]) -> Iterator[dict[str, Any]]:
    """Yield the halves, overtimes and rounds, longer ones before those that start at the same tick."""
    longer: dict[tuple[Any, ...], dict[str, Any]] = {}
    numbers = {"warmup": 0, "knife": 0}
    for each in rounds:
        values = each.values
        end = values["official_end_tick"] if values["end_tick"] is None else values["end_tick"]
        if values["counts"]:
            kind, number = ("overtime", values["overtime"]) if values["overtime"] else ("half", values["half"])
            key = values["match_num"], kind, number
            if key not in longer and number is not None:
                longer[key] = {
                    "tick": each.begin,
                    "kind": kind,
                    "number": number,
                    "counts": True,
                    "round_num": None,
                }
                yield longer[key]
            if key in longer:
                longer[key]["end_tick"] = values["end_tick"]
        kind = "round" if values["phase"] == "live" else values["phase"]
        if kind in numbers:
            numbers[kind] += 1
        yield {
            **{name: values[name] for name in ("tick", "winner_side", "counts", "round_num")},
            "end_tick": end,
            "kind": kind,
            "number": numbers.get(kind, values["round_num"]),
        }
