"""`FieldHistory`: records the changed cells of an entity, which makes saved states small."""

from __future__ import annotations

from array import array

from playhead.runtime import cython
from playhead.source2.entities.classes import EntityPool

if not cython.compiled:

    def clone(template: array[int], length: int, _zero: bool) -> array[int]:
        """As cpython.array.clone."""
        return array(template.typecode, bytes(template.itemsize * length))

    def resize(numbers: array[int], length: int) -> None:
        """As cpython.array.resize."""
        numbers.frombytes(bytes(numbers.itemsize * (length - len(numbers))))


_NUMBERS: array = array("i")
_VALUES: array = array("q")
_MARKS: array = array("b")

# Minimum growth of the list of changed cells.
_FEW = 16


@cython.final
@cython.no_gc  # no reference cycle contains a history
@cython.cclass
class FieldHistory:
    """Original values of the cells of one entity that have changed since the history began.

    A saved state is the values of these cells only; all other cells have their original values. In a client's
    recording, whose messages build on earlier states, 1 or 2 of 1,000 fields change from one state to the next,
    and some 20 within a second.

    Attributes:
        count: number of changed cells.
        whole: the original state in the form of `Entity.save_state`, with `whole_size` cells; None while the
            entity differs from it only in the changed cells.
    """

    def __init__(self, pool: EntityPool) -> None:
        self._pool = pool
        self._taken = 0
        self.count = 0
        self.whole = None
        self.whole_size = 0
        # Allocate nothing before a cell changes: most entities never change.
        self._listed = 0
        self._markable = 0
        self._numbers_array = None
        self._first_array = None
        self._marks_array = None

    if cython.compiled:

        def __dealloc__(self) -> None:
            if self._pool is not None:
                self._pool._left += self._taken

    else:

        def __del__(self) -> None:
            self._pool._left += self._taken

    def _reserve(self, cells: cython.longlong) -> cython.int:
        self._pool.reserve(cells)
        self._taken += cells
        return 0

    def _make_room(self, cell: cython.int, capacity: cython.Py_ssize_t) -> cython.int:
        """Make room to record `cell` of an entity with `capacity` cells."""
        if cell >= self._markable:
            more: cython.Py_ssize_t = max(cell + 1, capacity) - self._markable
            self._reserve((more + 7) // 8)
            old: array = self._marks_array
            self._marks_array = clone(_MARKS, self._markable + more, True)
            if cython.compiled:
                self._marks = self._marks_array.data.as_schars
                if old is not None:
                    memcpy(self._marks, old.data.as_schars, self._markable)
            else:
                self._marks = self._marks_array
                self._marks[: self._markable] = old or array("b")
            self._markable += more
        if self.count == self._listed:
            more = max(_FEW, self.count)
            self._reserve(3 * more)
            if self._listed == 0:
                self._numbers_array = clone(_NUMBERS, more, False)
                self._first_array = clone(_VALUES, 2 * more, False)
            else:
                resize(self._numbers_array, self._listed + more)
                if cython.compiled:  # the next line may find no memory
                    self._numbers = self._numbers_array.data.as_ints
                resize(self._first_array, 2 * (self._listed + more))
            self._listed += more
            self._numbers = self._numbers_array.data.as_ints if cython.compiled else self._numbers_array
            self._first = self._first_array.data.as_longlongs if cython.compiled else self._first_array
        return 0

    def keep(
        self, cell: cython.int, values: cython.p_longlong, present: cython.p_schar, capacity: cython.Py_ssize_t
    ) -> cython.int:
        """Record the value of a cell before it changes.

        Args:
            cell: number of the cell.
            values: the cells of the entity.
            present: whether each cell holds a value.
            capacity: number of the cells.
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

    def save(
        self, saved: array, values: cython.p_longlong, present: cython.p_schar, capacity: cython.Py_ssize_t
    ) -> cython.int:
        """Save the current values of the changed cells for `load`: `count` pairs of value and presence."""
        i: cython.Py_ssize_t
        out: cython.p_longlong = saved.data.as_longlongs if cython.compiled else saved
        for i in range(self.count):
            cell: cython.int = self._numbers[i]
            if cell < capacity:
                out[2 * i] = values[cell]
                out[2 * i + 1] = present[cell]
            else:
                out[2 * i + 1] = 0
        return 0

    def load(
        self,
        saved: array,
        count: cython.Py_ssize_t,
        values: cython.p_longlong,
        present: cython.p_schar,
        capacity: cython.Py_ssize_t,
    ) -> cython.int:
        """Set the cells to the state that `save` wrote as `count` values."""
        i: cython.Py_ssize_t
        if self.count == 0:
            return 0
        if count == 0:
            out: cython.p_longlong = self._first
        else:
            out = saved.data.as_longlongs if cython.compiled else saved
        for i in range(self.count):
            if i == count:
                out = self._first
            cell: cython.int = self._numbers[i]
            if cell < capacity:
                values[cell] = out[2 * i]
                present[cell] = out[2 * i + 1]
        return 0

    def keep_whole(self, saved: array, size: cython.Py_ssize_t) -> cython.int:
        """Turn `saved`, the current state of `size` cells, into the original state and keep it.

        Called before a change that `keep` does not see. `saved` has the form of `Entity.save_state`.
        """
        i: cython.Py_ssize_t
        if not cython.compiled:
            there = bytearray(saved[size:].tobytes())
        for i in range(self.count):
            cell: cython.int = self._numbers[i]
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
        self._reserve(size + (size + 7) // 8)
        self.whole = saved
        self.whole_size = size
        return 0
