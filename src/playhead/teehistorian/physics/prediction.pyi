from array import array
from typing import final

from playhead.teehistorian.physics.given import GivenInputs
from playhead.teehistorian.physics.world import GameWorld

@final
class Prediction:
    @property
    def guessed(self) -> int: ...
    def __init__(self, world: GameWorld, given: GivenInputs, told: array[int] | None, searches: bool) -> None: ...
    def found(self) -> array[int]: ...
