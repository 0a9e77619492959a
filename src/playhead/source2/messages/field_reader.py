"""`FieldReader`: fields of messages, read from their bytes into slots or as JSON, without an object a field.

With `WireDecoder` alone, all tables of a Dota 2 match take twice as long. The reader refuses messages whose fields
are not in the order of their numbers; they are decoded. Tests hold its JSON equal to that of decoded fields.

The module is long because one loop over the bytes calls C methods that share slots, text and position.
"""

from __future__ import annotations

import struct
from array import array

from playhead.bits.byte_reader import ByteReader
from playhead.errors import ReplayError
from playhead.runtime import cython
from playhead.source2.messages.wire_decoder import MAX_DEPTH, FieldPlan, WireDecoder
from playhead.tables.json_columns import ByteBuffer

if cython.compiled:
    from cython.cimports.playhead.tables.json_columns import put_byte, put_bytes, put_part
else:
    from playhead.source2.messages.wire_decoder import (
        BOOL,
        BYTES,
        DOUBLE,
        ENUM,
        FIXED32,
        FIXED64,
        FLAT,
        FLOAT,
        IGNORED,
        LIST,
        MESSAGE,
        MOST_SLOTS,
        ROW_ACTION,
        ROW_KEPT,
        ROW_KIND,
        ROW_KINDS,
        ROW_PASSED,
        ROW_PLACE,
        ROW_PLAIN,
        ROW_WIRE,
        SFIXED32,
        SINT32,
        SPAN,
        STRING,
        TEXT,
        UINT64,
        VALUE,
        WIRE_BYTES,
        WIRE_FIXED32,
        WIRE_FIXED64,
        WIRE_VARINT,
        whole_number,
    )
    from playhead.tables.json_columns import put_byte, put_bytes, put_part

    # The same numbers as the enums in the .pxd.
    MOST_CUTS, NO_HANDLE_24, NO_HANDLE_32 = 8, 0xFFFFFF, 0xFFFFFFFF
    # Characters of JSON.
    OPEN, CLOSE, OPEN_LIST, CLOSE_LIST = b"{}[]"

# A longer message is left to the decoder, which counts fields. Declared for the compiler.
_MOST_DEPTH = cython.declare(cython.int, MAX_DEPTH)
_MOST_BYTES = cython.declare(cython.ulonglong, 1 << 20)


@cython.final
@cython.cclass
class FieldReader:
    """Reads messages by plans.

    Args:
        text: buffer of the JSON; with None, the reader refuses messages that have any.
        skips: without a buffer, it skips what would be JSON, and notes that in `others`.

    Attributes:
        others: whether the latest message may have JSON.
    """

    def __init__(self, text: ByteBuffer | None, skips: bool = False) -> None:
        self._text = text
        self._skips = skips
        self.others = False
        self._reader = ByteReader(b"")
        self._texts = {}
        self._passing = {}
        self._cell_array = array("q", [0]) * MOST_SLOTS
        self._there_array = array("B", [0]) * MOST_SLOTS
        self._list_array = array("q", [])
        self._stored_array = array("i", [0]) * MOST_SLOTS
        self.list_size = 0
        self.stored_count = 0
        self.unknown = 0
        self._cut_count = 0
        if not cython.compiled:
            self._cut_slot, self._cut_before, self._cut_first, self._cut_end = ([0] * MOST_CUTS for _ in range(4))
        self.cells = self._cell_array.data.as_longlongs if cython.compiled else self._cell_array
        self.there = self._there_array.data.as_uchars if cython.compiled else self._there_array
        self.stored = self._stored_array.data.as_ints if cython.compiled else self._stored_array

    def read(self, plan: FieldPlan, payload: bytes) -> cython.bint:
        """Read a message, and append its JSON object unless it is empty; return False for a refused message.

        A refused message leaves the buffer as it was.
        """
        start: cython.Py_ssize_t = 0 if self._text is None else self._text._size
        regular: cython.bint = False
        size: cython.ulonglong = len(payload)
        i: cython.int
        for i in range(self.stored_count):
            self.there[self.stored[i]] = 0
        self.list_size = 0
        self.stored_count = 0
        self.unknown = 0
        self.others = False
        self._cut_count = 0
        if size < _MOST_BYTES:
            self._reader._lend(payload)
            try:
                regular = self._fields(plan, self._reader, size, 0)
            except ReplayError:
                regular = False
            self._reader._give_back()
        if self._text is None:
            return regular
        if not regular:
            self._text.cut(start, self._text._size)
            return False
        while self._cut_count:
            self._cut_count -= 1
            i = self._cut_slot[self._cut_count]
            if not self._any_there(i - self._cut_before[self._cut_count], i):
                self._text.cut(self._cut_first[self._cut_count], self._cut_end[self._cut_count])
        if self._text._size > start:
            self._close(start)
        return True

    def _any_there(self, first: cython.int, end: cython.int) -> cython.bint:
        slot: cython.int
        for slot in range(first, end):  # noqa: SIM110  (slower as a generator)
            if self.there[slot]:
                return True
        return False

    def _close(self, start: cython.Py_ssize_t) -> cython.int:
        """Close the JSON object of the fields since `start`, each with a comma and a space before it."""
        if self._text._size == start:
            put_byte(self._text, OPEN)
        else:
            self._text.cut(start, start + 1)
            self._text.put(start, OPEN)
        return put_byte(self._text, CLOSE)

    def _fields(self, plan: FieldPlan, reader: ByteReader, end: cython.ulonglong, depth: cython.int) -> cython.int:
        """Read fields up to `end`; return 1, or 0 to refuse them."""
        decoder: WireDecoder = plan._decoder
        last: cython.longlong = 0
        single: cython.int  # the wire type of one value
        same: cython.bint  # another value of the field before
        last_place: cython.int = -1
        # Number of values in the open JSON list; -1 without one.
        listed: cython.longlong = -1
        if depth > _MOST_DEPTH:
            return 0
        while reader._pos < end:
            if self._text is None:
                last = self._plain_fields(plan, reader, end, last)
                if reader._pos >= end:
                    break
            if reader._pos < reader._end and reader._data[reader._pos] < 0x80:
                key: cython.longlong = reader._data[reader._pos]
                reader._pos += 1
            elif reader._pos + 1 < reader._end and reader._data[reader._pos + 1] < 0x80:
                key = reader._data[reader._pos] & 0x7F | reader._data[reader._pos + 1] << 7
                reader._pos += 2
            else:
                key = reader.read_varuint32()
            wire: cython.int = key & 7
            number: cython.longlong = key >> 3
            if number < last:
                return 0
            row: cython.int = plan._row_of[number] if number < decoder._span else -1
            repeated: cython.bint = True
            if row >= 0:
                repeated = row & 1
                kind: cython.int = row >> ROW_KIND & ROW_KINDS
                single = row >> ROW_WIRE & 7
                if wire != single and not (repeated and wire == WIRE_BYTES and kind < STRING):
                    row = -1  # a field of another wire type than defined is unknown
                    repeated = True
            place: cython.int = row >> ROW_PLACE
            same = number == last and place == last_place
            if number == last and (not repeated if same else place >= 0):
                return 0
            if listed >= 0 and not same:
                put_byte(self._text, CLOSE_LIST)
                listed = -1
            last_place = place
            if row < 0:
                if not self._unknown(plan, number, wire, same, reader, end, depth):
                    return 0
                if plan._text and self._text is not None:
                    listed = 1
                last = number
                continue
            action: cython.int = row >> ROW_ACTION & 7
            if action == TEXT and self._skips:
                self.others = True
                action = IGNORED
            if (
                action == IGNORED
                and wire == WIRE_VARINT
                and reader._pos < end
                and reader._pos < reader._end
                and reader._data[reader._pos] < 0x80  # as in most skipped fields
            ):
                reader._pos += 1
                last = number
                continue
            if action == TEXT:
                if self._text is None:
                    return 0
                if not same:
                    self._key(plan, place)
                if not repeated:
                    if not self._value(plan, place, kind, reader, end, depth):
                        return 0
                else:
                    if not same:
                        put_byte(self._text, OPEN_LIST)
                        listed = 0
                    stop: cython.ulonglong = end
                    if wire != single:
                        stop = decoder._size(reader, end)
                        stop += reader._pos
                    while wire == single or reader._pos < stop:
                        if listed:
                            put_bytes(self._text, b", ")
                        listed += 1
                        if not self._value(plan, place, kind, reader, stop, depth):
                            return 0
                        if wire == single:
                            break
                    if wire != single and reader._pos != stop:
                        return 0
            elif action == LIST:
                stop = end
                if wire != single:
                    stop = decoder._size(reader, end)
                    stop += reader._pos
                self._mark(plan._slot_of[place])
                while wire == single or reader._pos < stop:
                    self._add_to_list(whole_number(reader.read_varuint64(), kind))
                    if wire == single:
                        break
                if wire != single and reader._pos != stop:
                    return 0
            elif action == FLAT:
                stop = decoder._size(reader, end)
                stop += reader._pos
                if not self._fields(plan._inside[place], reader, stop, depth + 1):
                    return 0
            elif action == IGNORED:
                if not self._ignore(plan, place, kind, reader, end, depth, wire):
                    return 0
            else:
                at: cython.ulonglong = reader._pos
                if not self._store(plan, place, kind, reader, end, depth):
                    return 0
                if row >> ROW_KEPT & 1 and (self._skips or self._text is not None):
                    stop = reader._pos
                    reader.seek(at)
                    if not self._keep(plan, place, kind, reader, end, depth):
                        return 0
                    reader.seek(stop)
            last = number
        if listed >= 0:
            put_byte(self._text, CLOSE_LIST)
        return 1 if reader._pos == end else 0

    def _plain_fields(
        self, plan: FieldPlan, reader: ByteReader, end: cython.ulonglong, last: cython.longlong
    ) -> cython.longlong:
        """Store or skip the fields after number `last` up to one that takes more than that, which few of rows do;
        return the number of the last one. The message's last two bytes are left over, so keys need no check.
        """
        data: cython.p_const_uchar = reader._data
        rows: cython.p_int = plan._row_of
        slots: cython.p_int = plan._slot_of
        cells: cython.p_longlong = self.cells
        stop: cython.ulonglong = end if end < reader._end else reader._end
        next: cython.ulonglong = reader._pos
        span: cython.longlong = plan._decoder._span
        while next + 2 < stop:
            at: cython.ulonglong = next + 1
            key: cython.longlong = data[next]
            if key >= 0x80:
                if data[at] >= 0x80:
                    break
                key = key & 0x7F | data[at] << 7
                at += 1
            number: cython.longlong = key >> 3
            row: cython.int = rows[number] if number < span else -1
            if row < 0 or key & 7 != row >> ROW_WIRE & 7 or number <= last:
                break
            is_plain: cython.bint = row >> ROW_PLAIN & 1
            if not is_plain:
                if not row >> ROW_PASSED & 1:
                    break
                if row >> ROW_ACTION & 7 == TEXT:
                    if not self._skips:
                        break
                    self.others = True
            kind: cython.int = row >> ROW_KIND & ROW_KINDS
            value: cython.longlong = 0
            byte: cython.longlong = 0x80
            next = at
            if kind <= ENUM:
                shift: cython.int = 0
                while byte >= 0x80 and next < stop and shift < 56:
                    byte = data[next]
                    value |= (byte & 0x7F) << shift
                    next += 1
                    shift += 7
                if value >> 31 or (SINT32 <= kind <= BOOL):
                    value = whole_number(value, kind)
            elif cython.compiled and kind == FLOAT and stop - at >= 4:
                single: cython.float = 0
                memcpy(cython.address(single), data + at, 4)
                double: cython.double = single
                memcpy(cython.address(value), cython.address(double), 8)
                byte = 0
                next += 4
            if byte >= 0x80:  # rare
                reader._pos = at
                value = self._number(plan._decoder, kind, reader, end)
                next = reader._pos
            if is_plain:
                slot: cython.int = slots[row >> ROW_PLACE]
                self._mark(slot)
                cells[slot] = value
            last = number
        reader._pos = next
        return last

    def _unknown(
        self,
        plan: FieldPlan,
        number: cython.longlong,
        wire: cython.int,
        same: cython.bint,
        reader: ByteReader,
        end: cython.ulonglong,
        depth: cython.int,
    ) -> cython.int:
        """Append a raw value of an unknown field to its list, or skip it; return 0 to refuse it."""
        if wire == WIRE_VARINT:
            kind: cython.int = UINT64
        elif wire == WIRE_FIXED64:
            kind = FIXED64
        elif wire == WIRE_BYTES:
            kind = BYTES
        elif wire == WIRE_FIXED32:
            kind = FIXED32
        else:
            return 0
        if number == 0:
            return 0
        self.unknown += 1
        if not plan._text:
            self._number(plan._decoder, kind, reader, end)
            return 1
        if self._skips:
            self.others = True
            self._number(plan._decoder, kind, reader, end)
            return 1
        if self._text is None:
            return 0
        if same:
            put_bytes(self._text, b", ")
        else:
            put_bytes(self._text, b', "')
            self._text.add_number(number)
            put_bytes(self._text, b'": [')
        return self._value(plan, -1, kind, reader, end, depth)

    def _key(self, plan: FieldPlan, place: cython.int) -> cython.int:
        """Append the key of a field."""
        first: cython.int = plan._key_end_of[place]
        return put_part(self._text, plan._keys, first, plan._key_end_of[place + 1] - first)

    def _ignore(
        self,
        plan: FieldPlan,
        place: cython.int,
        kind: cython.int,
        reader: ByteReader,
        end: cython.ulonglong,
        depth: cython.int,
        wire: cython.int,
    ) -> cython.int:
        """Skip a field; return 0 to refuse it."""
        decoder: WireDecoder = plan._decoder
        if wire == decoder._wire_of[place] and kind != MESSAGE:
            self._number(decoder, kind, reader, end)
            return 1
        stop: cython.ulonglong = decoder._size(reader, end)
        stop += reader._pos
        if kind == MESSAGE:
            passing: object = plan._passing[place]
            if passing is None:
                passing = plan._passing[place] = self._plan_of(decoder._inside[place], False)
            return self._fields(passing, reader, stop, depth + 1)
        while reader._pos < stop:
            self._number(decoder, kind, reader, stop)
        return 1 if reader._pos == stop else 0

    def _size(self, decoder: WireDecoder, reader: ByteReader, end: cython.ulonglong) -> cython.ulonglong:
        """Return the size of a byte string, checked against the end of the message; most sizes have one byte."""
        if reader._pos < reader._end and reader._data[reader._pos] < 0x80:
            size: cython.ulonglong = reader._data[reader._pos]
            if end > reader._pos and size < end - reader._pos:
                reader._pos += 1
                return size
        return decoder._size(reader, end)

    def listed(self, place: cython.Py_ssize_t) -> cython.longlong:
        """Return a number of the latest message's list, by a place below `list_size`."""
        if cython.compiled:
            return self._list_array.data.as_longlongs[place]
        return self._list_array[place]

    def _add_to_list(self, value: cython.longlong) -> cython.int:
        if self.list_size == len(self._list_array):
            self._list_array.extend(array("q", [0]) * (self.list_size + 16))
        if cython.compiled:
            self._list_array.data.as_longlongs[self.list_size] = value
        else:
            self._list_array[self.list_size] = value
        self.list_size += 1
        return 0

    def _mark(self, slot: cython.int) -> cython.int:
        """List a slot as filled, once."""
        if not self.there[slot]:
            self.there[slot] = 1
            self.stored[self.stored_count] = slot
            self.stored_count += 1
        return 0

    def _store(
        self,
        plan: FieldPlan,
        place: cython.int,
        kind: cython.int,
        reader: ByteReader,
        end: cython.ulonglong,
        depth: cython.int,
    ) -> cython.int:
        """Store a field in its slot; return 0 to refuse it."""
        decoder: WireDecoder = plan._decoder
        slot: cython.int = plan._slot_of[place]
        self._mark(slot)
        if plan._action_of[place] == VALUE:
            self.cells[slot] = self._number(decoder, kind, reader, end)
            return 1
        size: cython.ulonglong = self._size(decoder, reader, end)
        if plan._action_of[place] == SPAN:
            self.cells[slot] = cython.cast(cython.longlong, reader._pos << 32 | size)
            reader.skip(size)
            return 1
        return self._fields(plan._inside[place], reader, reader._pos + size, depth + 1)

    def _keep(
        self,
        plan: FieldPlan,
        place: cython.int,
        kind: cython.int,
        reader: ByteReader,
        end: cython.ulonglong,
        depth: cython.int,
    ) -> cython.int:
        """Append a stored field as JSON, too, if its plan may need that; return 0 to refuse it."""
        slot: cython.int = plan._slot_of[place]
        first: cython.Py_ssize_t = 0 if self._skips else self._text._size
        if plan._handle_of[place]:
            if self.cells[slot] not in (NO_HANDLE_24, NO_HANDLE_32):
                return 1
            if self._skips:
                self.others = True
                return 1
            self._key(plan, place)
            return self._value(plan, place, kind, reader, end, depth)
        if self._skips:
            self.others = True
            self._cut_count += 1
            return self._cut_count <= MOST_CUTS
        self._key(plan, place)
        if not self._value(plan, place, kind, reader, end, depth) or self._cut_count == MOST_CUTS:
            return 0
        # A preferred field may still come: `read` removes the text if none did.
        self._cut_slot[self._cut_count] = slot
        self._cut_before[self._cut_count] = plan._before_of[place]
        self._cut_first[self._cut_count] = first
        self._cut_end[self._cut_count] = self._text._size
        self._cut_count += 1
        return 1

    def _number(
        self, decoder: WireDecoder, kind: cython.int, reader: ByteReader, end: cython.ulonglong
    ) -> cython.longlong:
        """Return a number as 64 bits: whole, or the bits of a double. Skip text and bytes, and return 0."""
        if kind <= ENUM:
            single: cython.bint = reader._pos < reader._end and reader._data[reader._pos] < 0x80
            if single and (kind < SINT32 or kind == ENUM):  # neither zigzag nor bool: the byte is the value
                reader._pos += 1
                return reader._data[reader._pos - 1]
            if reader._end - reader._pos > 1 and reader._data[reader._pos + 1] < 0x80 and not single:
                reader._pos += 2
                return whole_number(
                    reader._data[reader._pos - 2] & 0x7F | reader._data[reader._pos - 1] << 7, kind
                )
            return whole_number(reader.read_varuint64(), kind)
        if kind >= STRING:
            reader.skip(decoder._size(reader, end))
            return 0
        if kind == FIXED32:
            return reader.read_u32()
        if kind == SFIXED32:
            return reader.read_i32()
        if kind == FLOAT:
            value: cython.double = reader.read_f32()
            if cython.compiled:
                bits: cython.longlong = 0
                memcpy(cython.address(bits), cython.address(value), 8)
                return bits
            return struct.unpack("<q", struct.pack("<d", value))[0]
        raw: cython.ulonglong = reader.read_u64()
        if cython.compiled:
            return cython.cast(cython.longlong, raw)
        return raw - (raw >> 63 << 64)

    def _value(
        self,
        plan: FieldPlan,
        place: cython.int,
        kind: cython.int,
        reader: ByteReader,
        end: cython.ulonglong,
        depth: cython.int,
    ) -> cython.int:
        """Append a field's value as JSON; return 0 to refuse it."""
        text: ByteBuffer = self._text
        if kind in (FLOAT, DOUBLE):
            return self._real(self._number(plan._decoder, kind, reader, end))
        if kind < STRING:
            cell: cython.longlong = self._number(plan._decoder, kind, reader, end)
            if kind == BOOL:
                put_bytes(text, b"true" if cell else b"false")
            elif kind in (UINT64, FIXED64):
                text.add_unsigned(cell if cython.compiled else cell % (1 << 64))
            elif kind == ENUM and plan._enums[place] is not None:
                names: dict = plan._enums[place]
                name: object = names.get(cell)
                if name is None:
                    text.add_number(cell)
                else:
                    put_bytes(text, name)
            elif 0 <= cell < 10:
                put_byte(text, 48 + cell)
            else:
                text.add_number(cell)
            return 1
        size: cython.ulonglong = self._size(plan._decoder, reader, end)
        if kind == STRING:
            text.add_utf8(reader, size)
            return 1
        if kind == BYTES:
            text.add_hex(reader.read_bytes(size))
            return 1
        start: cython.Py_ssize_t = text._size
        inside: object = None
        if plan._action_of[place] == TEXT:
            inside = plan._inside[place]
        if inside is None:
            inside = self._plan_of(plan._decoder._inside[place], True)
            if plan._action_of[place] == TEXT:
                plan._inside[place] = inside
        if not self._fields(inside, reader, reader._pos + size, depth + 1):
            return 0
        self._close(start)
        return 1

    def _plan_of(self, decoder: WireDecoder, text: cython.bint) -> FieldPlan:
        """Return the plan that makes every field JSON, or skips every field."""
        plans: dict = self._texts if text else self._passing
        plan: object = plans.get(decoder)
        if plan is None:
            plan = plans[decoder] = FieldPlan(decoder, text)
        return plan

    def _real(self, bits: cython.longlong) -> cython.int:
        if cython.compiled:
            value: cython.double = 0
            memcpy(cython.address(value), cython.address(bits), 8)
        else:
            value = struct.unpack("<d", struct.pack("<q", bits))[0]
        self._text.add_float(value)
        return 1
