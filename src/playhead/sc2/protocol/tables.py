"""`PROTOCOLS`: the type tables of StarCraft II, and the one of a member that no table describes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from playhead.blizzard.protocol.patches import insert
from playhead.blizzard.protocol.pool import TypePool
from playhead.blizzard.protocol.program import Program
from playhead.blizzard.protocol.protocols import Protocols
from playhead.runtime.beside import path_beside
from playhead.sc2.protocol.installed import installed_table
from playhead.sc2.protocol.patches import PATCHES

PROTOCOLS = Protocols(path_beside(__file__, "tables.json.zlib"), PATCHES, installed_table)

known_builds = PROTOCOLS.known_builds
wire_formats = PROTOCOLS.wire_formats
distinct_builds = PROTOCOLS.distinct_builds
protocol_table = PROTOCOLS.table
event_program = PROTOCOLS.event_program
init_data_program = PROTOCOLS.init_data_program


@lru_cache(maxsize=1)
def replay_info_type() -> tuple[TypePool, int]:
    """Return the pool, and the number of the type of ``replay.info`` (betas up to 0.10) up to the map's title.

    It is the lobby of protocol 15405 with these differences, found on the 21 replays of that time: two more bits
    of game options (it is unknown which two, so all 16 are one number), the file name of the mod after its
    checksum, no ``m_isBlizzardMap``, and slots without rewards.
    """
    pool, tables = PROTOCOLS.stored

    def changed(type_: int, **fields: list[Any] | int | None) -> int:
        """Return a struct with changed or removed fields."""
        new = [
            [name, fields.get(name, inner), tag]
            for name, inner, tag in pool.fields(type_)
            if fields.get(name, inner) is not None
        ]
        return pool.add(["struct", [[n, pool.add(t) if isinstance(t, list) else t, tag] for n, t, tag in new]])

    def inner(type_: int, name: str) -> int:
        found: int = next(known for field, known, _ in pool.fields(type_) if field == name)
        return found

    state = inner(tables[15405]["init_data"], "m_syncLobbyState")
    game = inner(state, "m_gameDescription")
    game = changed(game, m_gameOptions=["int", 0, 16], m_isBlizzardMap=None)
    game = insert(pool, game, [], ["m_modFileName", pool.add(["blob", 0, 10]), -1], "m_modFileSyncChecksum")
    lobby = inner(state, "m_lobbyState")
    kind, least, width, slot = pool.types[inner(lobby, "m_slots")]
    lobby = changed(lobby, m_slots=[kind, least, width, changed(slot, m_rewards=None)])
    state = changed(state, m_gameDescription=game, m_lobbyState=lobby)
    title = ["m_title", pool.add(["blob", 0, 10]), -1]
    return pool, pool.add(["struct", [["m_syncLobbyState", state, -1], title]])


@lru_cache(maxsize=1)
def replay_info_program() -> Program:
    """Return the program for the first part of ``replay.info``: one event, number 0."""
    program = Program()
    program.add(0, "ReplayInfo", *replay_info_type())
    return program
