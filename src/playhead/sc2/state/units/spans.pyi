from array import array

from playhead.sc2.state.units.history import UnitHistory

def spans_of(history: UnitHistory) -> dict[str, array[int]]: ...
def counts_of(
    spans: dict[str, array[int]],
    shown: list[bool],
    inside: list[int],
    more: list[tuple[int, int, int, int]],
    every: int,
    last: int,
) -> dict[str, array[int]]: ...
def places_with(values: array[int], wanted: list[bool]) -> array[int]: ...
