from typing import final

from playhead.teehistorian.physics.arena.arena import Arena

@final
class TileRules:
    def __init__(self, arena: Arena) -> None: ...
