"""Tables ``street_brawl`` and ``street_brawl_rounds``: the states and rounds of a street brawl."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import number, real
from playhead.deadlock.sources.game_clock import RULES_CLASS
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.runtime.typing import Any
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_BRAWL = "m_pGameRules.m_tStreetBrawl."
_SERVER = "On the server's clock: when "
#: Columns of the state by field.
_STATE = {
    "m_iRound": word("round_num"),
    "m_eStreetBrawlState": word("state_id"),
    "m_iTeamAmberScore": word("hidden_king_score"),
    "m_iTeamSapphireScore": word("archmother_score"),
    "m_iLastBuyCountDown": Column("buy_countdown_seconds", "float64", "Last number of the shop's countdown.", "s"),
    "m_flNextStateTime": Column("next_state_server_seconds", "float64", f"{_SERVER}the next state begins.", "s"),
    "m_flStreetBrawlStateStartTime": Column(
        "state_start_server_seconds", "float64", f"{_SERVER}this state began.", "s"
    ),
    "m_flStreetBrawlTotalNonCombatTime": Column("non_combat_seconds", "float64", "Time without combat.", "s"),
}
STREET_BRAWL = TableSchema.of(
    "street_brawl",
    "One row for each change of the state of a street brawl: m_tStreetBrawl of the game rules. It holds until "
    "the next row. In other modes, a row of zeros.",
    *words("tick! seconds game_seconds"),
    *_STATE.values(),
    group="series",
)
STREET_BRAWL_ROUNDS = TableSchema.of(
    "street_brawl_rounds",
    "One row for each message StreetBrawlScoring: the end of a round.",
    *words("tick! seconds game_seconds"),
    word("round_num", "Counts the messages."),
    *words("winner_team winner_side hidden_king_score archmother_score"),
)


class Scoring:
    """The ended rounds of a street brawl.

    Attributes:
        rows: those of table ``street_brawl_rounds``.
    """

    def __init__(self, match: DeadlockMatch) -> None:
        self._match = match
        self.rows: list[dict[str, Any]] = []

    def attach(self, playback: Playback) -> None:
        """Follow a playback."""
        self._match.on_fields(playback, "k_EUserMsg_StreetBrawlScoring", self._on_round)

    def _on_round(self, tick: int, fields: Mapping[Any, Any]) -> None:
        if not fields.get("just_a_test"):
            row = {"tick": tick, "round_num": len(self.rows) + 1, "winner_team": fields.get("scoring_team")}
            row["hidden_king_score"] = fields.get("amber_score", 0)
            self.rows.append(row | {"archmother_score": fields.get("sapphire_score", 0)})


@TABLES.maker_of(STREET_BRAWL, STREET_BRAWL_ROUNDS)
class StreetBrawl(DeadlockFacts):
    """Tables ``street_brawl`` and ``street_brawl_rounds``."""

    fields: Mapping[str, Sequence[str]] = {RULES_CLASS: tuple(_BRAWL + at for at in _STATE)}

    def attach(self, playback: Playback) -> None:
        self.rows[STREET_BRAWL_ROUNDS.name] = self.match.shared(Scoring, playback).rows
        self.match.watch(self.fields[RULES_CLASS], self._on_rules, RULES_CLASS)

    def _on_rules(self, rules: Entity, op: EntityOp) -> None:
        row = {
            column.name: (real if column.type == "float64" else number)(rules, _BRAWL + at)
            for at, column in _STATE.items()
        }
        if any(value is not None for value in row.values()) and not op & EntityOp.DELETED:
            self._rows.append({"tick": self.match.tick, **row})
