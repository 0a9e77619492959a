from collections.abc import Callable, Iterable
from typing import Any

from playhead.errors import ReplayError

class MessageSink:
    def accept(self, tick: int, number: int, payload: bytes) -> int: ...

class PacketSink: ...

def call_handlers(
    tick: int,
    found: Iterable[tuple[int, bytes]],
    messages: dict[Any, Any],
    numbered: list[Any],
    user_messages: list[Callable[[int, int, bytes], None] | MessageSink],
    lowest: int,
    report: Callable[[ReplayError, int], None],
    failed: Callable[[Callable[..., None], Exception], None],
) -> None: ...
def those_among(found: list[tuple[int, bytes]], numbers: frozenset[int]) -> list[tuple[int, bytes]]: ...
