"""Tables ``match``, ``pauses`` and ``ziplines``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.columns import ENTITY, ENTITY_SERIAL, PLACE, TEAM, TIME
from playhead.deadlock.sources.entities import INDEX, POSITION_FIELDS, number
from playhead.deadlock.sources.game_clock import RULES_CLASS
from playhead.deadlock.sources.match import DeadlockFacts, DeadlockMatch
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

_RULES = "m_pGameRules."
_MODES = {1: "6v6", 4: "street_brawl"}
_NODE = "CCitadelZipLineNode"
_NODE_FIELDS = {
    "team": "m_iTeamNum",
    "lane": "m_iPrimaryLane",
    "capture_state": "m_eCaptureState",
    "capturable": "m_bCapturable",
    "cumulative_distance": "m_flCumulativeDistance",
}
_CONNECTIONS, _MOST_CONNECTIONS = "m_vecConnections", 256

MATCH = TableSchema.of(
    "match",
    "One row: the match as the game rules have it at the end of the recording.",
    *TIME,
    Column("match_id", "int64", "m_unMatchID."),
    Column("mode", "category", "6v6 or street_brawl: m_eGameMode; null for a mode without a word here."),
    Column("mode_id", "int32", "m_eGameMode."),
    Column("match_mode_id", "int32", "m_eMatchMode."),
    Column("state_id", "int32", "m_eGameState."),
    Column("winner", "int32", "winning_team of the message GameOver; null if the recording ends before."),
    Column("end_tick", "int32", "Tick of that message.", "ticks"),
    Column("zero_tick", "int32", "First tick at 0:00 or later; null if the recording has none.", "ticks"),
    Column("round_ticks", "list<int32>", "Ends of the rounds of a street brawl; else null."),
    Column("round_winners", "list<int32>", "Teams that won these rounds; null without any."),
    Column("hidden_king_score", "int32", "amber_score of the last such message; null without any."),
    Column("archmother_score", "int32", "sapphire_score of the last such message; null without any."),
    Column("banned_hero_ids", "list<int32>", "Numbers of the banned heroes: message BannedHeroes."),
    *(
        Column(f"minimap_{end}_{axis}", "float64", f"m_vMinimap{end.title()}s.{axis}.", "world units")
        for end in ("min", "max")
        for axis in "xy"
    ),
    version=2,
)
PAUSES = TableSchema.of(
    "pauses",
    "One row for each pause: m_bGamePaused or m_bServerPaused of the game rules.",
    *TIME,
    Column("end_tick", "int32", "Tick at which the game resumed; null if the recording ends first.", "ticks"),
    Column("duration", "float64", "Its length; null if the recording ends first.", "s"),
    Column("team", "int32", "Side that paused: m_iPauseTeam; null if the recording has none."),
)
ZIPLINES = TableSchema.of(
    "ziplines",
    "One row for each node of a zip line when it is first seen, at each change of its team, state, lane or "
    "connections, when it leaves the recording's view, and when it is removed.",
    *TIME,
    ENTITY,
    ENTITY_SERIAL,
    Column("change", "category", "observed, owner_changed, changed, left or removed."),
    TEAM,
    Column("lane", "int32", "m_iPrimaryLane: 1 yellow, 3 green, 4 blue, 6 purple; 0 for none."),
    Column("capture_state", "int32", "m_eCaptureState: the game's number."),
    Column("capturable", "bool", "m_bCapturable."),
    Column(
        "cumulative_distance",
        "float64",
        "m_flCumulativeDistance: length of the line up to the node; null where the build lacks it.",
        "world units",
    ),
    Column("connections", "list<int32>", "Indexes of the entities of the connected nodes: m_vecConnections."),
    *PLACE,
    version=2,
)


@TABLES.maker_of(MATCH, PAUSES)
class DeadlockMatchFacts(DeadlockFacts):
    """Tables ``match`` and ``pauses``."""

    fields: Mapping[str, Sequence[str]] = {
        RULES_CLASS: tuple(
            _RULES + name
            for name in "m_unMatchID m_eGameMode m_eMatchMode m_eGameState m_vMinimapMins m_vMinimapMaxs".split()
        )
    }

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._winner: int | None = None
        self._end: int | None = None
        self._banned: list[int] | None = None
        self._rounds: list[tuple[int, Mapping[Any, Any]]] = []

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        self.match.on_fields(playback, "k_EUserMsg_GameOver", self._on_over)
        self.match.on_fields(playback, "k_EUserMsg_BannedHeroes", self._on_bans)
        self.match.on_fields(playback, "k_EUserMsg_StreetBrawlScoring", self._on_round)

    def _on_round(self, tick: int, fields: Mapping[Any, Any]) -> None:
        if not fields.get("just_a_test"):
            self._rounds.append((tick, fields))

    def _on_over(self, tick: int, fields: Mapping[Any, Any]) -> None:
        if not fields.get("just_a_test"):
            self._winner, self._end = fields.get("winning_team"), tick

    def _on_bans(self, tick: int, fields: Mapping[Any, Any]) -> None:
        self._banned = list(fields.get("banned_hero_ids", ()))

    def tables(self) -> Mapping[str, pa.Table]:
        clock = self.match.clock
        rules = self._playback.entities.find_by_class_name(RULES_CLASS)
        rows = [] if rules is None else [self._row(rules)]
        pauses = [
            {
                "tick": pause.start,
                "end_tick": pause.end,
                "duration": None if pause.end is None else (pause.end - pause.start) / clock.rate,
                "team": pause.team,
            }
            for pause in clock.pauses
        ]
        return {MATCH.name: self.match.table(MATCH, rows), PAUSES.name: self.match.table(PAUSES, pauses)}

    def _row(self, rules: Entity) -> dict[str, Any]:
        mode = number(rules, _RULES + "m_eGameMode")
        row = {
            "tick": self._playback.tick,
            "match_id": rules.get(_RULES + "m_unMatchID") or None,
            "mode": _MODES.get(mode or 0),
            "mode_id": mode,
            "match_mode_id": number(rules, _RULES + "m_eMatchMode"),
            "state_id": number(rules, _RULES + "m_eGameState"),
            "winner": self._winner,
            "end_tick": self._end,
            "zero_tick": self.match.clock.displayed_clock().tick_displayed(0.0),
            "banned_hero_ids": self._banned,
        }
        if self._rounds:
            row["round_ticks"] = [tick for tick, _ in self._rounds]
            row["round_winners"] = [fields.get("scoring_team") for _, fields in self._rounds]
            for name, field in (("hidden_king_score", "amber_score"), ("archmother_score", "sapphire_score")):
                row[name] = self._rounds[-1][1].get(field, 0)
        for end in ("min", "max"):
            corner = rules.get(f"{_RULES}m_vMinimap{end.title()}s")
            for at, axis in enumerate("xy"):
                row[f"minimap_{end}_{axis}"] = corner[at] if isinstance(corner, tuple) else None
        return row


@TABLES.maker_of(ZIPLINES)
class Ziplines(DeadlockFacts):
    """Table ``ziplines``."""

    fields: Mapping[str, Sequence[str]] = {
        _NODE: (*_NODE_FIELDS.values(), _CONNECTIONS, f"{_CONNECTIONS}.????", *POSITION_FIELDS)
    }

    def __init__(self, match: DeadlockMatch) -> None:
        super().__init__(match)
        self._shown: dict[int, dict[str, Any]] = {}

    def attach(self, playback: Playback) -> None:
        self._playback = playback
        playback.entities.on_entity(FieldWatch((*_NODE_FIELDS.values(), _CONNECTIONS), self._on_node), _NODE)

    def _on_node(self, node: Entity, op: EntityOp) -> None:
        known = self._shown.get(node.handle)
        if op & (EntityOp.DELETED | EntityOp.LEFT):
            if known is not None:
                change = "removed" if op & EntityOp.DELETED else "left"
                self._rows.append({**known, "tick": self._playback.tick, "change": change})
            if op & EntityOp.DELETED:
                self._shown.pop(node.handle, None)
            return
        row = {name: node.get(field) for name, field in _NODE_FIELDS.items()}
        count = min(node.get(_CONNECTIONS) or 0, _MOST_CONNECTIONS)
        ends = (node.get(f"{_CONNECTIONS}.{at:04}") for at in range(count))
        row["connections"] = [end & INDEX for end in ends if isinstance(end, int)]
        if known is not None and row.items() <= known.items():
            return
        place = zip("xyz", self.match.grid.corner_place(node), strict=True)
        row |= {"entity": node.index, "entity_serial": node.serial, **dict(place)}
        self._shown[node.handle] = row
        changed = "observed" if known is None else "changed" if known["team"] == row["team"] else "owner_changed"
        self._rows.append({**row, "tick": self._playback.tick, "change": changed})

    def tables(self) -> Mapping[str, pa.Table]:
        for row in self._rows:  # the patron that decides the grid may come after the first rows
            row.update(zip("xyz", self.match.grid.world((row["x"], row["y"], row["z"])), strict=True))
        return {ZIPLINES.name: self.match.table(ZIPLINES, self._rows)}
