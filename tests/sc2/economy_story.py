"""A written game for tests of economies and fights: resources, casts with their results, production, a fight."""

from __future__ import annotations

from operator import itemgetter
from types import SimpleNamespace
from typing import Any

from tests.opened import open_as
from tests.samples.blizzard import EventWriter
from tests.samples.sc2 import replay as sample
from tests.samples.sc2.events import write_start, write_statistics

from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER
from playhead.sc2.protocol.tables import protocol_table
from playhead.sc2.replay import Sc2Replay


def _tag(index: int) -> dict[str, int]:
    return {"m_unitTagIndex": index, "m_unitTagRecycle": 1}


def _side(player: int) -> dict[str, int]:
    return {"m_controlPlayerId": player, "m_upkeepPlayerId": player}


def _appearance(player: int, index: int, kind: str, x: int, y: int) -> dict[str, Any]:
    return {"m_unitTypeName": kind.encode(), "m_x": x, "m_y": y, **_tag(index), **_side(player)}


def _start(out: EventWriter) -> None:
    """Write loop 0: two places with resources, town halls, and two workers who will not live long."""
    index = 100
    for x, y, side in ((40, 40, -1), (120, 110, 1)):
        for patch in range(8):
            where = _appearance(0, index + patch, "MineralField", x + 6 * side, y - 7 + 2 * patch)
            out.write(0, 0, "SUnitBornEvent", **where)
        out.write(0, 0, "SUnitBornEvent", **_appearance(0, index + 8, "VespeneGeyser", x, y - 7 * side))
        index += 10
    write_start(out)


def _units(out: EventWriter) -> None:
    _start(out)
    barracks, by_hatchery = _tag(21), {"m_creatorUnitTagIndex": 11, "m_creatorUnitTagRecycle": 1}
    out.write(640, 0, "SUnitInitEvent", **_appearance(1, 21, "Barracks", 44, 42))
    out.write(1500, 0, "SUnitTypeChangeEvent", **_tag(10), m_unitTypeName=b"OrbitalCommand")
    out.write(1670, 0, "SUnitDoneEvent", **barracks)
    out.write(1800, 0, "SUnitBornEvent", **_appearance(2, 22, "Queen", 118, 106), **by_hatchery)
    out.write(2100, 0, "SUnitBornEvent", **_appearance(1, 20, "Marine", 46, 42))
    # The map gives a Nexus to the player who holds its middle.
    out.write(2110, 0, "SUnitBornEvent", **_appearance(1, 24, "Nexus", 80, 75))
    out.write(2300, 0, "SUnitBornEvent", **_appearance(1, 23, "MULE", 36, 40))
    for larva in range(3):
        where = _appearance(2, 30 + larva, "Larva", 119 + larva, 106)
        out.write(3050 + 4 * larva, 0, "SUnitBornEvent", **where, **by_hatchery)
    out.write(3600, 0, "SUnitPositionsEvent", m_firstUnitIndex=20, m_items=[0, 60, 52])
    out.write(3730, 0, "SUnitDiedEvent", **_tag(23), m_x=35, m_y=38)
    out.write(4000, 0, "SUpgradeEvent", m_playerId=2, m_upgradeTypeName=b"zerglingmovementspeed", m_count=1)
    out.write(4480, 0, "SUnitTypeChangeEvent", **_tag(11), m_unitTypeName=b"Lair")
    killer = {"m_killerPlayerId": 1, "m_killerUnitTagIndex": 20, "m_killerUnitTagRecycle": 1}
    for loop, index, x, y in ((5900, 12, 122, 108), (5950, 13, 123, 110), (6000, 11, 120, 110)):
        out.write(loop, 0, "SUnitDiedEvent", **_tag(index), m_x=x, m_y=y, **killer)


def _select(out: EventWriter, loop: int, user: int, index: int, link: int, *, first: bool) -> None:
    """Select one unit, which replaces the previous selection."""
    out.write(
        loop,
        user,
        "SSelectionDeltaEvent",
        m_controlGroupId=10,
        m_delta={
            "m_removeMask": {"None": None} if first else {"Mask": frozenset({0})},
            "m_addSubgroups": [
                {"m_unitLink": link, "m_subgroupPriority": 1, "m_intraSubgroupPriority": 1, "m_count": 1}
            ],
            "m_addUnitTags": [index << 18 | 1],
        },
    )


def _target_unit(index: int, link: int, player: int, x: int, y: int) -> dict[str, Any]:
    return {
        "TargetUnit": {
            "m_targetUnitFlags": 0,
            "m_timer": 0,
            "m_tag": index << 18 | 1,
            "m_snapshotUnitLink": link,
            "m_snapshotControlPlayerId": player,
            "m_snapshotUpkeepPlayerId": player,
            "m_snapshotPoint": {"x": x * 4096, "y": y * 4096, "z": 8 * 4096},
        }
    }


def _ability(link: int) -> dict[str, Any]:
    return {"m_abilLink": link, "m_abilCmdIndex": 0, "m_abilCmdData": None}


def _orders(out: EventWriter) -> None:
    camera = {"m_target": {"x": 40 * 256, "y": 40 * 256}}
    out.write(3, 0, "SCameraUpdateEvent", **camera)
    out.write(10, 1, "SCameraUpdateEvent", m_target={"x": 120 * 256, "y": 110 * 256})
    _select(out, 20, 0, 10, 41, first=True)
    _select(out, 25, 1, 11, 109, first=True)
    _select(out, 1690, 0, 21, 43, first=False)
    # Three marines, of which two are cancelled again.
    out.write(1700, 0, "SCmdEvent", m_abil=_ability(161), m_data={"None": None}, m_sequence=1)
    out.write(1710, 0, "SCommandManagerStateEvent", m_state=1, m_sequence=2)
    out.write(1712, 0, "SCommandManagerStateEvent", m_state=1, m_sequence=3)
    out.write(1760, 0, "SCmdEvent", m_abil=_ability(124), m_data={"None": None}, m_sequence=4)
    out.write(1770, 0, "SCommandManagerStateEvent", m_state=1, m_sequence=5)
    _select(out, 2150, 0, 20, 72, first=False)
    out.write(2160, 0, "SControlGroupUpdateEvent", m_controlGroupIndex=1, m_controlGroupUpdate=0)
    point = {"x": 120 * 4096, "y": 110 * 4096, "z": 8 * 4096}
    out.write(2200, 0, "SCmdEvent", m_abil=_ability(40), m_data={"TargetPoint": point}, m_sequence=6)
    out.write(2210, 0, "SCmdUpdateTargetPointEvent", m_target=point)
    # The result of the update, then the same order once more.
    out.write(2210, 0, "SCommandManagerStateEvent", m_state=1, m_sequence=7)
    out.write(2240, 0, "SCommandManagerStateEvent", m_state=1, m_sequence=8)
    _select(out, 2290, 0, 10, 155, first=False)
    minerals = _target_unit(103, 545, 0, 34, 39)
    out.write(2300, 0, "SCmdEvent", m_abil=_ability(92), m_data=minerals, m_sequence=9)
    _select(out, 2390, 1, 22, 149, first=False)
    hatchery = _target_unit(11, 109, 2, 120, 110)
    out.write(2400, 1, "SCmdEvent", m_abil=_ability(113), m_data=hatchery, m_sequence=1)
    _select(out, 2490, 0, 24, 82, first=False)
    barracks = _target_unit(21, 43, 1, 44, 42)
    out.write(2500, 0, "SCmdEvent", m_abil=_ability(723), m_data=barracks, m_sequence=10)
    _select(out, 3990, 0, 10, 155, first=False)
    out.write(4000, 0, "SCmdEvent", m_abil=_ability(141), m_data={"TargetPoint": point}, m_sequence=11)
    out.write(6600, 1, "SGameUserLeaveEvent", m_leaveReason=0)


def story(*, tracked: bool = True) -> Sc2Replay:
    """Return the game of this module, perhaps without its tracker."""
    table = protocol_table(sample.HEADER.base_build, sample.HEADER.build)
    writers = {name: EventWriter(table, name) for name in (GAME, MESSAGE, TRACKER)}
    _orders(writers[GAME])
    if tracked:
        events: list[tuple[int, int, str, dict[str, Any]]] = []
        out: Any = SimpleNamespace(write=lambda *head, **fields: events.append((*head, fields)))
        _units(out)
        for loop in (1344, 2688, 4032, 5376, 6060):  # for each minute
            write_statistics(out, loop)
        for loop, user, name, fields in sorted(events, key=itemgetter(0)):
            writers[TRACKER].write(loop, user, name, **fields)
    data = sample.archive(sample.HEADER, {name: writer.to_bytes() for name, writer in writers.items()})
    return open_as(Sc2Replay, data)
