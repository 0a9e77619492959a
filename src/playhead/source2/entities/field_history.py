"""`FieldHistory`: which cells of an entity have changed, so that a state of it is what those hold and no more."""

from __future__ import annotations

from array import array

from playhead.source2.entities.pool import EntityPool

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

# Cells to make room for at a time.
_FEW = 16


@cython.final
@cython.no_gc  # nothing that it holds leads back to it
@cython.cclass
class FieldHistory:
    """What the cells of one entity held before they first changed.

    A state of the entity is what the cells hold that had changed by then. All others hold what they did at first,
    also those that changed later. While a client's recording builds on earlier states, 1 or 2 fields change from
    one to the next, and some 20 in a second, of 1,000.

    Attributes:
        count: cells that have changed.
        whole: what the entity was at first, as `Entity.save_state` has it, of `whole_size` cells; None as long as
            the entity differs from that only in the cells that have changed.
    """

    def __init__(self, pool: EntityPool) -> None:
        self._pool = pool
        self._taken = 0
        self.count = 0
        self.whole = None
        self.whole_size = 0
        self._listed = 0
        self._markable = 0
        self._numbers_array = array("i")
        self._first_array = array("q")
        self._marks_array = array("b")
        self._refresh()

    if cython.compiled:

        def __dealloc__(self) -> None:
            if self._pool is not None:
                self._pool._left += self._taken

    else:

        def __del__(self) -> None:
            self._pool._left += self._taken

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _refresh(self) -> cython.int:
        """Renew the pointers into the arrays."""
        if cython.compiled:
            self._numbers = self._numbers_array.data.as_ints
            self._first = self._first_array.data.as_longlongs
            self._marks = self._marks_array.data.as_schars
        else:
            self._numbers = self._numbers_array
            self._first = self._first_array
            self._marks = self._marks_array
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _take(self, cells: cython.longlong) -> cython.int:
        self._pool.take(cells)
        self._taken += cells
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _make_room(self, cell: cython.int, capacity: cython.Py_ssize_t) -> cython.int:
        """Make room for one more cell, this one, of an entity with so many."""
        more: cython.Py_ssize_t
        if cell >= self._markable:
            more = max(cell + 1, capacity) - self._markable
            self._take((more + 7) // 8)
            self._marks_array.extend(array("b", bytes(more)))
            self._markable += more
        if self.count == self._listed:
            more = max(_FEW, self.count)
            self._take(3 * more)
            self._numbers_array.extend(array("i", bytes(4 * more)))
            self._first_array.extend(array("q", bytes(16 * more)))
            self._listed += more
        self._refresh()
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def keep(
        self,
        cell: cython.int,
        values: cython.p_longlong,
        present: cython.p_schar,
        capacity: cython.Py_ssize_t,
    ) -> cython.int:
        """Keep what a cell holds, which is about to change. `values` and `present` are `capacity` cells of the
        entity, and whether they hold anything.
        """
        if cell < self._markable and self._marks[cell]:
            return 0
        if cell >= self._markable or self.count == self._listed:
            self._make_room(cell, capacity)
        self._marks[cell] = 1
        self._numbers[self.count] = cell
        if cell < capacity:
            self._first[2 * self.count] = values[cell]
            self._first[2 * self.count + 1] = present[cell]
        else:
            self._first[2 * self.count + 1] = 0
        self.count += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def save(
        self, saved: array, values: cython.p_longlong, present: cython.p_schar, capacity: cython.Py_ssize_t
    ) -> cython.int:
        """Write what the cells that have changed hold, for `load`: `count` values, each with its presence."""
        i: cython.Py_ssize_t
        cell: cython.int
        if cython.compiled:
            out: cython.p_longlong = saved.data.as_longlongs
        else:
            out = saved
        for i in range(self.count):
            cell = self._numbers[i]
            if cell < capacity:
                out[2 * i] = values[cell]
                out[2 * i + 1] = present[cell]
            else:
                out[2 * i + 1] = 0
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load(
        self,
        saved: array,
        count: cython.Py_ssize_t,
        values: cython.p_longlong,
        present: cython.p_schar,
        capacity: cython.Py_ssize_t,
    ) -> cython.int:
        """Let the cells hold what they did when `save` wrote `count` values."""
        i: cython.Py_ssize_t
        cell: cython.int
        if cython.compiled:
            out: cython.p_longlong = saved.data.as_longlongs
        else:
            out = saved
        for i in range(self.count):
            if i == count:
                out = self._first
            cell = self._numbers[i]
            if cell < capacity:
                values[cell] = out[2 * i]
                present[cell] = out[2 * i + 1]
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def keep_whole(self, saved: array, size: cython.Py_ssize_t) -> cython.int:
        """Keep what the entity was at first; `saved` is what it is, as `Entity.save_state` has it, of `size`
        cells. It is going to change in other ways than by `keep`.
        """
        i: cython.Py_ssize_t
        cell: cython.int
        if not cython.compiled:
            there = bytearray(saved[size:].tobytes())
        for i in range(self.count):
            cell = self._numbers[i]
            if cell >= size:
                continue
            saved[cell] = self._first[2 * i]
            if cython.compiled:
                cython.cast(cython.p_schar, saved.data.as_longlongs + size)[cell] = cython.cast(
                    cython.schar, self._first[2 * i + 1]
                )
            else:
                there[cell] = self._first[2 * i + 1]
        if not cython.compiled:
            saved[size:] = array("q", bytes(there))
        self._take(size + (size + 7) // 8)
        self.whole = saved
        self.whole_size = size
        return 0
