"""Chat lines: the engine's SayText2 (any game) and Dota's own ChatMessage."""

from __future__ import annotations

from typing import Any

from playhead.source2 import wire

SAY_TEXT_2 = 118
DOTA_CHAT_MESSAGE = 612

# Valve's DOTAChatChannelType_t, as far as it occurs inside a match.
_DOTA_CHANNELS = {11: "all", 12: "team", 13: "observers"}


def chat_ids(game: str) -> frozenset[int]:
    """Message numbers that carry chat in that game; above 300 they are each game's own."""
    return frozenset((SAY_TEXT_2, DOTA_CHAT_MESSAGE) if game == "dota" else (SAY_TEXT_2,))


def chat_row(number: int, payload: bytes) -> dict[str, Any]:
    """Player, name, channel and text of a chat message; the columns of table ``chat`` say what they mean.

    SayText2 names its speaker by entity (a player controller stands at slot + 1) and its channel by the token of
    the localised text (``DOTA_Chat_All``).

    Raises:
        ReplayError: the payload is no such message.
    """
    if number == DOTA_CHAT_MESSAGE:
        message = wire.decode("CDOTAUserMsg_ChatMessage", payload)
        channel = message.get("channel_type", 0)
        return {
            "player": message.get("source_player_id", -1),
            "channel": _DOTA_CHANNELS.get(channel, f"channel {channel}"),
            "text": message.get("message_text"),
        }
    message = wire.decode("CUserMessageSayText2", payload)
    entity = message.get("entityindex", -1)
    return {
        "player": entity - 1 if entity > 0 else None,
        "name": message.get("param1"),
        "channel": message.get("messagename"),
        "text": message.get("param2"),
    }
