"""`HeldItems`: the items of each player, and their changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from playhead.deadlock.sources.entities import DeclaredNames, names_of, number
from playhead.deadlock.sources.people import CONTROLLER
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldWatch

if TYPE_CHECKING:
    from playhead.source2.entities.entity import Entity
    from playhead.source2.playback.playback import Playback

_ITEMS = "m_vecUpgrades"
# More items than a player holds.
_MOST = 32

#: Called with the index of the controller, its items before, and now.
ItemHandler = Callable[[int, tuple[int, ...], tuple[int, ...]], None]


class HeldItems:
    """Follows m_vecUpgrades of all controllers.

    Args:
        declared: names of fields in the recording.
    """

    fields: Mapping[str, Sequence[str]] = {CONTROLLER: names_of((_ITEMS, f"{_ITEMS}.????"))}

    def __init__(self, declared: DeclaredNames) -> None:
        self._field = declared.name(CONTROLLER, _ITEMS) or _ITEMS
        self._held: dict[int, tuple[int, ...]] = {}
        self._handler: ItemHandler | None = None

    def attach(self, playback: Playback, handler: ItemHandler | None = None) -> None:
        """Follow a playback, which has to keep `fields`; `handler` is called at each change."""
        self._handler = handler
        names = (self._field, *(f"{self._field}.{place:04}" for place in range(_MOST)))
        playback.entities.on_entity(FieldWatch(names, self._on_controller), CONTROLLER)

    def _on_controller(self, controller: Entity, op: EntityOp) -> None:
        before = self._held.get(controller.index, ())
        now = () if op & EntityOp.DELETED else self.read(controller)
        if now != before:
            self._held[controller.index] = now
            if self._handler is not None:
                self._handler(controller.index, before, now)

    def read(self, controller: Entity) -> tuple[int, ...]:
        """Return the present items of a controller."""
        count = min(number(controller, self._field) or 0, _MOST)
        found = (number(controller, f"{self._field}.{place:04}") for place in range(count))
        return tuple(item for item in found if item)
