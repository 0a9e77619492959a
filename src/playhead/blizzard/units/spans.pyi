from array import array
from typing import final

from playhead.blizzard.units.history import UnitHistory

@final
class Spans:
    @property
    def columns(self) -> dict[str, array[int]]: ...
    def __init__(self, columns: dict[str, array[int]]) -> None: ...
    def __len__(self) -> int: ...

def spans_of(history: UnitHistory) -> Spans: ...
def counts_of(
    spans: Spans,
    shown: list[bool],
    inside: list[int],
    more: list[tuple[int, int, int, int]],
    every: int,
    last: int,
) -> dict[str, array[int]]: ...
def places_with(values: array[int], wanted: list[bool]) -> array[int]: ...
