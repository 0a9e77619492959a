from collections.abc import Set
from typing import Any, final

from playhead.tables.column_buffers import Int32Columns
from playhead.teehistorian.physics.world.world import GameWorld

@final
class EventNotes:
    events: list[Any]
    race: Any
    deaths: Any
    def __init__(self, world: GameWorld, practice: Set[int]) -> None: ...
    def take(self) -> list[Any]: ...
    def has_begun(self, tick: int) -> bool: ...

@final
class StateRows:
    @property
    def bodies(self) -> Int32Columns: ...
    @property
    def hooks(self) -> Int32Columns: ...
    def __init__(self) -> None: ...
