from collections.abc import Callable, Iterable, Sequence
from typing import Any, final

from playhead.source2.entities.entity import Entity

@final
class EntityChanges:
    @property
    def changes(self) -> list[tuple[int, Any, int, int, int]]: ...
    def __init__(self, names: Iterable[str], absent: int, wanted: Callable[[str], bool] | None = None) -> None: ...
    @property
    def names(self) -> list[str]: ...
    def look(
        self,
        tick: int,
        subjects: Sequence[Any],
        entities: Sequence[Entity | None],
        prefixes: Sequence[str] | None = None,
    ) -> None: ...
