from collections.abc import Container, Iterable, Sequence
from typing import final

from playhead.blizzard.units.history import UnitHistory
from playhead.sc2.state.production.facts import ProductionFacts
from playhead.sc2.state.production.records import Step

@final
class SupplyChanges:
    def __init__(self) -> None: ...

def supply_at(changes: Sequence[tuple[int, float, float]], loops: Sequence[int]) -> list[tuple[float, float]]: ...

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
        conjured: Container[tuple[int, int, str]] = (),
    ) -> None: ...
    def supply_of(self, player: int) -> list[tuple[int, float, float]]: ...
