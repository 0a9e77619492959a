from collections.abc import Callable, Iterable, Sequence
from typing import Any, final

from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp

@final
class FieldWatch:
    def __init__(self, names: Iterable[str], handler: Callable[[Entity, EntityOp], None]) -> None: ...
    def __call__(self, entity: Entity, op: EntityOp) -> None: ...

def call_entity_handlers(
    changed: Iterable[tuple[Entity, int]],
    by_class: dict[Any, Any],
    find: Callable[[str], Sequence[tuple[Callable[[Entity, EntityOp], None], str, int]]],
    ops: tuple[EntityOp, ...],
) -> None: ...
