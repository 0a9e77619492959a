from typing import final

from playhead.teehistorian.physics.arena.arena import Arena
from playhead.teehistorian.physics.world.movement import Movement
from playhead.teehistorian.physics.world.shots import FlyingShots, LaserBeams

@final
class Weapons:
    clamps_ninja: bool
    def __init__(self, arena: Arena, movement: Movement, shots: FlyingShots, lasers: LaserBeams) -> None: ...
    def moving_input(
        self, cid: int, direction: int, x: int, y: int, jump: int, fire: int, hook: int, wanted: int
    ) -> int: ...
    def early_input(
        self, cid: int, fire: int, aim_x: int, aim_y: int, wanted: int, next: int, prev: int
    ) -> int: ...
