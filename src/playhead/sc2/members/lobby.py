"""``replay.initData``: the lobby, and the player number of each user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import NoneType
from typing import Any, NamedTuple, TypeGuard

from playhead.blizzard.encoding.event_decoder import EventDecoder
from playhead.blizzard.encoding.struct import check_end
from playhead.blizzard.members.details import CONTROL_KINDS
from playhead.blizzard.members.text import decode_text
from playhead.model import Player
from playhead.sc2.members.races import race_of_number
from playhead.sc2.protocol.tables import init_data_program
from playhead.text.json import to_json

#: `m_scaledRating` of a user without one.
_NO_RATING = -36400
#: From this base build on, the user of an event is an index in the lobby's list of users. Before, up to 1.5 and in
#: the first beta of Heart of the Swarm, it is a number from 1 in the order of the taken slots.
_FIRST_USER_IDS = 24247
#: First base build (2.1) whose tracker has player setups.
FIRST_SETUPS = 27950
#: By ``m_observe``.
WATCHING = {1: "observer", 2: "referee"}
#: By ``m_control``.
SLOT_KINDS = {0: "open", 1: "closed", **CONTROL_KINDS}
#: The highest number of a player or user; higher ones come from damage.
_LAST = 31

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
        """Return the name of a user; None if there is none."""
        if user is None or not 0 <= user < len(self.users):
            return None
        return decode_text(self.users[user]["m_name"]) or None


def read_lobby(data: bytes, base_build: int, build: int) -> Lobby:
    """Decode ``replay.initData``.

    Raises:
        CorruptReplay, TruncatedReplay: it is damaged, or the type table does not fit it.
    """
    decoder = EventDecoder(init_data_program(base_build, build), data)
    fields = decoder.read_object(0)
    check_end(decoder, "lobby")
    return Lobby(fields)


def _is_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and 0 <= value <= _LAST


class PlayerSetup(NamedTuple):
    """A player's number, index in the lobby's list of users, and index of the lobby's slot; None if unknown."""

    player: int | None
    user: int | None = None
    slot: int | None = None


def players_by_user(
    players: Iterable[Player], lobby: Lobby | None, setups: Iterable[PlayerSetup]
) -> dict[int, int]:
    """Return the player number by index in the lobby's list of users.

    From 2.1 on it comes from the tracker's player setups; before, from the slots: from
    the working set's slot, or, before 2.0, from the order of slots with players, which is that of the player list.
    """
    found = {user: player for player, user, _ in setups if _is_number(user) and _is_number(player)}
    if found or lobby is None:
        return found
    numbered = [(player.player, player) for player in players if player.player is not None]
    by_slot = {player.details.get("working_set_slot"): number for number, player in numbered}
    by_slot.pop(None, None)
    playing = lobby.playing
    if not by_slot and len(playing) != len(numbered):
        names = {player.name: number for number, player in numbered if player.name}
        users = [slot["m_userId"] for slot in playing if slot["m_userId"] is not None]
        named = {user: lobby.user_name(user) for user in users}
        return {user: names[name] for user, name in named.items() if name in names}
    for place, slot in enumerate(playing):
        user = slot["m_userId"]
        if user is None:
            continue
        number = by_slot.get(slot.get("m_workingSetSlotId")) if by_slot else numbered[place][0]
        if number is not None:
            found[user] = number
    return found


#: Types that JSON has; most fields of a slot.
_PLAIN = frozenset({int, bool, NoneType})


def _with_text(value: Any) -> Any:
    """Return a value with its bytes as text, bit arrays as ``[bits, number]``."""
    if isinstance(value, bytes):
        return decode_text(value) if value.isascii() else value.hex()
    if isinstance(value, dict):
        return {key: inner if type(inner) in _PLAIN else _with_text(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [inner if type(inner) in _PLAIN else _with_text(inner) for inner in value]
    return value


def _kind(slot: Struct) -> str | None:
    watches = WATCHING.get(slot["m_observe"]) if slot["m_control"] in CONTROL_KINDS else None
    return watches or SLOT_KINDS.get(slot["m_control"])


def slot_rows(
    lobby: Lobby, players: Mapping[int, int], difficulties: Sequence[str | None]
) -> list[dict[str, Any]]:
    """Return the rows of the table ``slots``; `difficulties` are those of all slots."""
    rows = []
    for number, (slot, difficulty) in enumerate(zip(lobby.slots, difficulties, strict=True)):
        user = slot["m_userId"]
        data: Struct = lobby.users[user] if user is not None and user < len(lobby.users) else {}
        rating = data.get("m_scaledRating")
        color, race = slot.get("m_colorPref") or {}, slot.get("m_racePref") or {}
        rows.append(
            {
                "slot": number,
                "kind": _kind(slot),
                "control_id": slot["m_control"],
                "observe_id": slot["m_observe"],
                "user": user,
                "player": None if user is None else players.get(user),
                "name": lobby.user_name(user),
                "team": slot["m_teamId"],
                "color_id": color.get("m_color"),
                "race": race_of_number(race.get("m_race")) if "m_racePref" in slot else None,
                "race_id": race.get("m_race"),
                "difficulty": difficulty,
                "difficulty_id": slot.get("m_difficulty"),
                "handicap": slot.get("m_handicap"),
                "mmr": None if rating == _NO_RATING else rating,
                "account": decode_text(slot.get("m_toonHandle") or b"") or None,
                "fields": to_json(_with_text(slot)),
            }
        )
    return rows
