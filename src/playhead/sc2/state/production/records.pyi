from array import array
from collections.abc import Iterable
from typing import NamedTuple, final

from playhead.sc2.state.production.facts import ProductionFacts

INIT: str
MORPH: str
COMMAND: str
QUEUE: str
BUILD_TIME: str
UNKNOWN: str
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

class Named(NamedTuple):
    codes: array[int]
    names: list[str]

class StepColumns(NamedTuple):
    starts: array[int]
    players: array[int]
    ends: array[int]
    units: array[int]
    supply_used: array[float]
    supply_made: array[float]
    kinds: Named
    names: Named
    sources: Named
    outcomes: Named

def step_columns(steps: list[Step]) -> StepColumns: ...

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
class OrderLog:
    @property
    def loops(self) -> array[int]: ...
    def __init__(self) -> None: ...
    def pop_between(self, first: int, last: int) -> int: ...

def in_order(steps: list[Step]) -> list[Step]: ...

@final
class Starts:
    def __init__(
        self,
        facts: ProductionFacts,
        commands: Iterable[tuple[int, int, str]],
        upgrades: Iterable[tuple[int, int, int | None, str]],
    ) -> None: ...
