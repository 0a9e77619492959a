from typing import final

from playhead.teehistorian.physics.arena.arena import Arena
from playhead.teehistorian.physics.world.movement import Movement

@final
class TileRules:
    def __init__(self, arena: Arena, movement: Movement) -> None: ...
