"""`Handlers`: the handlers of one playback, and the messages that must be read for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from playhead.errors import FactError, ReplayError
from playhead.model import ProblemHandler
from playhead.runtime.cached import cached_property
from playhead.runtime.typing import Any, ClassVar, Protocol, TypeVar
from playhead.source2.container.frames import Frame
from playhead.source2.messages.numbers import FIRST_USER_MESSAGE, Engine, message_number
from playhead.source2.playback.fast_path import MessageSink, PacketSink, call_handlers
from playhead.source2.playback.recording import Recording
from playhead.source2.string_tables.entries import ChangeColumns
from playhead.source2.string_tables.items import StringTableChange
from playhead.tables.registry import cost_of
from playhead.tables.schema import TableSchema

_T = TypeVar("_T")


class Owner(Protocol):
    """A collector, as far as `Guard` knows it."""

    schemas: ClassVar[Sequence[TableSchema]]

    def attach(self, playback: Any) -> None:
        """Register the handlers."""


class Guard:
    """Knows whose handlers a playback calls.

    A handler that a collector registers while it is attached is the collector's. If it fails, the guard records a
    problem that names its tables, once for each handler, and the playback continues: it calls the handler again.
    An exception of any other handler is passed on to the caller.
    """

    def __init__(self, on_problem: ProblemHandler, tick: Callable[[], int | None]) -> None:
        self._on_problem = on_problem
        self._tick = tick
        self._owners: dict[Callable[..., Any], Owner] = {}
        self._attached: Owner | None = None
        self._reported: set[str] = set()

    def attach(self, collector: Owner, playback: Any) -> None:
        """Attach a collector to a playback; its handlers are its own from then on."""
        before, self._attached = self._attached, collector
        try:
            collector.attach(playback)
        except Exception as error:
            self._report(collector, "attach", error)
        finally:
            self._attached = before

    def own(self, handler: Any) -> None:
        """Note that the collector which is being attached, if any, registers this handler."""
        if self._attached is not None:
            self._owners[handler] = self._attached

    def call(self, handlers: Iterable[Callable[..., Any]], argument: Any, *others: Any) -> None:
        """Call several handlers with the same arguments; most take one."""
        for handler in handlers:
            try:
                if others:
                    handler(argument, *others)
                else:
                    handler(argument)
            except Exception as error:
                self.failed(handler, error)

    def failed(self, handler: Callable[..., Any], error: Exception) -> None:
        """Record the exception of a handler as a problem, or raise it if no collector owns the handler."""
        owner = self._owners.get(handler)
        if owner is None:
            raise error
        self._report(owner, getattr(handler, "__name__", None), error)

    def release(self) -> None:
        """Forget all handlers, which would keep their owners alive."""
        self._owners.clear()

    def read(self, reader: str, get: Callable[[], _T], otherwise: _T, cost: str) -> _T:
        """Return what `get` returns; if it fails, record a problem and return `otherwise`."""
        try:
            return get()
        except Exception as error:
            self._once(reader, error, cost)
            return otherwise

    def _report(self, owner: Owner, step: str | None, error: Exception) -> None:
        reader = type(owner).__name__ if step is None else f"{type(owner).__name__}.{step}"
        self._once(reader, error, cost_of(owner))

    def _once(self, reader: str, error: Exception, cost: str) -> None:
        problem = FactError.of(error, reader, tick=self._tick())
        if reader not in self._reported:
            self._reported.add(reader)
            self._on_problem(problem, cost)


#: Called with the tick of a packet after it was applied.
TickHandler = Callable[[int], None]
#: As `TickHandler`; a returned tick asks for another call after it.
CallHandler = Callable[[int], int | None]

#: Called with the tick of a packet and the payload of one of its inner messages.
MessageHandler = Callable[[int, bytes], None] | MessageSink

#: Called with the tick of a packet, the number of an inner message, and its payload.
AnyMessageHandler = Callable[[int, int, bytes], None] | MessageSink

#: Called with number, frame and decompressed payload; None for a payload that cannot be decompressed.
FrameHandler = Callable[[int, Frame, bytes | memoryview | None], None]

#: Called with number and frame of a packet and its inner messages as one bit stream.
DataHandler = Callable[[int, Frame, bytes], None]

#: Called with a change of a string table, in a message or found only in a full packet, and the tick of its packet.
StringTableHandler = Callable[[StringTableChange, int], None]

#: Above the number of any message.
NOTHING = 1 << 31
_USER_MESSAGE = Engine.USER_MESSAGE

#: Messages that the fast path reads for the state, so it cannot pass them to handlers.
SEEN_BY_FAST_PATH = frozenset((Engine.NET_TICK, Engine.UPDATE_STRING_TABLE, Engine.PACKET_ENTITIES))

# The fast path leaves messages of this number and above to the general path.
_MOST_FAST = 2048


class Handlers:
    """The handlers of one playback.

    Args:
        recording: the played recording.
        state: numbers of the packet messages that are always read.
        special: numbers of those that the fast path always leaves to the general path.

    Attributes:
        messages: handlers by message number.
        full_messages: handlers by message number, for full packets.
        user_messages: handlers of every user message.
        lowest: lowest number of a user message outside svc_UserMessage; `NOTHING` without handlers.
        frames: handlers of packet frames.
        other_frames: handlers of all other frames.
        data, ticks, packets: see `Playback`.
        sinks: sinks of the packets that the fast path plays, each in place of one of `frames` or `data`.
        tables: handlers by name of the string table; None is any.
        full_tables: names of string tables (None is any) and handlers for full packets.
        table_columns: columns for every change of any string table.
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
        self.sinks: list[PacketSink] = []
        self.ticks: list[TickHandler] = []
        self.packets: list[TickHandler] = []
        self.tables: dict[str | None, list[StringTableHandler]] = {}
        self.full_tables: list[tuple[str | None, StringTableHandler]] = []
        self.table_columns: list[ChangeColumns] = []

    def _update(self) -> None:
        """Forget which messages are read: a set of a thousand numbers costs more than a handler that is added."""
        for name in ("numbered", "wanted", "special", "collected", "wanted_of_full_packets"):
            self.__dict__.pop(name, None)

    @cached_property
    def numbered(self) -> list[list[MessageHandler] | None]:
        """The handlers of `messages` by number, for those that the fast path may pass on."""
        return [self.messages.get(number) for number in range(_MOST_FAST)]

    @cached_property
    def wanted(self) -> frozenset[int]:
        """Numbers of the packet messages to read, in addition to those from `lowest` on."""
        return frozenset(map(int, (*self._state, *self.messages, *self._wrapped)))

    @cached_property
    def special(self) -> frozenset[int]:
        """Numbers of the messages that the fast path leaves to the general path."""
        return self._special | (self._requested & SEEN_BY_FAST_PATH)

    @cached_property
    def collected(self) -> frozenset[int]:
        """Numbers of the messages that the fast path collects for handlers."""
        return self._requested - self.special

    @cached_property
    def wanted_of_full_packets(self) -> frozenset[int]:
        """Numbers of the messages to read in full packets, except for the state."""
        wrapped = (_USER_MESSAGE,) if self.full_messages or self.user_messages else ()
        return frozenset((*self.full_messages, *wrapped))

    @property
    def _wrapped(self) -> tuple[int, ...]:
        return (_USER_MESSAGE,) if self.messages or self.user_messages else ()

    @property
    def _requested(self) -> frozenset[int]:
        return frozenset(map(int, (*self.messages, *self._wrapped, *range(self.lowest, _MOST_FAST))))

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
        followed = (self.messages, self.user_messages, self.other_frames, self.data, self.ticks, self.packets)
        return any((*followed, self.tables, self.full_tables))

    @property
    def every_packet(self) -> bool:
        """Whether a handler needs every packet, which rules out the fast path."""
        return bool(self.ticks) or len(self.frames) + len(self.data) > len(self.sinks)

    @property
    def follows_dumps(self) -> bool:
        """Whether a handler needs the changes in dumps of string tables."""
        return bool(self.full_tables or self.table_columns)

    @property
    def reads_full_packets(self) -> bool:
        """Whether a handler needs the inner messages of full packets."""
        return bool(self.full_messages or self.user_messages or self.data)

    def call(
        self,
        tick: int,
        found: list[Any],
        messages: dict[int, list[MessageHandler]],
        report: Callable[[ReplayError, int], None],
        failed: Callable[[Callable[..., None], Exception], None],
    ) -> None:
        """Call the handlers of messages."""
        numbered = self.numbered if messages is self.messages else []
        call_handlers(tick, found, messages, numbered, self.user_messages, self.lowest, report, failed)
