"""`Entity`: one networked object and the current values of its fields.

The module is long because reading values, the hottest loop of all, inlines access to the entity's cells.
"""

from __future__ import annotations

from array import array

from playhead.bits.bit_reader import BitReader
from playhead.errors import FieldTypeError
from playhead.runtime import cython
from playhead.runtime.typing import Any
from playhead.source2.entities.classes import ClassInfo, EntityPool, FieldHistory
from playhead.source2.entities.field_path import FieldPathReader
from playhead.source2.entities.path_rows import PathRows
from playhead.source2.schema.decoder import FieldDecoder
from playhead.source2.schema.encoding import Kind
from playhead.source2.schema.patches import aliases_of

if not cython.compiled:
    # Equal to the enum in schema/decoder.pxd.
    BOOL, SIGNED, SIGNED64, UNSIGNED = Kind.BOOL, Kind.SIGNED, Kind.SIGNED64, Kind.UNSIGNED
    SEQUENCE, TICKS, FLOAT, QUANTIZED = Kind.SEQUENCE, Kind.TICKS, Kind.FLOAT, Kind.QUANTIZED
    STRING, POINTER, LENGTH = Kind.STRING, Kind.POINTER, Kind.LENGTH
    from playhead.bits.bit_reader import PEEK_BITS, pass_bits, peek_word
    from playhead.source2.entities.classes import FORM_BITS_AT, FORM_FLAGS_AT, KIND_MASK, cell_of, form_of
    from playhead.source2.entities.field_path import MOST_PATHS


_NO_CELLS: array = array("q")

#: A networked handle has 10 bits of serial number above 14 bits of index.
INDEX_BITS = 14
INDEX_MASK = (1 << INDEX_BITS) - 1
HANDLE_SERIAL_MASK = 1023


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _float_size(info: ClassInfo, number: cython.int, word: cython.ulonglong) -> cython.int:
    """As `FieldDecoder.float_size` of a slot; compiled, without reference counting of the decoder."""
    if cython.compiled:
        return cython.cast(FieldDecoder, cython.cast(cython.p_void, info._decoder[number])).float_size(word)
    return info._decoders[number].float_size(word)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _float_cell(info: ClassInfo, number: cython.int, word: cython.ulonglong) -> cython.longlong:
    """As `FieldDecoder.float_cell` of a slot; compiled, without reference counting of the decoder."""
    if cython.compiled:
        return cython.cast(FieldDecoder, cython.cast(cython.p_void, info._decoder[number])).float_cell(word)
    return info._decoders[number].float_cell(word)


@cython.final
@cython.no_gc  # no reference cycle contains an entity
@cython.cclass
class Entity:
    """One networked object.

    Attributes:
        index: index of the entity, 0 to 16383.
        serial: distinguishes successive entities with the same index.
        class_info: its class.
        active: False while the recorder does not see it; its fields keep their last known values.
        op: the `EntityOp` of the latest packet that mentions it.
        watched: operations with a handler, as bits of `EntityOp`.
    """

    def __init__(self, index: int, serial: int, class_info: ClassInfo, pool: EntityPool) -> None:
        self.begin(index, serial, class_info, pool)

    def begin(self, index: cython.int, serial: cython.int, class_info: ClassInfo, pool: EntityPool) -> cython.int:
        """Initialize as `__init__` does, for an entity created by `__new__`, without Python integers."""
        self.index = index
        self.serial = serial
        self.class_info = class_info
        self.active = True
        self.op = 0
        self.watched = 0
        self._pool = pool
        # Cells, followed by one presence byte for each. None while there are no cells.
        self._state = None
        self._capacity = 0
        self._failing = -1
        self._history = None
        if not cython.compiled:
            self._cells = array("q")
            self._present = array("b")
        return 0

    if cython.compiled:

        def __dealloc__(self) -> None:
            if self._pool is not None:
                self._pool._left += self._capacity

    else:

        def __del__(self) -> None:
            self._pool._left += self._capacity

    # -- state ------------------------------------------------------------------------------------------

    def _grow(self, wanted: cython.Py_ssize_t) -> cython.int:
        """Extend the state to `wanted` cells, or more: the first entities of a class teach it its fields one by
        one, and each extension copies all before."""
        capacity: cython.Py_ssize_t = self._capacity
        if capacity:
            wanted += capacity // 8 + 8
        return self._resize(max(wanted, cython.cast(cython.Py_ssize_t, self.class_info.cells)))

    def fit(self) -> cython.int:
        """Release the cells that the class has not used so far."""
        cells: cython.Py_ssize_t = self.class_info.cells
        return self._resize(cells) if cells < self._capacity else 0

    def _resize(self, capacity: cython.Py_ssize_t) -> cython.int:
        old: cython.Py_ssize_t = self._capacity
        kept: cython.Py_ssize_t = min(old, capacity)
        grown: array
        self._pool.reserve(capacity - old)
        if cython.compiled:
            try:
                grown = clone(_NO_CELLS, capacity + (capacity + 7) // 8, False)
            except MemoryError:
                self._pool.reserve(old - capacity)
                raise
            cells: cython.p_longlong = grown.data.as_longlongs
            present: cython.p_schar = cython.cast(cython.p_schar, cells + capacity)
            if kept:
                memcpy(cells, self._cells, kept * 8)
                memcpy(present, self._present, kept)
            memset(present + kept, 0, capacity - kept)
            self._state = grown
            self._cells = cells
            self._present = present
        else:
            del self._cells[capacity:], self._present[capacity:]
            self._cells.extend([0] * (capacity - kept))
            self._present.extend([0] * (capacity - kept))
        self._capacity = capacity
        return 0

    def copy_state(self, other: Entity) -> cython.int:
        """Copy only the fields of another entity of the same class."""
        size: cython.Py_ssize_t = other._capacity
        i: cython.Py_ssize_t
        if size > self._capacity:
            self._grow(size)
        if cython.compiled:
            if size:
                memcpy(self._present, other._present, size)
                memcpy(self._cells, other._cells, size * 8)
            if self._capacity > size:
                memset(self._present + size, 0, self._capacity - size)
        else:
            for i in range(self._capacity):
                self._present[i] = other._present[i] if i < size else 0
            for i in range(size):
                self._cells[i] = other._cells[i]
        return 0

    def note(self, op: cython.int, changed: list) -> cython.int:
        """Set the operation of the packet, and append it to `changed` if a handler watches it."""
        self.op = op
        if self.watched & op:
            changed.append((self, op))
        return 0

    def new_state(self) -> array:
        """Return an array for `save_state`."""
        size: cython.Py_ssize_t = self._capacity
        return clone(_NO_CELLS, size + (size + 7) // 8, False) if cython.compiled else array("q")

    def save_state(self, saved: array) -> cython.int:
        """Save all fields for `load_state`: cells, then presence bytes."""
        size: cython.Py_ssize_t = self._capacity
        if not cython.compiled:
            saved[:] = array("q", self._cells.tobytes() + self._present.tobytes() + bytes(-size % 8))
        elif size:
            memcpy(saved.data.as_longlongs, self._cells, size * 9)
        return 0

    def load_state(self, saved: array, size: cython.Py_ssize_t) -> cython.int:
        """Load the fields that `save_state` saved with `size` cells."""
        i: cython.Py_ssize_t
        if cython.compiled:
            if size:
                memcpy(self._cells, saved.data.as_longlongs, size * 8)
                memcpy(self._present, saved.data.as_longlongs + size, size)
            if self._capacity > size:
                memset(self._present + size, 0, self._capacity - size)
        else:
            present = saved.tobytes()[8 * size :]
            for i in range(self._capacity):
                self._present[i] = present[i] if i < size else 0
            for i in range(size):
                self._cells[i] = saved[i]
        return 0

    def copy_saved_state(self, saved: array, size: cython.Py_ssize_t) -> cython.int:
        """As `load_state`, for the state of another entity of the same class."""
        if size > self._capacity:
            self._grow(size)
        return self.load_state(saved, size)

    def clear_state(self) -> cython.int:
        """Forget all fields."""
        i: cython.Py_ssize_t
        self._end_history()
        for i in range(self._capacity):
            self._present[i] = 0
        return 0

    # -- past states ------------------------------------------------------------------------------------

    def begin_history(self) -> cython.int:
        """Record the previous values of fields that change from now on."""
        self._end_history()
        self._history = FieldHistory(self._pool)
        return 0

    def _end_history(self) -> cython.int:
        """End the current history, if any; complete it first, because its states stay loadable."""
        history: FieldHistory = self._history
        if history is not None and history.whole is None:
            state: array = self.new_state()
            self.save_state(state)
            history.keep_whole(state, self._capacity)
        self._history = None
        return 0

    def restore(self, history: FieldHistory, saved: array, count: cython.Py_ssize_t) -> cython.int:
        """Restore the state of a history at the time when `FieldHistory.save` wrote `count` values."""
        if history is not self._history:
            self._end_history()
            self.load_state(history.whole, history.whole_size)
            self._history = history
        history.load(saved, count, self._cells, self._present, self._capacity)
        return 0

    def _keep_cells(
        self, info: ClassInfo, numbers: cython.p_int, first: cython.Py_ssize_t, count: cython.Py_ssize_t
    ) -> cython.int:
        """Record the values of slots ``numbers[first : first + count]`` before they are overwritten."""
        i: cython.Py_ssize_t
        for i in range(first, first + count):
            cell: cython.int = cell_of(info, numbers[i])
            if cell < 0:
                continue
            decoder: FieldDecoder = info._decoders[numbers[i]]
            end: cython.int = cell + decoder.cells
            while cell < end:
                self._history.keep(cell, self._cells, self._present, self._capacity)
                cell += 1
        return 0

    def same_state(self, other: Entity) -> cython.bint:
        """Return whether another entity of the same class and pool has identical cells."""
        shared: cython.Py_ssize_t = min(self._capacity, other._capacity)
        longer: Entity = other if self._capacity == shared else self
        i: cython.Py_ssize_t
        for i in range(shared):
            if self._present[i] != other._present[i]:
                return False
            if self._present[i] and self._cells[i] != other._cells[i]:
                return False
        for i in range(shared, longer._capacity):
            if longer._present[i]:
                return False
        for cell, cells in self.class_info.several:  # only the first cell of a value is marked as present
            first: cython.Py_ssize_t = cell
            if first < shared and self._present[first]:
                for i in range(first, first + cython.cast(cython.Py_ssize_t, cells)):
                    if self._cells[i] != other._cells[i]:
                        return False
        return True

    def read_fields(self, reader: BitReader) -> cython.int:
        """Apply one delta: its paths, then a value for each. Return 1 if it has a kept field, or no field at all.

        Raises:
            ReplayError: the delta cannot be decoded; see `failing_field`.
        """
        pool: EntityPool = self._pool
        info: ClassInfo = self.class_info
        paths: FieldPathReader = pool.paths
        rows: PathRows = info.rows
        changed: cython.int
        i: cython.Py_ssize_t
        self._failing = -1
        paths.count = 0
        if rows.read(reader, paths):
            pool.values += paths.count
            if self._history is not None:
                self._keep_cells(info, paths._numbers, 0, paths.count)
            changed = self._read_values(reader, info, paths._numbers, 0, paths.count, rows.word, rows.before)
            return 1 if paths.count == 0 else changed
        resolved: cython.Py_ssize_t = self._read_unknown(reader, info)
        pool.values += paths.count
        if self._history is not None:
            self._keep_cells(info, paths._numbers, 0, resolved)
        changed = self._read_values(reader, info, paths._numbers, 0, resolved, 0, 0)
        for i in range(resolved, paths.count):
            # A new path, or one under a pointer of several types, which this delta may have just set.
            self._failing = -1
            paths._numbers[i] = info.slot(paths._paths[i], self)
            if self._history is not None:
                self._keep_cells(info, paths._numbers, i, 1)
            changed |= self._read_values(reader, info, paths._numbers, i, 1, 0, 0)
        return 1 if paths.count == 0 else changed

    def _read_unknown(self, reader: BitReader, info: ClassInfo) -> cython.Py_ssize_t:
        """Read the rest of a path list whose next operation leads to an unknown place, and remember that place.

        Returns the number of paths with known slots, which are in the numbers of the pool's `paths`. Any further
        paths are there as paths.
        """
        paths: FieldPathReader = self._pool.paths
        rows: PathRows = info.rows
        while True:
            at: cython.Py_ssize_t = paths.count
            if at == 0:
                paths.begin()
            else:
                paths.continue_from(info.path_of(paths._numbers[at - 1]))
            if paths.read(reader, 1):
                return at
            number: cython.int = info._lookup(paths._paths[at])
            if number < 0:
                while not paths.read(reader, MOST_PATHS):
                    pass
                return at
            paths._numbers[at] = number
            rows.remember(paths, paths._paths[at], number)
            if rows.read(reader, paths):
                reader.skip_bits(cython.cast(cython.ulonglong, rows.before))
                return paths.count

    def _read_values(
        self,
        reader: BitReader,
        info: ClassInfo,
        numbers: cython.p_int,
        first: cython.Py_ssize_t,
        count: cython.Py_ssize_t,
        word: cython.ulonglong,
        before: cython.int,
    ) -> cython.int:
        """Read the values of slots ``numbers[first : first + count]``. Return 1 if one of them is kept.

        `word` has the next 56 bits: the first `before` precede the values; 0 if nothing is loaded.
        """
        changed: cython.int = 0
        i: cython.Py_ssize_t = first
        end: cython.Py_ssize_t = first + count
        since: cython.Py_ssize_t = first  # first value that `reader` has not passed
        ready: cython.int = PEEK_BITS - before if before else 0  # remaining bits of `word`, followed by zeros
        taken: cython.int = before  # used bits that the reader has not passed
        word >>= before
        while i < end:
            number: cython.int = numbers[i]
            self._failing = number
            cell: cython.int = cell_of(info, number)
            form: cython.int = form_of(info, number)
            kind: cython.int = form & KIND_MASK
            # The most frequent forms are decoded from one load for several values.
            size: cython.int = 0
            if cell < self._capacity:
                if kind in (UNSIGNED, SIGNED, TICKS, SEQUENCE, SIGNED64):
                    raw: cython.ulonglong = word & 127
                    size = 8
                    if word & 128:
                        raw |= (word >> 1) & 0x3F80
                        size = 16
                        if word & 0x8000:
                            raw |= (word >> 2) & 0x1FC000
                            size = 24
                            if word & 0x800000:
                                raw |= (word >> 3) & 0xFE00000
                                size = 0 if (word >> 31) & 1 else 32
                    value: cython.longlong = cython.cast(cython.longlong, raw)
                    if kind <= SIGNED64:  # true for SIGNED too
                        value = (value >> 1) ^ -(value & 1)
                    elif kind == SEQUENCE:
                        value -= 1
                elif kind == BOOL:
                    value = cython.cast(cython.longlong, word & 1)
                    size = 1
                elif kind in (QUANTIZED, FLOAT):
                    size = (form >> FORM_BITS_AT) & 255
                    if form >> FORM_FLAGS_AT:
                        size = _float_size(info, number, word)
                    value = _float_cell(info, number, word)
            if size == 0 or size > ready:
                if taken:
                    self._advance(reader, info, numbers, since, i, taken, before)
                    taken = before = 0
                if size and ready < PEEK_BITS:
                    since = i
                    word = peek_word(reader)
                    ready = PEEK_BITS
                    continue
                if self._read_value(reader, info, number, cell):
                    changed = 1
                ready = 0
                word = 0
                i += 1
                since = i
                continue
            if cell >= 0:
                self._cells[cell] = value
                self._present[cell] = 1
                changed = 1
            word >>= size
            ready -= size
            taken += size
            i += 1
        if taken:
            self._advance(reader, info, numbers, since, end, taken, before)
        self._failing = -1
        return changed

    def _advance(
        self,
        reader: BitReader,
        info: ClassInfo,
        numbers: cython.p_int,
        since: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        taken: cython.int,
        before: cython.int,
    ) -> cython.int:
        """Advance `reader` over the bits read ahead: `before` bits, and the values from `since` on."""
        i: cython.Py_ssize_t
        if not pass_bits(reader, cython.cast(cython.ulonglong, taken)):
            # Bits past the end looked like zeros. Read the values again to raise at the field that is truncated.
            self._failing = -1
            reader.skip_bits(cython.cast(cython.ulonglong, before))
            for i in range(since, end):
                self._failing = numbers[i]
                self._read_value(reader, info, numbers[i], cell_of(info, numbers[i]))
        return 0

    def _read_value(self, reader: BitReader, info: ClassInfo, number: cython.int, cell: cython.int) -> cython.int:
        """Read one value of any form. Return 1 if it is kept."""
        decoder: FieldDecoder = info._decoders[number]
        if decoder.kind == POINTER or decoder.kind == LENGTH:
            self._read_parent(reader, decoder, number, cell)
            return cell >= 0
        if cell < 0:
            decoder.decode(reader, self._pool.strings, self._pool._scratch, 0)
            return 0
        if cell + decoder.cells > self._capacity:
            self._grow(cell + decoder.cells)
        decoder.decode(reader, self._pool.strings, self._cells, cell)
        self._present[cell] = 1
        return 1

    def _read_parent(
        self, reader: BitReader, decoder: FieldDecoder, number: cython.int, cell: cython.int
    ) -> cython.int:
        """Read a pointer or the length of a vector, and forget removed children."""
        old: cython.longlong = -1
        decoder.decode(reader, self._pool.strings, self._pool._scratch, 0)
        value: cython.longlong = self._pool._scratch[0]
        if cell >= 0:
            if cell + 1 > self._capacity:
                self._grow(cell + 1)
            if self._present[cell]:
                old = self._cells[cell]
            self._cells[cell] = value
            self._present[cell] = 1
        if decoder.kind == LENGTH:
            if old < 0 or value < old:
                self._forget(number, value)
        elif value == 0 or (old > 0 and value != old):
            self._forget(number, -1)
        return 0

    def _forget(self, number: cython.int, first: cython.longlong) -> cython.int:
        """Forget the children of a slot from element `first` on."""
        child: cython.int
        for child in self.class_info.children(number, first):
            cell: cython.int = cell_of(self.class_info, child)
            if cell < self._capacity:
                if self._history is not None:
                    self._history.keep(cell, self._cells, self._present, self._capacity)
                self._present[cell] = 0
        return 0

    @property
    @cython.nonecheck(True)
    def failing_field(self) -> str | None:
        """Name of the field whose value could not be read; None if unknown."""
        return None if self._failing < 0 else self.class_info.slots()[self._failing].name

    # -- values -------------------------------------------------------------------------------------------

    @property
    @cython.nonecheck(True)
    def class_name(self) -> str:
        """Network name of the class (``CDOTA_Unit_Hero_Axe``)."""
        return self.class_info.name

    @property
    def handle(self) -> int:
        """The networked handle of the entity: 10 bits of serial number above 14 bits of index."""
        return self.index | (self.serial & HANDLE_SERIAL_MASK) << INDEX_BITS

    @cython.nonecheck(True)
    def cell_value(self, number: int) -> int:
        """Return the first cell of a slot, undecoded; 0 if the slot has no value.

        Raises:
            IndexError: the class has no such slot.
        """
        slot: cython.int = number
        if slot < 0 or slot >= len(self.class_info._decoders):
            raise IndexError(f"class {self.class_info.name} has no slot {number}")
        cell = cell_of(self.class_info, slot)
        if cell < 0 or cell >= self._capacity or not self._present[cell]:
            return 0
        return self._cells[cell]

    @cython.nonecheck(True)
    def slot_value(self, number: cython.int) -> object:
        """Return the value of a slot; None if it has none.

        Raises:
            IndexError: the class has no such slot.
        """
        info: ClassInfo = self.class_info
        if number < 0 or number >= len(info._decoders):
            raise IndexError(f"class {info.name} has no slot {number}")
        cell: cython.int = cell_of(info, number)
        if cell < 0 or cell >= self._capacity or not self._present[cell]:
            return None
        decoder: FieldDecoder = info._decoders[number]
        if decoder.kind == TICKS:
            return self._cells[cell] * self._pool.seconds_per_tick
        return decoder.present(self._pool.strings, self._cells, cell)

    def whole_value(self, number: cython.int) -> cython.longlong:
        """Return the value of a slot of the class; -1 unless it is a whole number from 0 to 2**62, or a bool."""
        cell: cython.int = cell_of(self.class_info, number)
        kind: cython.int = form_of(self.class_info, number) & KIND_MASK
        if cell < 0 or cell >= self._capacity or not self._present[cell]:
            return -1
        value: cython.longlong = self._cells[cell]
        if kind in (BOOL, POINTER):
            return value != 0
        if not (SIGNED <= kind <= SEQUENCE or kind == LENGTH):  # the forms of whole numbers
            return -1
        return value if 0 <= value < cython.cast(cython.longlong, 1) << 62 else -1

    @cython.nonecheck(True)
    def raw_value(self, number: int) -> Any:
        """Return a value as encoded: simulation times in ticks, text as bytes, pointers as the number of their
        type (0: null).

        Other values are as in `slot_value`.
        """
        info: ClassInfo = self.class_info
        decoder: FieldDecoder = info._decoders[number]
        if decoder.kind == TICKS or decoder.kind == POINTER:
            return None if self.slot_value(number) is None else self.cell_value(number)
        if decoder.kind == STRING and self.slot_value(number) is not None:
            return self._pool.strings.value(self.cell_value(number))
        return self.slot_value(number)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a field by its dotted name (``m_iHealth``, ``CBodyComponent.m_cellX``,
        ``m_vecItems.0003``).

        Names that the field had in other builds work too, and full names with the nodes of the send tables
        (``m_vecVelocity.m_vecX``). Values are int, float (angles in degrees, simulation
        times in seconds), bool, str, bytes or tuples of floats. The name of a vector gives its length; the name
        of a pointer gives whether it is set.

        Args:
            name: dotted name of the field.
            default: returned if the field has no value.
        """
        number: cython.int = self._number_of(name)
        value = None if number < 0 else self.slot_value(number)
        return default if value is None else value

    @cython.nonecheck(True)
    def _number_of(self, name: str) -> cython.int:
        """Return the slot of a field, under this or another known name; negative if the field has not occurred."""
        info: ClassInfo = self.class_info
        number: cython.int = info.slot_number(name)
        if number < 0:
            for other in aliases_of(name):
                number = info.slot_number(other)
                if number >= 0:
                    break
        return number

    @cython.nonecheck(True)
    def _checked(self, name: str, kind: type, expected: str, default: Any) -> Any:
        value = self.get(name)
        if value is None:
            return default
        if type(value) is not kind:  # a bool is not accepted as an integer
            raise FieldTypeError(name, self.class_info.name, expected, value)
        return value

    # stub: def get_int(self, name: str) -> int | None: ...
    # stub: def get_int(self, name: str, default: int) -> int: ...
    # stub: def get_float(self, name: str) -> float | None: ...
    # stub: def get_float(self, name: str, default: float) -> float: ...
    # stub: def get_bool(self, name: str) -> bool | None: ...
    # stub: def get_bool(self, name: str, default: bool) -> bool: ...
    # stub: def get_str(self, name: str) -> str | None: ...
    # stub: def get_str(self, name: str, default: str) -> str: ...
    # stub: def get_vector(self, name: str) -> tuple[float, ...] | None: ...
    # stub: def get_vector(self, name: str, default: tuple[float, ...]) -> tuple[float, ...]: ...
    # stub: def get_handle(self, name: str) -> int | None: ...
    # stub: def get_handle(self, name: str, default: int) -> int: ...

    def get_int(self, name: str, default: int | None = None) -> int | None:
        """As `get`, for a field of integers, enumerations or handles; for a vector, its length.

        Raises:
            FieldTypeError: the value has another type.
        """
        return self._checked(name, int, "an integer", default)

    def get_float(self, name: str, default: float | None = None) -> float | None:
        """As `get`, for a field of floats; angles in degrees, simulation times in seconds.

        Raises:
            FieldTypeError: the value has another type, such as int.
        """
        return self._checked(name, float, "a float", default)

    def get_bool(self, name: str, default: bool | None = None) -> bool | None:
        """As `get`, for a field of booleans; for a pointer, whether it is set.

        Raises:
            FieldTypeError: the value has another type.
        """
        return self._checked(name, bool, "a boolean", default)

    def get_str(self, name: str, default: str | None = None) -> str | None:
        """As `get`, for a field of text.

        Raises:
            FieldTypeError: the value has another type.
        """
        return self._checked(name, str, "text", default)

    def get_vector(self, name: str, default: tuple[float, ...] | None = None) -> tuple[float, ...] | None:
        """As `get`, for a field of two to four floats: a vector, angles (degrees) or a quaternion.

        Raises:
            FieldTypeError: the value has another type.
        """
        return self._checked(name, tuple, "a vector", default)

    @cython.nonecheck(True)
    def get_handle(self, name: str, default: int | None = None) -> int | None:
        """As `get`, for a field declared as a handle; for `EntityManager.find_by_handle`.

        Null handles (0xFFFFFF, 0xFFFFFFFF) are returned unchanged.

        Raises:
            FieldTypeError: the field is not a handle.
        """
        value = self._checked(name, int, "a handle", None)
        if value is None:
            return default
        if not self.class_info.slot_at(self._number_of(name)).is_handle:
            raise FieldTypeError(name, self.class_info.name, "a handle", value)
        return value

    def __getitem__(self, name: str) -> Any:
        value = self.get(name)
        if value is None:
            raise KeyError(f"{self!r} has no value of {name!r}")
        return value

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None

    @cython.nonecheck(True)
    def to_dict(self) -> dict[str, Any]:
        """Return all fields with a value, by name, in the order in which the class's fields first occurred."""
        out = {}
        for name, number in self.class_info.names().items():
            value = self.slot_value(number)
            if value is not None:
                out[name] = value
        return out

    @cython.nonecheck(True)
    def __repr__(self) -> str:
        state = "" if self.active else " inactive"
        return f"<Entity {self.index} {self.class_info.name}{state}>"
