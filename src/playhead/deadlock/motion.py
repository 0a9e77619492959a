"""The viewer's moving entities of Deadlock."""

from __future__ import annotations

from playhead.deadlock.sources.entities import POSITION_FIELDS, Grid, Place
from playhead.deadlock.sources.match import PATRON
from playhead.source2.entities.entity import Entity
from playhead.source2.motion import Source2Motion


class DeadlockMotion(Source2Motion):
    """Heroes, troopers, neutrals and objectives."""

    cell = 512
    fields_read = Source2Motion.fields_read | set(POSITION_FIELDS)
    skipped = ("CCitadel_Ability", "CAbility", "CCitadel_Item", "CCitadel_Upgrade")
    hidden = (*Source2Motion.hidden, "PlayerController", "ZipLine", "ItemXP")
    _grid: Grid | None = None

    def place(self, entity: Entity) -> tuple[float, float] | None:
        """Return the coordinates of an entity, by the grid of this recording; None if it has none."""
        x, y, _ = self._placed(entity)
        return None if x is None or y is None else (x, y)

    def height(self, entity: Entity) -> float | None:
        """Return the height of an entity; see `Source2Motion.height`."""
        return self._placed(entity)[2]

    def _placed(self, entity: Entity) -> Place:
        if self._grid is None and self._playback is not None:
            patron = self._playback.entities.find_by_class_name(PATRON)
            if patron is not None:
                self._grid = Grid()
                self._grid.learn(patron)
        return (self._grid or Grid()).place(entity)
