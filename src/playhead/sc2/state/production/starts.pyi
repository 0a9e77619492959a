from collections.abc import Iterable
from typing import final

from playhead.sc2.state.production.facts import ProductionFacts

COMMAND: str
QUEUE: str
BUILD_TIME: str
UNKNOWN: str

@final
class Starts:
    def __init__(
        self,
        facts: ProductionFacts,
        commands: Iterable[tuple[int, int, str]],
        upgrades: Iterable[tuple[int, int, int | None, str]],
    ) -> None: ...
