from collections.abc import Iterable
from typing import final

from playhead.sc2.state.production.facts import ProductionFacts
from playhead.sc2.state.production.records import Step
from playhead.sc2.state.units.history import UnitHistory

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
        start: int = 0,
    ) -> None: ...
    def supply_of(self, player: int) -> list[tuple[int, float, float]]: ...

def orders_of(rows: Iterable[tuple[int, int | None, str | None]]) -> list[tuple[int, int, str]]: ...
