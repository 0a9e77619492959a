"""A synthetic Dota 2 recording for the engine's tests: two teams, a draft, two kills, a little chat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.samples.source2 import recording
from tests.samples.source2.constants import FIRST_ACCOUNT, FIRST_SERVER_TICK, TICKS_PER_SECOND
from tests.samples.source2.encoding import encode_class_names, encode_send_tables
from tests.samples.source2.engine_messages import event_list, messages_at

from playhead.dota2.sources.roster import DIRE, RADIANT
from playhead.io.atomic import write_whole
from playhead.source2.container.frames import CLASS_INFO, SEND_TABLES
from playhead.source2.messages import wire
from playhead.source2.messages.numbers import Engine, message_number
from playhead.source2.schema.send_tables import Model, Serializer, SerializerField
from playhead.source2.schema.types import parse_field_type
from playhead.source2.writing import demo

_GAME_DIR = "/srv/dota/game/dota"
_CHAT_MESSAGE = message_number("dota2", "DOTA_UM_ChatMessage")
_LAST_TICK = 900
_FULL_PACKETS = (2, 600)
_FIRST_ITEM_TICK = 100

# name, hero, team, hero id; ids and internal names are the game's
PLAYERS = (
    ("Aster", "npc_dota_hero_axe", RADIANT, 2),
    ("Birch", "npc_dota_hero_lina", RADIANT, 25),
    ("Cedar", "npc_dota_hero_sven", RADIANT, 18),
    ("Dill", "npc_dota_hero_tiny", RADIANT, 19),
    ("Elm", "npc_dota_hero_lion", RADIANT, 26),
    ("Fern", "npc_dota_hero_pudge", DIRE, 14),
    ("Gorse", "npc_dota_hero_zuus", DIRE, 22),
    ("Hazel", "npc_dota_hero_kunkka", DIRE, 23),
    ("Iris", "npc_dota_hero_drow_ranger", DIRE, 6),
    ("Juniper", "npc_dota_hero_lich", DIRE, 31),
)

# tick, player, channel (11 all, 12 team), text
_CHAT = (
    (60, 0, 11, "glhf"),
    (64, 6, 11, "gl hf, have fun"),
    (210, 2, 12, "ward their jungle please"),
    (456, 8, 12, "missing mid"),
    (880, 5, 11, "gg"),
    (884, 1, 11, "gg wp"),
)


def steam_id(slot: int) -> int:
    """Return the Steam id of the player in that slot."""
    return FIRST_ACCOUNT + slot


def chat_messages(tick: int) -> list[demo.InnerMessage]:
    """Return a chat line in Dota's own form; lines to all are also sent as the engine's SayText2."""
    messages = []
    for when, player, channel, text in _CHAT:
        if when != tick:
            continue
        own = {"source_player_id": player, "channel_type": channel, "message_text": text}
        messages.append((_CHAT_MESSAGE, wire.encode("CDOTAUserMsg_ChatMessage", own)))
    if tick == 2:
        engine = {
            "entityindex": 10,
            "chat": True,
            "messagename": "DOTA_Chat_All",
            "param1": PLAYERS[9][0],
            "param2": "can everybody hear me?",
        }
        messages.append((Engine.SAY_TEXT_2, wire.encode("CUserMessageSayText2", engine)))
    return messages


def userinfo() -> list[demo.StringTableEntry]:
    """Return the entries of the string table ``userinfo``."""
    people = (
        {"name": name, "xuid": steam_id(slot), "userid": slot, "fakeplayer": False}
        for slot, (name, *_) in enumerate(PLAYERS)
    )
    return recording.user_entries(people)


def _schema() -> list[Serializer]:
    """Return a small hero class: a body below a pointer, quantized and plain values, arrays and vectors."""

    def field(name: str, type_text: str, model: str = Model.SCALAR, **declared: Any) -> SerializerField:
        return SerializerField(name, parse_field_type(type_text), model, **declared)

    body = Serializer(
        "CBodyComponent",
        0,
        (
            field("m_cellX", "uint16"),
            field("m_cellY", "uint16"),
            field("m_vecX", "CNetworkedQuantizedFloat", bit_count=10, low=0.0, high=128.0, flags=2),
            field("m_vecY", "CNetworkedQuantizedFloat", bit_count=10, low=0.0, high=128.0, flags=2),
        ),
    )
    heroes = [
        Serializer(
            "CDOTA_Unit_Hero_" + hero.removeprefix("npc_dota_hero_").title(),
            0,
            (
                field("CBodyComponent", "CBodyComponent", Model.TABLE, serializer=("CBodyComponent", 0)),
                field("m_iHealth", "int32"),
                field("m_flMana", "float32", bit_count=0),
                field("m_angRotation", "QAngle", encoder="qangle_precise", bit_count=20),
                field("m_hItems", "CHandle< CBaseEntity >[19]", Model.ARRAY),
                field("m_vecAbilities", "CNetworkUtlVectorBase< CHandle< CBaseEntity > >", Model.VECTOR),
            ),
        )
        for _, hero, *_ in PLAYERS
    ]
    return [body, *heroes]


def _picks_bans() -> list[dict[str, Any]]:
    bans = [
        {"is_pick": False, "team": team, "hero_id": hero} for team, hero in ((2, 74), (3, 86), (2, 11), (3, 1))
    ]
    turns = [0, 5, 6, 1, 2, 7, 8, 3, 4, 9]
    return bans + [{"is_pick": True, "team": PLAYERS[i][2], "hero_id": PLAYERS[i][3]} for i in turns]


#: A short captain's mode: bans first, then alternating picks.
PICKS_BANS = _picks_bans()


def file_info() -> dict[str, object]:
    dota = {
        "match_id": 7000000001,
        "game_mode": 2,
        "game_winner": RADIANT,
        "player_info": [
            {
                "hero_name": hero,
                "player_name": name,
                "is_fake_client": False,
                "steamid": steam_id(slot),
                "game_team": team,
            }
            for slot, (name, hero, team, _) in enumerate(PLAYERS)
        ],
        "picks_bans": PICKS_BANS,
        "radiant_team_tag": "GRV",
        "dire_team_tag": "MOR",
        "end_time": 1767225600,
    }
    return {
        "playback_time": _LAST_TICK / TICKS_PER_SECOND,
        "playback_ticks": _LAST_TICK,
        "playback_frames": _LAST_TICK // 2,
        "game_info": {"dota": dota},
    }


def sample_demo() -> bytes:
    """Return the bytes of the sample; always the same."""
    writer = demo.DemoWriter(recording.file_header("start", _GAME_DIR, build=10000))
    server = recording.server_info("start", _GAME_DIR, 1210, TICKS_PER_SECOND) | {"max_classes": len(PLAYERS)}
    # The names that combat-log entries refer to by number.
    names = recording.numbered_entries(hero for _, hero, *_ in PLAYERS)
    writer.signon(
        [
            (Engine.SERVER_INFO, wire.encode("CSVCMsg_ServerInfo", server)),
            demo.create_string_table("userinfo", userinfo()),
            demo.create_string_table("CombatLogNames", names),
            event_list(),
        ]
    )
    schema = _schema()
    writer.frame(SEND_TABLES, -1, encode_send_tables(schema))
    class_names = {number: serializer.name for number, serializer in enumerate(schema[1:])}
    writer.frame(CLASS_INFO, -1, encode_class_names(class_names))
    writer.string_tables(
        [recording.table_dump("userinfo", userinfo()), recording.table_dump("CombatLogNames", names)]
    )
    writer.sync_tick()
    for tick in range(2, _LAST_TICK + 1, 2):
        now = recording.net_tick(FIRST_SERVER_TICK + tick)
        if tick in _FULL_PACKETS:
            writer.full_packet(tick, [recording.table_dump("CombatLogNames", names)], [now])
        news = []
        if tick == _FIRST_ITEM_TICK:
            # A name is added to the table when it is first needed.
            names.append((len(names), b"item_tango", None))
            news.append(demo.update_string_table(1, names[-1:]))
        writer.packet(tick, [now, *news, *chat_messages(tick), *messages_at(tick)])
    return writer.finish(_LAST_TICK, file_info())


def write_sample(folder: Path) -> Path:
    """Write ``sample_dota2.dem`` into `folder`; return its path."""
    path = folder / "sample_dota2.dem"
    write_whole(path, sample_demo())
    return path
