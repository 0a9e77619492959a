"""Tables ``match`` and ``periods``: the match in one row, the states of the game, its pauses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.structures import STRUCTURE_CLASSES, standing_bit
from playhead.dota2.sources.combat_log import signed
from playhead.dota2.sources.entities import NAME_TABLE
from playhead.dota2.sources.game_clock import POST_GAME, RULES_CLASS, state_name
from playhead.dota2.sources.lives import LIFE_FIELDS, Lives
from playhead.dota2.sources.match import SIDES, Dota2Facts, Dota2Match
from playhead.dota2.sources.message_facts import ChatEvents
from playhead.dota2.sources.roster import DIRE, RADIANT
from playhead.runtime.libraries import pa
from playhead.runtime.typing import Any
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.messages.definitions import enumeration
from playhead.source2.messages.numbers import message_number
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import PERIODS
from playhead.tables.vocabulary import word, words

# Column: field of message 558.
_OFFICIAL = {
    "official_duration_seconds": "duration",
    "first_blood_seconds": "first_blood_time",
    "pre_game_seconds": "pre_game_duration",
}
_STANDING = {name: kind for name, kind in STRUCTURE_CLASSES.items() if kind in ("tower", "barracks")}
_RULES = "m_pGameRules."
_MATCH_ID, _MODE = _RULES + "m_unMatchID64", _RULES + "m_iGameMode"
_TEAM_CLASS = "CDOTATeam"
_TEAM, _NAME, _TAG, _KILLS = "m_iTeamNum", "m_szTeamname", "m_szTag", "m_iHeroKills"
_TEAM_ID = "m_unTournamentTeamID"

MATCH = TableSchema.of(
    "match",
    "One row: the match. From FileInfo (written at the end of a recording by Valve's servers), otherwise from "
    "the game rules and the teams' entities. Null where neither has it.",
    word("match_id", "FileInfo, or m_unMatchID64."),
    word("game_mode", "CM, ALL_DRAFT, TURBO …: DOTA_GameMode."),
    word("game_mode_id", "FileInfo, or m_iGameMode."),
    Column("league_id", "int64", "Number of the league; null outside of leagues. FileInfo."),
    word("winner_side", "FileInfo, or m_nGameWinner."),
    word("duration_seconds", "From the horn to the end of the match."),
    Column("horn_tick", "int32", "Demo tick of 0:00; null if the recording does not have it.", "ticks"),
    word("end_tick", "That of POST_GAME."),
    *words("end_seconds end_game_seconds"),
    word("end_time", "FileInfo."),
    Column("pauses", "int32", "How often it was paused."),
    Column("official_duration_seconds", "float64", "Duration that the game reports at the end: message 558.", "s"),
    Column("first_blood_seconds", "float64", "Game time of first blood: message 558.", "s"),
    Column("pre_game_seconds", "float64", "Length of the time before the horn: message 558.", "s"),
    *(
        column
        for side in ("radiant", "dire")
        for column in (
            Column(f"{side}_kills", "int32", "Heroes killed by the team: m_iHeroKills of CDOTATeam."),
            Column(f"{side}_team_id", "int64", "Number of the registered team; null for others. FileInfo."),
            Column(f"{side}_team_name", "string", "Name of the registered team: m_szTeamname; null for others."),
            Column(f"{side}_team_tag", "string", "Its tag: FileInfo, or m_szTag; null for others."),
            Column(f"{side}_score", "int32", "Kills of the team, officially: *_team_score of message 558."),
            Column(
                f"{side}_tower_status",
                "int32",
                "Towers that stand at the end, a bit each: message 558, else from the towers' entities. Bits "
                "0 to 2 are tiers 1 to 3 of the top lane, 3 to 5 of mid, 6 to 8 of bottom; 9 and 10 are tier 4, "
                "top and bottom.",
            ),
            Column(
                f"{side}_barracks_status",
                "int32",
                "Barracks that stand at the end: bits 0, 2 and 4 are melee of top, mid and bot, 1, 3 and 5 "
                "ranged. Message 558, else from the barracks' entities.",
            ),
        )
    ),
)


@TABLES.maker_of(MATCH)
class MatchFacts(Dota2Facts):
    """Reads the last state of the rules and of the teams."""

    entities: ClassVar = True
    needs_clock: ClassVar = True
    string_tables: ClassVar = (NAME_TABLE,)
    fields = MappingProxyType(
        {
            RULES_CLASS: (_MATCH_ID, _MODE),
            _TEAM_CLASS: (_TEAM, _NAME, _TAG, _KILLS, _TEAM_ID),
            **dict.fromkeys(_STANDING, LIFE_FIELDS),
        }
    )

    def attach(self, playback: Playback) -> None:
        self._teams: dict[int, Entity] = {}
        self._rules: Entity | None = None
        known = EntityOp.CREATED | EntityOp.UPDATED
        playback.entities.on_entity(self._on_team, _TEAM_CLASS, known)
        playback.entities.on_entity(self._on_rules, RULES_CLASS, known)
        self._official = OfficialResult(self.match, playback)
        self._lives = Lives(playback, _STANDING)

    def _on_team(self, entity: Entity, _op: EntityOp) -> None:
        self._teams[entity.get(_TEAM, -1)] = entity

    def _on_rules(self, entity: Entity, _op: EntityOp) -> None:
        self._rules = entity

    def tables(self) -> Mapping[str, pa.Table]:
        info, rules, clock = self.match.file_info, self._rules, self.match.clock
        mode = info.get("game_mode") or (rules.get(_MODE) if rules is not None else None)
        names = {
            number: name.removeprefix("DOTA_GAMEMODE_") for name, number in enumeration("DOTA_GameMode").items()
        }
        end = next((tick for tick, state in clock.states if state == POST_GAME), None)
        seconds = None if end is None else clock.game_seconds(end)
        ended = info.get("end_time")
        row: dict[str, Any] = {
            "match_id": info.get("match_id") or (rules.get(_MATCH_ID) if rules is not None else None) or None,
            "game_mode": None if mode is None else names.get(mode),
            "game_mode_id": mode,
            "league_id": info.get("leagueid") or None,
            "winner_side": SIDES.get(self.match.winner or 0),
            "duration_seconds": seconds,
            "horn_tick": clock.horn_tick,
            "end_tick": end,
            "end_time": datetime.fromtimestamp(ended, UTC) if ended else None,
            "pauses": len(clock.pauses),
            **{column: signed(self._official.fields.get(field)) for column, field in _OFFICIAL.items()},
        }
        for team, side in ((RADIANT, "radiant"), (DIRE, "dire")):
            row |= {f"{side}_{name}": value for name, value in self._team(team, side).items()}
        return {MATCH.name: self.match.table(MATCH, [row])}

    def _team(self, team: int, side: str) -> dict[str, Any]:
        info, entity = self.match.file_info, self._teams.get(team)
        official = self._official.fields
        place = 0 if team == RADIANT else 1
        facts: dict[str, Any] = {
            "score": signed(official.get(f"{side}_team_score")),
            **{
                f"{kind}_status": listed[place] if len(listed) > place else self._standing(team, kind)
                for kind in ("tower", "barracks")
                if (listed := official.get(f"{kind}_status", ())) is not None
            },
            "team_id": info.get(f"{side}_team_id") or None,
            "team_tag": info.get(f"{side}_team_tag") or None,
        }
        if entity is None:
            return facts
        name = entity.get(_NAME, "")
        return facts | {
            "kills": entity.get(_KILLS),
            "team_id": facts["team_id"] or entity.get(_TEAM_ID) or None,
            # Teams without a name have a token of the game's texts instead.
            "team_name": name if name and not name.startswith("#") else None,
            "team_tag": facts["team_tag"] or entity.get(_TAG) or None,
        }

    def _standing(self, team: int, kind: str) -> int | None:
        """Return the bits of the standing buildings of a kind; None if the recording has none of them."""
        lives = [life for life in self._lives.all() if life.kind == kind and life.team == team]
        bits = 0
        for life in lives:
            bit = standing_bit(life.name or "", kind)
            if life.died is None and bit is not None:
                bits |= 1 << bit
        return bits if lives else None


MATCH_DETAILS = message_number("dota2", "DOTA_UM_MatchDetails")

# `player_slot` of Dire's first player.
_DIRE_SLOT = 128


class OfficialResult:
    """The fields of the last message 558 of a recording; empty without it."""

    def __init__(self, match: Dota2Match, playback: Playback) -> None:
        self.fields: Mapping[str | int, Any] = {}
        match.on_fields(playback, MATCH_DETAILS, self._on_details)

    def _on_details(self, _tick: int, fields: Mapping[Any, Any]) -> None:
        self.fields = fields

    @property
    def players(self) -> Mapping[tuple[int, int], Mapping[str | int, Any]]:
        """The fields of each player, by team and place in it."""
        found = {}
        for fields in self.fields.get("players", ()):
            slot = fields.get("player_slot", 0)
            found[(DIRE, slot - _DIRE_SLOT) if slot >= _DIRE_SLOT else (RADIANT, slot)] = fields
        return found


# Largest distance, in ticks, of the chat event of a pause; it arrives with the pause or one packet later.
_LINE_NEAR = 30
# Kind of a period by the game's state, where that is not the state's name.
_KINDS = {
    "HERO_SELECTION": "draft",
    "PLAYER_DRAFT": "draft",
    "STRATEGY_TIME": "strategy",
    "TEAM_SHOWCASE": "showcase",
    "GAME_IN_PROGRESS": "game",
}

DOTA2_PERIODS = PERIODS.extended(
    word("state", "DOTA_GameState: HERO_SELECTION, PRE_GAME, GAME_IN_PROGRESS …; null for pauses."),
    Column("has_start", "bool", "Its start is in the recording."),
    Column("by_player", "int32", "Player who paused: the chat event CHAT_MESSAGE_PAUSED; null without one."),
    word("by_team", "That paused: m_iPauseTeam."),
    word("by_side"),
    Column(
        "server_seconds",
        "float64",
        "The server's clock without pauses, which entity fields use.",
        "s",
    ),
)


@TABLES.maker_of(DOTA2_PERIODS)
class GamePeriods(Dota2Facts):
    """Table ``periods``, from the clock of the `Dota2Match`: `game` begins at 0:00."""

    entities: ClassVar = True

    def attach(self, playback: Playback) -> None:
        self._chat = ChatEvents(self.match, playback, ("PAUSED",))

    def tables(self) -> Mapping[str, pa.Table]:
        rows = sorted([*self._states(), *self._pauses()], key=lambda row: int(row["tick"]))
        numbers: Counter[str] = Counter()
        for row in rows:
            numbers[row["kind"]] += 1
            row |= {"number": numbers[row["kind"]], "counts": row["kind"] in ("game", "pause")}
            row["server_seconds"] = self.match.clock.server_seconds(row["tick"])
        return {DOTA2_PERIODS.name: self.match.table(DOTA2_PERIODS, rows)}

    def _states(self) -> Iterator[dict[str, Any]]:
        horn = self.match.clock.horn_tick
        names = [state_name(state) for _, state in self.match.clock.states]
        ticks: list[int | None] = [
            tick if horn is None or name != "GAME_IN_PROGRESS" else horn
            for name, (tick, _) in zip(names, self.match.clock.states, strict=True)
        ]
        for place, (name, tick, end) in enumerate(zip(names, ticks, [*ticks[1:], None], strict=False)):
            kind = _KINDS.get(name, name.lower())
            yield {
                "tick": tick,
                "end_tick": end,
                "kind": kind,
                "state": name,
                "has_start": place > 0,
                "winner_side": SIDES.get(self.match.winner or 0) if kind == "game" else None,
            }

    def _pauses(self) -> Iterator[dict[str, Any]]:
        for tick, end, team in self.match.clock.pauses:
            near = [line for line in self._chat.events if abs(line.tick - tick) <= _LINE_NEAR]
            line = min(near, key=lambda line: abs(line.tick - tick), default=None)
            by = None if line is None else line.player_1
            yield {
                "tick": tick,
                "end_tick": end,
                "kind": "pause",
                "has_start": tick > 0,
                "by_player": by,
                "by_team": team,
            }
