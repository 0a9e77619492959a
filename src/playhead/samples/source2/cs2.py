"""A synthetic CS2 recording of twenty seconds: one round, in which four players walk and two of them die."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from playhead.io.atomic import write_whole
from playhead.samples.source2.match_schema import declare_field
from playhead.source2.container.frames import CLASS_INFO, SEND_TABLES
from playhead.source2.entities.manager import INSTANCE_BASELINE
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine
from playhead.source2.schema.send_tables import SendTables, Serializer
from playhead.source2.string_tables.entries import COMPRESSED_VALUES
from playhead.source2.writing.demo import DemoWriter, InnerMessage, StringTableEntry, create_string_table
from playhead.source2.writing.entities import ClassWriter, EntityMessage
from playhead.source2.writing.messages import GameEventWriter
from playhead.source2.writing.send_tables import encode_class_names, encode_send_tables

FILE_NAME = "sample_cs2.dem"
TICKS_PER_SECOND = 64
_LAST_TICK = 20 * TICKS_PER_SECOND
_FIRST_SERVER_TICK = 2000
_GAME_DIR = "/srv/cs2/game/csgo"
_CELL = 512
_HALF_MAP = 16384
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
_SERIAL_BITS = 14

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


#: Fields that all entities of a class share, where it is not the team.
_BASELINES = {"CCSGameRulesProxy": {"m_pGameRules": True}}
_NO_TEAM = {"m_iTeamNum": 0}


def _schema() -> tuple[SendTables, dict[int, str]]:
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


def _handle(index: int) -> int:
    """Return the handle of an entity of the sample, whose serial is its index."""
    return index << _SERIAL_BITS | index


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


def _place(x: float, y: float) -> dict[str, Any]:
    out: dict[str, Any] = {"CBodyComponent": True, "CBodyComponent.m_cellZ": 32, "CBodyComponent.m_vecZ": 64.0}
    for axis, value in (("X", x), ("Y", y)):
        cell, rest = divmod(value + _HALF_MAP, _CELL)
        out |= {f"CBodyComponent.m_cell{axis}": int(cell), f"CBodyComponent.m_vec{axis}": rest}
    return out


class _Round:
    """The players at a tick."""

    def __init__(self) -> None:
        self.send_tables, self.class_names = _schema()
        self._class_bits = len(self.class_names).bit_length()
        self._writers = {
            name: ClassWriter(number, name, self.send_tables) for number, name in self.class_names.items()
        }
        self._health = [100] * len(PLAYERS)
        self._told = [self._pawn(player, 0) for player in range(len(PLAYERS))]

    def baselines(self) -> list[StringTableEntry]:
        """Return the entries of ``instancebaseline``: the fields that all entities of a class share."""
        return [
            (
                at,
                str(number).encode(),
                self._writers[name].encode_baseline(_BASELINES.get(name, {"m_iTeamNum": 0})),
            )
            for at, (number, name) in enumerate(self.class_names.items())
        ]

    def _pawn(self, player: int, tick: int) -> dict[str, Any]:
        _, team, x, y = PLAYERS[player]
        walked = min(tick, next((when for when, who, *_ in DEATHS if who == player), tick)) * 3.0
        angle = walked / 900 + player
        health = self._health[player]
        where = _place(x + math.cos(angle) * walked / 4, y + math.sin(angle) * walked / 4)
        state = {"m_iHealth": health, "m_ArmorValue": 100, "m_iTeamNum": team, "m_lifeState": int(not health)}
        return {**where, **state, "m_szLastPlaceName": "TSpawn" if team == 2 else "CTSpawn"}

    def state(self, tick: int) -> InnerMessage:
        """Return the complete state, as in a full packet."""
        message = EntityMessage(self._class_bits, delta=False)
        rules = {"m_pGameRules": True, **_rules(tick)}
        for player, (name, team, *_) in enumerate(PLAYERS):
            values = {"m_iszPlayerName": name, "m_iPing": 20 + player, "m_iTeamNum": team}
            values |= {"m_steamID": _FIRST_ACCOUNT + player, "m_hPlayerPawn": _handle(_FIRST_PAWN + player)}
            index = _FIRST_CONTROLLER + player
            message.create(index, index, self._writers["CCSPlayerController"], values)
        for player in range(len(PLAYERS)):
            index = _FIRST_PAWN + player
            message.create(index, index, self._writers["CCSPlayerPawn"], self._pawn(player, tick))
        for number, (title, team) in enumerate((("TERRORIST", 2), ("CT", 3)), 1):
            values = {"m_szTeamname": title, "m_iScore": _score(team, tick), "m_iTeamNum": team}
            index = _FIRST_TEAM - 1 + number
            message.create(index, index, self._writers["CCSTeam"], values)
        message.create(_RULES, _RULES, self._writers["CCSGameRulesProxy"], rules)
        return message.encode(server_tick=_FIRST_SERVER_TICK + tick)

    def changes(self, tick: int, before: int) -> InnerMessage:
        """Return the changes since the tick `before`."""
        message = EntityMessage(self._class_bits)
        for when, who, *_ in DEATHS:
            if when - TICKS_PER_SECOND < tick <= when:
                self._health[who] = 0 if tick == when else _HURT_HEALTH
        for player in range(len(PLAYERS)):
            now = self._pawn(player, tick)
            news = {name: value for name, value in now.items() if self._told[player].get(name) != value}
            self._told[player] = now
            if news:
                message.update(_FIRST_PAWN + player, self._writers["CCSPlayerPawn"], news)
        if _score(2, tick) != _score(2, before):
            message.update(_FIRST_TEAM, self._writers["CCSTeam"], {"m_iScore": _score(2, tick)})
        known = _rules(before)
        news = {name: value for name, value in _rules(tick).items() if known[name] != value}
        if news:
            message.update(_RULES, self._writers["CCSGameRulesProxy"], news)
        server = _FIRST_SERVER_TICK
        return message.encode(server_tick=server + tick, delta_from=server + before)


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


def _net_tick(tick: int) -> InnerMessage:
    return Engine.NET_TICK, wire.encode("CNETMsg_Tick", {"tick": _FIRST_SERVER_TICK + tick})


def sample_demo() -> bytes:
    """Return the bytes of the sample; always the same."""
    game = _Round()
    header = {
        "patch_version": 14155,
        "server_name": "playhead sample",
        "client_name": "SourceTV Demo",
        "map_name": "de_sample",
        "game_directory": _GAME_DIR,
        "demo_version_name": "valve_demo_2",
        "build_num": 10772,
        "server_start_tick": _FIRST_SERVER_TICK,
    }
    server = {
        "protocol": 14155,
        "is_dedicated": True,
        "is_hltv": True,
        "max_clients": 64,
        "max_classes": len(game.class_names),
        "tick_interval": 1 / TICKS_PER_SECOND,
        "game_dir": _GAME_DIR,
        "map_name": "de_sample",
        "host_name": "playhead sample",
    }
    users: list[StringTableEntry] = [
        (slot, str(slot).encode(), wire.encode("CMsgPlayerInfo", {"name": name, "xuid": _FIRST_ACCOUNT + slot}))
        for slot, (name, *_) in enumerate(PLAYERS)
    ]
    baselines = game.baselines()
    writer = DemoWriter(header)
    writer.signon([(Engine.CLEAR_ALL_STRING_TABLES, b"")])
    writer.signon(
        [
            create_string_table(INSTANCE_BASELINE, baselines, flags=COMPRESSED_VALUES),
            create_string_table("userinfo", users),
        ]
    )
    writer.signon([(Engine.SERVER_INFO, wire.encode("CSVCMsg_ServerInfo", server)), _EVENTS.event_list()])
    writer.frame(SEND_TABLES, -1, encode_send_tables(game.send_tables))
    writer.frame(CLASS_INFO, -1, encode_class_names(game.class_names))
    dumps = [
        {
            "table_name": name,
            "items": [{"str": (key or b"").decode(), "data": value or b""} for _, key, value in rows],
        }
        for name, rows in ((INSTANCE_BASELINE, baselines), ("userinfo", users))
    ]
    writer.string_tables(dumps)
    writer.signon([(Engine.CLASS_INFO, wire.encode("CSVCMsg_ClassInfo", {"create_on_client": True}))])
    writer.sync_tick()
    first = [_net_tick(0), game.state(0)]
    writer.packet(0, first)
    writer.full_packet(0, dumps, first)
    for tick in range(2, _LAST_TICK + 1, 2):
        writer.packet(tick, [_net_tick(tick), game.changes(tick, tick - 2), *_said(tick)])
    length = {"playback_time": _LAST_TICK / TICKS_PER_SECOND, "playback_ticks": _LAST_TICK}
    return writer.finish(_LAST_TICK, length | {"playback_frames": _LAST_TICK // 2})


def write_sample(folder: Path) -> Path:
    """Write the recording into `folder` as `FILE_NAME`; return its path."""
    path = folder / FILE_NAME
    write_whole(path, sample_demo())
    return path
