from array import array
from typing import final

from playhead.teehistorian.physics.rerun.given import GivenInputs
from playhead.teehistorian.physics.rerun.prediction import Prediction
from playhead.teehistorian.physics.world.world import GameWorld

@final
class Doubts:
    def __init__(
        self, prediction: Prediction, world: GameWorld, given: GivenInputs, doubts: array[int] | None
    ) -> None: ...
    def found(self) -> array[int]: ...
