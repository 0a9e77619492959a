"""The viewer's moving entities of Dota 2, and the trees."""

from __future__ import annotations

from collections.abc import Iterator

from playhead.presentation.motion import SEEN_BY_FIRST, SEEN_BY_SECOND
from playhead.source2.entities.entity import Entity
from playhead.source2.motion import Source2Motion

#: Teams that see the entity: bits by team number.
_VISIBLE_BY = "m_iTaggedAsVisibleByTeam"
_RADIANT, _DIRE = (1 << team for team in Source2Motion.sight_teams)


class DotaMotion(Source2Motion):
    """Heroes, creeps and structures."""

    jump_distance = 900.0
    cell = 128  # see docs/dota2.md
    fields_read = Source2Motion.fields_read | {_VISIBLE_BY}
    skipped = ("CDOTAWearable", "CDOTABaseAbility")
    hidden = (*Source2Motion.hidden, "CDOTAPlayer")

    @staticmethod
    def is_hero(class_name: str) -> bool:
        """Return whether a class is that of a hero."""
        return "_Hero_" in class_name

    def sight(self, entity: Entity) -> int:
        """Return the bits of the teams that see an entity; see `Source2Motion.sight`."""
        visible = entity.get(_VISIBLE_BY)
        if not isinstance(visible, int):
            return 0
        return (SEEN_BY_FIRST if visible & _RADIANT else 0) | (SEEN_BY_SECOND if visible & _DIRE else 0)

    def fixed(self) -> Iterator[tuple[str, float, float]]:
        """Yield the trees in the middle of the recording."""
        last = self.replay.info.duration_ticks or 0
        for entity in self._at(last // 2).entities:
            place = self.place(entity) if "Tree" in entity.class_name else None
            if place is not None:
                yield "tree", *place
