"""Table ``rounds``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from playhead.cs2.facts import TABLES
from playhead.cs2.facts.columns import GAME_SECONDS
from playhead.cs2.sources.match import Cs2Facts
from playhead.cs2.sources.rounds import ROUND_FIELDS
from playhead.runtime.libraries import pa
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK


def _of_sides(name: str, type_: str, doc: str, unit: str = "") -> tuple[Column, ...]:
    return tuple(Column(f"{side}_{name}", type_, f"{side.upper()} side: {doc}", unit) for side in ("t", "ct"))


ROUNDS = TableSchema.of(
    "rounds",
    "One row for each round that was begun, from the entity of the game rules (CCSGameRulesProxy), so events "
    "need not be recorded. A bare end with reason 16 (game_start) is no round.",
    TICK,
    SECONDS,
    GAME_SECONDS,
    Column(
        "round_num",
        "int32",
        "Number of the round, m_totalRoundsPlayed at its begin plus 1; 0 in warm-up and knife rounds. A round "
        "that was undone by a restored backup keeps its number, so a number may occur twice.",
    ),
    Column("match_num", "int32", "Number of the match in this file, from 1 on."),
    Column(
        "phase",
        "category",
        "warmup; knife (at the end of freeze time no player had anything but knives and the bomb); live.",
    ),
    Column(
        "counts",
        "bool",
        "It is a round of the match: false for warm-up, knife rounds, restarts, and rounds that a restored "
        "backup undid.",
    ),
    Column("start_tick", "int32", "m_nRoundStartCount changed; null if the recording began later.", "ticks"),
    Column("freeze_end_tick", "int32", "m_bFreezePeriod ended; null if not recorded.", "ticks"),
    Column("end_tick", "int32", "m_nRoundEndCount changed; null if not recorded.", "ticks"),
    Column("official_end_tick", "int32", "The next round began; null if none did.", "ticks"),
    Column("winner_side", "category", "t or ct; null for none (m_iRoundEndWinnerTeam)."),
    Column("reason", "int32", "Number of the reason (m_eRoundEndReason)."),
    Column("reason_name", "category", "Its word: ct_win, t_win, target_bombed, bomb_defused, target_saved …"),
    *_of_sides("score", "int32", "rounds won after this round (CCSTeam.m_iScore)."),
    Column("half", "int32", "1 or 2 (m_gamePhase); null if the game has none."),
    Column("overtime", "int32", "Number of the overtime; 0 before (m_nOvertimePlaying)."),
    Column("bomb_planted_tick", "int32", "The bomb was planted; null if it was not.", "ticks"),
    Column("bomb_site", "category", "A or B (CPlantedC4.m_nBombSite)."),
    *_of_sides(
        "equipment_value", "int32", "value of equipment at the end of freeze time, of all players.", "money"
    ),
    *_of_sides("money", "int32", "money of all players at the end of freeze time.", "money"),
    *_of_sides(
        "buy_type",
        "category",
        "pistol (first round of a half), eco (equipment below 5,000), full (20,000 or more) or force.",
    ),
    *_of_sides("loss_bonus", "int32", "money of a player for losing this round.", "money"),
)


@TABLES.maker_of(ROUNDS)
class RoundTable(Cs2Facts):
    """Table ``rounds``."""

    entities: ClassVar = True
    fields = MappingProxyType(ROUND_FIELDS)

    def tables(self) -> Mapping[str, pa.Table]:
        self.match.finish()
        return {ROUNDS.name: self.match.table(ROUNDS, [dict(each.values) for each in self.match.rounds])}
