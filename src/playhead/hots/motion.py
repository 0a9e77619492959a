"""The viewer's moving units of Heroes of the Storm."""

from __future__ import annotations

from collections.abc import Iterator

from playhead.blizzard.motion import UnitMotion
from playhead.hots.state.timeline import HERO
from playhead.presentation import motion
from playhead.runtime.cached import cached_property
from playhead.runtime.libraries import pa, pc
from playhead.tables.value_arrays import scalar_of

#: Starts of types of units that nobody sees.
_NOT_SHOWN = tuple(
    "LootBanner Experience HallOfStorms InvisibleUnit PathingBlocker Dummy XP LootSpray RegenGlobe Vision".split()
)
#: Starts of types of buildings.
_BUILDINGS = ("Town", "KingsCore", "VanndarStormpike", "DrekThar")


class HotsMotion(UnitMotion):
    """Units of Heroes of the Storm. Players 11 and 12 are the minions and buildings of the sides."""

    hidden = _NOT_SHOWN

    @cached_property
    def teams(self) -> dict[int | None, int | None]:
        """Teams by player."""
        return {11: 1, 12: 2, **{player.player: player.team for player in self.replay.players}}

    def role(self, unit_type: str) -> str:
        """Return the role of a type of units."""
        if unit_type.startswith(HERO):
            return motion.HERO
        return motion.BUILDING if unit_type.startswith(_BUILDINGS) else motion.UNIT

    def inputs(self) -> Iterator[tuple[str, pa.Table]]:
        """Yield places of screens and orders."""
        rows = self.replay.table("inputs", columns=["tick", "player", "kind", "x", "y"])
        is_screen = pc.equal(rows["kind"].cast(pa.string()), scalar_of("camera_moved", pa.string()))
        yield motion.CAMERA, rows.filter(is_screen)
        yield motion.ORDER, rows.filter(pc.invert(is_screen))
