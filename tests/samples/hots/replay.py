"""A small synthetic replay: five minutes of two against two, on a map that does not exist."""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.samples.blizzard import (
    EventWriter,
    blank,
    new_details,
    write_details,
    write_header,
    write_lobby,
)
from tests.samples.hots.battle_lobby import lobby_record

from playhead.blizzard.members import member_names
from playhead.blizzard.members.details import DetailsPlayer, Toon
from playhead.blizzard.members.header import ReplayHeader
from playhead.blizzard.mpq.compression import ZLIB
from playhead.blizzard.mpq.writer import NewMember, write_archive
from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER, ProtocolTable
from playhead.hots.protocol import PROTOCOLS
from playhead.io.atomic import write_whole

FILE_NAME = "sample_hots.StormReplay"

BUILD = 91418
#: Loops at which the gates open, a hero dies, it lives again, and the game ends.
GATES, DEATH, REVIVAL, END = 610, 2400, 2700, 4800
#: Names, heroes as the tracker names them, and teams of the players.
PEOPLE = (("Needle", "Jaina", 0), ("Bobbin", "Muradin", 0), ("Spindle", "Valla", 1), ("Thimble", "Rehgar", 1))
#: Heroes whose name differs in the language of the client that saved the file.
SHOWN = {"Valla": "Walla"}
#: BattleTags and parties of the players.
TAGS = (("Needle#1234", 77), ("Bobbin#99999", 77), ("Spindle#4321", None), ("Thimble#5555", None))
TALENTS = ("JainaWintersReach", "MuradinPerfectStorm", "DemonHunterHotPursuit", "RehgarColossalTotem")

HEADER = ReplayHeader(
    signature=b"Heroes of the Storm replay\x1b11",
    flags=2,
    major=2,
    minor=55,
    revision=4,
    build=BUILD,
    base_build=BUILD,
    type=2,
    loops=END,
    ngdp_root_key=bytes(range(16)),
    data_build=BUILD,
    compatibility_hash=bytes(16),
    ngdp_root_key_is_dev_data=False,
)


def _player(number: int) -> DetailsPlayer:
    name, hero, team = PEOPLE[number - 1]
    return DetailsPlayer(
        marked_name=name,
        clan=None,
        name=name,
        toon=Toon(region=2, program="Hero", realm=1, name="", id=1000000 + number),
        race=" ",
        color=(0, number, 0, 1),
        control=2,
        team=team,
        handicap=0,
        observe=0,
        result=1 + team,
        working_set_slot=number - 1,
        hero=SHOWN.get(hero, hero),
    )


DETAILS = new_details(
    "Two Rivers",
    map(_player, range(1, len(PEOPLE) + 1)),
    datetime(2025, 1, 1, 12, 5, tzinfo=UTC),
    (b"s2ma\0\0EU" + bytes(range(32)),),
    difficulty=7,
)


def _lobby(table: ProtocolTable, *, custom: bool) -> bytes:
    """Return ``replay.initData`` with one user and slot for each player."""
    pool = table.pool
    root = {name: inner for name, inner, _ in pool.fields(table.init_data)}
    state = {name: inner for name, inner, _ in pool.fields(root["m_syncLobbyState"])}
    lobby = {name: inner for name, inner, _ in pool.fields(state["m_lobbyState"])}
    user_type, slot_type = pool.types[state["m_userInitialData"]][3], pool.types[lobby["m_slots"]][3]
    users, slots = [], []
    for user, (name, hero, team) in enumerate(PEOPLE):
        users.append(blank(pool, user_type) | {"m_name": name.encode()})
        slots.append(
            blank(pool, slot_type)
            | {
                "m_control": 2,
                "m_userId": user,
                "m_teamId": team,
                "m_workingSetSlotId": user,
                "m_toonHandle": (DETAILS.players[user].toon.handle or "").encode(),
                "m_hero": hero.encode(),
                "m_mount": b"Horse",
            }
        )
    options = {"m_battleNet": True, "m_amm": not custom, "m_competitive": True, "m_ammId": 50001}
    game = {"m_randomValue": 1234567, "m_gameOptions": options, "m_gameSpeed": 4, "m_isBlizzardMap": True}
    fields = {"m_userInitialData": users, "m_gameDescription": game, "m_lobbyState": {"m_slots": slots}}
    return write_lobby(table, {"m_syncLobbyState": fields})


def _attributes() -> bytes:
    """Return ``replay.attributes.events``: the speed and the lobby's mode."""
    rows = [(999, 3000, 16, b"Fasr"), (999, 4000, 16, b"Norm"), (999, 4010, 16, b"stan"), (999, 4018, 16, b"fcfs")]
    packed = b"".join(struct.pack("<IIB4s", *row[:3], row[3][::-1]) for row in rows)
    return struct.pack("<BII", 0, 999, len(rows)) + packed


def _keyed(values: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return the values of a statistic of the map; a tuple is a key that comes several times."""
    pairs = [
        (key, each) for key, value in values.items() for each in (value if isinstance(value, tuple) else (value,))
    ]
    return [{"__parent": {"m_key": key.encode()}, "m_value": value} for key, value in pairs] or None


def report(
    out: EventWriter, loop: int, statistic: str, texts: dict[str, str], numbers: dict[str, Any], **fixed: float
) -> None:
    out.write(
        loop,
        0,
        "SStatGameEvent",
        m_eventName=statistic.encode(),
        m_stringData=_keyed({key: text.encode() for key, text in texts.items()}),
        m_intData=_keyed(numbers),
        m_fixedData=_keyed({key: round(value * 4096) for key, value in fixed.items()}),
    )


def _draft(out: EventWriter, *, custom: bool) -> None:
    """Write two bans and the picks; of a custom game a ban, a skipped one, and no pick."""
    for team, hero in ((1, b"Alarak"), (2, b"NONE" if custom else b"Deathwing")):
        out.write(0, 0, "SHeroBannedEvent", m_hero=hero, m_controllingTeam=team)
    for slot, (_, hero_name, _) in enumerate(() if custom else PEOPLE):
        out.write(0, 0, "SHeroPickedEvent", m_hero=hero_name.encode(), m_controllingPlayer=slot)


def _begin(out: EventWriter, *, custom: bool) -> None:
    """Write the draft, the players, their heroes and a fort: loops 0 to the gates, which a custom map lacks."""
    _draft(out, custom=custom)
    for number in range(1, len(PEOPLE) + 1):
        user = number - 1
        out.write(0, 0, "SPlayerSetupEvent", m_playerId=number, m_type=1, m_userId=user, m_slotId=user)
    report(out, 0, "GameStart", {}, {}, MapSizeX=248, MapSizeY=208)
    for number, (_, _, team) in enumerate(PEOPLE, 1):
        account = DETAILS.players[number - 1].toon.handle or ""
        report(
            out,
            0,
            "PlayerInit",
            {"Controller": "User", "ToonHandle": account},
            {"PlayerID": number, "Team": team + 1},
        )
    for town, (side, x) in enumerate(((11, 60), (12, 180)), 1):
        born(out, 0, town, "TownTownHallL2", side, x, 104)
        report(
            out, 0, "TownStructureInit", {}, {"TownID": town, "Team": town, "Lane": 1}, PositionX=x, PositionY=104
        )
    born(out, 0, 21, "TownCannonTowerL2", 12, 176, 100)
    for number, (_, hero, team) in enumerate(PEOPLE, 1):
        born(out, 50, 10 + number, f"Hero{hero}", number, 40 + 160 * team, 100 + number)
        report(out, 50, "PlayerSpawned", {"Hero": f"Hero{hero}"}, {"PlayerID": number})
    for number in range(1, len(PEOPLE) + 1):
        report(out, 52, "LevelUp", {}, {"PlayerID": number, "Level": 1})
    for number, talent in enumerate(TALENTS, 1):
        report(out, 200, "TalentChosen", {"PurchaseName": talent}, {"PlayerID": number})
    if custom:
        return
    for number in range(1, len(PEOPLE) + 1):
        out.write(GATES, 0, "SUpgradeEvent", m_playerId=number, m_upgradeTypeName=b"GatesAreOpen", m_count=1)
    report(out, GATES, "GatesOpen", {}, {})


def born(out: EventWriter, loop: int, index: int, kind: str, player: int, x: int, y: int) -> None:
    who = {"m_controlPlayerId": player, "m_upkeepPlayerId": player}
    unit = {"m_unitTagIndex": index, "m_unitTagRecycle": 1, "m_unitTypeName": kind.encode()}
    out.write(loop, 0, "SUnitBornEvent", **unit, **who, m_x=x, m_y=y)


def _fights(out: EventWriter) -> None:
    """Write a kill, a globe, a camp, experience and the end."""
    globe = {"m_unitTagIndex": 20, "m_unitTagRecycle": 1}
    born(out, 900, 20, "RegenGlobe", 11, 118, 104)
    out.write(1000, 0, "SUnitDiedEvent", **globe, m_killerPlayerId=11, m_x=118, m_y=104)
    report(out, 1000, "RegenGlobePickedUp", {}, {"PlayerID": 2})
    for team in (1, 2):
        xp = {"MinionXP": 800.0 * team, "CreepXP": 0.0, "StructureXP": 0.0, "HeroXP": 0.0, "TrickleXP": 575.0}
        numbers = {"Team": team, "TeamLevel": team}
        report(out, 1570, "PeriodicXPBreakdown", {}, numbers, PreviousGameTime=0, GameTime=60, **xp)
    captured = {"CampID": 1}
    report(out, 2000, "JungleCampCapture", {"CampType": "Siege Camp"}, captured, TeamID=1, GameTime=86.875)
    hero = {"m_unitTagIndex": 13, "m_unitTagRecycle": 1, "m_x": 120, "m_y": 104}
    killer = {"m_killerPlayerId": 1, "m_killerUnitTagIndex": 11, "m_killerUnitTagRecycle": 1}
    out.write(DEATH, 0, "SUnitDiedEvent", **hero, **killer)
    report(out, DEATH, "PlayerDeath", {}, {"PlayerID": 3, "KillingPlayer": (1, 2)}, PositionX=120, PositionY=104)
    revived = {"m_unitTagIndex": 13, "m_unitTagRecycle": 1, "m_x": 200, "m_y": 103}
    out.write(REVIVAL, 0, "SUnitRevivedEvent", **revived)
    out.write(3600, 0, "SUnitPositionsEvent", m_firstUnitIndex=11, m_items=[0, 30, 26])
    tower = {"m_unitTagIndex": 21, "m_unitTagRecycle": 1}
    out.write(3900, 0, "SUnitTypeChangeEvent", **tower, m_unitTypeName=b"TownCannonTowerDead")
    fort = {"m_unitTagIndex": 2, "m_unitTagRecycle": 1, "m_x": 180, "m_y": 104}
    out.write(4000, 0, "SUnitDiedEvent", **fort, **killer)
    report(out, 4000, "TownStructureDeath", {}, {"TownID": 2, "KillingPlayer": (1, 2)})
    for number, (_, hero_name, team) in enumerate(PEOPLE, 1):
        texts = {"Hero": f"Hero{hero_name}", "Win/Loss": ("Win", "Loss")[team], "Map": "TwoRivers"}
        report(
            out,
            4700,
            "EndOfGameTalentChoices",
            texts | {"Tier 1 Choice": TALENTS[number - 1]},
            {"PlayerID": number},
        )
    scores = {"Takedowns": (1, 1, 0, 0), "Deaths": (0, 0, 1, 0), "SoloKill": (1, 0, 0, 0), "Assists": (0, 1, 0, 0)}
    scores |= {"Level": (3, 3, 2, 2), "HeroDamage": (2500, 900, 1800, 300), "Healing": (0, 0, 0, 2200)}
    out.write(
        4700,
        0,
        "SScoreResultEvent",
        m_instanceList=[
            {
                "m_name": name.encode(),
                "m_values": [[{"m_value": value, "m_time": 255}] for value in values] + [[]] * 12,
            }
            for name, values in scores.items()
        ],
    )


def _inputs(out: EventWriter) -> None:
    point = {"x": 120 * 4096, "y": 104 * 4096, "z": 8 * 4096}
    out.write(2, 0, "SCameraUpdateEvent", m_target={"x": 40 * 256, "y": 101 * 256})
    delta = {
        "m_addSubgroups": [
            {"m_unitLink": 602, "m_subgroupPriority": 1, "m_intraSubgroupPriority": 1, "m_count": 1}
        ]
    }
    out.write(
        53, 0, "SSelectionDeltaEvent", m_controlGroupId=10, m_delta=delta | {"m_addUnitTags": [11 << 18 | 1]}
    )
    for user, (_, _, team) in enumerate(PEOPLE):
        out.write(206 + team, user, "SHeroTalentTreeSelectedEvent", m_index=user)
    out.write(700, 0, "SCmdEvent", m_data={"TargetPoint": point}, m_sequence=1)
    out.write(710, 0, "SCmdUpdateTargetPointEvent", m_target=point)
    out.write(710, 0, "SCommandManagerStateEvent", m_state=1, m_sequence=2)
    out.write(4750, 3, "SGameUserLeaveEvent", m_leaveReason=0)


def _messages(out: EventWriter) -> None:
    out.write(0, 0, "SLoadingProgressMessage", m_progress=100)
    out.write(60, 0, "SChatMessage", m_recipient=1, m_string=b"gl hf")
    out.write(2410, 2, "SPingMessage", m_recipient=1, m_point={"x": 120 * 4096, "y": 104 * 4096})
    out.write(4740, 3, "SChatMessage", m_recipient=1, m_string=b"gg")


def sample_streams(
    table: ProtocolTable, more: Callable[[EventWriter], None] | None = None, *, custom: bool = False
) -> dict[str, bytes]:
    """Return the three event streams by name."""
    writers = {name: EventWriter(table, name) for name in (GAME, MESSAGE, TRACKER)}
    _inputs(writers[GAME])
    _messages(writers[MESSAGE])
    _begin(writers[TRACKER], custom=custom)
    _fights(writers[TRACKER])
    if more is not None:
        more(writers[TRACKER])
    return {name: writer.to_bytes() for name, writer in writers.items()}


def sample_bytes(more: Callable[[EventWriter], None] | None = None, *, custom: bool = False) -> bytes:
    """Return the replay; the same bytes on every call.

    Args:
        more: writes further events of the tracker.
        custom: a custom game, whose map has no gates.
    """
    table = PROTOCOLS.table(BUILD, BUILD)
    streams = sample_streams(table, more, custom=custom)
    members = {
        member_names.DETAILS: write_details(DETAILS),
        member_names.INIT_DATA: _lobby(table, custom=custom),
        member_names.GAME_EVENTS: streams[GAME],
        member_names.MESSAGE_EVENTS: streams[MESSAGE],
        member_names.TRACKER_EVENTS: streams[TRACKER],
        member_names.GAME_ATTRIBUTES: _attributes(),
        member_names.BATTLE_LOBBY: b"".join(lobby_record(place, *each) for place, each in enumerate(TAGS, 1)),
    }
    packed = [NewMember(name, data, method=ZLIB) for name, data in members.items()]
    return write_archive(packed, write_header(HEADER))


def write_sample(folder: Path) -> Path:
    """Write the replay into `folder` as `FILE_NAME`; return its path."""
    path = folder / FILE_NAME
    write_whole(path, sample_bytes())
    return path
