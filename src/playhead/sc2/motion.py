"""The viewer's moving units of StarCraft II."""

from __future__ import annotations

from collections.abc import Iterator

from playhead.blizzard.motion import UnitMotion
from playhead.presentation import motion
from playhead.runtime.libraries import pa
from playhead.sc2.abilities.unit_types import display_name
from playhead.sc2.state.players.winner import STRUCTURES

_RESOURCES = ("MineralField", "Geyser", "RichMineral", "RichVespene")
_NOT_SHOWN = tuple(
    "Beacon PathingBlocker Interact UnbuildablePlates UnbuildableBricks Larva InhibitorZone".split()
)
_STRUCTURES = STRUCTURES - {"LurkerDen"} | {"CreepTumor", "CreepTumorBurrowed", "CreepTumorQueen"}


class Sc2Motion(UnitMotion):
    """Units of StarCraft II."""

    hidden = _NOT_SHOWN

    def role(self, unit_type: str) -> str:
        """Return the role of a type of units."""
        if any(word in unit_type for word in _RESOURCES):
            return motion.RESOURCE
        return motion.BUILDING if unit_type in _STRUCTURES else motion.UNIT

    def title(self, unit_type: str) -> str:
        """Return the name of a type of units for people."""
        return display_name(unit_type)

    def inputs(self) -> Iterator[tuple[str, pa.Table]]:
        """Yield places of screens and orders."""
        for table, role in (("camera", motion.CAMERA), ("commands", motion.ORDER)):
            yield role, self.replay.table(table, columns=["tick", "player", "x", "y"])
