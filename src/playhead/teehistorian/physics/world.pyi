from typing import Any, final

from playhead.teehistorian.physics.arena import Arena
from playhead.teehistorian.physics.beams import LaserBeams
from playhead.teehistorian.physics.entities import Entities
from playhead.teehistorian.physics.shots import FlyingShots
from playhead.teehistorian.physics.tiles import Tiles
from playhead.teehistorian.physics.weapons import Weapons

@final
class GameWorld(Arena):
    @property
    def weapons(self) -> Weapons: ...
    @property
    def shots(self) -> FlyingShots: ...
    @property
    def lasers(self) -> LaserBeams: ...
    @property
    def entities(self) -> Entities: ...
    strong_hooks: bool
    leaving: dict[Any, Any]
    def __init__(self, tiles: Tiles, tunings: list[Any]) -> None: ...
    def step(self) -> int: ...
    def rest(self, tick: int) -> int: ...
