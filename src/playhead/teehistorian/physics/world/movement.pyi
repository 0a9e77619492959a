from typing import final

from playhead.teehistorian.physics.arena.arena import Arena

@final
class Movement:
    hooks_return: bool
    def __init__(self, arena: Arena) -> None: ...
