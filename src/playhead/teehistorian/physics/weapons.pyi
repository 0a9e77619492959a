from typing import final

from playhead.teehistorian.physics.arena import Arena
from playhead.teehistorian.physics.movement import Movement
from playhead.teehistorian.physics.shots import FlyingShots

@final
class Weapons:
    clamps_ninja: bool
    def __init__(self, arena: Arena, movement: Movement, shots: FlyingShots) -> None: ...
