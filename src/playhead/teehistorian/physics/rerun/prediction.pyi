from array import array
from typing import final

from playhead.teehistorian.physics.rerun.given import GivenInputs
from playhead.teehistorian.physics.world.world import GameWorld

TELEPORTED: int

@final
class Prediction:
    @property
    def guessed(self) -> int: ...
    def __init__(self, world: GameWorld, given: GivenInputs, alternatives: array[int] | None) -> None: ...
    def found(self) -> array[int]: ...
    def jump(self, moved: int = -1) -> None: ...

@final
class Recovery:
    def __init__(self) -> None: ...

@final
class Doubts:
    def __init__(
        self, prediction: Prediction, world: GameWorld, given: GivenInputs, doubts: array[int] | None
    ) -> None: ...
    def found(self) -> array[int]: ...
