from collections.abc import Callable, Iterable
from typing import final

import pyarrow as pa

from playhead.source2.entity import Entity
from playhead.source2.field_decoder import ValuePool

@final
class EntityColumn:
    name: str
    def __init__(self, name: str) -> None: ...
    def to_arrow(self, rows: int, pool: ValuePool, seconds_per_tick: float) -> pa.Array: ...

@final
class EntityColumns:
    columns: dict[str, EntityColumn]
    rows: int
    def __init__(self, names: Iterable[str], wanted: Callable[[str], bool] | None = None) -> None: ...
    def add(self, entity: Entity) -> int: ...
    def skip(self) -> int: ...
