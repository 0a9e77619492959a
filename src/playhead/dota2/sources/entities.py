"""Reads of an entity for facts: fields as numbers, its name, its position on the map."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.runtime.libraries import pa, pc
from playhead.runtime.typing import Any
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.manager import ENTITY_NAMES, EntityManager
from playhead.source2.tables.seldom_columns import numbers_as
from playhead.tables.arrow import lookup
from playhead.tables.value_arrays import array_of, scalar_of

_INT32_END = 1 << 31
_NUMBER = (int, float)

# -- numbers --------------------------------------------------------------------------------------------


def integer(entity: Entity, name: str) -> int | None:
    """Return a field as an integer of 32 bits; None if it has no value, or one of another type."""
    return whole(entity.get(name))


def whole(value: object) -> int | None:
    """Return a field's value if it is an integer of 32 bits, otherwise None."""
    return value if isinstance(value, int) and -_INT32_END <= value < _INT32_END else None


# -- names ----------------------------------------------------------------------------------------------

#: Field that `npc_name` reads; its other names work too.
NAME_FIELD = "m_pEntity.m_nameStringTableIndex"

#: String table that `npc_name` reads.
NAME_TABLE = ENTITY_NAMES


def npc_name(manager: EntityManager, entity: Entity) -> str | None:
    """Return the entity's own name (``npc_dota_hero_axe``, ``item_blink``); None if the recording has none.

    The class is less exact: many items and abilities share CDOTA_Item and CDOTABaseAbility.
    """
    try:
        return manager.npc_name(entity)
    except LookupError:
        return None


def hero_column(players: pa.Array, names: Mapping[int, str | None]) -> pa.DictionaryArray:
    """Return the heroes of a column of players, given the name of each player's hero."""
    known = [name for name in dict.fromkeys(names.values()) if name is not None]
    numbers = {name: number for number, name in enumerate(known)}
    codes = {player: numbers[name] for player, name in names.items() if name is not None}
    return pa.DictionaryArray.from_arrays(lookup(players, codes, pa.int32()), array_of(known, pa.string()))


# -- positions ------------------------------------------------------------------------------------------

#: World units of a cell.
CELL = 128

#: The middle of the map, in world units from the corner of cell 0.
HALF_MAP = 16384

_BODY = "CBodyComponent."
CELL_X, CELL_Y = (_BODY + name for name in ("m_cellX", "m_cellY"))
OFFSET_X, OFFSET_Y = (_BODY + name for name in ("m_vecX", "m_vecY"))

#: Fields of a position on the ground.
POSITION_FIELDS = (CELL_X, CELL_Y, OFFSET_X, OFFSET_Y)


def position(entity: Entity) -> tuple[float | None, float | None]:
    """Return the world coordinates of an entity, with the origin in the middle of the map; None if unknown."""
    get = entity.get
    return coordinate(get(CELL_X), get(OFFSET_X)), coordinate(get(CELL_Y), get(OFFSET_Y))


def coordinate(cell: object, offset: object) -> float | None:
    """Return one world coordinate from the values of two of `POSITION_FIELDS`; None if unknown."""
    if not isinstance(cell, _NUMBER):
        return None
    return float(cell) * CELL + (float(offset) if isinstance(offset, _NUMBER) else 0.0) - HALF_MAP


def axis_column(cells: Any, offsets: Any) -> pa.Array:
    """As `axis_values`, as float32."""
    return axis_values(cells, offsets).cast(pa.float32(), safe=False)


def axis_values(cells: Any, offsets: Any) -> pa.Array:
    """As `position`, for one axis of columns: cells and offsets; float64."""
    cell, half_map = scalar_of(float(CELL), pa.float64()), scalar_of(float(HALF_MAP), pa.float64())
    corner = pc.subtract(pc.multiply(numbers_as(cells, pa.float64()), cell), half_map)
    return pc.add(corner, numbers_as(offsets, pa.float64()))
