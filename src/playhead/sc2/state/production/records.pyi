from array import array
from typing import Any, final

INIT: str
MORPH: str
UNIT: str
STRUCTURE: str
MORPHED: str
UPGRADE: str
FINISHED: str
CANCELLED: str
LOST: str
UNFINISHED: str

@final
class Step:
    @property
    def order(self) -> int: ...
    @property
    def player(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def name(self) -> str: ...
    unit: int | None
    @property
    def start(self) -> int: ...
    @property
    def start_source(self) -> str: ...
    end: int | None
    outcome: str
    supply_used: float
    supply_made: float
    def __init__(
        self,
        order: int,
        player: int,
        kind: str,
        name: str,
        unit: int | None,
        start: int,
        start_source: str,
        end: int | None = None,
        outcome: str = ...,
    ) -> None: ...

def step_arrays(steps: list[Step]) -> tuple[list[Any], list[array[int]], list[list[str]]]: ...

@final
class UnitType:
    @property
    def name(self) -> str: ...
    @property
    def supply(self) -> float: ...
    @property
    def provides(self) -> float: ...
    @property
    def produced(self) -> bool: ...
    @property
    def merged(self) -> bool: ...
    @property
    def of_drone(self) -> bool: ...
    @property
    def cocoon_of(self) -> str | None: ...
    @property
    def formerly(self) -> frozenset[str]: ...
    def __init__(
        self,
        name: str,
        supply: float,
        provides: float,
        produced: bool,
        merged: bool,
        of_drone: bool,
        cocoon_of: str | None,
        formerly: frozenset[str],
    ) -> None: ...

@final
class TrackedUnit:
    tag: int | None
    kind: UnitType
    player: int
    finished: bool
    step: Step | None
    egg: int
    hatched: int
    was_warp_gate: bool
    holds_drone: bool
    called_down: float
    def __init__(self, tag: int | None, kind: UnitType, player: int, finished: bool) -> None: ...

@final
class Birth:
    @property
    def order(self) -> int: ...
    @property
    def loop(self) -> int: ...
    @property
    def player(self) -> int: ...
    @property
    def kind(self) -> UnitType: ...
    @property
    def tag(self) -> int | None: ...
    @property
    def creator(self) -> TrackedUnit | None: ...
    def __init__(
        self, order: int, loop: int, player: int, kind: UnitType, tag: int | None, creator: TrackedUnit | None
    ) -> None: ...

@final
class Left:
    @property
    def order(self) -> int: ...
    @property
    def loop(self) -> int: ...
    @property
    def player(self) -> int: ...
    @property
    def cancelled(self) -> bool: ...
    def __init__(self, order: int, loop: int, player: int, cancelled: bool) -> None: ...

@final
class OrderLog:
    @property
    def loops(self) -> array[int]: ...
    def __init__(self) -> None: ...
    def pop_between(self, first: int, last: int) -> int: ...

def in_order(steps: list[Step]) -> list[Step]: ...
