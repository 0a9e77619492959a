"""Tables ``connections`` and ``neutral_finds``: players who leave and come back, neutral items that they find."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.dota2.facts import TABLES
from playhead.dota2.sources.chat_events import ChatEvents
from playhead.dota2.sources.combat_log_entry import signed
from playhead.dota2.sources.match import PlayerFacts
from playhead.dota2.sources.titles import item_named
from playhead.runtime.libraries import pa
from playhead.source2.messages.numbers import message_number
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

FOUND_NEUTRAL_ITEM = message_number("dota2", "DOTA_UM_FoundNeutralItem")

# Chat event: its name in the table.
_CONNECTIONS = {
    "CONNECT": "connected",
    "DISCONNECT": "disconnected",
    "DISCONNECT_WAIT_FOR_RECONNECT": "disconnected",
    "RECONNECT": "reconnected",
    "PLAYER_ABANDONED": "abandoned",
    "PLAYER_ABANDONED_AFK": "abandoned",
    "PLAYER_ABANDONED_DISCONNECTED_TOO_LONG": "abandoned",
    "PLAYER_LEFT_DISCONNECTED_TOO_LONG": "abandoned",
}

CONNECTIONS = TableSchema.of(
    "connections",
    "One row for each time that a player left the game or came back: chat events (message 466).",
    *words("tick seconds game_seconds player hero"),
    word("event", "connected, disconnected, reconnected or abandoned."),
)

NEUTRAL_FINDS = TableSchema.of(
    "neutral_finds",
    "One row for each neutral item that a player found or made: message 593.",
    *words("tick seconds game_seconds player hero"),
    word("item", "By `item_id`, in playhead's list of names."),
    *words("item_id tier"),
    Column("enhancement", "category", "Enhancement of the item; null if the message has none."),
)


@TABLES.maker_of(CONNECTIONS)
class Connections(PlayerFacts):
    """Table ``connections``."""

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._chat = ChatEvents(self.match, playback, _CONNECTIONS)

    def tables(self) -> Mapping[str, pa.Table]:
        self._rows = [
            {"tick": event.tick, "player": event.player_1, "event": _CONNECTIONS[event.type]}
            for event in self._chat.events
        ]
        return super().tables()


@TABLES.maker_of(NEUTRAL_FINDS)
class NeutralFinds(PlayerFacts):
    """Table ``neutral_finds``."""

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self.match.on_fields(playback, FOUND_NEUTRAL_ITEM, self._on_find)

    def _on_find(self, tick: int, fields: Mapping[Any, Any]) -> None:
        number = signed(fields.get("item_ability_id"))
        enhancement = signed(fields.get("enhancement_ability_id"))
        self._rows.append(
            {
                "tick": tick,
                "player": signed(fields.get("player_id")),
                "item_id": number,
                "item": item_named(number),
                "tier": signed(fields.get("item_tier")),
                "enhancement": item_named(enhancement) or (None if not enhancement else f"#{enhancement}"),
            }
        )
