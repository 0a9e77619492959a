from array import array
from typing import Any, final

from playhead.blizzard.units.history import UnitHistory

LIVING: Any

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
def times_of(loops: array[int], parts: list[array[int]]) -> array[int]: ...
def upgrade_levels(
    orders: array[int], players: array[int], names: array[int], counts: array[int], when: array[int], last: int
) -> list[tuple[int, int, int]]: ...
def types_at(history: UnitHistory, tags: array[int], loops: array[int]) -> array[int]: ...
def links_of_units(
    group_ends: array[int], links: array[int], counts: array[int], unit_ends: array[int]
) -> tuple[array[int], array[int]]: ...

@final
class UnitStates:
    def __init__(
        self,
        history: UnitHistory,
        orders: array[int],
        firsts: array[int],
        ends: array[int],
        items: array[int],
        when: array[int],
    ) -> None: ...
    def advance(self, loop: int, again: bool) -> None: ...
    def alive(self, cells: float) -> list[tuple[Any, ...]]: ...
