"""Events of the synthetic replay: a lobby, chat, orders, units, and a player who leaves."""

from __future__ import annotations

import struct

from tests.samples.blizzard import EventWriter, blank, write_lobby, write_sync

from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER, ProtocolTable


def write_start(out: EventWriter) -> None:
    """Write the players, their first units, an upgrade and the first statistics: loops 0 and 1."""
    for player, user in ((1, 0), (2, 1)):
        out.write(0, 0, "SPlayerSetupEvent", m_playerId=player, m_type=1, m_userId=user, m_slotId=user)
    starts = (
        *((1, 10, "CommandCenter", 40, 40), (2, 11, "Hatchery", 120, 110)),
        *((2, 12, "Drone", 122, 108), (2, 13, "Drone", 123, 110)),
    )
    for player, index, kind, x, y in starts:
        where = {"m_controlPlayerId": player, "m_upkeepPlayerId": player, "m_x": x, "m_y": y}
        out.write(
            0, 0, "SUnitBornEvent", m_unitTagIndex=index, m_unitTagRecycle=1, m_unitTypeName=kind.encode(), **where
        )
    out.write(0, 0, "SUpgradeEvent", m_playerId=1, m_upgradeTypeName=b"SprayTerran", m_count=1)
    write_statistics(out, 1)


def write_statistics(out: EventWriter, loop: int) -> None:
    """Write what both players have: as at the start."""
    for player in (1, 2):
        out.write(
            loop,
            0,
            "SPlayerStatsEvent",
            m_playerId=player,
            m_stats={
                "m_scoreValueMineralsCurrent": 50,
                "m_scoreValueFoodUsed": 12 * 4096,
                "m_scoreValueFoodMade": (15, 12)[player - 1] * 4096,
            },
        )


def _units(out: EventWriter) -> None:
    write_start(out)
    marine = {"m_unitTagIndex": 20, "m_unitTagRecycle": 1}
    side = {"m_controlPlayerId": 1, "m_upkeepPlayerId": 1}
    barracks = {"m_unitTagIndex": 21, "m_unitTagRecycle": 1}
    out.write(640, 0, "SUnitInitEvent", m_unitTypeName=b"Barracks", m_x=44, m_y=42, **barracks, **side)
    out.write(1670, 0, "SUnitDoneEvent", **barracks)
    out.write(2100, 0, "SUnitBornEvent", m_unitTypeName=b"Marine", m_x=46, m_y=42, **marine, **side)
    out.write(
        2200, 0, "SUnitTypeChangeEvent", m_unitTagIndex=10, m_unitTagRecycle=1, m_unitTypeName=b"OrbitalCommand"
    )
    mule = {"m_unitTagIndex": 23, "m_unitTagRecycle": 1}
    out.write(2300, 0, "SUnitBornEvent", m_unitTypeName=b"MULE", m_x=36, m_y=40, **mule, **side)
    out.write(3600, 0, "SUnitPositionsEvent", m_firstUnitIndex=20, m_items=[0, 60, 52])
    out.write(4000, 0, "SUpgradeEvent", m_playerId=2, m_upgradeTypeName=b"zerglingmovementspeed", m_count=1)
    out.write(4480, 0, "SUnitTypeChangeEvent", m_unitTagIndex=11, m_unitTagRecycle=1, m_unitTypeName=b"Lair")
    killer = {"m_killerPlayerId": 1, "m_killerUnitTagIndex": 20, "m_killerUnitTagRecycle": 1}
    for loop, index, x, y in ((5900, 12, 122, 108), (5950, 13, 123, 110), (6000, 11, 120, 110)):
        unit = {"m_unitTagIndex": index, "m_unitTagRecycle": 1, "m_x": x, "m_y": y}
        out.write(loop, 0, "SUnitDiedEvent", **unit, **killer)


def _orders(out: EventWriter) -> None:
    marine = 20 << 18 | 1
    camera = {"m_target": {"x": 40 * 256, "y": 40 * 256}}
    out.write(3, 0, "SCameraUpdateEvent", **camera)
    out.write(10, 1, "SCameraUpdateEvent", m_target={"x": 120 * 256, "y": 110 * 256})
    for loop, user, tag, link in ((20, 0, 10 << 18 | 1, 41), (25, 1, 11 << 18 | 1, 109), (2150, 0, marine, 72)):
        out.write(
            loop,
            user,
            "SSelectionDeltaEvent",
            m_controlGroupId=10,
            m_delta={
                # The marine replaces the previous selection.
                "m_removeMask": {"Mask": frozenset({0})} if tag == marine else {"None": None},
                "m_addSubgroups": [
                    {"m_unitLink": link, "m_subgroupPriority": 1, "m_intraSubgroupPriority": 1, "m_count": 1}
                ],
                "m_addUnitTags": [tag],
            },
        )
    out.write(2160, 0, "SControlGroupUpdateEvent", m_controlGroupIndex=1, m_controlGroupUpdate=0)
    point = {"x": 120 * 4096, "y": 110 * 4096, "z": 8 * 4096}
    attack = {"m_abilLink": 40, "m_abilCmdIndex": 0, "m_abilCmdData": None}
    out.write(2200, 0, "SCmdEvent", m_abil=attack, m_data={"TargetPoint": point}, m_sequence=1)
    out.write(2210, 0, "SCmdUpdateTargetPointEvent", m_target=point)
    # The result of the update, then the same order once more.
    out.write(2210, 0, "SCommandManagerStateEvent", m_state=1, m_sequence=2)
    out.write(2240, 0, "SCommandManagerStateEvent", m_state=1, m_sequence=3)
    _casts(out, point)
    out.write(6600, 1, "SGameUserLeaveEvent", m_leaveReason=0)


def _casts(out: EventWriter, point: dict[str, int]) -> None:
    """Write a chrono boost and an inject of the hatchery, and a scan."""
    hatchery = {
        "m_targetUnitFlags": 0,
        "m_timer": 0,
        "m_tag": 11 << 18 | 1,
        "m_snapshotUnitLink": 109,
        "m_snapshotControlPlayerId": 2,
        "m_snapshotUpkeepPlayerId": 2,
        "m_snapshotPoint": point,
    }
    unit, place = {"TargetUnit": hatchery}, {"TargetPoint": point}
    for loop, user, link, target in ((4100, 1, 723, unit), (4200, 1, 113, unit), (4300, 0, 141, place)):
        ability = {"m_abilLink": link, "m_abilCmdIndex": 0, "m_abilCmdData": None}
        out.write(loop, user, "SCmdEvent", m_abil=ability, m_data=target, m_sequence=1)


def sample_streams(table: ProtocolTable) -> dict[str, bytes]:
    """Return the three event streams by name."""
    writers = {name: EventWriter(table, name) for name in (GAME, MESSAGE, TRACKER)}
    _orders(writers[GAME])
    _units(writers[TRACKER])
    messages = writers[MESSAGE]
    messages.write(0, 0, "SLoadingProgressMessage", m_progress=100)
    messages.write(60, 0, "SChatMessage", m_recipient=0, m_string=b"gl hf")
    messages.write(90, 1, "SChatMessage", m_recipient=0, m_string=b"u2")
    messages.write(3000, 0, "SPingMessage", m_recipient=1, m_point={"x": 60 * 4096, "y": 52 * 4096})
    messages.write(6590, 1, "SChatMessage", m_recipient=0, m_string=b"gg")
    return {name: writer.to_bytes() for name, writer in writers.items()}


def sample_lobby(table: ProtocolTable, names: tuple[str, ...], accounts: tuple[str, ...]) -> bytes:
    """Return ``replay.initData`` with one user and slot per name."""
    pool = table.pool
    root = {name: inner for name, inner, _ in pool.fields(table.init_data)}
    state = {name: inner for name, inner, _ in pool.fields(root["m_syncLobbyState"])}
    lobby = {name: inner for name, inner, _ in pool.fields(state["m_lobbyState"])}
    user_type, slot_type = pool.types[state["m_userInitialData"]][3], pool.types[lobby["m_slots"]][3]
    users, slots = [], []
    for place, (name, account) in enumerate(zip(names, accounts, strict=True)):
        users.append(blank(pool, user_type) | {"m_name": name.encode(), "m_scaledRating": 4321 - 21 * place})
        slots.append(
            blank(pool, slot_type)
            | {
                "m_control": 2,
                "m_userId": place,
                "m_teamId": place,
                "m_handicap": 100,
                "m_workingSetSlotId": place,
                "m_toonHandle": account.encode(),
            }
        )
    fields = {"m_userInitialData": users, "m_lobbyState": {"m_slots": slots, "m_maxUsers": 2}}
    return write_lobby(table, {"m_syncLobbyState": {**fields, "m_gameDescription": {"m_gameSpeed": 4}}})


def sample_attributes() -> bytes:
    """Return ``replay.attributes.events``: the game speed, and two human players."""
    rows = [(999, 3000, 16, b"Fasr"), (999, 500, 1, b"Humn"), (999, 500, 2, b"Humn")]
    packed = b"".join(struct.pack("<IIB4s", *row[:3], row[3][::-1]) for row in rows)
    return struct.pack("<BII", 0, 999, len(rows)) + packed


def sample_sync(loops: int) -> bytes:
    """Return ``replay.sync.events``: a checksum every 64 loops."""
    return write_sync({loop: loop * 40503 & 0xFFFF for loop in range(64, loops, 64)})


def sample_resumable(loop: int) -> bytes:
    """Return ``replay.resumable.events``: the second player leaves."""
    return struct.pack("<IBBIH", loop, 2, 1, 0xFF0014FF, 7) + b"Spindle"
