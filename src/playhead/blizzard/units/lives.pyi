from array import array
from collections.abc import Container

from playhead.blizzard.units.history import UnitHistory

def lives_of(history: UnitHistory) -> dict[str, array[int]]: ...
def changes_of(history: UnitHistory) -> dict[str, array[int]]: ...
def positions_of(
    history: UnitHistory,
    orders: array[int],
    firsts: array[int],
    ends: array[int],
    items: array[int],
    loops: array[int],
) -> dict[str, array[int]]: ...
def standing_of(history: UnitHistory, chosen: Container[str]) -> tuple[dict[int, int], dict[int, int]]: ...
def deaths_of(history: UnitHistory, chosen: Container[str]) -> list[tuple[int, int, int]]: ...
