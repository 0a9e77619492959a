from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import final

from playhead.runtime.typing import Any
from playhead.source2.entities.classes import ClassInfo
from playhead.source2.entities.entity import Entity

@final
class FieldSlots:
    @property
    def names(self) -> list[str]: ...
    def __init__(self, names: Iterable[str], wanted: Callable[[str], bool] | None = None) -> None: ...
    def values(self, entity: Entity, prefix: str = "") -> list[Any]: ...

@final
class FieldWatch:
    def __init__(self, names: Iterable[str], handler: Callable[[Entity, Any], None]) -> None: ...
    def __call__(self, entity: Entity, op: Any) -> None: ...

@final
class WatchGroup:
    @property
    def info(self) -> ClassInfo: ...
    def __init__(self, watches: Sequence[FieldWatch], info: ClassInfo, forgotten: array[int]) -> None: ...

def call_entity_handlers(
    changed: Iterable[tuple[Entity, int]],
    by_class: dict[Any, Any],
    find: Callable[[str], Sequence[tuple[Callable[[Entity, Any], None], str, int]]],
    ops: tuple[Any, ...],
    failed: Callable[[Callable[..., None], Exception], None],
) -> None: ...
