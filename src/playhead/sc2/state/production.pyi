from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple, final

from playhead.sc2.state.production_facts import ProductionFacts
from playhead.sc2.state.production_records import Step
from playhead.sc2.state.unit_history import UnitHistory

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

@final
class Production:
    @property
    def steps(self) -> list[Step]: ...
    def __init__(
        self,
        history: UnitHistory,
        upgrades: Iterable[tuple[int, int, int | None, str]],
        commands: Iterable[tuple[int, int, str]],
        facts: ProductionFacts,
        calldowns: Iterable[tuple[int, int]] = (),
    ) -> None: ...
    def supply_of(self, player: int) -> list[tuple[int, float, float]]: ...
    def columns(self) -> StepColumns: ...

def supply_at(changes: Sequence[tuple[int, float, float]], loops: Sequence[int]) -> list[tuple[float, float]]: ...
def orders_of(rows: Iterable[tuple[int, int | None, str | None]]) -> list[tuple[int, int, str]]: ...
