from collections.abc import Callable, Iterable, Sequence
from typing import final

import pyarrow as pa

from playhead.source2.entities.entity import Entity, EntityPool
from playhead.source2.schema.decoder import ValuePool

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
    def add(self, entity: Entity, prefix: str = "") -> int: ...
    def add_all(self, entities: Sequence[Entity | None], prefixes: Sequence[str] | None = None) -> None: ...
    def to_arrow(self, pool: EntityPool) -> dict[str, pa.Array]: ...
