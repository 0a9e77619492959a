"""``replay.initData``: the lobby, and the player number of each user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import NoneType
from typing import Any, NamedTuple, TypeGuard

from playhead.blizzard.members.details import CONTROL_KINDS
from playhead.blizzard.members.lobby import SLOT_KINDS, WATCHING, Lobby, Struct
from playhead.blizzard.members.text import decode_text
from playhead.model import Player
from playhead.sc2.members.setting import race_of_number
from playhead.text.json import to_json

#: `m_scaledRating` of a user without one.
_NO_RATING = -36400
#: First base build (2.1) whose tracker has player setups.
FIRST_SETUPS = 27950
#: The highest number of a player or user; higher ones come from damage.
_LAST = 31


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
