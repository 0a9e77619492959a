"""Calls who asked for messages, message by message."""

from __future__ import annotations

from typing import Any

from playhead.errors import ReplayError
from playhead.source2.messages.numbers import Engine

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

# stub: from collections.abc import Callable, Iterable, Mapping, Sequence
_USER_MESSAGE = int(Engine.USER_MESSAGE)


# stub: def call_handlers(tick: int, found: Iterable[tuple[int, bytes]], messages: Mapping[int,
#     Sequence[Callable[[int, bytes], None]]], user_messages: Sequence[Callable[[int, int, bytes], None]],
#     lowest: int, report: Callable[[ReplayError, int], None]) -> None: ...


def call_handlers(
    tick: Any, found: Any, messages: dict, user_messages: list, lowest: cython.longlong, report: Any
) -> None:
    """Call the handlers of messages.

    Args:
        found: numbers and payloads; not all of them need be for a handler.
        messages: handlers by number.
        user_messages: handlers of every message of number `lowest` or above, or inside svc_UserMessage.
        report: called with a svc_UserMessage that cannot be decoded, and its number.
    """
    wrapped: cython.longlong = _USER_MESSAGE
    number: cython.longlong
    of_number: list
    for each, payload in found:
        number = each
        if number == wrapped:
            of_number = messages.get(each)
            if of_number is not None:
                for handler in of_number:
                    handler(tick, payload)
            # Imported here: games of today do not wrap messages, and a playback of entities decodes none.
            from playhead.source2.messages.decoded import unwrap

            try:
                each, payload = unwrap(payload)
            except ReplayError as error:
                report(error, wrapped)
                continue
            number = lowest
        of_number = messages.get(each)
        if of_number is not None:
            for handler in of_number:
                handler(tick, payload)
        if number >= lowest:
            for handler in user_messages:
                handler(tick, each, payload)


# stub: def those_among(found: Iterable[tuple[int, bytes]], numbers: frozenset[int]) -> list[tuple[int,
#     bytes]]: ...


def those_among(found: list, numbers: frozenset) -> list:
    """Return the messages of these numbers."""
    chosen: list = []
    for message in found:
        if message[0] in numbers:
            chosen.append(message)
    return chosen
