"""What one pass keeps of the messages for the game's own code: chat, game events, user messages."""

from __future__ import annotations

from array import array
from collections.abc import Set

from playhead.errors import ReplayError
from playhead.source2.messages.decoded import FIRST_USER_MESSAGE, USER_MESSAGE, Message, MessageDecoder, unwrap
from playhead.source2.messages.game_events import GAME_EVENT, GAME_EVENT_LIST, GameEvent, GameEventList
from playhead.source2.messages.json_text import JsonWriter
from playhead.source2.tables.chat import chat_ids
from playhead.source2.tables.message_columns import NOTHING

# Game events have a table of their own; the list of what they wait for tells nothing.
_EVENTS = (GAME_EVENT_LIST, GAME_EVENT)


class UserMessageColumns:
    """Columns of table ``user_messages``, a row for each message."""

    def __init__(self) -> None:
        self._json = JsonWriter()
        self.ticks = array("i")
        self.numbers = array("i")
        self.fields: list[str | None] = []
        self.raw: list[bytes | None] = []

    def add(self, message: Message) -> None:
        """One message; its bytes are kept only where they could not be decoded."""
        self.ticks.append(message.tick)
        self.numbers.append(message.number)
        if message.fields is None:
            self.fields.append(None)
            self.raw.append(message.raw)
        else:
            self.fields.append(self._json.write(message.fields))
            self.raw.append(None)


class MessageCollector:
    """Takes messages in file order.

    Args:
        game: ``dota``, ``csgo`` or ``citadel``.
        tables: what is to be kept, of ``chat``, ``game_events`` and ``user_messages``.
        check: decode all of them, for the errors alone.

    Attributes:
        wanted, wanted_from: the messages that `take` needs to see, as `MessageColumns` has it.
        chat: every chat message.
        events: every game event.
        user_messages: every message from number 100 on, or inside svc_UserMessage, that is no game event.
    """

    def __init__(self, game: str, tables: Set[str], *, check: bool = False) -> None:
        self._decoder = MessageDecoder(game)
        self._list = GameEventList()
        self._chat_ids = chat_ids(game) if "chat" in tables else frozenset()
        self._read_events = check or "game_events" in tables
        self._read_user_messages = check or "user_messages" in tables
        self._keep_events = "game_events" in tables
        self._keep_user_messages = "user_messages" in tables
        self.chat: list[Message] = []
        self.events: list[GameEvent] = []
        self.user_messages = UserMessageColumns()
        self.wanted: frozenset[int] = self._chat_ids
        if self._read_events:
            self.wanted |= frozenset(_EVENTS)
        if self.wanted or self._read_user_messages:
            self.wanted |= {USER_MESSAGE}
        self.wanted_from = FIRST_USER_MESSAGE if self._read_user_messages else NOTHING

    def take(self, tick: int, number: int, data: bytes) -> None:
        """The next message.

        Raises:
            ReplayError: it cannot be decoded; as a user message it is kept raw.
        """
        for_the_game = number >= FIRST_USER_MESSAGE
        if number == USER_MESSAGE:
            number, data = unwrap(data)
            for_the_game = True
        if number in _EVENTS:
            self._take_event(tick, number, data)
            return
        if number in self._chat_ids or (for_the_game and self._read_user_messages):
            self._take_user_message(tick, number, data)

    def _take_event(self, tick: int, number: int, data: bytes) -> None:
        if not self._read_events:
            return
        if number == GAME_EVENT_LIST:
            self._list.read_list(data)
            return
        event = self._list.decode(tick, data)
        if self._keep_events:
            self.events.append(event)

    def _take_user_message(self, tick: int, number: int, data: bytes) -> None:
        try:
            message = self._decoder.decode(tick, number, data)
        except ReplayError:
            if self._keep_user_messages:
                self.user_messages.add(self._decoder.undecoded(tick, number, data))
            raise
        if number in self._chat_ids:
            self.chat.append(message)
        if self._keep_user_messages:
            self.user_messages.add(message)
