"""Where an entity stands: cells of 128 units and an offset, told by its body component."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playhead.dota2.sources.entity_values import column, number, real
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.slots import FieldSlots
from playhead.tables.schema import Column

if TYPE_CHECKING:
    import pyarrow as pa

#: World units of a cell.
CELL = 128

#: The map's middle, in world units from the corner where cells begin.
HALF_MAP = 16384

_BODY = "CBodyComponent."
CELL_X, CELL_Y = (_BODY + name for name in ("m_cellX", "m_cellY"))
OFFSET_X, OFFSET_Y = (_BODY + name for name in ("m_vecX", "m_vecY"))

#: Fields that a position on the ground is made of.
POSITION_FIELDS = (CELL_X, CELL_Y, OFFSET_X, OFFSET_Y)

X = Column(
    "x",
    "float64",
    "To the east, from the middle of the map: m_cellX * 128 + m_vecX - 16384 of its CBodyComponent.",
    "world units",
)
Y = Column("y", "float64", "To the north, as `x`.", "world units")
CELL_X_COLUMN = Column("cell_x", "int32", "m_cellX of its CBodyComponent: 128 world units each, from the west.")
CELL_Y_COLUMN = Column("cell_y", "int32", "m_cellY, from the south.")


class PositionReader:
    """`position` for where it is asked for often."""

    def __init__(self) -> None:
        self._slots = FieldSlots((CELL_X, OFFSET_X, CELL_Y, OFFSET_Y))

    def __call__(self, entity: Entity) -> tuple[float | None, float | None]:
        """As `position`."""
        cell_x, offset_x, cell_y, offset_y = (real(value) for value in self._slots.values(entity))
        return _coordinate(cell_x, offset_x), _coordinate(cell_y, offset_y)


def position(entity: Entity) -> tuple[float | None, float | None]:
    """World coordinates of an entity on the ground, the origin in the middle of the map; None where unknown."""
    return _axis(entity, CELL_X, OFFSET_X), _axis(entity, CELL_Y, OFFSET_Y)


def _axis(entity: Entity, cell: str, offset: str) -> float | None:
    return _coordinate(number(entity, cell), number(entity, offset))


def _coordinate(cell: float | None, offset: float | None) -> float | None:
    return None if cell is None else cell * CELL + (offset or 0.0) - HALF_MAP


def axis_column(cells: Any, offsets: Any) -> pa.Array:
    """As `position`, one axis of a column of cells and one of offsets."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = pc.subtract(pc.multiply(column(cells, pa.float64()), float(CELL)), float(HALF_MAP))
    return pc.add(whole, column(offsets, pa.float64()))
