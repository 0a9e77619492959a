"""`EntityPool`: resources shared by all entities of a recording."""

from __future__ import annotations

from array import array

from playhead.errors import LimitExceeded
from playhead.runtime import cython
from playhead.source2.entities.field_path import FieldPathReader
from playhead.source2.schema.decoder import ValuePool
from playhead.source2.schema.encoding import MOST_CELLS


@cython.final
@cython.cclass
class EntityPool:
    """Strings, scratch memory and the bound on memory, shared by all entities of a recording.

    Args:
        most_cells: bound on the cells of all entities.

    Attributes:
        strings: strings and byte blocks, by number.
        paths: reads field paths.
        seconds_per_tick: unit of `m_flSimulationTime`.
        values: number of field values read.
    """

    def __init__(self, most_cells: int) -> None:
        self.strings = ValuePool()
        self.paths = FieldPathReader()
        self.seconds_per_tick = 0.0
        self.values = 0
        self._left = most_cells
        self._most = most_cells
        self._scratch_array = array("q", [0] * MOST_CELLS)
        self._scratch = self._scratch_array.data.as_longlongs if cython.compiled else self._scratch_array

    def reserve(self, cells: cython.longlong) -> cython.int:
        """Count cells before their allocation; a negative number releases them."""
        self._left -= cells
        if self._left < 0:
            self._left += cells
            raise LimitExceeded(f"the entities need more than {self._most} cells of memory")
        return 0
