from collections.abc import Callable
from typing import final

from playhead.errors import ReplayError
from playhead.limits import Limits
from playhead.runtime.typing import Any
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.manager import EntityManager

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

USER_COMMANDS: Any
OTHER_COMMANDS: Any

@final
class RepeatedSamples:
    due: int
    @property
    def every(self) -> int: ...
    @property
    def longest(self) -> int: ...
    until: int
    again: Any
    failed: Any
    def __init__(self, due: int, every: int, longest: int) -> None: ...

@final
class FastPath:
    @property
    def found(self) -> list[Any]: ...
    stop: bool
    @property
    def count(self) -> int: ...
    @property
    def packets(self) -> int: ...
    @property
    def tick(self) -> int: ...
    @property
    def has_server_tick(self) -> bool: ...
    @property
    def server_tick_offset(self) -> int: ...
    def __init__(
        self, data: memoryview, limits: Limits, manager: EntityManager | None, passed: frozenset[int] = ...
    ) -> None: ...
    def run(
        self,
        offset: int,
        until: int,
        special: frozenset[int],
        followed: frozenset[int],
        on_packet: Callable[[int, list[tuple[Entity, int]], list[Any] | None, int, int], None],
        end: int = -1,
        on_table: Callable[[int, int, int, bytes], bool] | None = None,
        wanted: frozenset[int] = ...,
        most: int = ...,
        on_later: Callable[[int], int] | None = None,
        sinks: list[PacketSink] = ...,
        number: int = 0,
        marked: bytes = ...,
    ) -> None: ...
    def repeat(self, samples: RepeatedSamples) -> None: ...
    def repeat_nothing(self) -> None: ...
    def stop_at_others(self) -> None: ...
