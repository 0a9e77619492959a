"""Columns of entity fields: rows go from an entity's state into Arrow's memory without a Python object a value."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from playhead.source2.class_info import ClassInfo
from playhead.source2.entity import Entity
from playhead.source2.field_aliases import aliases_of
from playhead.source2.field_decoder import FieldDecoder, ValuePool
from playhead.tables.column_buffers import Int32Buffer, Int64Buffer

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

if TYPE_CHECKING:
    import pyarrow as pa

# By number of a `playhead.source2.field_encoding.Kind`: forms that have the same type as a column.
_GROUPS = "biiuuiiitffffsyffffffbi"


@cython.final
@cython.cclass
class EntityColumn:
    """The values of one field, a row an entity.

    Attributes:
        name: dotted name of the field.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._kind = -1
        self._width = 1
        self._values = Int64Buffer()
        self._marks = Int32Buffer()
        self._rows = 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def pad(self, rows: cython.Py_ssize_t) -> cython.int:
        """Fill up with nothing to that many rows."""
        while self._rows < rows:
            for _ in range(self._width):
                self._values.append(0)
            self._marks.append(0)
            self._rows += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put(self, entity: Entity, number: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """Give a row the value of a slot, if it has one; the rows before it that have none get nothing."""
        info: ClassInfo = entity.class_info
        cell: cython.int = info._cell[number]
        i: cython.int
        if cell < 0 or cell >= entity._capacity or not entity._present[cell]:
            return 0
        decoder: FieldDecoder = info._decoders[number]
        if self._kind < 0:
            self._kind = decoder.kind
            self._width = decoder.cells
        elif not self._takes(decoder):
            return 0
        self.pad(row)
        for i in range(self._width):
            self._values.append(entity._cells[cell + i])
        self._marks.append(1)
        self._rows = row + 1
        return 0

    @cython.cfunc
    def _takes(self, decoder: FieldDecoder) -> cython.bint:
        """Whether values of a decoder go into the column that others began: another class may declare the field
        with another type. Forms of the same Arrow type do.
        """
        return decoder.cells == self._width and _GROUPS[decoder.kind] == _GROUPS[self._kind]

    def to_arrow(self, rows: int, pool: ValuePool, seconds_per_tick: float) -> pa.Array:
        """The column of `rows` rows: bool, int64, uint64, float64, text, bytes, or lists of 2 to 4 float64 of a
        vector; null where an entity had no value. Nothing but nulls where the field never occurred. It is handed
        over and starts anew.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        self.pad(rows)
        values = self._values.to_arrow()
        marks = self._marks.to_arrow().cast(pa.bool_())
        kind, width = self._kind, self._width
        self._kind, self._width, self._rows = -1, 1, 0
        if kind < 0:
            return pa.nulls(rows)
        if width > 1:
            vectors = pa.FixedSizeListArray.from_arrays(_same_bits(values, pa.float64()), width)
            return pc.if_else(marks, vectors, pa.scalar(None, vectors.type))
        if kind in (13, 14):
            return _pool_values(values, marks, pool, kind == 13)
        if kind in (0, 21):
            values = pc.not_equal(values, 0)
        elif kind in (3, 4):
            values = _same_bits(values, pa.uint64())
        elif kind == 8:
            values = pc.multiply(values.cast(pa.float64()), seconds_per_tick)
        elif 9 <= kind <= 12:
            values = _same_bits(values, pa.float64())
        return pc.if_else(marks, values, pa.scalar(None, values.type))


def _same_bits(cells: pa.Array, to: pa.DataType) -> pa.Array:
    """64-bit cells as another type of 64 bits."""
    import pyarrow as pa

    return pa.Array.from_buffers(to, len(cells), [None, cells.buffers()[1]])


def _pool_values(cells: pa.Array, marks: pa.Array, pool: ValuePool, text: bool) -> pa.Array:
    """Strings or bytes by their numbers in the pool."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = pc.if_else(marks, cells, pa.scalar(None, pa.int64()))
    used = pc.unique(numbers.drop_null())
    known = [pool.value(number) for number in used.to_pylist()]
    if text:
        pooled = pa.array([value.decode("utf-8", "replace") for value in known], pa.string())
    else:
        pooled = pa.array(known, pa.binary())
    return pooled.take(pc.index_in(numbers, value_set=used, skip_nulls=True))


@cython.final
@cython.cclass
class EntityColumns:
    """Columns of fields, filled row by row; which slot of a class goes where is looked up once and kept.

    Args:
        names: dotted names of fields that have a column in any case.
        wanted: told another field's name, whether it shall get a column when it first has a value; None adds none.

    Attributes:
        columns: by name.
        rows: rows so far.
    """

    def __init__(self, names: Any, wanted: Any = None) -> None:
        self.columns = {name: EntityColumn(name) for name in names}
        self.rows = 0
        self._wanted = wanted
        self._plans = {}

    @cython.cfunc
    def _plan(self, info: ClassInfo) -> tuple:
        """(slots known when it was made, their numbers, their columns) of a class."""
        numbers = array("i")
        columns = []
        for name in list(self.columns):
            number = info.ensure_slot(name)
            for other in aliases_of(name) if number < 0 else ():
                number = info.ensure_slot(other) if number < 0 else number
            if number >= 0:
                numbers.append(number)
                columns.append(self.columns[name])
        taken = set(numbers)
        if self._wanted is not None:
            for name, number in info.names().items():
                if number not in taken and self._wanted(name):
                    numbers.append(number)
                    if name not in self.columns:
                        self.columns[name] = EntityColumn(name)
                    columns.append(self.columns[name])
        plan = (len(info._decoders) if self._wanted is not None else -1, numbers, columns)
        self._plans[info.class_id] = plan
        return plan

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add(self, entity: Entity) -> cython.int:
        """Add a row: the fields of one entity as they stand."""
        info: ClassInfo = entity.class_info
        plan: tuple = self._plans.get(info.class_id)
        column: EntityColumn
        i: cython.Py_ssize_t
        if plan is None or (plan[0] >= 0 and plan[0] != len(info._decoders)):
            plan = self._plan(info)
        numbers: array = plan[1]
        columns: list = plan[2]
        for i in range(len(columns)):
            column = columns[i]
            column.put(entity, numbers[i], self.rows)
        self.rows += 1
        return 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def skip(self) -> cython.int:
        """Add a row without values."""
        self.rows += 1
        return 0
