"""Decodes events into columns, many times faster than into objects.

The columns are loop, user and number of every event, its fields as JSON text, and the fields of chosen events as
numbers.

The module is long because one loop over the compiled instructions does both; a call for each would cost more.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from playhead.blizzard.encoding.event_decoder import ProgramReader
from playhead.blizzard.encoding.field_column import FieldColumn
from playhead.errors import CorruptReplay, LimitExceeded
from playhead.runtime import cython
from playhead.runtime.libraries import pa
from playhead.tables.column_buffers import Int32Buffer, Int64Buffer
from playhead.text.json import quoted as json_text
from playhead.text.json import to_json

if TYPE_CHECKING:
    from playhead.blizzard.protocol.program import Leaf, Program

if cython.compiled:
    from cython.cimports.cpython.array import array
    from cython.cimports.libc.string import memcmp, memcpy
    from cython.cimports.playhead.bits.byte_reader import take_u8, take_vint
    from cython.cimports.playhead.bits.checked_arrays import resize
    from cython.cimports.playhead.blizzard.encoding import tags
    from cython.cimports.playhead.blizzard.encoding.bit_packed import take_bool, take_int
    from cython.cimports.playhead.blizzard.encoding.event_decoder import (
        MAX_DEPTH,
        NOT_SHORT,
        UNKNOWN_EVENT,
        WORD_BITS,
        ProgramReader,
        at_end,
        byte_offset,
        take_count,
        take_head,
        take_int_of_32_bits,
        take_short_field,
        take_tag,
        take_zero_bit,
    )
    from cython.cimports.playhead.blizzard.encoding.field_column import FieldColumn, put_number
    from cython.cimports.playhead.blizzard.protocol import wire
    from cython.cimports.playhead.tables.column_buffers import Int32Buffer, Int64Buffer, append_int32, append_int64
else:
    from playhead.bits.byte_reader import take_u8, take_vint
    from playhead.blizzard.encoding import tags
    from playhead.blizzard.encoding.bit_packed import take_bool, take_int
    from playhead.blizzard.encoding.event_decoder import (
        MAX_DEPTH,
        UNKNOWN_EVENT,
        WORD_BITS,
        at_end,
        byte_offset,
        take_count,
        take_head,
        take_int_of_32_bits,
        take_tag,
    )
    from playhead.blizzard.encoding.field_column import put_number
    from playhead.blizzard.protocol import wire
    from playhead.tables.column_buffers import append_int32, append_int64

#: Bound on the text of one stream; a column of Arrow's plain strings holds 2 GiB.
MAX_TEXT = 1 << 30
#: Default bound on the events of one stream; they are counted in 32 bits.
MAX_EVENTS = (1 << 31) - 1
_MOST_ROOM_AT_FIRST = 1 << 24
# The digits of the numbers below 100.
_PAIRS = cython.declare(bytes, "".join([f"{number:02}" for number in range(100)]).encode())


@cython.final
@cython.cclass
class EventColumns(ProgramReader):
    """Reads all events of `data` into columns.

    Args:
        tagged: whether the encoding is tagged; else it is bit-packed.
        id_bits: width of an event's number in the bit-packed encoding.
        capture: numbers of the events whose fields become columns.
        text: whether the fields become JSON text.
        max_text: bound on its bytes.
        max_events: bound on the number of events.
    """

    orders = cython.declare(dict, visibility="readonly")
    texts = cython.declare(list, visibility="readonly")
    ticks = cython.declare(Int32Buffer, visibility="readonly")
    users = cython.declare(Int32Buffer, visibility="readonly")
    numbers = cython.declare(Int32Buffer, visibility="readonly")
    text_ends = cython.declare(Int32Buffer, visibility="readonly")
    ends = cython.declare(Int64Buffer, visibility="readonly")
    _text: cython.bint
    _capturing: cython.bint
    _key_texts: bytes
    _key_chars: cython.p_char
    _key_starts: array
    odd = cython.declare(set, visibility="readonly")
    lacking = cython.declare(set, visibility="readonly")
    _leaves: dict
    _by_slot: list
    _captured: list
    _row: cython.Py_ssize_t
    _text_numbers: dict
    _recent: cython.int[256]
    _json_cache: dict
    _rows: cython.int
    _first_loops: array
    _max_text: cython.Py_ssize_t
    _max_events: cython.Py_ssize_t
    _out: array
    _chars: cython.p_char
    _size: cython.Py_ssize_t
    _capacity: cython.Py_ssize_t
    _first_room: cython.Py_ssize_t

    def __init__(
        self,
        program: Program,
        data: bytes,
        *,
        tagged: bool = False,
        id_bits: int = 7,
        capture: Iterable[int] = (),
        text: bool = True,
        max_text: int = MAX_TEXT,
        max_events: int = MAX_EVENTS,
    ) -> None:
        ProgramReader.__init__(self, program, data, tagged=tagged, id_bits=id_bits)
        self._text = text
        self._key_texts, self._key_starts = program.key_texts() if text else (b"", array("q"))
        if cython.compiled:
            self._key_chars = self._key_texts
        self._leaves = program.leaves
        self.odd: set[int] = set()
        self.lacking: set[int] = set()
        self._by_slot = [None] * program.slot_count
        self.orders: Mapping[int, Int32Buffer] = {number: Int32Buffer() for number in capture}
        # By number of the event.
        self._captured = [self.orders.get(number) for number in range(len(program.root_list))]
        self._row = 0
        self.texts: list[bytes] = []
        self._text_numbers = {}
        if cython.compiled:
            for place in range(256):
                self._recent[place] = -1
        self._json_cache = {}
        self._capturing = False
        self.ticks = Int32Buffer()
        self.users = Int32Buffer()
        self.numbers = Int32Buffer()
        self.text_ends = Int32Buffer()
        self.ends = Int64Buffer()
        self._rows = 0
        self._first_loops = array("q", [-1]) * len(program.root_list)  # by number of the event
        self._max_text = max_text
        self._max_events = max_events
        self._out = array("b")
        self._size = self._capacity = 0
        # Of 69 real streams, 68 have at most this much text, and most more than half of it.
        self._first_room = min(12 * len(data), _MOST_ROOM_AT_FIRST)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _grow(self, wanted: cython.Py_ssize_t) -> cython.int:
        if self._size + wanted > self._max_text:
            raise LimitExceeded(f"expected at most {self._max_text} bytes of JSON text in one stream, found more")
        if cython.compiled:
            least: cython.Py_ssize_t = self._size + wanted
            capacity: cython.Py_ssize_t = min(max(2 * self._capacity, least, self._first_room), self._max_text)
            resize(self._out, capacity + wire.KEY_ROOM)
            self._chars, self._capacity = self._out.data.as_chars, capacity
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _put(self, piece: bytes) -> cython.int:
        if not self._text:
            return 0
        count: cython.Py_ssize_t = len(piece)
        if not count:
            return 0
        if self._size + count > self._capacity:
            self._grow(count)
        if cython.compiled:
            memcpy(self._chars + self._size, cython.cast(cython.p_char, piece), count)
        else:
            self._out.frombytes(piece)
        self._size += count
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _put_key(self, node: cython.longlong, first: cython.bint) -> cython.int:
        """Put the name of a node as the first or as a later key of its object; only if there is text."""
        starts: cython.p_longlong = self._key_starts.data.as_longlongs if cython.compiled else self._key_starts
        # The first has a brace in place of the comma and the space.
        at: cython.Py_ssize_t = starts[node] + first
        count: cython.Py_ssize_t = starts[node + 1] - at
        if self._size + count > self._capacity:
            self._grow(count)
        if cython.compiled:
            # There is room in both for this number of bytes, which needs no call.
            if count <= wire.KEY_ROOM:
                memcpy(self._chars + self._size, self._key_chars + at, wire.KEY_ROOM)
            else:
                memcpy(self._chars + self._size, self._key_chars + at, count)
            if first:
                self._chars[self._size] = ord("{")
        else:
            self._out.frombytes(b"{"[:first] + self._key_texts[at + first : at + count])
        self._size += count
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _put_char(self, char: cython.int) -> cython.int:
        if not self._text:
            return 0
        if self._size == self._capacity:
            self._grow(1)
        if cython.compiled:
            self._chars[self._size] = char
        else:
            self._out.append(char)
        self._size += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _put_int(self, value: cython.longlong) -> cython.int:
        if not self._text:
            return 0
        if 0 <= value < 10:
            return self._put_char(ord("0") + cython.cast(cython.int, value))
        if cython.compiled:
            digits: cython.char[24]
            at: cython.int = 24
            left: cython.ulonglong = cython.cast(cython.ulonglong, value)
            if value < 0:
                left = 0 - left
            while left >> 32:
                at -= 1
                digits[at] = ord("0") + cython.cast(cython.char, left % 10)
                left = left // 10
            short: cython.uint = cython.cast(cython.uint, left)  # which divides faster
            while short >= 10:
                at -= 2
                memcpy(cython.address(digits[at]), cython.cast(cython.p_char, _PAIRS) + short % 100 * 2, 2)
                short = short // 100
            if short:
                at -= 1
                digits[at] = ord("0") + cython.cast(cython.char, short)
            if value < 0:
                at -= 1
                digits[at] = ord("-")
            if self._size + 24 - at > self._capacity:
                self._grow(24 - at)
            memcpy(self._chars + self._size, cython.address(digits[at]), 24 - at)
            self._size += 24 - at
            return 0
        return self._put(b"%d" % value)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _put_blob(self, raw: bytes) -> cython.int:
        if not self._text:
            return 0
        quoted = self._json_cache.get(raw)
        if quoted is None:
            try:
                quoted = json_text(raw.decode("utf-8")).encode()
            except UnicodeDecodeError:
                quoted = to_json(raw).encode()
            self._json_cache[raw] = quoted
        return self._put(quoted)

    @cython.cfunc
    @cython.inline
    @cython.exceptval(-1, check=False)
    def _capture(self, node: cython.longlong, value: cython.longlong) -> cython.int:
        if self._capturing:
            put_number(cython.cast(FieldColumn, self._by_slot[self._slots[node]]), self._row, value)
        return 0

    @cython.cfunc
    def _number_of(self, raw: bytes) -> object:
        """Return the index of a text in `texts`, at whose end a new one goes."""
        number = self._text_numbers.get(raw)
        if number is None:
            number = self._text_numbers[raw] = len(self.texts)
            self.texts.append(raw)
        return number

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _take_text(self, count: cython.longlong) -> cython.longlong:
        """Read a text of so many bytes, which are there, and return its index in `texts`."""
        if not cython.compiled:
            return self._number_of(self._bytes.read_bytes(count))
        if not count:
            return self._number_of(b"")
        # Most are names that came a moment ago: those need no object and no hash of all bytes.
        data: cython.p_const_uchar = self._bytes._data + self._bytes._pos
        place: cython.longlong = (count + 3 * data[count - 1] + 5 * data[count >> 1] + 7 * data[count >> 2]) % 256
        number: cython.longlong = self._recent[place]
        if number >= 0:
            known: bytes = self.texts[number]
            if len(known) == count and memcmp(cython.cast(cython.p_char, known), data, count) == 0:
                self._bytes._pos += count
                return number
        number = self._number_of(self._bytes.read_bytes(cython.cast(cython.ulonglong, count)))
        self._recent[place] = number
        return number

    @cython.cfunc
    @cython.inline
    @cython.exceptval(-1, check=False)
    def _packed_value(self, node: cython.longlong) -> cython.int:
        """Read a value: here those that most fields have, without a call."""
        kind: cython.longlong = self._kinds[node]
        value: cython.longlong
        while kind == wire.KIND_OPTIONAL:
            if not take_bool(self._bits):
                return self._put(b"null") if self._text else 0
            node = self._firsts[node]
            kind = self._kinds[node]
        if kind == wire.KIND_INT:
            value = self._lows[node] + cython.cast(cython.longlong, take_int(self._bits, self._widths[node]))
            self._capture(node, value)
            return self._put_int(value) if self._text else 0
        if kind == wire.KIND_BOOL:
            value = take_bool(self._bits)
            self._capture(node, value)
            return self._put(b"true" if value else b"false") if self._text else 0
        return self._walk_packed(node)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _walk_packed(self, node: cython.longlong) -> cython.int:
        """Read a value of any kind that `_packed_value` does not know."""
        kind: cython.longlong = self._kinds[node]
        value: cython.longlong
        i: cython.longlong
        if kind == wire.KIND_STRUCT:
            child: cython.longlong = self._firsts[node]
            if not self._text:
                for i in range(child, child + self._counts[node]):
                    kind = self._kinds[i]
                    if kind == wire.KIND_INT:
                        value = self._lows[i] + cython.cast(cython.longlong, take_int(self._bits, self._widths[i]))
                        if self._capturing:
                            self._capture(i, value)
                    # Most optional fields of an event are absent.
                    elif not (cython.compiled and kind == wire.KIND_OPTIONAL and take_zero_bit(self)):
                        self._packed_value(i)
                return 0
            if not self._counts[node]:
                return self._put(b"{}")
            for i in range(child, child + self._counts[node]):
                self._put_key(i, i == child)
                self._packed_value(i)
            return self._put_char(ord("}"))
        if kind == wire.KIND_CHOICE:
            value = self._lows[node] + cython.cast(cython.longlong, take_int(self._bits, self._widths[node]))
            child = self._case(node, value)
            if child == 0:
                self._corrupt("the number of an alternative", value)
            self._capture(node, value)
            if self._text:
                self._put_key(child, True)
            self._packed_value(child)
            return self._put_char(ord("}"))
        if kind == wire.KIND_ARRAY:
            value = self._lows[node] + cython.cast(cython.longlong, take_int(self._bits, self._widths[node]))
            self._put_char(ord("["))
            child = self._firsts[node]
            for i in range(value):
                if i:
                    self._put(b", ")
                self._packed_value(child)
            return self._put_char(ord("]"))
        if kind == wire.KIND_NULL:
            return self._put(b"null")
        if kind == wire.KIND_BIT_ARRAY:
            value = self._lows[node] + cython.cast(cython.longlong, take_int(self._bits, self._widths[node]))
            return self._walk_bits(node, value)
        raw: bytes = self._packed_bytes(node)
        if kind == wire.KIND_BLOB and self._capturing:
            self._capture(node, self._number_of(raw))
        return self._put_blob(raw)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _walk_bits(self, node: cython.longlong, count: cython.longlong) -> cython.int:
        """Read a bit array; its text is a digit for each bit, the first bit first."""
        bit: cython.longlong
        index: cython.longlong = 0
        self._put_char(ord('"'))
        while index < count:
            left: cython.longlong = count - index
            if left > WORD_BITS:
                left = WORD_BITS
            word: cython.ulonglong = self._bit_word(left)
            for bit in range(left):
                if (word >> bit) & 1:
                    self._put_char(ord("1"))
                    self._capture(node, index)
                else:
                    self._put_char(ord("0"))
                index += 1
        return self._put_char(ord('"'))

    @cython.cfunc
    @cython.inline
    @cython.exceptval(-1, check=False)
    def _tagged_value(self, node: cython.longlong) -> cython.int:
        """Read a value: here those that most fields have, without a call."""
        if self._kinds[node] != wire.KIND_INT:
            return self._walk_tagged(node)
        take_tag(self, tags.VINT, "the tag of an integer, 9")
        value: cython.longlong = take_int_of_32_bits(self)
        self._capture(node, value)
        return self._put_int(value) if self._text else 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _walk_tagged(self, node: cython.longlong) -> cython.int:
        """Read a value of any kind that `_tagged_value` does not know."""
        kind: cython.longlong = self._kinds[node]
        i: cython.longlong
        value: cython.longlong
        if kind == wire.KIND_BLOB:
            take_tag(self, tags.BLOB, "the tag of a blob, 2")
            value = take_count(self, 1)
            if self._capturing:
                value = self._take_text(value)
                self._capture(node, value)
                return self._put_blob(self.texts[value]) if self._text else 0
            if not self._text:
                return self._bytes.skip(cython.cast(cython.ulonglong, value))
            return self._put_blob(self._bytes.read_bytes(cython.cast(cython.ulonglong, value)))
        if kind == wire.KIND_STRUCT:
            take_tag(self, tags.STRUCT, "the tag of a struct, 5")
            first: cython.longlong = self._firsts[node]
            fields: cython.longlong = self._counts[node]
            count: cython.longlong = take_count(self, 2)
            if count != fields:
                self.odd.add(self._number)
            known: cython.longlong = 0
            for i in range(count):
                child: cython.longlong = first + i
                if cython.compiled and i < fields and self._kinds[child] == wire.KIND_INT and not self._text:
                    value = take_short_field(self, self._tags[child])
                    if value != NOT_SHORT:
                        known += 1
                        if self._capturing:
                            self._capture(child, value)
                        continue
                value = take_vint(self._bytes)
                # Fields nearly always have the numbers 0, 1, 2 …
                if i >= fields or self._tags[child] != value:
                    child = self._case(node, value)
                    self.odd.add(self._number)
                if child:
                    known += 1
                    if self._text:
                        self._put_key(child, i == 0)
                    self._tagged_value(child)
                else:
                    self._put(b', "' if i else b'{"')
                    self._put_int(value)
                    self._put(b'": ')
                    self._walk_raw(MAX_DEPTH)
            if known < fields:
                self.lacking.add(self._number)
            if not self._text:
                return 0
            return self._put(b"}" if count else b"{}")
        if kind == wire.KIND_OPTIONAL:
            take_tag(self, tags.OPTIONAL, "the tag of an optional, 4")
            if take_u8(self._bytes):
                return self._tagged_value(self._firsts[node])
            return self._put(b"null")
        if kind == wire.KIND_ARRAY:
            take_tag(self, tags.ARRAY, "the tag of an array, 0")
            self._put_char(ord("["))
            for i in range(take_count(self, 2)):
                if i:
                    self._put(b", ")
                self._tagged_value(self._firsts[node])
            return self._put_char(ord("]"))
        if kind == wire.KIND_BOOL:
            take_tag(self, tags.U8, "the tag of a byte, 6")
            value = take_u8(self._bytes)
            self._capture(node, value != 0)
            return self._put(b"true" if value else b"false")
        return self._walk_raw(MAX_DEPTH)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _walk_raw(self, depth: cython.int) -> cython.int:
        """Read a tagged value that no type table describes."""
        if depth <= 0:
            raise LimitExceeded(f"expected at most {MAX_DEPTH} levels of nesting", offset=self._bytes.tell())
        tag: cython.int = self._bytes.read_u8()
        i: cython.longlong
        if tag == tags.VINT:
            return self._put_int(self._bytes.read_vint())
        if tag == tags.BLOB:
            return self._put_blob(self._bytes.read_bytes(cython.cast(cython.ulonglong, self._count_of(1))))
        if tag == tags.U8:
            return self._put_int(self._bytes.read_u8())
        if tag == tags.U32:
            return self._put_int(self._bytes.read_u32())
        if tag == tags.U64:
            return self._put(b"%d" % self._bytes.read_u64())
        if tag == tags.STRUCT or tag == tags.ARRAY:
            self._put_char(ord("{") if tag == tags.STRUCT else ord("["))
            for i in range(self._count_of(2)):
                if i:
                    self._put(b", ")
                if tag == tags.STRUCT:
                    self._put_char(ord('"'))
                    self._put_int(self._bytes.read_vint())
                    self._put(b'": ')
                self._walk_raw(depth - 1)
            return self._put_char(ord("}") if tag == tags.STRUCT else ord("]"))
        if tag == tags.OPTIONAL:
            return self._walk_raw(depth - 1) if self._bytes.read_u8() else self._put(b"null")
        if tag == tags.CHOICE:
            self._put(b'{"')
            self._put_int(self._bytes.read_vint())
            self._put(b'": ')
            self._walk_raw(depth - 1)
            return self._put_char(ord("}"))
        if tag == tags.BIT_ARRAY:
            count: cython.longlong = self._bytes.read_vint()
            if count < 0:
                self._corrupt("the size of a bit array", count)
            return self._put_blob(self._bytes.read_bytes((cython.cast(cython.ulonglong, count) + 7) >> 3))
        return self._corrupt("the tag of a value, 0 to 9", tag)

    def read_columns(self) -> int:
        """Decode all events into columns; return how many.

        Raises:
            CorruptReplay, TruncatedReplay, LimitExceeded: with byte offset and loop; earlier events stay.
        """
        try:
            while not at_end(self):
                if self._rows >= self._max_events:
                    raise LimitExceeded(f"expected at most {self._max_events} events in one stream, found more")
                self._read_row()
        except (CorruptReplay, LimitExceeded) as error:
            raise error.locate(offset=self.tell(), tick=self._loop) from None
        finally:
            for number, order in self.orders.items():
                self._end_columns(number, len(order))
        return self._rows

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _begin_columns(self) -> cython.int:
        """Make the columns for the current event if it is the first of its kind."""
        for leaf in self._leaves.get(self._number, ()):
            if self._by_slot[leaf.slot] is None:
                self._by_slot[leaf.slot] = FieldColumn(leaf.is_list)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _end_columns(self, number: object, rows: cython.Py_ssize_t) -> cython.int:
        for leaf in self._leaves.get(number, ()) if rows else ():
            cython.cast(FieldColumn, self._by_slot[leaf.slot]).end(rows)
        return 0

    def columns_of(self, number: int) -> Mapping[str, tuple[Leaf, FieldColumn]]:
        """Return the fields of a captured event by path, each with its `Leaf` and its column."""
        found: dict = {}
        for leaf in self._leaves.get(number, ()):
            column = self._by_slot[leaf.slot]
            found[leaf.path] = (leaf, FieldColumn(leaf.is_list) if column is None else column)
        return found

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _read_row(self) -> cython.int:
        order: Int32Buffer = None
        self._capturing = False
        node: cython.longlong = take_head(self)
        if node != UNKNOWN_EVENT:
            order = self._captured[self._number]
        if order is not None:
            self._row = order._size if cython.compiled else len(order)
            if not self._row:
                self._begin_columns()
            self._capturing = True
        if node == UNKNOWN_EVENT:
            self._walk_raw(MAX_DEPTH)
        elif self._tagged:
            self._tagged_value(node)
        else:
            self._packed_value(node)
            self._bits.align()
        if order is not None:
            append_int32(order, self._rows)
        append_int32(self.ticks, cython.cast(cython.int, self._loop))
        append_int32(self.users, cython.cast(cython.int, self._user))
        append_int32(self.numbers, cython.cast(cython.int, self._number))
        if self._text:
            append_int32(self.text_ends, cython.cast(cython.int, self._size))
        append_int64(self.ends, byte_offset(self))
        if node != UNKNOWN_EVENT:
            if cython.compiled:
                first: cython.p_longlong = self._first_loops.data.as_longlongs + self._number
                if first[0] < 0:
                    first[0] = self._loop
            elif self._first_loops[self._number] < 0:
                self._first_loops[self._number] = self._loop
        self._rows += 1
        return 0

    @property
    def first_loops(self) -> Mapping[int, int]:
        """The loop of the first event of each known kind that occurs, by number."""
        return {number: loop for number, loop in enumerate(self._first_loops) if loop >= 0}

    def text_to_arrow(self) -> pa.Array:
        """Return the fields of all events as JSON text, in an Arrow string column, and release them here."""
        bounds = array("i", [0]) + self.text_ends.to_array()
        return pa.StringArray.from_buffers(len(bounds) - 1, pa.py_buffer(bounds), pa.py_buffer(self._out))

    @property
    def rows(self) -> int:
        """Number of decoded events."""
        return self._rows
