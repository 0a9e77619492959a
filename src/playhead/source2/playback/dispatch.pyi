from collections.abc import Callable, Iterable, Mapping, Sequence

from playhead.errors import ReplayError

class MessageSink:
    def accept(self, tick: int, number: int, payload: bytes) -> int: ...

def call_handlers(
    tick: int,
    found: Iterable[tuple[int, bytes]],
    messages: Mapping[int, Sequence[Callable[[int, bytes], None] | MessageSink]],
    user_messages: Sequence[Callable[[int, int, bytes], None] | MessageSink],
    lowest: int,
    report: Callable[[ReplayError, int], None],
) -> None: ...
def those_among(found: Iterable[tuple[int, bytes]], numbers: frozenset[int]) -> list[tuple[int, bytes]]: ...
