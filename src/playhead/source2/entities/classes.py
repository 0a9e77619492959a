"""`ClassInfo`: a networked class, and the place of each of its fields in an entity's state.

A path in the serializers identifies a field. Each path that occurs gets a slot: the decoder of its value, and
the first cell of an entity's state that holds it. Slots are added as paths occur; a Dota 2 match uses some
thousands, while its serializers allow millions. Names are built on demand. An `EntityPool` has the memory that the
entities of all classes share.

The module is long because slots, the memory of entities and the history of their cells share layouts, in C.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import lru_cache

from playhead.errors import LimitExceeded
from playhead.runtime import cython
from playhead.source2.entities.field_path import FieldPathReader
from playhead.source2.entities.path_rows import PathRows
from playhead.source2.schema.decoder import FieldDecoder, ValuePool
from playhead.source2.schema.encoding import MOST_CELLS
from playhead.source2.schema.patches import EncoderAlias, patched, with_aliases
from playhead.source2.schema.path_codes import pack, unpack
from playhead.source2.schema.send_tables import SendTables
from playhead.source2.schema.tree import FieldCursor, FieldNode, FieldTree, NumberMap, SerializerNode, Slot

#: Called with a class name; returns None to keep no fields, or a function from a field's name to whether to keep
#: it.
Projection = Callable[[str], Callable[[str], bool] | None]

if not cython.compiled:
    from playhead.source2.schema.tree import LEVEL_MASKS, LEVEL_SHIFTS, LEVELS, node_at

    # Equal to the enums in the .pxd.
    KIND_MASK, FORM_BITS_AT, FORM_FLAGS_AT = 255, 8, 16
    SEVERAL_CELLS, MOST_SLOTS = 127, 1 << 16

    def cell_of(info: ClassInfo, number: int) -> int:
        """Return the first cell of a slot; -1 for a field that is not kept."""
        cell: int = info._layout[2 * number]
        return cell

    def form_of(info: ClassInfo, number: int) -> int:
        """Return the form of a slot."""
        form: int = info._layout[2 * number + 1]
        return form

    def clone(template: array[int], length: int, _zero: bool) -> array[int]:
        """As cpython.array.clone."""
        return array(template.typecode, bytes(template.itemsize * length))

    def resize(numbers: array[int], length: int) -> None:
        """As cpython.array.resize."""
        numbers.frombytes(bytes(numbers.itemsize * (length - len(numbers))))


@cython.final
@cython.cclass
class ClassInfo:
    """A networked class.

    Args:
        class_id: number in this recording.
        name: network name (``CDOTA_Unit_Hero_Axe``).
        tree: all serializers.
        wanted: called with a field's name and with its full name (see `Slot`), returns whether to keep its values;
            True keeps all, False none. If it has a mapping `ends`, from first levels of names to last ones, it is
            asked only about fields whose two levels are in there; an element is an empty last level.

    Attributes:
        class_id, name: as given.
        cells: cells of an entity's state, for the slots so far.
        several: first cell and number of cells of each slot so far with several.
        rows: the paths that occurred in deltas.
        baselines: cached baselines without text, by key: encoded bytes, saved state (see `Entity.save_state`),
            number of cells, number of values read.
    """

    def __init__(
        self, class_id: int, name: str, tree: FieldTree, wanted: Callable[[str], bool] | bool = True
    ) -> None:
        self.class_id = class_id
        self.name = name
        root: SerializerNode = tree.root(name)
        self._cursor = FieldCursor(tree, root, name)
        self._keep_all = wanted is True
        self._keep_none = wanted is False
        self._wanted = wanted
        self._ends = getattr(wanted, "ends", None)
        self._decoders = []
        self._types = {}
        # By the beginning of paths: the latest place in `_links`, which has slots, each with the place of the one
        # before or a negative number. `_linked` is the number of slots in there.
        self._chains = NumberMap()
        self._links = array("i")
        self._linked = 0
        if not cython.compiled:
            self._link_row = [0, 0]
        self._polymorphic = {}
        self._packed_names = {}
        self._typed_names = {}
        self._slots = []
        self._names = {}
        # By slot: its first cell, or -1 for a field that is not kept, and its form. Compiled, the arrays have room
        # for `_room` slots.
        self._room = 0
        self._layout_array = array("i")
        # Addresses of the objects in `_decoders`.
        self._decoder_array = array("Q")
        self._paths = array("Q")
        self.cells = 0
        self.several = []
        self.rows = PathRows()
        self.baselines = {}
        # By path: its slot, or -1 if it depends on the types of pointers.
        self._map = NumberMap()
        self._map.make_room(min(root._count, 512))
        self._refresh()

    def _refresh(self) -> object:
        """Refresh the pointers into the arrays."""
        if cython.compiled:
            self._layout = self._layout_array.data.as_ints
            self._decoder = self._decoder_array.data.as_ulonglongs
        else:
            self._layout = self._layout_array
        return None

    # -- from path to slot ------------------------------------------------------------------------------

    def _lookup(self, path: cython.ulonglong) -> cython.int:
        """Return the slot of a packed path; -1 if it depends on the types of pointers, -2 if it is new."""
        return cython.cast(cython.int, self._map.get(path))

    def path_of(self, number: cython.int) -> cython.ulonglong:
        """Return the packed path of a slot."""
        return self._paths.data.as_ulonglongs[number] if cython.compiled else self._paths[number]

    def slot(self, path: cython.ulonglong, entity: object) -> cython.int:
        """Return the slot of a packed path, adding a new one if needed.

        The pointers of `entity` decide between types.
        """
        number: cython.int = self._lookup(path)
        if number >= 0:
            return number
        return self._add_path(path, entity)

    def _add_path(self, path: cython.ulonglong, entity: object) -> cython.int:
        """Add the slot of a new path, or find that of a path that depends on the types of an entity's pointers."""
        types: tuple = ()
        decoder: object = self._cursor.walk(path, types)
        while decoder is None:
            number: cython.int = self._pointer(self._cursor._prefixes[self._cursor.depth - 1], types)
            chosen = 0 if number < 0 or entity is None else entity.cell_value(number)
            types = (*types, max(0, chosen - 1))
            decoder = self._cursor.walk(path, types)
        if not types:
            number = self._add(path, types, decoder)
            self._map.put(path, number)
            return number
        known = self._polymorphic.get((path, types))
        if known is not None:
            return known
        if self._lookup(path) == -2:
            self._map.put(path, -1)
        return self._add(path, types, decoder)

    def _pointer(self, path: cython.ulonglong, types: tuple) -> cython.int:
        """Return the slot of a pointer of several types; negative if it has not occurred."""
        if types:
            return self._polymorphic.get((path, types), -2)
        return self._lookup(path)

    def _add(self, path: cython.ulonglong, types: tuple, decoder: FieldDecoder) -> cython.int:
        """Add a slot for the field that the cursor has reached."""
        cursor: FieldCursor = self._cursor
        number: cython.int = len(self._decoders)
        if number >= MOST_SLOTS:
            raise LimitExceeded(f"class {self.name} has more than {MOST_SLOTS} fields in use")
        keep: cython.bint = self._keep_all
        if not keep:
            node: FieldNode = node_at(cursor, cursor.depth - 1)
            keep = node._several
            if not keep and not self._keep_none:
                keep = self._keeps()
        self._decoders.append(decoder)
        cell: cython.int = self.cells if keep else -1
        form: cython.int = SEVERAL_CELLS
        if decoder.cells == 1:
            form = decoder.kind | cython.cast(cython.int, decoder._bits & 255) << FORM_BITS_AT
            if decoder._flags:  # a negative number, shifted, is undefined
                form |= 1 << FORM_FLAGS_AT
        if cython.compiled:
            if number >= self._room:
                self._make_room(max(64, 2 * number))
            self._layout[2 * number] = cell
            self._layout[2 * number + 1] = form
            self._decoder[number] = cython.cast(cython.ulonglong, cython.cast(cython.p_void, decoder))
            self._paths.data.as_ulonglongs[number] = path
        else:
            self._layout_array.extend((cell, form))
            self._paths.append(path)
        if types:
            self._types[number] = types
            self._polymorphic[path, types] = number
            self._typed_names[cursor.name] = number
            if cursor.is_under_node():
                self._typed_names[cursor.full_name] = number
        if keep:
            if decoder.cells > 1:
                self.several.append((self.cells, decoder.cells))
            self.cells += decoder.cells
        return number

    def _make_room(self, slots: cython.Py_ssize_t) -> cython.int:
        """Reserve memory for so many slots."""
        if cython.compiled:
            resize(self._layout_array, 2 * slots)
            resize(self._decoder_array, slots)
            resize(self._paths, slots)
            self._room = slots
            self._refresh()
        return 0

    def _keeps(self) -> cython.bint:
        """Return whether to keep the field that the cursor has reached."""
        cursor: FieldCursor = self._cursor
        if self._may_keep(False) and self._wanted(cursor.name):
            return True
        return cursor.is_under_node() and self._may_keep(True) and self._wanted(cursor.full_name)

    def _may_keep(self, full: cython.bint) -> cython.bint:
        """Return whether the first and the last level of the field's name, or full name, are among those that are
        kept: nearly all of the thousands of fields that a build declares end here, before a name is made."""
        ends: dict | None = self._ends
        if ends is None:
            return True
        cursor: FieldCursor = self._cursor
        node: FieldNode = node_at(cursor, 0)
        if node._end is None:
            node.split_names()
        of_begin: set | None = ends.get(node._full_begin if full else node._begin)
        if of_begin is None:
            return False
        node = node_at(cursor, cursor.depth - 1)
        if node._end is None:
            node.split_names()
        return ("" if cursor._elements[cursor.depth - 1] >= 0 else node._end) in of_begin

    def _link(self, number: cython.int) -> cython.int:
        """Chain a slot to those that have the same beginnings of their paths."""
        path: cython.ulonglong = self.path_of(number)
        level: cython.int = 1
        while level < LEVELS and path >> LEVEL_SHIFTS[level]:
            begin: cython.ulonglong = path & ((cython.cast(cython.ulonglong, 1) << LEVEL_SHIFTS[level]) - 1)
            before: cython.longlong = self._chains.put(begin, len(self._links) // 2)
            self._link_row[0], self._link_row[1] = number, before
            if cython.compiled:
                extend_buffer(self._links, cython.cast(cython.p_char, self._link_row), 2)
            else:
                self._links.extend(self._link_row)
            level += 1
        return 0

    def children(self, number: cython.int, first: cython.longlong) -> list:
        """Return the kept slots below a vector, from element `first` on, or with -1 those below a pointer."""
        # Most classes with few slots are never asked.
        while self._linked < len(self._decoders):
            if cell_of(self, self._linked) >= 0:
                self._link(self._linked)
            self._linked += 1
        found: list = []
        path: cython.ulonglong = self.path_of(number)
        types: tuple = self._types.get(number, ())
        level: cython.int = 1
        while level < LEVELS and path >> LEVEL_SHIFTS[level]:
            level += 1
        if level == LEVELS:
            return found
        link: cython.longlong = self._chains.get(path)
        while link >= 0:
            child: cython.int = self._links[2 * link]
            element = (
                cython.cast(cython.longlong, (self.path_of(child) >> LEVEL_SHIFTS[level]) & LEVEL_MASKS[level]) - 1
            )
            # The same path may lead through pointers of other types.
            if element >= first and (not types or self._types.get(child, ())[: len(types)] == types):
                found.append(child)
            link = self._links[2 * link + 1]
        return found

    # -- names ------------------------------------------------------------------------------------------

    def slots(self) -> tuple[Slot, ...]:
        """Return all slots so far, in the order of first occurrence."""
        for number in range(len(self._slots), len(self._decoders)):
            slot = self._cursor.describe(unpack(self._paths[number]), self._types.get(number, ()))
            self._slots.append(slot)
            if cell_of(self, number) >= 0:
                self._names[slot.name] = number
        return tuple(self._slots)

    def slot_at(self, number: int) -> Slot:
        """Return the description of a slot."""
        if number >= len(self._slots):
            self.slots()
        return self._slots[number]

    def names(self) -> dict[str, int]:
        """Return the number of each kept slot by name, in the order of first occurrence."""
        if len(self._slots) != len(self._decoders):
            self.slots()
        names: dict[str, int] = self._names
        return names

    def slot_number(self, name: str) -> cython.int:
        """Return the kept slot of a field; negative if no entity of the class has had a value for it yet."""
        packed = self._packed_names.get(name)
        number: cython.int = -2
        if packed is None:
            packed = self._packed_names[name] = self._pack_name(name)
        if packed:
            number = self._lookup(packed)
        if number < 0:
            number = self._typed_names.get(name, -2)
        return number if number >= 0 and cell_of(self, number) >= 0 else -2

    def _pack_name(self, name: str) -> int:
        """Return the packed path of a dotted name; 0 if the class has no such field."""
        path = self._cursor.path_of(name)
        try:
            return 0 if path is None else pack(path)
        except ValueError:
            return 0

    def ensure_slot(self, name: str) -> cython.int:
        """As `slot_number`, but add a slot for a field that has not occurred yet; negative if there is no such
        field.
        """
        number: cython.int = self.slot_number(name)
        if number < 0 and self._packed_names[name]:
            self.slot(self._packed_names[name], None)
            number = self.slot_number(name)
        return number

    def __repr__(self) -> str:
        return f"<ClassInfo {self.class_id} {self.name}>"


class ClassLayouts:
    """The classes of one schema, shared by all decoders of its recordings."""

    def __init__(self, tree: FieldTree, wanted: Projection | None = None) -> None:
        self._tree = tree
        self._wanted = wanted
        self._known: dict[tuple[int, str], ClassInfo] = {}
        self._aliased: dict[tuple[EncoderAlias, ...], ClassLayouts] = {}

    def with_aliases(self, aliases: tuple[EncoderAlias, ...]) -> ClassLayouts:
        """Return the layouts for recordings with these encoder aliases; this object if they change nothing."""
        if not aliases:
            return self
        layouts = self._aliased.get(aliases)
        if layouts is None:
            meant = with_aliases(self._tree.send_tables, aliases)
            same = meant is self._tree.send_tables
            layouts = self._aliased[aliases] = self if same else ClassLayouts(FieldTree(meant), self._wanted)
        return layouts

    def class_info(self, class_id: int, name: str) -> ClassInfo:
        """Return the class of that number and name."""
        info = self._known.get((class_id, name))
        if info is None:
            keep: Callable[[str], bool] | bool = True
            if self._wanted is not None:
                keep = self._wanted(name) or False
            info = self._known[class_id, name] = ClassInfo(class_id, name, self._tree, keep)
        return info


@lru_cache(maxsize=4)
def shared_tree(send_tables: SendTables, build: int | None) -> FieldTree:
    """Return the serializers with the corrections for a Dota build; None applies none."""
    return FieldTree(patched(send_tables, build))


@lru_cache(maxsize=16)
def shared_layouts(send_tables: SendTables, build: int | None, wanted: Projection | None) -> ClassLayouts:
    """Return the shared layouts of one schema and projection."""
    return ClassLayouts(shared_tree(send_tables, build), wanted)


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
        """Record the value of a cell before it changes."""
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
