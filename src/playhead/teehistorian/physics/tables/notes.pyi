from collections.abc import Set
from typing import Any, final

from playhead.teehistorian.physics.world.world import GameWorld

@final
class EventNotes:
    events: list[Any]
    race: Any
    deaths: Any
    def __init__(self, world: GameWorld, practice: Set[int]) -> None: ...
    def take(self) -> list[Any]: ...
    def has_begun(self, tick: int) -> bool: ...
