"""``replay.initData`` (the lobby) and ``replay.attributes.events`` (its settings as the map sees them)."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from playhead.bits import ByteReader
from playhead.blizzard.encoding.event_decoder import EventDecoder
from playhead.blizzard.encoding.versioned import check_end
from playhead.blizzard.members.details import CONTROL_KINDS
from playhead.blizzard.members.text import decode_text
from playhead.blizzard.protocol.program import Program
from playhead.errors import CorruptReplay

#: Namespace, attribute, scope, and the value backwards.
_ROW = struct.Struct("<IIB4s")


class Attribute(NamedTuple):
    """One row of ``replay.attributes.events``: `scope` is the player, 16 for the game."""

    namespace: int
    attribute: int
    scope: int
    value: str


def read_attributes(data: bytes, *, with_source: bool = True) -> list[Attribute]:
    """Decode the member; the list is empty without a lobby. It begins `with_source`: a byte for it, which betas of
    StarCraft II lack.

    Raises:
        TruncatedReplay, CorruptReplay: it ends too early or too late.
    """
    if not data:
        return []
    reader = ByteReader(data, int(with_source))
    reader.read_u32()
    count = reader.read_u32()
    if reader.remaining() != count * _ROW.size:
        raise CorruptReplay(
            f"expected {count} attributes of {_ROW.size} bytes, found {reader.remaining()} bytes",
            offset=reader.tell(),
        )
    found = list(_ROW.iter_unpack(reader.read_bytes(reader.remaining())))
    # A lobby has hundreds of rows and dozens of values.
    texts = {raw: decode_text(raw[::-1].strip(b"\0")) for raw in {row[3] for row in found}}
    return [Attribute(namespace, attribute, scope, texts[raw]) for namespace, attribute, scope, raw in found]


#: From this base build on, the user of an event is an index in the lobby's list of users. Before, in StarCraft II
#: up to 1.5 and in the first beta of Heart of the Swarm, it is a number from 1 in the order of the taken slots.
_FIRST_USER_IDS = 24247
#: By ``m_observe``.
WATCHING = {1: "observer", 2: "referee"}
#: By ``m_control``.
SLOT_KINDS = {0: "open", 1: "closed", **CONTROL_KINDS}

Struct = Mapping[str, Any]


class Lobby:
    """The decoded member: `users`, `game` and `slots` under Blizzard's names, in the order of the file."""

    def __init__(self, fields: Struct) -> None:
        state = fields["m_syncLobbyState"]
        self.users: Sequence[Struct] = state["m_userInitialData"]
        self.game: Struct = state["m_gameDescription"]
        self.state: Struct = state["m_lobbyState"]
        self.slots: Sequence[Struct] = self.state["m_slots"]

    @staticmethod
    def plays(slot: Struct) -> bool:
        """Return whether a slot has a player, not only an observer."""
        return slot["m_control"] in CONTROL_KINDS and not slot["m_observe"]

    @staticmethod
    def leader(slot: Struct) -> int | None:
        """Return the `own_key` of the leader of a shared army (archon mode); None for the leader and for a player
        without a shared army."""
        leader: int | None = slot.get("m_tandemLeaderUserId", slot.get("m_tandemLeaderId"))
        return leader

    @staticmethod
    def own_key(slot: Struct) -> int | None:
        """Return the key by which other slots name this one as their leader: the user or, in older builds, a
        number."""
        key: int | None = slot["m_userId"] if "m_tandemLeaderUserId" in slot else slot.get("m_tandemId")
        return key

    @property
    def playing(self) -> list[Struct]:
        """Return the slots of players, in the order of the lobby, which before 2.0 is that of the players."""
        return [slot for slot in self.slots if self.plays(slot)]

    def users_by_event(self, base_build: int) -> dict[int, int]:
        """Return the index in `users` by user id of events."""
        if base_build >= _FIRST_USER_IDS:
            return {user: user for user in range(len(self.users))}
        taken = [slot for slot in self.slots if slot["m_control"] in CONTROL_KINDS]
        users = {number: slot["m_userId"] for number, slot in enumerate(taken, 1)}
        return {number: user for number, user in users.items() if user is not None and user < len(self.users)}

    def user_name(self, user: int | None) -> str | None:
        """Return the name of a user, or None."""
        if user is None or not 0 <= user < len(self.users):
            return None
        return decode_text(self.users[user]["m_name"]) or None


def read_lobby(data: bytes, program: Program) -> Lobby:
    """Decode ``replay.initData`` by the program of its build.

    Raises:
        CorruptReplay, TruncatedReplay: it is damaged, or the type table does not fit it.
    """
    decoder = EventDecoder(program, data)
    fields = decoder.read_object(0)
    check_end(decoder, "lobby")
    return Lobby(fields)
