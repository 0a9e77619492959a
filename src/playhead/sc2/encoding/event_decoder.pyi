from collections.abc import Container, Iterable
from typing import Any, final

from playhead.sc2.encoding.program_reader import ProgramReader

class BitArray(tuple[int, int]):
    indices: tuple[int, ...] = ...
    def __new__(cls, count: int, number: int, indices: Iterable[int]) -> BitArray: ...

@final
class EventDecoder(ProgramReader):
    def read_object(self, number: int) -> Any: ...
    def next_event(
        self, numbers: Container[int] | None = None
    ) -> tuple[int, int | None, int, dict[str, Any]] | None: ...
