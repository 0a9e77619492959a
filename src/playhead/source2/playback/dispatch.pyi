from collections.abc import Callable, Iterable, Mapping, Sequence

from playhead.errors import ReplayError

def call_handlers(
    tick: int,
    found: Iterable[tuple[int, bytes]],
    messages: Mapping[int, Sequence[Callable[[int, bytes], None]]],
    user_messages: Sequence[Callable[[int, int, bytes], None]],
    lowest: int,
    report: Callable[[ReplayError, int], None],
) -> None: ...
def those_among(found: Iterable[tuple[int, bytes]], numbers: frozenset[int]) -> list[tuple[int, bytes]]: ...
