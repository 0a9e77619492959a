from array import array
from collections.abc import Iterable, Mapping
from typing import NamedTuple, final

SCREEN_CELLS: float
FIXATION_CELLS: float
FIXATION_LOOPS: int
REPEAT_LOOPS: int
RESELECT_LOOPS: int
COMMAND: int
UPDATE: int
SELECTION: int
GROUP: int

class Cycles(NamedTuple):
    firsts: array[int]
    lasts: array[int]
    counts: array[int]
    waits: array[int]

@final
class Actions:
    @property
    def loops(self) -> array[int]: ...
    @property
    def kinds(self) -> array[int]: ...
    @property
    def firsts(self) -> array[int]: ...
    @property
    def seconds(self) -> array[int]: ...
    @property
    def thirds(self) -> array[int]: ...
    def __init__(self, count: int = 0) -> None: ...
    def add(self, loop: int, kind: int, first: int = 0, second: int = 0, third: int = 0) -> None: ...
    def effective(self) -> array[int]: ...

@final
class Moves:
    @property
    def loops(self) -> array[int]: ...
    @property
    def xs(self) -> array[float]: ...
    @property
    def ys(self) -> array[float]: ...
    def __init__(self, count: int = 0) -> None: ...
    def add(self, loop: int, x: float, y: float) -> None: ...
    def screens(self) -> array[int]: ...
    def cycles(self, actions: array[int]) -> Cycles: ...

def actions_of(
    parts: Iterable[tuple[int, array[int], tuple[array[int], ...]]],
    loops: array[int],
    users: array[int],
    players: Mapping[int, int],
    chosen: int,
) -> dict[int, Actions]: ...
def moves_of(
    orders: array[int],
    xs: array[float],
    ys: array[float],
    loops: array[int],
    users: array[int],
    players: Mapping[int, int],
) -> dict[int, Moves]: ...
