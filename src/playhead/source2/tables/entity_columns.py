"""Columns of entity fields: rows go from an entity's state into Arrow's memory without a Python object a value.

The module is long because rows and changes are read from the memory of entities, which only C code reaches.
"""

from __future__ import annotations

from array import array

from playhead.runtime import cython
from playhead.runtime.libraries import pa, pc
from playhead.source2.entities.classes import ClassInfo, EntityPool
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.watching import FieldSlots
from playhead.source2.schema.decoder import FieldDecoder, ValuePool
from playhead.source2.schema.encoding import ENCODINGS, Kind
from playhead.tables.column_buffers import Int32Buffer
from playhead.tables.value_arrays import array_of, scalar_of

if cython.compiled:
    from cython.cimports.cpython.array import array
    from cython.cimports.cpython.list import PyList_GET_ITEM
    from cython.cimports.libc.string import memset
    from cython.cimports.playhead.bits.checked_arrays import resize
    from cython.cimports.playhead.source2.entities.classes import (
        KIND_MASK,
        ClassInfo,
        EntityPool,
        cell_of,
        form_of,
    )
    from cython.cimports.playhead.source2.entities.entity import Entity
    from cython.cimports.playhead.source2.entities.watching import FieldSlots
    from cython.cimports.playhead.source2.schema.decoder import (
        BOOL,
        LENGTH,
        POINTER,
        SEQUENCE,
        SIGNED,
        FieldDecoder,
    )
    from cython.cimports.playhead.tables.column_buffers import Int32Buffer, append_int32
else:
    from operator import getitem as PyList_GET_ITEM

    from playhead.source2.entities.classes import KIND_MASK, cell_of, form_of
    from playhead.tables.column_buffers import append_int32

    BOOL, SIGNED, SEQUENCE, POINTER, LENGTH = Kind.BOOL, Kind.SIGNED, Kind.SEQUENCE, Kind.POINTER, Kind.LENGTH


# Forms that have the same type as a column.
_BOOLS = (Kind.BOOL, Kind.POINTER)
_UNSIGNED = (Kind.UNSIGNED, Kind.FIXED64)
_SIGNED = (Kind.SIGNED, Kind.SIGNED64, Kind.BYTE, Kind.SIGNED_BYTE, Kind.SEQUENCE, Kind.LENGTH)
_TEXT, _BYTES, _TICKS = (Kind.STRING,), (Kind.BYTES,), (Kind.TICKS,)
_GROUPS = (_BOOLS, _UNSIGNED, _SIGNED, _TEXT, _BYTES, _TICKS)
_FLOATS = tuple(kind for kind in ENCODINGS.values() if not any(kind in group for group in _GROUPS))
# The group of each kind, by its number.
_GROUP = bytes(
    next(i for i, group in enumerate((*_GROUPS, _FLOATS)) if kind in group) for kind in ENCODINGS.values()
)

_NO_SLOTS = cython.declare(object, array("i"))
# Rows of the first allocation; a multiple of 8, the rows of a byte of validity.
_FIRST_ROWS = 64


# Called with items of a list, whose references compiled code does not count.
@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _has(entity: Entity, cell: cython.int) -> cython.bint:
    """Return whether an entity has a value that begins in a cell."""
    return cell < entity._capacity and entity._present[cell]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _value(entity: Entity, cell: cython.int) -> cython.longlong:
    return entity._cells[cell]


@cython.final
@cython.cclass
class EntityColumn:
    """The values of one field, a row an entity; kept as Arrow keeps them, a bit a row for whether it has one.

    Attributes:
        name: dotted name of the field.
    """

    name = cython.declare(str, visibility="readonly")
    _kind: cython.int
    _width: cython.int
    _cells_array: array
    _valid_array: array
    _cells: cython.p_longlong
    _valid: cython.p_uchar
    _capacity: cython.Py_ssize_t
    # Rows to expect, and when it was handed over last: the next part has about as many.
    _rows: cython.Py_ssize_t
    # Class and slot of the vector that it took last.
    _class: ClassInfo
    _slot: cython.int
    # Among the columns.
    _place: cython.Py_ssize_t

    def __init__(self, name: str, rows: int = 0, place: int = 0) -> None:
        self.name = name
        self._rows = rows
        self._place = place
        self._begin()

    @cython.cfunc
    def _begin(self) -> object:
        self._kind = -1
        self._width = 1
        self._class = None
        self._slot = -1
        self._cells_array = array("q")
        self._valid_array = array("B")
        self._capacity = 0
        if not cython.compiled:
            self._cells = self._cells_array
            self._valid = self._valid_array
        return None

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _grow(self, rows: cython.Py_ssize_t) -> cython.int:
        """Make room for at least that many rows, without values."""
        old: cython.Py_ssize_t = self._capacity
        capacity: cython.Py_ssize_t = max(_FIRST_ROWS, 2 * old, (max(rows, self._rows) + 7) // 8 * 8)
        if cython.compiled:
            resize(self._cells_array, capacity * self._width)
            self._cells = self._cells_array.data.as_longlongs
            resize(self._valid_array, capacity // 8)
            self._valid = self._valid_array.data.as_uchars
            memset(self._cells + old * self._width, 0, (capacity - old) * self._width * 8)
            memset(self._valid + old // 8, 0, (capacity - old) // 8)
        else:
            self._cells_array.extend([0] * ((capacity - old) * self._width))
            self._valid_array.extend([0] * ((capacity - old) // 8))
        self._capacity = capacity
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put(self, entity: Entity, number: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """Give a row the value of a slot, if it has one."""
        # Without a variable for the class, compiled code counts no reference to it.
        cell: cython.int = cell_of(entity.class_info, number)
        i: cython.int
        if cell < 0 or cell >= entity._capacity or not entity._present[cell]:
            return 0
        if not self._fits(entity.class_info, number):
            return 0
        if row >= self._capacity:
            self._grow(row + 1)
        for i in range(self._width):
            self._cells[row * self._width + i] = entity._cells[cell + i]
        self._valid[row >> 3] |= cython.cast(cython.uchar, 1 << (row & 7))
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def put_all(
        self, entities: list, slots: list, places: array, step: cython.Py_ssize_t, row: cython.Py_ssize_t
    ) -> cython.int:
        """As `put`, for several entities and the rows from `row` on.

        Args:
            entities: None for a row without values.
            slots: of each entity, an array in which this column has the place `self._place`.
            places: the cell of each, every `step` of them; -1 without one; -2 less the cell until a value fitted.
            step: columns.
            row: of the first entity.
        """
        count: cython.Py_ssize_t = len(entities)
        at: cython.Py_ssize_t
        i: cython.int
        place: cython.p_int = places.data.as_ints if cython.compiled else places
        number: cython.Py_ssize_t = self._place - step
        if self._kind >= 0 and row + count > self._capacity:
            self._grow(row + count)
        width: cython.int = self._width
        cells: cython.p_longlong = self._cells
        valid: cython.p_uchar = self._valid
        for at in range(count):
            number += step
            cell: cython.int = place[number]
            if cell < 0:
                if cell == -1 or not _has(cython.cast(Entity, PyList_GET_ITEM(entities, at)), -2 - cell):
                    continue
                cell = -2 - cell
                if not self._fits_first(entities[at], slots[at]):
                    place[number] = -1
                    continue
                place[number] = cell
                if row + count > self._capacity:
                    self._grow(row + count)
                width = self._width
                cells = self._cells
                valid = self._valid
            elif not _has(cython.cast(Entity, PyList_GET_ITEM(entities, at)), cell):
                continue
            to: cython.Py_ssize_t = row + at
            if width == 1:
                cells[to] = _value(cython.cast(Entity, PyList_GET_ITEM(entities, at)), cell)
            else:
                for i in range(width):
                    cells[to * width + i] = _value(cython.cast(Entity, PyList_GET_ITEM(entities, at)), cell + i)
            valid[to >> 3] |= cython.cast(cython.uchar, 1 << (to & 7))
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _fits_first(self, entity: Entity, slots: array) -> cython.bint:
        """As `_fits`, of the slot of this column."""
        number: cython.int = slots.data.as_ints[self._place] if cython.compiled else slots[self._place]
        return self._fits(entity.class_info, number)

    @cython.cfunc
    @cython.inline
    @cython.exceptval(-1, check=False)
    def _fits(self, info: ClassInfo, number: cython.int) -> cython.bint:
        """Whether values of a slot go into the column; the first decide its type."""
        # The kind of a slot decides its width only where that is one cell.
        if self._width == 1 and (form_of(info, number) & KIND_MASK) == self._kind:
            return True
        if number == self._slot and info is self._class:
            return True
        if not self._takes(info._decoders[number]):
            return False
        if self._width > 1:
            self._class = info
            self._slot = number
        return True

    @cython.cfunc
    def _takes(self, decoder: FieldDecoder) -> cython.bint:
        """Whether values of a decoder go into the column that others began: another class may declare the field
        with another type. Forms of the same Arrow type do.
        """
        if self._kind < 0:
            self._kind = decoder.kind
            self._width = decoder.cells
        return decoder.cells == self._width and _GROUP[decoder.kind] == _GROUP[self._kind]

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _is_whole(self, rows: cython.Py_ssize_t) -> cython.bint:
        """Return whether all rows have a value: Arrow is faster without bits."""
        i: cython.Py_ssize_t
        rest: cython.int = (1 << (rows & 7)) - 1
        for i in range(rows >> 3):
            if self._valid[i] != 255:
                return False
        return not rest or (self._valid[rows >> 3] & rest) == rest

    @cython.nonecheck(True)
    def to_arrow(self, rows: int, pool: ValuePool, seconds_per_tick: float) -> pa.Array:
        """The column of `rows` rows: bool, int64, uint64, float64, text, bytes, or lists of 2 to 4 float64 of a
        vector; null where an entity had no value. Nothing but nulls where the field never occurred. It is handed
        over and starts anew.
        """
        kind, width = self._kind, self._width
        if kind < 0:
            return pa.nulls(rows)
        if self._capacity < rows:
            self._grow(rows)
        whole = self._is_whole(rows)
        self._rows = rows
        if cython.compiled:  # without the room for more rows
            resize(self._cells_array, rows * width)
            resize(self._valid_array, (rows + 7) // 8)
        cells = pa.py_buffer(self._cells_array)
        valid = None if whole else pa.py_buffer(self._valid_array)
        self._begin()
        if width > 1:
            axes = pa.Array.from_buffers(pa.float64(), rows * width, [None, cells])
            return pa.Array.from_buffers(pa.list_(pa.float64(), width), rows, [valid], children=[axes])
        form = pa.uint64() if kind in _UNSIGNED else pa.float64() if kind in _FLOATS else pa.int64()
        values = pa.Array.from_buffers(form, rows, [valid, cells])
        if kind in (Kind.STRING, Kind.BYTES):
            return _pool_values(values, pool, kind == Kind.STRING)
        if kind in _BOOLS:
            return pc.not_equal(values, scalar_of(0, values.type))
        return pc.multiply(values.cast(pa.float64()), seconds_per_tick) if kind == Kind.TICKS else values


def _pool_values(numbers: pa.Array, pool: ValuePool, text: bool) -> pa.Array:
    """Strings or bytes by their numbers in the pool."""
    used = pc.unique(numbers.drop_null())
    known = [pool.value(number) for number in used.to_pylist()]
    if text:
        pooled = array_of([value.decode("utf-8", "replace") for value in known], pa.string())
    else:
        pooled = array_of(known, pa.binary())
    return pooled.take(pc.index_in(numbers, value_set=used, skip_nulls=True))


@cython.final
@cython.cclass
class EntityColumns:
    """Columns of fields, filled row by row.

    Args:
        names: dotted names of fields that have a column in any case.
        wanted: given another field's name, returns whether it gets a column when it first has a value; None adds
            none.
        most_cells: `add_change` adds no row to more values than that.
        expected: rows to make room for at once.

    Attributes:
        columns: by name.
        rows: rows so far.
        heads: of each row of `add_change`: tick, index, serial number, what happened, whether it is active, class.
    """

    heads = cython.declare(tuple, visibility="readonly")
    columns = cython.declare(dict, visibility="readonly")
    rows = cython.declare(cython.Py_ssize_t, visibility="readonly")
    _slots: FieldSlots
    _ordered: list
    _most_cells: cython.longlong
    _expected: cython.Py_ssize_t
    # Whether names may be added.
    _grows: cython.bint
    # The prefixes of the last rows of `add_all`; class and slots of each entity, and the cells of their columns.
    _prefixes: object
    _classes: list
    _numbers: list
    _cells: array

    def __init__(
        self,
        names: Iterable[str],
        wanted: Callable[[str], bool] | None = None,
        most_cells: int = 1 << 62,
        expected: int = 0,
    ) -> None:
        self.heads = tuple(Int32Buffer() for _ in range(6))
        self._most_cells = most_cells
        self._expected = expected
        self._slots = FieldSlots(names, wanted)
        self._grows = wanted is not None
        self._prefixes = None
        self._classes = []
        self._numbers = []
        self._cells = array("i")
        self._ordered = []
        self.columns: dict[str, EntityColumn] = {}
        self.rows = 0
        self._widen()

    @cython.cfunc
    def _widen(self) -> object:
        """A column for each name that has come."""
        for name in self._slots.names[len(self._ordered) :]:
            self.columns[name] = EntityColumn(name, self._expected, len(self._ordered))
            self._ordered.append(self.columns[name])
        return None

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add(self, entity: Entity, prefix: str = "") -> cython.int:
        """Add a row: the present fields of one entity whose names begin with `prefix`."""
        self._add(entity, self._slots.numbers(entity.class_info, prefix))
        return 0

    @property
    def is_full(self) -> bool:
        """Whether there are more values than `most_cells`."""
        return self._full()

    @cython.cfunc
    @cython.exceptval(check=False)
    def _full(self) -> cython.bint:
        return self.rows * len(self._ordered) > self._most_cells

    @cython.nonecheck(True)
    def add_change(self, entity: Entity, tick: cython.int, op: cython.int) -> None:
        """As `add`, with the row's head, unless it `is_full`."""
        if self._full():
            return
        heads: tuple = self.heads
        append_int32(heads[0], tick)
        append_int32(heads[1], entity.index)
        append_int32(heads[2], entity.serial)
        append_int32(heads[3], op)
        append_int32(heads[4], entity.active)
        append_int32(heads[5], entity.class_info.class_id)
        self.add(entity)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _add(self, entity: Entity, numbers: array) -> cython.int:
        count: cython.Py_ssize_t = len(numbers)
        number: cython.p_int = numbers.data.as_ints if cython.compiled else numbers
        i: cython.Py_ssize_t
        if count > len(self._ordered):
            self._widen()
        for i in range(count):
            if number[i] >= 0:
                column: EntityColumn = self._ordered[i]
                column.put(entity, number[i], self.rows)
        self.rows += 1
        return 0

    def add_all(self, entities: list, prefixes: Sequence[str] | None = None) -> None:
        """Add a row for each entity; None gives a row without values."""
        count: cython.Py_ssize_t = len(entities)
        at: cython.Py_ssize_t = 0
        if prefixes is not self._prefixes or self._grows:
            self._prefixes = prefixes
            self._classes = []
        while at < count:
            entity: Entity = entities[at]
            info: ClassInfo = None if entity is None else entity.class_info
            is_known: cython.bint = (
                at < len(self._classes) and cython.cast(ClassInfo, PyList_GET_ITEM(self._classes, at)) is info
            )
            if not is_known and self._look_up(info, at):
                at = -1
            at += 1
        for at in range(len(self._ordered)):
            column: EntityColumn = self._ordered[at]
            column.put_all(entities, self._numbers, self._cells, len(self._ordered), self.rows)
        self.rows += count

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _look_up(self, info: ClassInfo | None, at: cython.Py_ssize_t) -> cython.bint:
        """Note the cells of a class for an entity of `add_all`. Return whether there are more columns now, for
        which those of the entities before must be noted anew.
        """
        i: cython.Py_ssize_t
        numbers: array = _NO_SLOTS
        if info is not None:
            numbers = self._slots.numbers(info, "" if self._prefixes is None else self._prefixes[at])
        if len(numbers) > len(self._ordered):
            self._widen()
            self._classes = []
            return True
        step: cython.Py_ssize_t = len(self._ordered)
        if not self._classes:
            self._numbers = []
        if at == len(self._classes):
            if cython.compiled:
                resize(self._cells, (at + 1) * step)
            else:
                self._cells[at * step :] = array("i", [-1] * step)
            self._numbers.append(numbers)
            self._classes.append(info)
        else:
            self._classes[at] = info
            self._numbers[at] = numbers
        slots: cython.p_int = numbers.data.as_ints if cython.compiled else numbers
        cells: cython.p_int = self._cells.data.as_ints if cython.compiled else self._cells
        for i in range(step):
            cell: cython.int = -1
            if i < len(numbers) and slots[i] >= 0:
                cell = cell_of(info, slots[i])
            cells[at * step + i] = -1 if cell < 0 else -2 - cell
        return False

    def to_arrow(self, pool: EntityPool) -> dict[str, pa.Array]:
        """All columns, as `EntityColumn.to_arrow`, by name."""
        self._classes = []  # the next values decide the types anew
        return {
            name: column.to_arrow(self.rows, pool.strings, pool.seconds_per_tick)
            for name, column in self.columns.items()
        }


@cython.final
@cython.cclass
class EntityChanges:
    """Follows some fields of some subjects, such as players.

    A field counts as `absent` before the first look, where its entity has no value of it, and where the class
    declares it as anything but a whole number or a bool. Values are of 32 bits; of longer ones the lower half.

    Args:
        names: dotted names of fields.
        absent: the number that means nothing.
        wanted: given another field's name, returns whether to follow it too when it first occurs; None adds none.

    Attributes:
        changes: (tick, subject, field, value before, value now) in the order of the looks; the field by its place
            in `names`.
    """

    changes = cython.declare(list, visibility="readonly")
    _slots: FieldSlots
    _absent: cython.longlong
    _last: dict
    _none: array

    def __init__(self, names: Iterable[str], absent: int, wanted: Callable[[str], bool] | None = None) -> None:
        self._slots = FieldSlots(names, wanted)
        self._absent = absent
        self._last = {}
        self._none = array("i")
        self.changes: list[tuple[int, Any, int, int, int]] = []

    @property
    @cython.nonecheck(True)
    def names(self) -> list[str]:
        """Names of the fields."""
        return self._slots.names

    def look(self, tick: int, subjects: list[Any], entities: list, prefixes: Sequence[str] | None = None) -> None:
        """Look at the entity of each subject, at fields that begin with its prefix; None is an entity without
        values.
        """
        for i, subject in enumerate(subjects):
            self._look(tick, subject, entities[i], "" if prefixes is None else prefixes[i])

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _look(self, tick: object, subject: object, found: object, prefix: str) -> cython.int:
        i: cython.Py_ssize_t
        entity: Entity = found
        numbers: array = self._none if found is None else self._slots.numbers(entity.class_info, prefix)
        count: cython.Py_ssize_t = len(numbers)
        last: array = self._last.get(subject)
        if last is None:
            last = self._last[subject] = array("q")
        if len(last) < len(self._slots.names):
            last.extend([self._absent] * (len(self._slots.names) - len(last)))
        number: cython.p_int = numbers.data.as_ints if cython.compiled else numbers
        values: cython.p_longlong = last.data.as_longlongs if cython.compiled else last
        for i in range(len(last)):
            value: cython.longlong = self._absent
            if i < count and number[i] >= 0:
                value = self._value(entity, number[i])
            if value != values[i]:
                self.changes.append((tick, subject, i, values[i], value))
                values[i] = value
        return 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def _value(self, entity: Entity, number: cython.int) -> cython.longlong:
        info: ClassInfo = entity.class_info
        cell: cython.int = cell_of(info, number)
        kind: cython.int = form_of(info, number) & KIND_MASK
        if cell < 0 or cell >= entity._capacity or not entity._present[cell]:
            return self._absent
        value: cython.longlong = entity._cells[cell]
        if kind in (BOOL, POINTER):
            return 1 if value else 0
        if not (SIGNED <= kind <= SEQUENCE or kind == LENGTH):  # the forms of whole numbers
            return self._absent
        value &= (cython.cast(cython.longlong, 1) << 32) - 1
        return value - ((value >> 31) << 32)
