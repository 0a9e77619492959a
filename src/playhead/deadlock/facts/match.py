"""Tables ``match``, ``periods``, ``street_brawl`` and ``street_brawl_rounds``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from playhead.deadlock.facts import TABLES
from playhead.deadlock.sources.entities import number, real
from playhead.deadlock.sources.game_clock import RULES_CLASS
from playhead.deadlock.sources.match import DeadlockFacts
from playhead.deadlock.sources.names import hero_name
from playhead.deadlock.sources.words import MODES
from playhead.runtime.libraries import pa
from playhead.runtime.typing import Any, ClassVar
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import PERIODS
from playhead.tables.vocabulary import word, words

_RULES = "m_pGameRules."
_OF_RULES = "m_unMatchID m_eGameMode m_eMatchMode m_eGameState m_vMinimapMins m_vMinimapMaxs"

MATCH = TableSchema.of(
    "match",
    "One row: the match, by the game rules at the end of the recording.",
    word("tick", "The first at 0:00 or later; null if the recording has none."),
    *words("seconds game_seconds"),
    word("end_tick", "Here that of the message GameOver."),
    *words("end_seconds end_game_seconds match_id"),
    word("game_mode", "normal, street_brawl, sandbox …: ECitadelGameMode."),
    word("game_mode_id", "m_eGameMode."),
    Column("match_mode", "category", "ranked, unranked, private_lobby …: ECitadelMatchMode."),
    Column("match_mode_id", "int64", "m_eMatchMode."),
    word("state_id", "m_eGameState."),
    *words("winner_team winner_side"),
    Column("banned_heroes", "list<string>", "Banned heroes, by name or number: message BannedHeroes."),
    Column("banned_hero_ids", "list<int64>", "Their numbers."),
    *(
        Column(f"minimap_{end}_{axis}", "float32", f"m_vMinimap{end.title()}s.{axis}.", "map units")
        for end in ("min", "max")
        for axis in "xy"
    ),
)
DEADLOCK_PERIODS = PERIODS.extended(
    *words("winner_team"), word("by_team", "That paused: m_iPauseTeam."), word("by_side")
)


@TABLES.maker_of(MATCH, DEADLOCK_PERIODS)
class DeadlockMatchFacts(DeadlockFacts):
    jobs: ClassVar = Jobs(extra=1)

    fields: Mapping[str, Sequence[str]] = {RULES_CLASS: tuple(_RULES + name for name in _OF_RULES.split())}

    def attach(self, playback: Playback) -> None:
        self._over: Mapping[Any, Any] = {}
        self._end: int | None = None
        self._banned: list[int] | None = None
        self.match.on_fields(playback, "k_EUserMsg_GameOver", self._on_over)
        self.match.on_fields(playback, "k_EUserMsg_BannedHeroes", self._on_bans)
        self._brawl = self.match.collector(BrawlRounds, playback)

    def _on_over(self, tick: int, fields: Mapping[Any, Any]) -> None:
        if not fields.get("just_a_test"):
            self._over, self._end = fields, tick

    def _on_bans(self, tick: int, fields: Mapping[Any, Any]) -> None:
        self._banned = list(fields.get("banned_hero_ids", ()))

    @property
    def winner(self) -> int | None:
        """Number of the team that won, by message GameOver as far as it was played; None before."""
        return self._over.get("winning_team")

    def tables(self) -> Mapping[str, pa.Table]:
        rules = self.match.entities.find_by_class_name(RULES_CLASS)
        self._zero = self.match.clock.displayed_clock().tick_displayed(0.0)
        if rules is not None:
            self.rows[MATCH.name].append(self._row(rules))
            self.rows[PERIODS.name] += sorted(self._periods(rules), key=lambda row: row["tick"])
        return super().tables()

    def _row(self, rules: Entity) -> dict[str, Any]:
        row = {
            "tick": self._zero,
            "end_tick": self._end,
            "match_id": rules.get(_RULES + "m_unMatchID") or None,
            "game_mode_id": number(rules, _RULES + "m_eGameMode"),
            "match_mode_id": number(rules, _RULES + "m_eMatchMode"),
            "state_id": number(rules, _RULES + "m_eGameState"),
            "winner_team": self.winner,
            "banned_hero_ids": self._banned,
        }
        if self._banned is not None:
            row["banned_heroes"] = [hero_name(hero) or str(hero) for hero in self._banned]
        for end in ("min", "max"):
            corner = rules.get(f"{_RULES}m_vMinimap{end.title()}s")
            for at, axis in enumerate("xy"):
                row[f"minimap_{end}_{axis}"] = corner[at] if isinstance(corner, tuple) else None
        return row

    def _periods(self, rules: Entity) -> Iterator[dict[str, Any]]:
        begun, zero, end = self.match.clock.first_tick, self._zero, self._end
        if begun is not None and zero is None and (self.match.clock.game_seconds_at([begun])[0] or 0) > 0:
            zero = begun  # the recording begins within the game
        if begun is not None and (zero is None or begun < zero):
            yield {"tick": begun, "end_tick": zero, "kind": "pre_game", "number": 1, "counts": False}
        if zero is not None:
            won = {"winner_team": self.winner}
            yield {"tick": zero, "end_tick": end, "kind": "game", "number": 1, "counts": True, **won}
            if MODES.get(number(rules, _RULES + "m_eGameMode") or 0) == "street_brawl":
                for row in self._brawl.rows[STREET_BRAWL_ROUNDS.name]:
                    span = {"tick": min(zero, row["tick"]), "end_tick": row["tick"], "number": row["round_num"]}
                    yield {**span, "kind": "round", "counts": True, "winner_team": row["winner_team"]}
                    zero = row["tick"]
        if end is not None:
            yield {"tick": end, "kind": "post_game", "number": 1, "counts": False}
        for place, pause in enumerate(self.match.clock.pauses):
            row = {"tick": pause.start, "end_tick": pause.end, "by_team": pause.team}
            yield {**row, "kind": "pause", "number": place + 1, "counts": True}


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


@TABLES.maker_of(STREET_BRAWL_ROUNDS)
class BrawlRounds(DeadlockFacts):
    def attach(self, playback: Playback) -> None:
        self.match.on_fields(playback, "k_EUserMsg_StreetBrawlScoring", self._on_round)

    def _on_round(self, tick: int, fields: Mapping[Any, Any]) -> None:
        if not fields.get("just_a_test"):
            row = {"tick": tick, "round_num": len(self._rows) + 1, "winner_team": fields.get("scoring_team")}
            row["hidden_king_score"] = fields.get("amber_score", 0)
            self._rows.append(row | {"archmother_score": fields.get("sapphire_score", 0)})


@TABLES.maker_of(STREET_BRAWL)
class StreetBrawl(DeadlockFacts):
    fields: Mapping[str, Sequence[str]] = {RULES_CLASS: tuple(_BRAWL + at for at in _STATE)}

    def attach(self, playback: Playback) -> None:
        self.match.watch(self.fields[RULES_CLASS], self._on_rules, RULES_CLASS)

    def _on_rules(self, rules: Entity, op: EntityOp) -> None:
        row = {
            column.name: (real if column.type == "float64" else number)(rules, _BRAWL + at)
            for at, column in _STATE.items()
        }
        if any(value is not None for value in row.values()) and not op & EntityOp.DELETED:
            self._rows.append({"tick": self.match.tick, **row})
