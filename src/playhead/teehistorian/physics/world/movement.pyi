from typing import final

from playhead.teehistorian.physics.arena.arena import Arena

GROUND_JUMP: int
AIR_JUMP: int
HOOK_LAUNCH: int
HOOK_TEE: int
HOOK_WALL: int
HOOK_REFUSED: int

@final
class Movement:
    hooks_return: bool
    def __init__(self, arena: Arena) -> None: ...
