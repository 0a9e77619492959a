from collections.abc import Callable

from playhead.errors import ReplayError
from playhead.runtime.typing import Any

class MessageSink:
    def accept(self, tick: int, number: int, payload: bytes) -> int: ...

class PacketSink: ...

def call_handlers(
    tick: int,
    found: list[Any],
    messages: dict[Any, Any],
    numbered: list[Any],
    user_messages: list[Callable[[int, int, bytes], None] | MessageSink],
    lowest: int,
    report: Callable[[ReplayError, int], None],
    failed: Callable[[Callable[..., None], Exception], None],
) -> None: ...
def those_among(found: list[tuple[int, bytes]], numbers: frozenset[int]) -> list[tuple[int, bytes]]: ...
