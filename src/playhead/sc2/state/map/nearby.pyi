from array import array

from playhead.blizzard.units.states import Spans

def first_near(
    loops: array[int],
    players: array[int],
    xs: array[int],
    ys: array[int],
    about: tuple[int, float, float, float, float],
    begin: int,
    end: int,
) -> int: ...
def first_of_groups(
    loops: array[int], xs: array[int], ys: array[int], near: float, soon: int, most: int
) -> array[int]: ...
def steps_of(spans: Spans, counted: list[bool], every: int, last: int) -> array[int]: ...
def squares_of(
    spans: Spans,
    steps: array[int],
    chains: tuple[dict[int, int], array[int]],
    tags: array[int],
    stays: list[bool],
    reports: dict[str, array[int]],
    every: int,
    scale: int,
) -> dict[str, array[int]]: ...
def chained(tags: array[int], xs: array[int], ys: array[int]) -> tuple[dict[int, int], array[int]]: ...
