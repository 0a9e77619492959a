"""A synthetic CS2 recording of twenty seconds: one round, in which four players walk and two of them die."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from tests.samples.source2 import recording
from tests.samples.source2.cs2_match.world import place_fields
from tests.samples.source2.encoding import GameEventWriter
from tests.samples.source2.match_schema import Schema, declare_field
from tests.samples.source2.world import WrittenWorld

from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.schema.send_tables import SendTables, Serializer
from playhead.source2.writing.demo import DemoWriter, InnerMessage

TICKS_PER_SECOND = 64
_LAST_TICK = 20 * TICKS_PER_SECOND
_FIRST_SERVER_TICK = 2000
_GAME_DIR = "/srv/cs2/game/csgo"
_FIRST_ACCOUNT = 76561197960265728 + 2_000_000

#: Name, team (2 Terrorists, 3 Counter-Terrorists), start position.
PLAYERS = (("Quartz", 2, -800, 200), ("Slate", 2, -760, 260), ("Talc", 3, 1200, 900), ("Umber", 3, 1260, 860))

#: Tick, victim, killer, weapon.
DEATHS = ((640, 1, 2, "ak47"), (1000, 2, 0, "glock"))

#: Health that a player who will die has for the last second before.
_HURT_HEALTH = 35

#: Tick at which freeze time ends, tick at which the round ends, seconds that a round lasts.
LIVE_TICK, END_TICK, ROUND_SECONDS = 192, 1100, 115
#: Number of the reason: the Terrorists killed all opponents.
END_REASON = 9
_FIRST_CONTROLLER, _FIRST_PAWN, _FIRST_TEAM, _RULES = 1, 20, 61, 70

_EVENTS = GameEventWriter(
    {
        "round_start": {"timelimit": "long", "fraglimit": "long", "objective": "string"},
        "round_freeze_end": {},
        "player_death": {"userid": "short", "attacker": "short", "weapon": "string", "headshot": "bool"},
        "player_hurt": {
            "userid": "short",
            "attacker": "short",
            "health": "byte",
            "armor": "byte",
            "weapon": "string",
            "dmg_health": "short",
            "dmg_armor": "byte",
            "hitgroup": "byte",
        },
        "weapon_fire": {"userid": "short", "weapon": "string"},
    }
)


_RULES_FIELDS = (
    *("m_bWarmupPeriod bool", "m_bFreezePeriod bool", "m_fRoundStartTime GameTime_t", "m_iRoundTime int32"),
    *("m_nRoundStartCount uint8", "m_nRoundEndCount uint8", "m_eRoundEndReason int32"),
    *("m_iRoundEndWinnerTeam int32", "m_totalRoundsPlayed int32", "m_gamePhase int32", "m_nOvertimePlaying int32"),
)


def _schema() -> Schema:
    """Return a few fields of a few classes, declared as a CS2 server declares them."""
    body = Serializer(
        "CBodyComponentBaseAnimGraph",
        0,
        (
            *(declare_field(f"m_cell{axis} uint16") for axis in "XYZ"),
            *(
                declare_field(f"m_vec{axis} CNetworkedQuantizedFloat", bit_count=15, low=0.0, high=1024.0, flags=1)
                for axis in "XYZ"
            ),
        ),
    )
    place = declare_field("CBodyComponent CBodyComponent", serializer=(body.name, 0))
    team = declare_field("m_iTeamNum uint8")
    pawn = (
        *(place, declare_field("m_iHealth int32"), declare_field("m_ArmorValue int32"), team),
        *(declare_field("m_lifeState uint8"), declare_field("m_szLastPlaceName char[18]")),
    )
    controller = (
        *(declare_field("m_iszPlayerName char[128]"), declare_field("m_iPing uint32"), team),
        *(declare_field("m_steamID uint64"), declare_field("m_hPlayerPawn CHandle< CCSPlayerPawn >")),
    )
    rules = Serializer("CCSGameRules", 0, tuple(declare_field(text) for text in _RULES_FIELDS))
    proxy = (declare_field("m_pGameRules CCSGameRules*", serializer=(rules.name, 0)),)
    side = (declare_field("m_szTeamname char[129]"), declare_field("m_iScore int32"), team)
    kinds = {"CCSPlayerPawn": pawn, "CCSPlayerController": controller, "CCSTeam": side, "CCSGameRulesProxy": proxy}
    serializers = [body, rules, *(Serializer(name, 0, fields) for name, fields in kinds.items())]
    return SendTables({(each.name, 0): each for each in serializers}), dict(enumerate(kinds))


def _rules(tick: int) -> dict[str, Any]:
    """Return the game rules after the packet of a tick."""
    over = tick >= END_TICK
    values = {
        "m_bWarmupPeriod": False,
        "m_bFreezePeriod": tick < LIVE_TICK,
        "m_fRoundStartTime": (_FIRST_SERVER_TICK + LIVE_TICK) / TICKS_PER_SECOND,
        "m_iRoundTime": ROUND_SECONDS,
        "m_nRoundStartCount": 1 if tick >= 2 else 0,
        "m_nRoundEndCount": 1 if over else 0,
        "m_eRoundEndReason": END_REASON if over else -1,
        "m_iRoundEndWinnerTeam": 2 if over else 0,
        "m_totalRoundsPlayed": 1 if over else 0,
        "m_gamePhase": 2,
        "m_nOvertimePlaying": 0,
    }
    return {f"m_pGameRules.{name}": value for name, value in values.items()}


def _score(team: int, tick: int) -> int:
    return int(team == 2 and tick >= END_TICK)


class _Round(WrittenWorld):
    """The players at a tick."""

    def __init__(self) -> None:
        super().__init__(_schema())
        self._health = [100] * len(PLAYERS)
        for player, (name, team, *_) in enumerate(PLAYERS):
            pawn = _FIRST_PAWN + player
            self.create(pawn, "CCSPlayerPawn", self._pawn(player, 0))
            values = {"m_iszPlayerName": name, "m_iPing": 20 + player, "m_iTeamNum": team}
            values |= {"m_steamID": _FIRST_ACCOUNT + player, "m_hPlayerPawn": self.handle_of(pawn)}
            self.create(_FIRST_CONTROLLER + player, "CCSPlayerController", values)
        for number, (title, team) in enumerate((("TERRORIST", 2), ("CT", 3))):
            self.create(
                _FIRST_TEAM + number, "CCSTeam", {"m_szTeamname": title, "m_iScore": 0, "m_iTeamNum": team}
            )
        self.create(_RULES, "CCSGameRulesProxy", {"m_pGameRules": True, **_rules(0)})

    def baseline(self, name: str) -> Mapping[str, Any]:
        """As `WrittenWorld.baseline`."""
        return {"m_pGameRules": True} if name == "CCSGameRulesProxy" else {"m_iTeamNum": 0}

    def put(self, index: int, values: Mapping[str, Any]) -> None:
        """Set fields of an entity; unchanged ones are not sent again."""
        known = self.objects[index].values
        news = {name: value for name, value in values.items() if known.get(name) != value}
        if news:
            super().put(index, news)

    def _pawn(self, player: int, tick: int) -> dict[str, Any]:
        _, team, x, y = PLAYERS[player]
        walked = min(tick, next((when for when, who, *_ in DEATHS if who == player), tick)) * 3.0
        angle = walked / 900 + player
        health = self._health[player]
        where = place_fields(x + math.cos(angle) * walked / 4, y + math.sin(angle) * walked / 4, 64.0)
        state: dict[str, Any] = {
            "m_iHealth": health,
            "m_ArmorValue": 100,
            "m_iTeamNum": team,
            "m_lifeState": int(not health),
        }
        return {
            "CBodyComponent": True,
            **where,
            **state,
            "m_szLastPlaceName": "TSpawn" if team == 2 else "CTSpawn",
        }

    def packets(self) -> Iterator[tuple[int, list[InnerMessage]]]:
        """Play the round; yield tick and messages of each packet."""
        for tick in range(2, _LAST_TICK + 1, 2):
            for when, who, *_ in DEATHS:
                if when - TICKS_PER_SECOND < tick <= when:
                    self._health[who] = 0 if tick == when else _HURT_HEALTH
            for player in range(len(PLAYERS)):
                self.put(_FIRST_PAWN + player, self._pawn(player, tick))
            self.put(_FIRST_TEAM, {"m_iScore": int(tick >= END_TICK)})
            self.put(_RULES, _rules(tick))
            yield tick, _said(tick)


def _said(tick: int) -> list[InnerMessage]:
    """Return game events and a line of chat."""
    server_tick = _FIRST_SERVER_TICK + tick
    messages = []
    if tick == 2:
        begun = {"timelimit": 115, "fraglimit": 0, "objective": "BOMB TARGET"}
        messages.append(_EVENTS.event("round_start", begun, server_tick))
    if tick == 192:
        messages.append(_EVENTS.event("round_freeze_end", {}, server_tick))
        line = {
            "entityindex": _FIRST_CONTROLLER,
            "chat": True,
            "messagename": "Cstrike_Chat_All",
            "param1": "Quartz",
            "param2": "glhf",
        }
        messages.append((Engine.SAY_TEXT_2, wire.encode("CUserMessageSayText2", line)))
    for when, who, killer, weapon in DEATHS:
        hurt = when - TICKS_PER_SECOND + 2
        if tick in (hurt, when):
            shot = {"userid": killer, "weapon": f"weapon_{weapon}"}
            messages.append(_EVENTS.event("weapon_fire", shot, server_tick))
            hit: dict[str, Any] = {
                "userid": who,
                "attacker": killer,
                "weapon": weapon,
                "armor": 100,
                "dmg_armor": 0,
            }
            first = tick == hurt
            hit |= {"health": _HURT_HEALTH if first else 0, "dmg_health": 100 - _HURT_HEALTH if first else 90}
            hit["hitgroup"] = 2 if first or who != 1 else 1
            messages.append(_EVENTS.event("player_hurt", hit, server_tick))
        if when == tick:
            values = {"userid": who, "attacker": killer, "weapon": weapon, "headshot": who == 1}
            messages.append(_EVENTS.event("player_death", values, server_tick))
    return messages


def sample_demo() -> bytes:
    """Return the bytes of the sample; always the same."""
    users = recording.user_entries(
        {"name": name, "xuid": _FIRST_ACCOUNT + slot} for slot, (name, *_) in enumerate(PLAYERS)
    )
    form = recording.RecordingForm(
        recording.server_info("de_sample", _GAME_DIR, 14155, TICKS_PER_SECOND),
        TICKS_PER_SECOND,
        _FIRST_SERVER_TICK,
        full_packet_every=60 * TICKS_PER_SECOND,
        signon=[_EVENTS.event_list()],
        string_tables=lambda: {"userinfo": users},
    )
    header = recording.file_header("de_sample", _GAME_DIR, 10230, 13987, server_start_tick=_FIRST_SERVER_TICK)
    game = _Round()
    return recording.write_recording(DemoWriter(header), game, form, game.packets())
