"""The viewer's moving entities of CS2: players, grenades with their ways, and the bomb."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.cs2.sources.maps import levels
from playhead.cs2.sources.pawn import PLACE_FIELDS, place
from playhead.presentation.motion import THROWN
from playhead.source2.entities.entity import Entity
from playhead.source2.motion import Source2Motion

_THROWER, _OWNER = "m_hThrower", "m_hOwnerEntity"
_CONTROLLER, _ACCOUNT = "m_hController", "m_steamID"
_HEIGHT = PLACE_FIELDS[4:]
_BOMBS = frozenset({"CC4", "CPlantedC4"})


class Cs2Motion(Source2Motion):
    """Players, and entities without health: grenades, and the bomb while no player carries it."""

    fields_read = Source2Motion.fields_read | {_THROWER, _OWNER, _ACCOUNT, *_HEIGHT}

    def __init__(self, replay: Any) -> None:
        super().__init__(replay)
        self._levels = levels(replay)
        slots: dict[int, dict[str | None, int]] = {}
        for player in replay.players:
            slots.setdefault(player.details.get("slot", player.player), {})[player.account] = player.player
        #: By slot that several people had one after another: their numbers by account.
        self._shared = {slot: held for slot, held in slots.items() if len(held) > 1}

    def place(self, entity: Entity) -> tuple[float, float] | None:
        """Return the coordinates at which an entity is drawn: the levels of a map are apart."""
        found = super().place(entity)
        if found is None or self._levels is None:
            return found
        return found[0], found[1] - self._levels.drop(place(entity)[2])

    def player_of(self, entity: Entity) -> int | None:
        """Return the number of the player that controls an entity: a slot may have had other people before."""
        slot = super().player_of(entity)
        handle = entity.get(_CONTROLLER)
        if slot not in self._shared or not isinstance(handle, int):
            return slot
        controller = self.entity_of(handle)
        account = None if controller is None else controller.get(_ACCOUNT)
        return self._shared[slot].get(str(account) if account else None, slot)

    def is_bare(self, entity: Entity) -> bool:
        """Return whether an entity without health is shown; see `Source2Motion.is_bare`."""
        if entity.class_name == "CC4":
            owner = entity.get(_OWNER)
            return not isinstance(owner, int) or self.entity_of(owner) is None
        return entity.class_name in _BOMBS or entity.class_name.endswith("Projectile")

    def team_of(self, entity: Entity) -> int | None:
        """Return the team of an entity; the bomb has none."""
        return None if entity.class_name in _BOMBS else super().team_of(entity)

    def _about(self, entities: Any, entity: Entity) -> Mapping[str, Any]:
        """Return the directory entry; a grenade belongs to the player that threw it."""
        about = {**super()._about(entities, entity)}
        if entity.class_name in _BOMBS:
            return {**about, "kind": "bomb", "role": "bomb"}
        if entity.class_name.endswith("Projectile"):
            thrower = entity.get(_THROWER)
            pawn = self.entity_of(thrower) if isinstance(thrower, int) else None
            about |= {"role": THROWN, "player": None if pawn is None else self.player_of(pawn)}
        return about
