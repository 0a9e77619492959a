"""Call the handlers of messages."""

from __future__ import annotations

from playhead.errors import ReplayError
from playhead.runtime import cython
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.messages.numbers import Engine

if TYPE_CHECKING:
    from collections.abc import Callable

_USER_MESSAGE = Engine.USER_MESSAGE


@cython.cclass
class MessageSink:
    """A compiled handler of messages, called without Python objects for tick and number."""

    def accept(self, tick: cython.int, number: cython.longlong, payload: bytes) -> cython.int:
        """Handle a message of that number."""
        raise NotImplementedError


@cython.cclass
class PacketSink:
    """A compiled handler of the packets that the fast path plays, without a Python object for any message."""

    def take_packet(
        self,
        frame: cython.int,
        tick: cython.int,
        offset: cython.longlong,
        size: cython.int,
        ids: cython.p_int,
        sizes: cython.p_int,
        count: cython.Py_ssize_t,
    ) -> cython.int:
        """Handle the packet of a frame.

        Args:
            frame, tick, offset: number, tick and offset of the frame.
            size: bytes of its decompressed payload.
            ids, sizes: numbers and bytes of its inner messages, without fillers.
            count: number of these messages.
        """
        raise NotImplementedError


def call_handlers(
    tick: int,
    found: list[Any],
    messages: dict,
    numbered: list,
    user_messages: list[Callable[[int, int, bytes], None] | MessageSink],
    lowest: cython.longlong,
    report: Callable[[ReplayError, int], None],
    failed: Callable[[Callable[..., None], Exception], None],
) -> None:
    """Call the handlers of messages.

    Args:
        tick: tick of the packet.
        found: number and payload of each message in turn; messages without a handler are skipped.
        messages: handlers by number; a `MessageSink` is called by its `accept`.
        numbered: the same for the lowest numbers, None for one without handlers; it may be empty.
        user_messages: handlers of every message of number `lowest` or above, or inside svc_UserMessage.
        lowest: lowest number of a user message.
        report: called with the error of an undecodable svc_UserMessage, and its number.
        failed: called with a handler and its exception.
    """
    wrapped: cython.longlong = _USER_MESSAGE
    size: cython.Py_ssize_t = len(numbered)
    when: cython.int = tick
    place: cython.Py_ssize_t
    for place in range(0, len(found), 2):
        each: object = found[place]
        payload: bytes = found[place + 1]
        number: cython.longlong = each
        of_game: cython.bint = number >= lowest
        if number == wrapped:
            _call(tick, when, number, payload, messages.get(each), failed)
            # Imported here: current games do not wrap messages, and a playback of entities decodes none.
            from playhead.source2.messages.decoded import unwrap

            try:
                each, payload = unwrap(payload)
            except ReplayError as error:
                report(error, wrapped)
                continue
            number = each
            of_game = True
        handlers: object = numbered[number] if 0 <= number < size else messages.get(each)
        if handlers is not None:
            _call(tick, when, number, payload, handlers, failed)
        if of_game:
            for handler in user_messages:
                try:
                    if isinstance(handler, MessageSink):
                        cython.cast(MessageSink, handler).accept(when, number, payload)
                    else:
                        handler(tick, each, payload)
                except Exception as error:
                    failed(handler, error)


@cython.cfunc
@cython.exceptval(-1, check=False)
def _call(
    tick: object, when: cython.int, number: cython.longlong, payload: bytes, handlers: object, failed: object
) -> cython.int:
    """Call the handlers of a message, which get `tick` (`when`) and `payload`; do nothing for None."""
    if handlers is None:
        return 0
    each: list = handlers
    for handler in each:
        try:
            if isinstance(handler, MessageSink):
                cython.cast(MessageSink, handler).accept(when, number, payload)
            else:
                handler(tick, payload)
        except Exception as error:
            failed(handler, error)
    return 0


def those_among(found: list[tuple[int, bytes]], numbers: frozenset[int]) -> list[tuple[int, bytes]]:
    """Return the messages with these numbers."""
    chosen: list = []
    for message in found:
        if message[0] in numbers:
            chosen.append(message)
    return chosen
