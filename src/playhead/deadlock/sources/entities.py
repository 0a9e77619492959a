"""Fields of Deadlock's entities: positions, handles, and fields under any of their names."""

from __future__ import annotations

from collections.abc import Iterable

from playhead.runtime.typing import Any
from playhead.source2.entities.entity import Entity
from playhead.source2.playback.recording import DeclaredFields

#: Components in whose fields a build may put the fields of a player or hero.
COMPONENTS = ("m_PlayerDataGlobal.", "m_CCitadelHeroComponent.", "m_CCitadelAbilityComponent.")

#: An entity index is the low bits of a handle.
INDEX = 0x3FFF
#: Handles without an entity: networked, and of game events.
NO_HANDLES = frozenset((0xFFFFFF, 0xFFFFFFFF, -1))

#: World units of a cell.
CELL = 512

_BODY = "CBodyComponent."
_CELLS = tuple(_BODY + name for name in ("m_cellX", "m_cellY", "m_cellZ"))
_OFFSETS = tuple(_BODY + name for name in ("m_vecX", "m_vecY", "m_vecZ"))
#: Fields of a position.
POSITION_FIELDS = (*_CELLS, *_OFFSETS)

Place = tuple[float | None, float | None, float | None]


def names_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return all names that fields have in the builds: bare, and inside each component."""
    return tuple(prefix + name for name in names for prefix in ("", *COMPONENTS))


def value(entity: Entity | None, *names: str) -> Any:
    """Return the first field of these that the entity has, under any of its names; None if it has none."""
    if entity is None:
        return None
    for name in names:
        found = entity.get(name)
        if found is not None:
            return found
        for prefix in COMPONENTS:
            found = entity.get(prefix + name)
            if found is not None:
                return found
    return None


def number(entity: Entity | None, *names: str) -> int | None:
    """As `value`; None if it is not an integer of 32 bits with or without sign."""
    return number_of(value(entity, *names))


def number_of(found: Any) -> int | None:
    """Return a value of a field; None if it is not an integer of 32 bits with or without sign."""
    return found if isinstance(found, int) and -(2**31) <= found < 2**32 else None


def real(entity: Entity | None, *names: str) -> float | None:
    """As `value`; None if it is not a number."""
    found = value(entity, *names)
    return float(found) if isinstance(found, int | float) else None


def index_of(handle: object) -> int | None:
    """Return the entity index in a handle; None if the handle refers to no entity."""
    if not isinstance(handle, int) or handle in NO_HANDLES:
        return None
    return handle & INDEX


class DeclaredNames(DeclaredFields):
    """Looks up fields of classes under any of their names."""

    def name(self, class_name: str, *names: str) -> str | None:
        """Return the first of these names, bare or in a component, that the class declares; None without one."""
        tried = (prefix + name for name in names for prefix in ("", *COMPONENTS))
        return next((name for name in tried if self.has(class_name, name)), None)


class Grid:
    """The middle cell of the map: 32 cells from the corner, or 64 since the update of 29 September 2026. The
    first patron whose position is known decides: patrons are within a few units of x = 0."""

    def __init__(self) -> None:
        self.middle, self.known = 32, False

    def learn(self, patron: Entity) -> None:
        """Find the middle cell by a patron."""
        cell = patron.get(_CELLS[0])
        if isinstance(cell, int):
            self.known = True
            self.middle = 64 if abs(cell - 64) < abs(cell - 32) else 32

    def place(self, entity: Entity | None) -> Place:
        """Return the world coordinates of an entity, with the origin in the middle of the map."""
        return self.world(self.corner_place(entity))

    @staticmethod
    def corner_place(entity: Entity | None) -> Place:
        """Return the coordinates of an entity from the corner of the map, which need no patron."""
        if entity is None:
            return None, None, None
        x, y, z = (_axis(entity, axis) for axis in range(3))
        return x, y, z

    def world(self, place: Place) -> Place:
        """Return world coordinates for those from the corner of the map."""
        middle = float(self.middle * CELL)
        x, y, z = (None if part is None else part - middle for part in place)
        return x, y, z


def _axis(entity: Entity, axis: int) -> float | None:
    cell, offset = entity.get(_CELLS[axis]), entity.get(_OFFSETS[axis])
    if not isinstance(cell, int):
        return None
    return cell * CELL + (float(offset) if isinstance(offset, int | float) else 0.0)
