"""Chat lines: the engine's SayText2 (any game) and Dota's own ChatMessage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SAY_TEXT_2 = 118
DOTA_CHAT_MESSAGE = 612

# Valve's DOTAChatChannelType_t, as far as it occurs inside a match.
_DOTA_CHANNELS = {11: "all", 12: "team", 13: "observers"}


def chat_ids(game: str) -> frozenset[int]:
    """Message numbers that carry chat in that game; above 300 they are each game's own."""
    return frozenset((SAY_TEXT_2, DOTA_CHAT_MESSAGE) if game == "dota" else (SAY_TEXT_2,))


def chat_row(number: int, fields: Mapping[str | int, Any]) -> dict[str, Any]:
    """Player, name, channel and text of a decoded chat message; the columns of table ``chat`` say what they mean.

    SayText2 names its speaker by entity (a player controller stands at slot + 1) and its channel by the token of
    the localised text (``DOTA_Chat_All``).
    """
    if number == DOTA_CHAT_MESSAGE:
        channel = fields.get("channel_type", 0)
        return {
            "player": fields.get("source_player_id", -1),
            "channel": _DOTA_CHANNELS.get(channel, f"channel {channel}"),
            "text": fields.get("message_text"),
        }
    entity = fields.get("entityindex", -1)
    return {
        "player": entity - 1 if entity > 0 else None,
        "name": fields.get("param1"),
        "channel": fields.get("messagename"),
        "text": fields.get("param2"),
    }
