"""`ChatEvents`: the game's reports in the chat area: Roshan's death, runes, glyph, scan, smokes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from playhead.dota2.sources.combat_log_entry import signed
from playhead.source2.messages.numbers import message_number
from playhead.source2.playback.playback import Playback

if TYPE_CHECKING:
    from playhead.dota2.sources.match import Dota2Match

_PREFIX = "CHAT_MESSAGE_"
CHAT_EVENT = message_number("dota2", "DOTA_UM_ChatEvent")


class ChatEvent(NamedTuple):
    """One message DOTA_UM_ChatEvent.

    Attributes:
        tick: demo tick.
        type: DOTA_CHAT_MESSAGE without its prefix (``ROSHAN_KILL``).
        value, player_1, player_2: their meaning depends on the type; None if absent, or if it means nobody.
    """

    tick: int
    type: str
    value: int | None
    player_1: int | None
    player_2: int | None


class ChatEvents:
    """Collects the chat events of some types while a recording is played.

    Attributes:
        events: the events found, in order.
    """

    def __init__(self, match: Dota2Match, playback: Playback, types: Iterable[str]) -> None:
        self._match = match
        self._types = frozenset(types)
        self.events: list[ChatEvent] = []
        self._match.on_fields(playback, CHAT_EVENT, self._on_event)

    def _on_event(self, tick: int, fields: Mapping[Any, Any]) -> None:
        kind = str(fields.get("type", "")).removeprefix(_PREFIX)
        if kind in self._types:
            players = (signed(fields.get(f"playerid_{i}")) for i in (1, 2))
            first, second = (None if player is None or player < 0 else player for player in players)
            self.events.append(ChatEvent(tick, kind, signed(fields.get("value")), first, second))
