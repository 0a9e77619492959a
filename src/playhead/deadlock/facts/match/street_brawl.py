"""Tables ``street_brawl`` and ``street_brawl_rounds``: the states and rounds of a street brawl."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import TEAM, TIME
from playhead.deadlock.sources.entities import number, real
from playhead.deadlock.sources.game_clock import RULES_CLASS
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

_BRAWL = "m_pGameRules.m_tStreetBrawl."
#: Columns of the state: type, field, doc, unit.
_STATE = {
    "round_number": ("int32", "m_iRound", "Number of the round", ""),
    "state_id": ("int32", "m_eStreetBrawlState", "The game's number of the state", ""),
    "hidden_king_score": ("int32", "m_iTeamAmberScore", "Rounds won by the Hidden King", ""),
    "archmother_score": ("int32", "m_iTeamSapphireScore", "Rounds won by the Archmother", ""),
    "buy_countdown": ("int32", "m_iLastBuyCountDown", "Last number of the countdown of the shop", "s"),
    "next_state_time": ("float64", "m_flNextStateTime", "Time of the server at which the next state begins", "s"),
    "state_start_time": ("float64", "m_flStreetBrawlStateStartTime", "Time at which this state began", "s"),
    "non_combat_time": ("float64", "m_flStreetBrawlTotalNonCombatTime", "Time so far without combat", "s"),
}.items()
STREET_BRAWL = TableSchema.of(
    "street_brawl",
    "One row for each change of the state of a street brawl: m_tStreetBrawl of the game rules. It holds until "
    "the next row. In other modes, a row of zeros.",
    *TIME,
    *(Column(name, type_, f"{doc}: {at}.", unit) for name, (type_, at, doc, unit) in _STATE),
)
STREET_BRAWL_ROUNDS = TableSchema.of(
    "street_brawl_rounds",
    "One row for each message StreetBrawlScoring: the end of a round.",
    *TIME,
    Column("round_number", "int32", "Counts the messages, from 1."),
    Column("winner", TEAM.type, "scoring_team: the side that won the round."),
    Column("hidden_king_score", "int32", "amber_score: rounds that the Hidden King has won."),
    Column("archmother_score", "int32", "sapphire_score: rounds that the Archmother has won."),
)


@TABLES.maker_of(STREET_BRAWL, STREET_BRAWL_ROUNDS)
class StreetBrawl(DeadlockFacts):
    """Tables ``street_brawl`` and ``street_brawl_rounds``."""

    fields: Mapping[str, Sequence[str]] = {RULES_CLASS: tuple(_BRAWL + at for _, (_, at, *_) in _STATE)}

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._states: list[dict[str, Any]] = []
        self._rounds: list[dict[str, Any]] = []

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self.match.on_fields(playback, "k_EUserMsg_StreetBrawlScoring", self._on_round)
        playback.entities.on_entity(FieldWatch(self.fields[RULES_CLASS], self._on_rules), RULES_CLASS)

    def _on_rules(self, rules: Entity, op: EntityOp) -> None:
        row = {
            name: (number if type_ == "int32" else real)(rules, _BRAWL + at) for name, (type_, at, *_) in _STATE
        }
        if any(value is not None for value in row.values()) and not op & EntityOp.DELETED:
            self._states.append({"tick": self._playback.tick, **row})

    def _on_round(self, tick: int, fields: Mapping[Any, Any]) -> None:
        if not fields.get("just_a_test"):
            row = {"tick": tick, "round_number": len(self._rounds) + 1, "winner": fields.get("scoring_team")}
            row["hidden_king_score"] = fields.get("amber_score", 0)
            self._rounds.append(row | {"archmother_score": fields.get("sapphire_score", 0)})

    def tables(self) -> Mapping[str, pa.Table]:
        return {
            STREET_BRAWL.name: self.match.table(STREET_BRAWL, self._states),
            STREET_BRAWL_ROUNDS.name: self.match.table(STREET_BRAWL_ROUNDS, self._rounds),
        }
