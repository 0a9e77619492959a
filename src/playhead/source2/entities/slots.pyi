from collections.abc import Callable, Iterable
from typing import Any, final

from playhead.source2.entities.entity import Entity

@final
class FieldSlots:
    @property
    def names(self) -> list[str]: ...
    def __init__(self, names: Iterable[str], wanted: Callable[[str], bool] | None = None) -> None: ...
    def values(self, entity: Entity, prefix: str = "") -> list[Any]: ...
