from typing import final

from playhead.source2.schema.decoder import ValuePool

@final
class EntityPool:
    @property
    def strings(self) -> ValuePool: ...
    seconds_per_tick: float
    @property
    def values(self) -> int: ...
    def __init__(self, most_cells: int) -> None: ...
