"""Messages and game events one after the other, without keeping them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from playhead.errors import ReplayError
from playhead.source2.container.frames import Frame
from playhead.source2.messages.decoded import USER_MESSAGE, Message, MessageDecoder, unwrap
from playhead.source2.messages.game_events import GAME_EVENT, GAME_EVENT_LIST, GameEvent, GameEventList
from playhead.source2.tables.message_columns import NOTHING, MessageColumns

#: Gives, packet by packet, the (tick, number, bytes) of the messages that the columns want.
Packets = Callable[[MessageColumns], Iterator[tuple[Frame, list[tuple[int, int, bytes]]]]]


class MessageWalk:
    """Decodes messages of one recording.

    Args:
        game: ``dota``, ``csgo`` or ``citadel``.
        packets: where the messages come from.
        note: told of a message of that number that could not be decoded.
    """

    def __init__(self, game: str, packets: Packets, note: Callable[[ReplayError, Frame, int], None]) -> None:
        self._decoder = MessageDecoder(game)
        self._packets = packets
        self._note = note

    def _wanted(self, wanted: frozenset[int], wanted_from: int = NOTHING) -> Iterator[tuple[Frame, int, bytes]]:
        """Those that `MessageColumns` would take; those inside svc_UserMessage like the others, unless that is
        wanted by its number."""
        columns = MessageColumns(wanted | {USER_MESSAGE}, False, wanted_from)
        for frame, taken in self._packets(columns):
            for _, number, data in taken:
                if number != USER_MESSAGE or USER_MESSAGE in wanted:
                    yield frame, number, data
                    continue
                try:
                    inner, content = unwrap(data)
                except ReplayError as error:
                    self._note(error, frame, number)
                    continue
                if inner >= wanted_from or inner in wanted:
                    yield frame, inner, content

    def messages(self, names: tuple[str | int, ...]) -> Iterator[Message]:
        """See `Source2Replay.messages`."""
        wanted = self._decoder.numbers(names)  # here, so that a wrong name is told at the call
        return self._decode(wanted, NOTHING if names else 0)

    def _decode(self, wanted: frozenset[int], wanted_from: int) -> Iterator[Message]:
        for frame, number, data in self._wanted(wanted, wanted_from):
            try:
                message = self._decoder.decode(frame.tick, number, data)
            except ReplayError as error:
                self._note(error, frame, number)
                continue
            yield message

    def game_events(self, names: tuple[str, ...]) -> Iterator[GameEvent]:
        """See `Source2Replay.game_events`."""
        known = GameEventList()
        for frame, number, data in self._wanted(frozenset((GAME_EVENT_LIST, GAME_EVENT))):
            try:
                if number == GAME_EVENT_LIST:
                    known.read_list(data)
                    continue
                event = known.decode(frame.tick, data)
            except ReplayError as error:
                self._note(error, frame, number)
                continue
            if not names or event.name in names:
                yield event
