"""`Handlers`: who is called for what while a recording is played, and what has to be read for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from playhead.errors import ReplayError
from playhead.source2.container.frames import Frame
from playhead.source2.messages.numbers import FIRST_USER_MESSAGE, Engine, message_number
from playhead.source2.playback.dispatch import MessageSink, call_handlers
from playhead.source2.playback.recording import Recording
from playhead.source2.string_tables.changes import ChangeColumns
from playhead.source2.string_tables.tables import StringTableChange

#: Called with the tick of a packet that has been applied whole.
TickHandler = Callable[[int], None]

#: Called with the tick of a packet and the payload of an inner message of it.
MessageHandler = Callable[[int, bytes], None] | MessageSink

#: Called with the tick of a packet, the number of an inner message, and its payload.
AnyMessageHandler = Callable[[int, int, bytes], None] | MessageSink

#: Called with number and frame and the decompressed payload, None where it cannot be decompressed.
FrameHandler = Callable[[int, Frame, bytes | memoryview | None], None]

#: Called with number and frame of a packet and its inner messages as one bit stream.
DataHandler = Callable[[int, Frame, bytes], None]

#: Called with a change of a string table, and the tick of its packet.
StringTableHandler = Callable[[StringTableChange, int], None]

#: Called with a change of a string table that a full packet brings, and its tick.
FullPacketHandler = Callable[[StringTableChange, int], None]

#: Above the number of any message.
NOTHING = 1 << 31
_USER_MESSAGE = int(Engine.USER_MESSAGE)

#: Messages that the fast path reads for the state, so that it has none of them for handlers.
SEEN_BY_FAST_PATH = frozenset(map(int, (Engine.NET_TICK, Engine.UPDATE_STRING_TABLE, Engine.PACKET_ENTITIES)))

# The fast path leaves messages of this number and above to the other way in any case.
_MOST_FAST = 2048


class Handlers:
    """The handlers of one playback.

    Args:
        state: numbers of the messages that are read in packets in any case.
        special: numbers of those that the fast path leaves in any case.

    Attributes:
        messages: by number of message.
        full_messages: the same, of those that are for full packets too.
        user_messages: for every message for the game's own code.
        lowest: the lowest number of such a message that is not inside svc_UserMessage; `NOTHING` if nobody asks.
        wanted: numbers of the messages to read in packets, besides those of `lowest` and above.
        wanted_of_full_packets: the same of full packets, where the state is not meant.
        special: numbers of the messages that the fast path has to leave.
        taken: of those that it takes for handlers.
        special_alone: of those that it has to leave where it plays a packet by itself.
        frames: for packets, as `other_frames` for the frames without inner messages.
        data, ticks, packets: see `Playback`.
        tables: by name of the string table; under None those of any.
        full_tables: with the name of the string table, None for any.
        table_columns: for every change of any string table.
    """

    def __init__(self, recording: Recording, state: frozenset[int], special: frozenset[int]) -> None:
        self._recording = recording
        self._state = state
        self._special = special
        self.messages: dict[int, list[MessageHandler]] = {}
        self.full_messages: dict[int, list[MessageHandler]] = {}
        self.user_messages: list[AnyMessageHandler] = []
        self.lowest = NOTHING
        self.frames: list[FrameHandler] = []
        self.other_frames: list[FrameHandler] = []
        self.data: list[DataHandler] = []
        self.ticks: list[TickHandler] = []
        self.packets: list[TickHandler] = []
        self.tables: dict[str | None, list[StringTableHandler]] = {}
        self.full_tables: list[tuple[str | None, FullPacketHandler]] = []
        self.table_columns: list[ChangeColumns] = []
        self._update()

    def _update(self) -> None:
        wrapped = (_USER_MESSAGE,) if self.messages or self.user_messages else ()
        self.wanted = frozenset(map(int, (*self._state, *self.messages, *wrapped)))
        asked = frozenset(map(int, (*self.messages, *wrapped, *range(self.lowest, _MOST_FAST))))
        self.special = self._special | (asked & SEEN_BY_FAST_PATH)
        self.taken = asked - self.special
        self.special_alone = self._special | asked
        wrapped = (_USER_MESSAGE,) if self.full_messages or self.user_messages else ()
        self.wanted_of_full_packets = frozenset((*self.full_messages, *wrapped))

    def add_message(self, message: str | int, handler: MessageHandler, full_packets: bool) -> None:
        """See `Playback.on_message`."""
        number = message_number(self._recording.game, message) if isinstance(message, str) else int(message)
        self.messages.setdefault(number, []).append(handler)
        if full_packets:
            self.full_messages.setdefault(number, []).append(handler)
        self._update()

    def add_user_message(self, handler: AnyMessageHandler) -> None:
        """See `Playback.on_user_message`."""
        self.user_messages.append(handler)
        self.lowest = FIRST_USER_MESSAGE
        self._update()

    def __bool__(self) -> bool:
        return bool(
            self.messages
            or self.user_messages
            or self.other_frames
            or self.data
            or self.ticks
            or self.packets
            or self.tables
            or self.full_tables
        )

    @property
    def every_packet(self) -> bool:
        """Whether something is called for every packet, so that the fast path is of no use."""
        return bool(self.ticks or self.other_frames or self.data)

    @property
    def frames_alone(self) -> bool:
        """Whether every packet is played by itself for the sake of its frame alone, whatever is in it."""
        return bool(self.other_frames or self.data) and not self.ticks

    @property
    def follows_dumps(self) -> bool:
        """Whether anything is for what a dump of string tables brings."""
        return bool(self.full_tables or self.table_columns)

    @property
    def reads_full_packets(self) -> bool:
        """Whether anything is for the inner messages of full packets."""
        return bool(self.full_messages or self.user_messages or self.data)

    def call(
        self,
        tick: int,
        found: Iterable[tuple[int, bytes]],
        messages: Mapping[int, list[MessageHandler]],
        report: Callable[[ReplayError, int], None],
    ) -> None:
        """Call the handlers of messages.

        Args:
            found: numbers and payloads; not all of them need be for a handler.
            messages: `messages` or `full_messages`.
            report: called with a svc_UserMessage that cannot be decoded, and its number.
        """
        call_handlers(tick, found, messages, self.user_messages, self.lowest, report)
