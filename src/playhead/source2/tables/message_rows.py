"""Tables whose rows are messages: fields go from the bytes of a message into columns without an object a value."""

from __future__ import annotations

import struct
from array import array
from typing import TYPE_CHECKING, Any

from playhead.source2.entities.entity import INDEX_MASK, Entity
from playhead.source2.entities.manager import ENTITY_NAMES, EntityManager
from playhead.source2.entities.slots import FieldSlots
from playhead.source2.messages.field_reader import FieldPlan, FieldReader
from playhead.source2.playback.dispatch import MessageSink
from playhead.source2.string_tables.entry_list import EntryList
from playhead.source2.tables.row_content import Content
from playhead.tables.column_buffers import Int32Buffer
from playhead.tables.nullable_columns import TextColumn, ValueColumn
from playhead.tables.value_arrays import array_of

try:
    import cython
except ModuleNotFoundError:
    from playhead.runtime import cython_shim as cython

if cython.compiled:
    from cython.cimports.cpython.array import array
    from cython.cimports.playhead.source2.entities.entity import Entity
    from cython.cimports.playhead.source2.entities.manager import EntityManager
    from cython.cimports.playhead.source2.entities.slots import FieldSlots
    from cython.cimports.playhead.source2.messages.field_reader import FieldPlan, FieldReader
    from cython.cimports.playhead.source2.playback.dispatch import MessageSink
    from cython.cimports.playhead.source2.string_tables.entry_list import EntryList
    from cython.cimports.playhead.tables.byte_buffer import put_part
    from cython.cimports.playhead.tables.column_buffers import Int32Buffer
    from cython.cimports.playhead.tables.nullable_columns import TextColumn, ValueColumn, append_value
else:
    from playhead.tables.byte_buffer import put_part
    from playhead.tables.nullable_columns import append_value

    # The same numbers as the enums in the .pxd.
    (
        NOTHING,
        NUMBER,
        NOT_NEGATIVE,
        NOT_ZERO,
        HANDLE,
        CODE,
        CODE_OF,
        NAME,
        AXIS,
        BYTES,
        STRING,
        OTHERS,
        NUMBERS,
        NAMES,
        PLAYERS,
        CALL,
        FIELD,
    ) = Content
    NOT_LONE, ALWAYS_NULL = -1, -2
    INDEX_BITS_SET = INDEX_MASK
    NO_HANDLE_24, NO_HANDLE_32 = 0xFFFFFF, 0xFFFFFFFF
    SIZE_BITS_SET = 0xFFFFFFFF

if TYPE_CHECKING:
    import pyarrow as pa

_NAME_FIELD = "m_pEntity.m_nameStringTableIndex"
# Codes of numbers that stand for a text are remembered up to here.
_MOST_CODES = cython.declare(cython.int, 256)
_TEXT, _BINARY, _CATEGORY = "string", "binary", "category"
# Numbers of names are below; no table has as many.
_MOST_NAMES = 1 << 31
_MOST_NUMBERS = 1 << 62
# Contents that are a null where the value of their slot is missing.
_PLAIN = (Content.NUMBER, Content.NOT_NEGATIVE, Content.NOT_ZERO, Content.HANDLE, Content.AXIS)
# The type of a column of text that has the fields without a column of their own.
_OTHERS = "others"


@cython.final
@cython.cclass
class EntityNames:
    """What the entities of a playback are called as it stands.

    Args:
        manager: of the entities; it has to keep `m_pEntity.m_nameStringTableIndex` and the string table of names.
    """

    # stub: def name(self, index: int | None) -> str | None: ...
    def __init__(self, manager: EntityManager) -> None:
        self._manager = manager
        self._slots = FieldSlots((_NAME_FIELD,))
        # Of other fields, by name.
        self._fields = {}
        self._tables = None
        self._followed = False
        self._table = None
        self._entries = None
        # Names as text.
        self._texts = {}

    @cython.ccall
    @cython.nonecheck(True)
    def name(self, index: object) -> object:
        """The own name of the entity at an index, otherwise its class; None if there is none."""
        return None if index is None or not 0 <= index <= INDEX_MASK else self.name_at(index)

    @cython.cfunc
    @cython.nonecheck(True)
    def name_at(self, index: cython.longlong) -> object:
        """As `name`."""
        if not 0 <= index <= INDEX_BITS_SET:
            return None
        found: object = self._manager.entities[index]
        if found is None:
            return None
        entity: Entity = found
        tables: object = self._manager.string_tables
        if tables is not self._tables:
            self._tables = tables
            self._followed = tables is not None and tables.follows(ENTITY_NAMES)
        table: object = tables.by_name.get(ENTITY_NAMES) if self._followed else None
        if table is not None:
            if table is not self._table:
                self._table, self._entries = table, table.entry_list
            numbers: array = self._slots.numbers(entity.class_info, "")
            slot: cython.int = numbers.data.as_ints[0] if cython.compiled else numbers[0]
            name: object = None if slot < 0 else self._called(entity.slot_value(slot))
            if name:
                return name
        return entity.class_info.name

    # stub: def number(self, index: int | None, field: str) -> int | None: ...

    @cython.nonecheck(True)
    def number(self, index: object, field: str) -> object:
        """A field of the entity at an index, if it is a number of 0 or more; None if not, or if there is none."""
        if index is None or not 0 <= index <= INDEX_MASK:
            return None
        value: cython.longlong = self.number_at(index, field)
        return None if value < 0 else value

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    @cython.nonecheck(True)
    def number_at(self, index: cython.longlong, field: str) -> cython.longlong:
        """As `number`; -1 for none."""
        if not 0 <= index <= INDEX_BITS_SET:
            return -1
        found: object = self._manager.entities[index]
        if found is None:
            return -1
        entity: Entity = found
        slots: FieldSlots = self._fields.get(field)
        if slots is None:
            slots = self._fields[field] = FieldSlots((field,))
        numbers: array = slots.numbers(entity.class_info, "")
        slot: cython.int = numbers.data.as_ints[0] if cython.compiled else numbers[0]
        value: object = None if slot < 0 else entity.slot_value(slot)
        return value if isinstance(value, int) and 0 <= value < _MOST_NUMBERS else -1

    @cython.cfunc
    def _called(self, number: object) -> object:
        """The name of that number; None if there is none."""
        entries: EntryList = self._entries
        place: cython.Py_ssize_t
        if not isinstance(number, int) or not 0 <= number < _MOST_NAMES:
            return None
        place = entries.place_of(number)
        if place < 0:
            return None
        given: bytes = entries.name_at(place)
        name: object = self._texts.get(given)
        if name is None:
            name = self._texts[given] = given.decode("utf-8")
        return name


@cython.final
@cython.cclass
class RowPlan:
    """How a message of one definition becomes a row.

    Args:
        fields: what of the message goes into which slot.
        columns: for each column of the table what goes into it (`NUMBER` and so on), the first slot of what it
            takes, how many slots there are to choose from, how far apart they stand, a number, and an object.
    """

    # stub: def __init__(self, fields: FieldPlan, columns: Sequence[tuple[int, int, int, int, int, Any]]) ->
    #     None: ...
    def __init__(self, fields: FieldPlan, columns: Any) -> None:
        self._fields = fields
        self._ops = array("i", [each[0] for each in columns])
        self._slots = array("i", [each[1] for each in columns])
        self._counts = array("i", [each[2] for each in columns])
        self._steps = array("i", [each[3] for each in columns])
        self._numbers = array("i", [each[4] for each in columns])
        self._objects = [each[5] for each in columns]
        self._lone = array("i", [_lone(each[0], each[1], each[2]) for each in columns])
        if cython.compiled:
            self._op_of = self._ops.data.as_ints
            self._slot_of = self._slots.data.as_ints
            self._count_of = self._counts.data.as_ints
            self._step_of = self._steps.data.as_ints
            self._number_of = self._numbers.data.as_ints
            self._lone_of = self._lone.data.as_ints
        else:
            self._op_of, self._slot_of, self._count_of = self._ops, self._slots, self._counts
            self._step_of, self._number_of = self._steps, self._numbers
            self._lone_of = self._lone


def _lone(op: int, slot: int, count: int) -> int:
    if op == Content.NOTHING:
        return ALWAYS_NULL
    return slot if op in _PLAIN and count == 1 else NOT_LONE


@cython.final
@cython.cclass
class MessageTable:
    """The columns of one table, filled row by row.

    Args:
        types: of each column its type as schemas have it (`playhead.tables.schema.Column.type`).
        names: what entities are called; None if no column asks.

    Attributes:
        ticks: of the rows.
    """

    # stub: def __init__(self, types: Sequence[str], names: EntityNames | None = None) -> None: ...
    # stub: def add(self, plan: RowPlan, tick: int, payload: bytes) -> bool: ...
    # stub: def add_row(self, tick: int, values: Sequence[Any]) -> None: ...
    # stub: ticks: Int32Buffer

    def __init__(self, types: Any, names: EntityNames | None = None) -> None:
        self._types = list(types)
        self._width = len(self._types)
        self._names = names
        self._begin()

    @cython.cfunc
    def _begin(self) -> object:
        self.ticks = Int32Buffer()
        self._rows = 0
        self._columns = [TextColumn() if each in (_BINARY, _OTHERS) else ValueColumn() for each in self._types]
        # The values of lists; the columns then have where each ends.
        self._lists = [ValueColumn() if each.startswith("list<") else None for each in self._types]
        self._codes = [{} for _ in self._types]
        # What was looked up: of each column the texts of numbers and their codes, codes of texts by their bytes.
        self._texts = [None] * self._width
        self._number_codes = [array("i", [-1]) * _MOST_CODES for _ in self._types]
        self._byte_codes = [{} for _ in self._types]
        others = [column for column, each in zip(self._columns, self._types, strict=True) if each == _OTHERS]
        self._reader = FieldReader(others[0].data if others else None)
        return None

    def __len__(self) -> int:
        return len(self.ticks)

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def _code(self, column: cython.Py_ssize_t, text: object) -> cython.int:
        if text is None:
            return -1
        codes: dict = self._codes[column]
        found: object = codes.get(text)
        if found is None:
            found = codes[text] = len(codes)
        return found

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add(self, plan: RowPlan, tick: cython.int, payload: bytes) -> cython.bint:
        """Add the row of a message. Returns False, and adds none, if its fields are not as encoders write them:
        it is then for `add_row`.
        """
        reader: FieldReader = self._reader
        before: cython.Py_ssize_t = 0 if reader._text is None else reader._text._size
        column: cython.Py_ssize_t
        lone: cython.int
        if not reader.read(plan._fields, payload):
            return False
        self.ticks.append(tick)
        self._rows += 1
        for column in range(self._width):
            # Most columns of most rows have no value: they are filled up when the next one comes.
            lone = plan._lone_of[column]
            if lone == ALWAYS_NULL or (lone != NOT_LONE and not reader.there[lone]):
                continue
            self._put(plan, column, plan._op_of[column], payload, before)
        return True

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _put(
        self, plan: RowPlan, column: cython.Py_ssize_t, op: cython.int, payload: bytes, before: cython.Py_ssize_t
    ) -> cython.int:
        reader: FieldReader = self._reader
        slot: cython.int = plan._slot_of[column]
        step: cython.int = plan._step_of[column]
        left: cython.int = plan._count_of[column]
        number: cython.int = plan._number_of[column]
        there: cython.bint = False
        value: cython.longlong = 0
        values: ValueColumn
        text: TextColumn
        start: cython.Py_ssize_t
        size: cython.Py_ssize_t
        while left:
            there = reader.there[slot]
            if there:
                value = reader.cells[slot]
                break
            slot += step
            left -= 1
        if op == OTHERS:
            text = self._columns[column]
            text.end(reader._text._size > before)
            return 0
        if op == BYTES:
            text = self._columns[column]
            if there:
                put_part(text.data, payload, value >> 32, value & SIZE_BITS_SET)
            text.end(there)
            return 0
        values = self._columns[column]
        if values._size < self._rows - 1:
            values.fill(self._rows - 1)
        if op == NUMBER:
            append_value(values, value, there)
        elif op == NOT_NEGATIVE:
            append_value(values, value, there and value >= 0)
        elif op == NOT_ZERO:
            append_value(values, value, there and value != 0)
        elif op == HANDLE:
            there = there and value != NO_HANDLE_24 and value != NO_HANDLE_32
            append_value(values, value & INDEX_BITS_SET, there)
        elif op == CODE:
            append_value(values, self._code(column, plan._objects[column]), True)
        elif op == CODE_OF:
            self._put_code(values, plan, column, there, value)
        elif op == NAME:
            self._put_name(values, column, number, there, value)
        elif op == AXIS:
            # A coordinate that is not sent is 0.
            value = 0
            if there and reader.there[slot + 1 + number]:
                value = reader.cells[slot + 1 + number]
            append_value(values, value, there)
        elif op == STRING:
            start = value >> 32
            size = value & SIZE_BITS_SET
            value = self._byte_code(column, payload[start : start + size]) if there else -1
            append_value(values, value, there)
        elif op == CALL:
            self._put_object(column, plan._objects[column](value if there else None))
        elif op == FIELD:
            value = self._names.number_at(value + number, plan._objects[column]) if there else -1
            append_value(values, value, value >= 0)
        else:
            self._put_list(values, column, op, there)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _put_code(
        self,
        values: ValueColumn,
        plan: RowPlan,
        column: cython.Py_ssize_t,
        there: cython.bint,
        value: cython.longlong,
    ) -> cython.int:
        """The text that stands for a number."""
        texts: dict = plan._objects[column]
        code: cython.int = -1
        known: array
        if not there:
            value = plan._number_of[column]
        if texts is not self._texts[column]:
            self._texts[column] = texts
            self._number_codes[column] = array("i", [-1]) * _MOST_CODES
        known = self._number_codes[column]
        if 0 <= value < _MOST_CODES:
            code = known.data.as_ints[value] if cython.compiled else known[value]
        if code < 0:
            text: object = texts.get(value)
            if text is None:
                text = str(value)
            code = self._code(column, text)
            if 0 <= value < _MOST_CODES:
                known[value] = code
        append_value(values, code, True)
        return 0

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def _byte_code(self, column: cython.Py_ssize_t, text: bytes) -> cython.int:
        """The code of a text, given its bytes."""
        codes: dict = self._byte_codes[column]
        found: object = codes.get(text)
        if found is None:
            found = codes[text] = self._code(column, text.decode("utf-8", "replace"))
        return found

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _put_name(
        self,
        values: ValueColumn,
        column: cython.Py_ssize_t,
        form: cython.int,
        there: cython.bint,
        value: cython.longlong,
    ) -> cython.int:
        """The name of an entity, given its index or (`form` is `HANDLE`) handle."""
        if form == HANDLE:
            there = there and value != NO_HANDLE_24 and value != NO_HANDLE_32
            value &= INDEX_BITS_SET
        elif form == NOT_ZERO:
            there = there and value != 0
        code: cython.int = -1
        if there:
            code = self._code(column, self._names.name_at(value))
        append_value(values, code, code >= 0)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _put_list(
        self, values: ValueColumn, column: cython.Py_ssize_t, op: cython.int, there: cython.bint
    ) -> cython.int:
        reader: FieldReader = self._reader
        inside: ValueColumn = self._lists[column]
        i: cython.Py_ssize_t
        code: cython.int
        before: cython.Py_ssize_t = inside._size
        value: cython.longlong
        for i in range(reader.list_size):
            value = reader.listed(i)
            if op == NAMES:
                code = self._code(column, self._names.name_at(value))
                inside.append(code, code >= 0)
            elif op == NUMBERS or value >= 0:
                inside.append(value, True)
        values.append(inside._size, there and (op != PLAYERS or inside._size > before))
        return 0

    @cython.nonecheck(True)
    def add_row(self, tick: int, values: Any) -> None:
        """Add a row, given the value of each column."""
        self.ticks.append(tick)
        self._rows += 1
        for column, value in enumerate(values):
            self._put_object(column, value)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _put_object(self, column: cython.Py_ssize_t, value: object) -> cython.int:
        kind: str = self._types[column]
        cell: object = 0
        if kind == _BINARY:
            self._columns[column].append(value)
            return 0
        if kind == _OTHERS:
            self._columns[column].append(None if value is None else value.encode())
            return 0
        self._columns[column].fill(self._rows - 1)
        if kind in (_TEXT, _CATEGORY):
            cell = self._code(column, value)
        elif kind.startswith("list<"):
            inside: ValueColumn = self._lists[column]
            text: cython.bint = kind == "list<string>"
            for each in value or ():
                code: object = self._code(column, each) if text else each
                inside.append(code, not text or code >= 0)
            cell = len(inside)
        elif value is not None:
            if kind.startswith("float"):
                cell = struct.unpack("<q", struct.pack("<d", value))[0]
            else:
                cell = int(value)
                if cell >= 1 << 63:
                    cell -= 1 << 64
        self._columns[column].append(cell, value is not None)
        return 0

    def to_arrow(self) -> list[pa.Array]:
        """The columns; the table starts anew. Numbers have 64 bits, those of an int32 column 32 if all fit, and
        text is a category, too.
        """
        import pyarrow as pa

        found = []
        # One column for all of a type that never had a value: a table of many columns has few of which that is
        # not so.
        nothing: dict = {}
        for i, kind in enumerate(self._types):
            column = self._columns[i]
            if kind in nothing and not len(column):
                found.append(nothing[kind])
                continue
            empty: cython.bint = not len(column)
            if kind not in (_BINARY, _OTHERS):
                column.fill(self._rows)
            if kind == _BINARY:
                found.append(column.to_arrow(pa.binary()))
            elif kind == _OTHERS:
                found.append(column.to_arrow(pa.string()))
            elif kind.startswith("list<"):
                ends = column.to_arrow(pa.int64())
                inside = (
                    self._named(i, self._lists[i])
                    if kind == "list<string>"
                    else self._lists[i].to_arrow(pa.int64())
                )
                if kind == "list<string>":
                    inside = inside.cast(pa.string())
                data = pa.Array.from_buffers(pa.int64(), len(ends), [None, ends.buffers()[1]])
                limits = pa.concat_arrays([array_of([0], pa.int64()), data]).cast(pa.int32())
                form = pa.list_(inside.type)
                buffers = [ends.buffers()[0], limits.buffers()[1]]
                found.append(pa.Array.from_buffers(form, len(ends), buffers, children=[inside]))
            elif kind in (_TEXT, _CATEGORY):
                found.append(self._named(i, column))
            elif kind == "int32":
                found.append(column.to_int32())
            elif kind == "uint64":
                found.append(column.to_arrow(pa.uint64()))
            elif kind.startswith("float"):
                found.append(column.to_arrow(pa.float64()))
            elif kind == "bool":
                found.append(column.to_bools())
            else:
                found.append(column.to_arrow(pa.int64()))
            if empty:
                nothing[kind] = found[len(found) - 1]
        self._begin()
        return found

    @cython.cfunc
    def _named(self, column: cython.Py_ssize_t, values: ValueColumn) -> object:
        """Texts by their codes."""
        import pyarrow as pa

        return pa.DictionaryArray.from_arrays(values.to_int32(), array_of(list(self._codes[column]), pa.string()))


@cython.final
@cython.cclass
class MessageTaker(MessageSink):
    """Takes the messages of one number into a table.

    Args:
        table: where their rows go.
        plan: how one becomes a row.
        otherwise: called with tick and payload of a message that the table does not take.
    """

    # stub: def __init__(self, table: MessageTable, plan: RowPlan, otherwise: Callable[[int, bytes], None]) ->
    #     None: ...

    def __init__(self, table: MessageTable, plan: RowPlan, otherwise: Any) -> None:
        self._table = table
        self._plan = plan
        self._otherwise = otherwise

    @cython.ccall
    @cython.exceptval(-1, check=False)
    @cython.nonecheck(True)
    def accept(self, tick: cython.int, _number: cython.longlong, payload: bytes) -> cython.int:
        """Add the row of a message."""
        if not self._table.add(self._plan, tick, payload):
            self._otherwise(tick, payload)
        return 0


@cython.final
@cython.cclass
class BatchTaker:
    """Takes messages into a table that is emptied whenever it has so many rows.

    Args:
        table: where their rows go.
        plan: how one becomes a row.
        size: the rows of a batch.
        full: called when the table has them.
    """

    # stub: def __init__(self, table: MessageTable, plan: RowPlan, size: int, full: Callable[[], None]) ->
    #     None: ...
    # stub: def take(self, tick: int, payload: bytes) -> bool: ...

    def __init__(self, table: MessageTable, plan: RowPlan, size: cython.Py_ssize_t, full: Any) -> None:
        self._table = table
        self._plan = plan
        self._batch_size = size
        self._full = full

    @cython.ccall
    @cython.exceptval(-1, check=False)
    @cython.nonecheck(True)
    def take(self, tick: cython.int, payload: bytes) -> cython.bint:
        """Add the row of a message. Returns False, and adds none, if it is for `MessageTable.add_row`."""
        if not self._table.add(self._plan, tick, payload):
            return False
        if self._table._rows >= self._batch_size:
            self._full()
        return True
