"""`MessageTable`: the columns of a table whose rows are messages.

The module is long because rows, their columns and names of entities share slots, in C.
"""

from __future__ import annotations

import struct
from array import array

from playhead.runtime import cython
from playhead.runtime.libraries import cast_array, pa
from playhead.runtime.typing import Any
from playhead.source2.entities.entity import INDEX_MASK, Entity
from playhead.source2.entities.manager import ENTITY_NAMES, EntityManager
from playhead.source2.entities.watching import FieldSlots
from playhead.source2.messages.field_reader import FieldReader
from playhead.source2.messages.wire_decoder import FieldPlan
from playhead.source2.playback.decoding import SharedDecoder
from playhead.source2.playback.fast_path import MessageSink
from playhead.tables.column_buffers import Int32Buffer
from playhead.tables.json_columns import TextColumn, ValueColumn
from playhead.tables.packed import BATCH, PackedArray, PackedText, Room
from playhead.tables.value_arrays import array_of


class Content:
    """The values of a column; the .pxd has the same numbers.

    Attributes:
        NOTHING: null.
        NUMBER: a number as it is.
        NOT_NEGATIVE: a number; null for one below 0.
        NOT_ZERO: a number; null for 0.
        HANDLE: the index in a handle; null for a handle of nothing.
        CONSTANT: the same text in every row.
        TEXT_OF: the text for a number.
        NAME: the name of the entity of a number, which is `NUMBER`, `NOT_ZERO` or `HANDLE`.
        AXIS: a coordinate of a vector.
        BYTES: bytes.
        OTHERS: all fields without a column, as JSON.
        NUMBERS: a list of numbers.
        NAMES: the names of the entities of a list of numbers.
        PLAYERS: a list of numbers without those below 0; null for an empty list.
        CALL: the result of a function of a number.
        FIELD: a field, a number of 0 or more, of the entity of a number.
    """

    NOTHING = 0
    NUMBER = 1
    NOT_NEGATIVE = 2
    NOT_ZERO = 3
    HANDLE = 4
    CONSTANT = 5
    TEXT_OF = 6
    NAME = 7
    AXIS = 8
    BYTES = 9
    OTHERS = 10
    NUMBERS = 11
    NAMES = 12
    PLAYERS = 13
    CALL = 14
    FIELD = 15


#: The contents by name, in the order of their numbers.
CONTENTS = {name: number for name, number in vars(Content).items() if name.isupper()}

if not cython.compiled:
    from playhead.source2.messages.wire_decoder import MOST_SLOTS
    from playhead.tables.column_buffers import append_int32
    from playhead.tables.json_columns import append_value, put_bytes, put_part

    # As in the .pxd.
    NOTHING, NUMBER, NOT_NEGATIVE, NOT_ZERO, HANDLE, CONSTANT, TEXT_OF, NAME = list(CONTENTS.values())[:8]
    AXIS, BYTES, OTHERS, NUMBERS, NAMES, PLAYERS, CALL, FIELD = list(CONTENTS.values())[8:]
    MOST_KNOWN = 64
    INDEX_BITS_SET, SIZE_BITS_SET = INDEX_MASK, 0xFFFFFFFF
    NO_HANDLE_24, NO_HANDLE_32 = 0xFFFFFF, 0xFFFFFFFF

_NAME_FIELD = "m_pEntity.m_nameStringTableIndex"


@cython.final
@cython.cclass
class EntityNames:
    """Names and fields of the entities of a playback at its current tick."""

    def __init__(self, manager: EntityManager) -> None:
        self._manager = manager
        self._slots = FieldSlots((_NAME_FIELD,))
        # Slots of other fields, by name.
        self._fields = {}
        self._tables = None
        # The string tables by name, empty if that of names is not followed, and by number; how many there were and
        # the number of that of names, when it was looked up.
        self._by_name = {}
        self._by_id = []
        self._count = self._number = 0
        self._table = None
        self._entries = None
        # The names so far by place in the table, as bytes and as text.
        self._given = []
        self._texts = []

    @cython.nonecheck(True)
    def name(self, index: object) -> str | None:
        """Return the own name of the entity at an index, otherwise its class; None without an entity."""
        return None if index is None or not 0 <= index <= INDEX_MASK else self.name_at(index)

    @cython.nonecheck(True)
    def name_at(self, index: cython.longlong) -> object:
        """Return the same as `name`."""
        if not 0 <= index <= INDEX_BITS_SET:
            return None
        found: object = self._manager.entities[index]
        if found is None:
            return None
        entity: Entity = found
        if self._manager.string_tables is not self._tables:
            self._tables = self._manager.string_tables
            self._by_name, self._by_id = {}, []
            if self._tables is not None and self._tables.follows(ENTITY_NAMES):
                self._by_name, self._by_id = self._tables.by_name, self._tables.by_id
            self._table = None
        if self._table is None or len(self._by_id) != self._count or self._by_id[self._number] is not self._table:
            self._find_table()
        if self._table is not None:
            name: object = self._called(self._number_in(entity, self._slots))
            if name is not None:
                return name
        return entity.class_info.name

    @cython.nonecheck(True)
    def number(self, index: int | None, field: str) -> int | None:
        """Return a field of the entity at an index; None unless it is a number of 0 or more."""
        if index is None or not 0 <= index <= INDEX_MASK:
            return None
        value: cython.longlong = self.number_at(index, field)
        return None if value < 0 else value

    @cython.nonecheck(True)
    def number_at(self, index: cython.longlong, field: str) -> cython.longlong:
        """Return the same as `number`, but -1 for None."""
        if not 0 <= index <= INDEX_BITS_SET:
            return -1
        found: object = self._manager.entities[index]
        if found is None:
            return -1
        entity: Entity = found
        slots: FieldSlots = self._fields.get(field)
        if slots is None:
            slots = self._fields[field] = FieldSlots((field,))
        return self._number_in(entity, slots)

    def _find_table(self) -> object:
        """Look up the string table of names."""
        self._table = self._by_name.get(ENTITY_NAMES)
        if self._table is not None:
            self._entries, self._number, self._count = self._table.entry_list, self._table.id, len(self._by_id)
        return None

    def _number_in(self, entity: Entity, slots: FieldSlots) -> cython.longlong:
        """Return the first of these fields of an entity; -1 unless it is a number of 0 or more."""
        numbers: array = slots.numbers(entity.class_info, "")
        slot: cython.int = numbers.data.as_ints[0] if cython.compiled else numbers[0]
        return -1 if slot < 0 else entity.whole_value(slot)

    def _called(self, number: cython.longlong) -> object:
        """Return the name of a number in the string table; None if it is unknown or empty."""
        place: cython.Py_ssize_t = self._entries.place_of(number)
        if place < 0:
            return None
        given: bytes = self._entries.name_at(place)
        while place >= len(self._given):
            self._given.append(None)
            self._texts.append(None)
        if self._given[place] is not given:
            self._given[place], self._texts[place] = given, given.decode("utf-8") or None
        return self._texts[place]


_TEXT, _BINARY, _CATEGORY = "string", "binary", "category"
# Contents that are null in a row without the field. (Not those of lists: each row has the end of its list.)
_NULL_WITHOUT = frozenset({NUMBER, NOT_NEGATIVE, NOT_ZERO, HANDLE, NAME, AXIS, FIELD})
# The type of a column with the fields without a column of their own.
_OTHERS = "others"
_BYTES = (_BINARY, _OTHERS)
_PLAIN = (_TEXT, _CATEGORY, "bool", "int32")


@cython.final
@cython.cclass
class CellPlan:
    """The value that a message gives to one column.

    Args:
        content: a `Content`.
        slot: first slot of the fields to choose from; the first field that was sent counts.
        count: number of these fields.
        step: distance of their slots.
        number, extra: as of `CellSource`; `extra` of `Content.CONSTANT` is the text.
    """

    def __init__(
        self,
        content: cython.int,
        slot: cython.int = 0,
        count: cython.int = 0,
        step: cython.int = 1,
        number: cython.int = 0,
        extra: Any = None,
    ) -> None:
        self.content, self.slot, self.count, self.step = content, slot, count, step
        self.number, self.extra = number, extra
        # Codes of the texts of the first numbers in the column with these codes; -1 for one not met yet.
        self._codes = None
        if not cython.compiled:
            self._known = [-1] * MOST_KNOWN


@cython.final
@cython.cclass
class RowPlan:
    """How a message of one definition becomes a row.

    Args:
        fields: which slot each field is stored in.
        cells: one for each column of the table.
    """

    def __init__(self, fields: FieldPlan, cells: Sequence[CellPlan]) -> None:
        self.fields = fields
        # Its number in the latest table that requested it.
        self._number = 0
        self._cells = list(cells)
        # Most columns of most rows have no value: a filled slot leads to its columns, others are always asked.
        unasked = _NULL_WITHOUT | {NOTHING, OTHERS}
        self._asked = array("i", [column for column, cell in enumerate(cells) if cell.content not in unasked])
        self._asked_count = len(self._asked)
        self._asked_at = self._asked.data.as_ints if cython.compiled else self._asked
        # A list of columns for each slot: the place of its first, and of the next after each.
        self._first, self._next, self._columns = array("i", [-1]) * MOST_SLOTS, array("i"), array("i")
        for column, cell in reversed(list(enumerate(cells))):
            for place in range(cell.count if cell.content in _NULL_WITHOUT else 0):
                slot = cell.slot + place * cell.step
                self._next.append(self._first[slot])
                self._first[slot] = len(self._columns)
                self._columns.append(column)
        self._is_number = array("B", [cell.content == NUMBER and cell.count == 1 for cell in cells])
        self._first_of = self._first.data.as_ints if cython.compiled else self._first
        self._next_of = self._next.data.as_ints if cython.compiled else self._next
        self._column_of = self._columns.data.as_ints if cython.compiled else self._columns
        self._is_number_at = self._is_number.data.as_uchars if cython.compiled else self._is_number


@cython.final
@cython.cclass
class MessageTable:
    """The columns of one table, filled row by row. Each full batch of rows becomes Arrow columns at once, which
    are compressed if there is no room for them: open rows take 9 bytes a value.

    Args:
        types: type of each column as in a schema (`playhead.tables.schema.Column.type`), or ``others`` for bytes
            of messages with other fields: `playhead.source2.tables.message_columns` makes JSON of them.
        room: for batches as they are.
        names: names of entities; None if no column has any.

    Attributes:
        ticks: ticks of the rows.
        numbers: of a table with ``others``, the place in `plans` of each row's plan; -1 for a row with its JSON.
        plans: plans of the fields of the messages in column ``others``.
        unknown: how many fields of the latest message its definition lacks.
    """

    ticks: Int32Buffer
    numbers: Int32Buffer

    def __init__(self, types: Sequence[str], room: Room, names: EntityNames | None = None) -> None:
        self._types, self._room = list(types), room
        self._is_text = array("B", [each in (_TEXT, _CATEGORY) for each in self._types])
        self._is_plain = array("B", [each in _PLAIN for each in self._types])
        self._names = names
        self.unknown = 0
        self.plans = []
        self._batch = BATCH
        self._begin()

    def _begin(self) -> object:
        self.ticks, self.numbers = Int32Buffer(), Int32Buffer()
        self._codes = [{} for _ in self._types]
        # The columns of each batch, None for one without any value, and its number of rows.
        self._closed = []
        # Text and bytes of full batches.
        self._packed = [PackedText(pa.binary(), self._room) if each in _BYTES else None for each in self._types]
        return self._open()

    def _open(self) -> object:
        """Begin a batch."""
        self._rows = 0
        self._columns = [TextColumn() if each in _BYTES else ValueColumn() for each in self._types]
        # The values of lists; the column itself has the end of each list.
        self._lists = [ValueColumn() if each.startswith("list<") else None for each in self._types]
        self._others = self._columns[self._types.index(_OTHERS)] if _OTHERS in self._types else None
        self._reader = FieldReader(None, self._others is not None)
        return None

    def __len__(self) -> int:
        return len(self.ticks)

    def _code(self, column: cython.Py_ssize_t, text: object) -> cython.int:
        if text is None:
            return -1
        codes: dict = self._codes[column]
        found: object = codes.get(text)
        if found is None:
            found = codes[text] = len(codes)
        return found

    def _number_of(self, plan: RowPlan) -> cython.int:
        """Return the place of a plan in `plans`."""
        if plan._number >= len(self.plans) or self.plans[plan._number] is not plan.fields:
            plan._number = len(self.plans)
            self.plans.append(plan.fields)
        return plan._number

    def append(self, plan: RowPlan, tick: cython.int, payload: bytes) -> cython.bint:
        """Append the row of a message; return False, and append none, if its fields are not in order."""
        reader: FieldReader = self._reader
        column: cython.Py_ssize_t
        if not reader.read(plan.fields, payload):
            return False
        self.unknown = reader.unknown
        append_int32(self.ticks, tick)
        if self._others is not None:
            append_int32(self.numbers, self._number_of(plan))
            if reader.others:
                put_bytes(self._others.data, payload)
            self._others.end(reader.others)
        self._rows += 1
        stored: cython.int
        for stored in range(reader.stored_count):
            slot: cython.int = reader.stored[stored]
            place: cython.int = plan._first_of[slot]
            while place >= 0:
                column = plan._column_of[place]
                if plan._is_number_at[column]:
                    values: ValueColumn = self._columns[column]
                    # Nulls are filled up when the next value comes.
                    if values._size < self._rows - 1:
                        values.fill(self._rows - 1)
                    append_value(values, reader.cells[slot], True)
                else:
                    self._append_cell(plan._cells[column], column, payload)
                place = plan._next_of[place]
        asked: cython.Py_ssize_t
        for asked in range(plan._asked_count):
            column = plan._asked_at[asked]
            self._append_cell(plan._cells[column], column, payload)
        if self._rows == self._batch:
            self._close()
        return True

    def _append_cell(self, cell: CellPlan, column: cython.Py_ssize_t, payload: bytes) -> cython.int:
        reader: FieldReader = self._reader
        content: cython.int = cell.content
        slot: cython.int = cell.slot
        left: cython.int = cell.count
        there: cython.bint = False
        value: cython.longlong = 0
        while left:
            there = reader.there[slot]
            if there:
                value = reader.cells[slot]
                break
            slot += cell.step
            left -= 1
        if content == BYTES:
            text: TextColumn = self._columns[column]
            if there:
                put_part(text.data, payload, value >> 32, value & SIZE_BITS_SET)
            text.end(there)
            return 0
        values: ValueColumn = self._columns[column]
        if values._size == self._rows:  # two of its fields were sent
            return 0
        if values._size < self._rows - 1:
            values.fill(self._rows - 1)
        if content == NUMBER:
            append_value(values, value, there)
        elif content == NOT_NEGATIVE:
            append_value(values, value, there and value >= 0)
        elif content == NOT_ZERO:
            append_value(values, value, there and value != 0)
        elif content == HANDLE:
            there = there and value != NO_HANDLE_24 and value != NO_HANDLE_32
            append_value(values, value & INDEX_BITS_SET, there)
        elif content == CONSTANT:
            append_value(values, self._text_code(cell, column, 0), True)
        elif content == TEXT_OF:
            append_value(values, self._text_code(cell, column, value if there else cell.number), True)
        elif content == NAME:
            self._append_name(values, column, cell.number, there, value)
        elif content == AXIS:
            # A coordinate that was not sent is 0.
            value = 0
            if there and reader.there[slot + 1 + cell.number]:
                value = reader.cells[slot + 1 + cell.number]
            append_value(values, value, there)
        elif content == CALL:
            self._append_object(column, cell.extra(value if there else None))
        elif content == FIELD:
            value = self._names.number_at(value + cell.number, cell.extra) if there else -1
            append_value(values, value, value >= 0)
        else:
            self._append_list(values, column, content, there)
        return 0

    def _text_code(self, cell: CellPlan, column: cython.Py_ssize_t, value: cython.longlong) -> cython.int:
        """Return the code of the text for a number, or of the one text."""
        known: cython.bint = 0 <= value < MOST_KNOWN
        codes: dict = self._codes[column]
        if cell._codes is not codes:
            cell._codes = codes
            for number in range(MOST_KNOWN):
                cell._known[number] = -1
        if known and cell._known[value] >= 0:
            return cell._known[value]
        text: object = cell.extra.get(value, str(value)) if cell.content == TEXT_OF else cell.extra
        code: cython.int = self._code(column, text)
        if known:
            cell._known[value] = code
        return code

    def _append_name(
        self,
        values: ValueColumn,
        column: cython.Py_ssize_t,
        form: cython.int,
        there: cython.bint,
        value: cython.longlong,
    ) -> cython.int:
        """Append the name of an entity, given its index or (`form` is `HANDLE`) handle."""
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

    def _append_list(
        self, values: ValueColumn, column: cython.Py_ssize_t, content: cython.int, there: cython.bint
    ) -> cython.int:
        reader: FieldReader = self._reader
        inside: ValueColumn = self._lists[column]
        i: cython.Py_ssize_t
        before: cython.Py_ssize_t = inside._size
        for i in range(reader.list_size):
            value: cython.longlong = reader.listed(i)
            if content == NAMES:
                code: cython.int = self._code(column, self._names.name_at(value))
                inside.append(code, code >= 0)
            elif content == NUMBERS or value >= 0:
                inside.append(value, True)
        values.append(inside._size, there and (content != PLAYERS or inside._size > before))
        return 0

    @cython.nonecheck(True)
    def append_row(self, tick: int, values: Sequence[Any]) -> None:
        """Append a row, given the value of each column."""
        self.ticks.append(tick)
        if self._others is not None:
            self.numbers.append(-1)
        self._rows += 1
        for column, value in enumerate(values):
            self._append_object(column, value)
        if self._rows == self._batch:
            self._close()

    def _append_object(self, column: cython.Py_ssize_t, value: object) -> cython.int:
        values: ValueColumn
        if self._is_plain[column]:
            values = self._columns[column]
            values.fill(self._rows - 1)
            there: cython.bint = value is not None
            number: object = value if there and not self._is_text[column] else self._code(column, value)
            return append_value(values, number, there)
        kind: str = self._types[column]
        cell: object = 0
        if kind in _BYTES:
            self._columns[column].append(value.encode() if isinstance(value, str) else value)
            return 0
        values = self._columns[column]
        values.fill(self._rows - 1)
        if kind.startswith("list<"):
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
                cell = int(value) - (int(value) >> 63 << 64)
        return values.append(cell, value is not None)

    def _close(self) -> object:
        """Turn the open rows into a batch."""
        batch = [self._stored(i, kind) for i, kind in enumerate(self._types)]
        for i, packed in enumerate(self._packed):
            if packed is not None and (self._types[i] == _OTHERS or self._rows == self._batch or self._closed):
                packed.add(batch[i])
                batch[i] = None
        if self._rows == self._batch:
            batch = [None if values is None else self._room.keep(values) for values in batch]
        self._closed.append((batch, self._rows))
        return self._open()

    def _stored(self, i: cython.Py_ssize_t, kind: str) -> object:
        """Return a column of the open batch: text as its codes, whole numbers in 32 bits if all fit."""
        column = self._columns[i]
        if kind in _BYTES:
            return column.to_arrow(pa.binary()) if len(column) else pa.nulls(self._rows, pa.binary())
        if not len(column):
            return None
        column.fill(self._rows)
        if kind.startswith("list<"):
            ends = column.to_arrow(pa.int64())
            inside: ValueColumn = self._lists[i]
            values = inside.to_int32() if kind == "list<string>" else inside.to_arrow(pa.int64())
            data = pa.Array.from_buffers(pa.int64(), len(ends), [None, ends.buffers()[1]])
            limits = cast_array(pa.concat_arrays([array_of([0], pa.int64()), data]), pa.int32())
            buffers = [ends.buffers()[0], limits.buffers()[1]]
            return pa.Array.from_buffers(pa.list_(values.type), len(ends), buffers, children=[values])
        if kind == "bool":
            return column.to_bools()
        if kind == "uint64" or kind.startswith("float"):
            return column.to_arrow(pa.uint64() if kind == "uint64" else pa.float64())
        return column.to_int32()

    def to_arrow(self) -> list[pa.Array | pa.ChunkedArray | PackedText]:
        """Return the columns and start anew without rows.

        Numbers have 64 bits, numbers of an int32 column 32 bits if all fit; text is a category. Bytes are packed
        if they are more than a batch, those of messages always.
        """
        if self._rows or not self._closed:
            self._close()
        # All columns of one type without any value share one array: most columns of a wide table are such.
        nothing: dict = {}
        found = []
        for i, kind in enumerate(self._types):
            if kind in _BYTES:
                packed = self._packed[i]
                found.append(packed if kind == _OTHERS or len(packed) else self._closed[0][0][i])
                continue
            empty: cython.bint = not [1 for columns, _ in self._closed if columns[i] is not None]
            if not empty or kind not in nothing:
                column = self._column_to_arrow(i, kind)
                if empty:
                    nothing[kind] = column
            found.append(nothing[kind] if empty else column)
        self._begin()
        return found

    def _column_to_arrow(self, i: cython.Py_ssize_t, kind: str) -> object:
        form = self._form(i, kind)
        parts = []
        for columns, rows in self._closed:
            part = pa.nulls(rows, form) if columns[i] is None else columns[i]
            if isinstance(part, PackedArray):
                part = part.read()
            columns[i] = None  # the memory of the batches is free again column by column
            parts.append(part if part.type == form else cast_array(part, form))
        whole = parts[0] if len(parts) == 1 else pa.concat_arrays(parts)
        if kind in (_TEXT, _CATEGORY):
            return self._named(i, whole)
        if kind == "list<string>":
            texts = cast_array(self._named(i, whole.values), pa.string())
            return pa.Array.from_buffers(pa.list_(pa.string()), len(whole), whole.buffers()[:2], children=[texts])
        return whole

    def _form(self, i: cython.Py_ssize_t, kind: str) -> object:
        """Return the type of a column, its text as codes."""
        if kind.startswith("list<"):
            return pa.list_(pa.int32() if kind == "list<string>" else pa.int64())
        if kind == "bool":
            return pa.bool_()
        if kind == "uint64":
            return pa.uint64()
        if kind.startswith("float"):
            return pa.float64()
        if kind not in (_TEXT, _CATEGORY, "int32"):
            return pa.int64()
        forms: list = [columns[i].type for columns, _ in self._closed if columns[i] is not None]
        return pa.int64() if pa.int64() in forms else pa.int32()

    def _named(self, column: cython.Py_ssize_t, codes: object) -> object:
        """Return texts by their codes."""
        return pa.DictionaryArray.from_arrays(codes, array_of(list(self._codes[column]), pa.string()), safe=False)


@cython.final
@cython.cclass
class MessageAppender(MessageSink):
    """A handler that appends messages of one number to a table.

    Args:
        table: the table.
        plan_of: returns how a message becomes a row; called for the first message, since most kinds never come.
        decoder: decoder of the playback, which need not check a message again that has become a row.
        otherwise: called with the plan, and tick and payload of a message whose fields are not in order.
    """

    def __init__(
        self,
        table: MessageTable,
        plan_of: Callable[[], RowPlan],
        decoder: SharedDecoder,
        otherwise: Callable[[RowPlan, int, bytes], None],
    ) -> None:
        self._table = table
        self._plan = None
        self._plan_of = plan_of
        self._decoder = decoder
        self._otherwise = otherwise

    @cython.ccall
    @cython.exceptval(-1, check=False)
    @cython.nonecheck(True)
    def accept(self, tick: cython.int, number: cython.longlong, payload: bytes) -> cython.int:
        """Append the row of a message."""
        if self._plan is None:
            self._plan = self._plan_of()
        if self._table.append(self._plan, tick, payload):
            self._decoder.read(number, payload)
            if self._table.unknown:
                self._decoder.note_unknown(tick, number, payload)
        else:
            self._otherwise(self._plan, tick, payload)
        return 0
