"""Compares the two lists of players of a replay: details and lobby, which say the same in every known build."""

from __future__ import annotations

from collections.abc import Iterator

from playhead.blizzard.members.details import CONTROL_HUMAN, Details
from playhead.blizzard.members.lobby import Lobby
from playhead.blizzard.members.text import decode_text, split_name


def disagreements(details: Details, lobby: Lobby) -> Iterator[str]:
    """Yield the names of the lobby's fields that contradict the details."""
    if lobby.game.get("m_gameSpeed") != details.game_speed:
        yield "m_gameSpeed"
    players = [player for player in details.players if not player.empty]
    if not players:
        return
    if len(players) != len(lobby.playing):
        yield "m_control"
        return
    slots = {slot.get("m_workingSetSlotId"): slot for slot in lobby.slots}
    for player in players:
        if player.working_set_slot is None:
            continue
        slot = slots.get(player.working_set_slot)
        if slot is None:
            yield "m_workingSetSlotId"
            return
        if slot["m_control"] != player.control:
            yield "m_control"
        if slot["m_teamId"] != player.team:
            yield "m_teamId"
        # Heroes of the Storm has none in the details.
        if player.handicap and slot["m_handicap"] != player.handicap:
            yield "m_handicap"
        if "m_toonHandle" in slot and (decode_text(slot["m_toonHandle"] or b"") or None) != player.toon.handle:
            yield "m_toonHandle"
        if player.control == CONTROL_HUMAN:
            user = slot["m_userId"]
            if user is None:
                yield "m_userId"
            elif player.name and split_name(lobby.user_name(user) or "")[1] != player.name:
                yield "m_name"
