"""`EntityPool`: what all entities of a recording share."""

from __future__ import annotations

from array import array

from playhead.errors import LimitExceeded
from playhead.source2.entities.field_path import FieldPathReader
from playhead.source2.schema.decoder import ValuePool
from playhead.source2.schema.encoding import MOST_CELLS

try:
    import cython
except ModuleNotFoundError:
    from playhead.runtime import cython_shim as cython


@cython.final
@cython.cclass
class EntityPool:
    """What all entities of a recording share: the pool of strings and the bound on memory.

    Attributes:
        strings: strings and byte blocks, by number.
        seconds_per_tick: the unit of `m_flSimulationTime`.
        values: how many values of fields were read.
    """

    def __init__(self, most_cells: int) -> None:
        self.strings = ValuePool()
        self.paths = FieldPathReader()
        self.seconds_per_tick = 0.0
        self.values = 0
        self._left = most_cells
        self._most = most_cells
        self._scratch_array = array("q", [0] * MOST_CELLS)
        if cython.compiled:
            self._scratch = self._scratch_array.data.as_longlongs
        else:
            self._scratch = self._scratch_array

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def take(self, cells: cython.longlong) -> cython.int:
        """Count cells that are going to be allocated (or, negative, given back)."""
        self._left -= cells
        if self._left < 0:
            self._left += cells
            raise LimitExceeded(f"the entities take more than {self._most} cells of memory")
        return 0
