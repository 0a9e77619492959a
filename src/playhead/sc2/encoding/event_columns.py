"""Events as columns, many times faster than as objects.

Loop, user and number of every event, its fields as JSON text, and the fields of chosen events as numbers.
"""

from __future__ import annotations

from array import array
from json import dumps
from typing import Any

from playhead.errors import CorruptReplay, LimitExceeded
from playhead.sc2.encoding.field_column import FieldColumn
from playhead.sc2.encoding.program_reader import ProgramReader
from playhead.tables.column_buffers import Int32Buffer, Int64Buffer

try:
    import cython
except ModuleNotFoundError:
    from playhead import _cython_shim as cython

if cython.compiled:
    from cython.cimports.cpython.array import array, resize
    from cython.cimports.libc.string import memcpy
    from cython.cimports.playhead.sc2.encoding import tags
    from cython.cimports.playhead.sc2.encoding.field_column import FieldColumn
    from cython.cimports.playhead.sc2.encoding.program_reader import (
        MAX_DEPTH,
        UNKNOWN_EVENT,
        WORD_BITS,
        ProgramReader,
    )
    from cython.cimports.playhead.sc2.protocol import wire
    from cython.cimports.playhead.tables.column_buffers import Int32Buffer, Int64Buffer
else:
    from playhead.sc2.encoding import tags
    from playhead.sc2.encoding.program_reader import MAX_DEPTH, UNKNOWN_EVENT, WORD_BITS
    from playhead.sc2.protocol import wire
# stub: from playhead.sc2.protocol.program import Leaf, Program

#: Text of the fields of one stream; a column of Arrow's plain strings takes 2 GiB.
MAX_TEXT = 1 << 30
#: Events of one stream where nobody says fewer; they are counted in 32 bits.
MAX_EVENTS = (1 << 31) - 1


@cython.final
@cython.cclass
class EventColumns(ProgramReader):
    """Reads all events of `data` into columns.

    Args:
        tagged: the bytes are tagged, else bit-packed.
        id_bits: width of an event's number where bit-packed.
        capture: numbers of the events whose fields become columns.
        text: whether the fields become JSON text.
        max_text: most bytes of it.
        max_events: most events there may be.
    """

    columns = cython.declare(dict, visibility="readonly")
    orders = cython.declare(dict, visibility="readonly")
    texts = cython.declare(list, visibility="readonly")
    ticks = cython.declare(Int32Buffer, visibility="readonly")
    users = cython.declare(Int32Buffer, visibility="readonly")
    numbers = cython.declare(Int32Buffer, visibility="readonly")
    text_ends = cython.declare(Int32Buffer, visibility="readonly")
    ends = cython.declare(Int64Buffer, visibility="readonly")
    _text: cython.bint
    _capturing: cython.bint
    _quoted: list
    _by_slot: list
    _captured: dict
    _text_numbers: dict
    _json_cache: dict
    _rows: cython.int
    _max_text: cython.Py_ssize_t
    _max_events: cython.Py_ssize_t
    _out: array
    _chars: cython.p_char
    _size: cython.Py_ssize_t
    _capacity: cython.Py_ssize_t
    # stub: def __init__(self, program: Program, data: bytes, *, tagged: bool = False, id_bits: int = 7,
    #     capture: Iterable[int] = (), text: bool = True, max_text: int = ..., max_events: int = ...) -> None: ...
    # stub: columns: Mapping[int, Mapping[str, tuple[Leaf, FieldColumn]]]
    # stub: orders: Mapping[int, Int32Buffer]
    # stub: texts: list[bytes]
    # stub: def text_to_arrow(self) -> pa.Array: ...

    def __init__(
        self,
        program: Any,
        data: bytes,
        *,
        tagged: bool = False,
        id_bits: int = 7,
        capture: Any = (),
        text: bool = True,
        max_text: int = MAX_TEXT,
        max_events: int = MAX_EVENTS,
    ) -> None:
        ProgramReader.__init__(self, program, data, tagged=tagged, id_bits=id_bits)
        self._text = text
        self._quoted = program.quoted
        self.columns = {}
        self._by_slot = [None] * program.slot_count
        for number in capture:
            found = {}
            for leaf in program.leaves.get(number, ()):
                column = FieldColumn(leaf.is_list)
                self._by_slot[leaf.slot] = column
                found[leaf.path] = (leaf, column)
            self.columns[number] = found
        self._captured = {number: [c for _, c in found.values()] for number, found in self.columns.items()}
        self.orders = {number: Int32Buffer() for number in self.columns}
        self.texts = []
        self._text_numbers = {}
        self._json_cache = {}
        self._capturing = False
        self.ticks = Int32Buffer()
        self.users = Int32Buffer()
        self.numbers = Int32Buffer()
        self.text_ends = Int32Buffer()
        self.ends = Int64Buffer()
        self._rows = 0
        self._max_text = max_text
        self._max_events = max_events
        self._out = array("b")
        self._size = 0
        self._capacity = 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _room(self, wanted: cython.Py_ssize_t) -> cython.int:
        if self._size + wanted > self._max_text:
            raise LimitExceeded(f"expected at most {self._max_text} bytes of JSON text in one stream, found more")
        if cython.compiled and self._size + wanted > self._capacity:
            self._capacity = max(2 * self._capacity, self._size + wanted, 65536)
            resize(self._out, self._capacity)
            self._chars = self._out.data.as_chars
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _put(self, piece: bytes) -> cython.int:
        if not self._text:
            return 0
        count: cython.Py_ssize_t = len(piece)
        self._room(count)
        if cython.compiled:
            memcpy(self._chars + self._size, cython.cast(cython.p_char, piece), count)
        else:
            self._out.frombytes(piece)
        self._size += count
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _put_char(self, char: cython.int) -> cython.int:
        if not self._text:
            return 0
        self._room(1)
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
        if cython.compiled:
            self._room(24)
            digits: cython.char[24]
            at: cython.int = 24
            left: cython.ulonglong = cython.cast(cython.ulonglong, value)
            if value < 0:
                left = 0 - left
            while True:
                at -= 1
                digits[at] = ord("0") + cython.cast(cython.char, left % 10)
                left = left // 10
                if left == 0:
                    break
            if value < 0:
                at -= 1
                digits[at] = ord("-")
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
                quoted = dumps(raw.decode("utf-8"), ensure_ascii=False).encode()
            except UnicodeDecodeError:
                quoted = b'{"hex":"' + raw.hex().encode() + b'"}'
            self._json_cache[raw] = quoted
        return self._put(quoted)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _capture(self, node: cython.longlong, value: cython.longlong) -> cython.int:
        if self._capturing:
            column: FieldColumn = self._by_slot[self._slots[node]]
            column.put(value)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _capture_blob(self, node: cython.longlong, raw: bytes) -> cython.int:
        if self._capturing:
            number = self._text_numbers.get(raw)
            if number is None:
                number = self._text_numbers[raw] = len(self.texts)
                self.texts.append(raw)
            self._capture(node, number)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _walk_packed(self, node: cython.longlong) -> cython.int:
        kind: cython.longlong = self._kinds[node]
        value: cython.longlong
        child: cython.longlong
        i: cython.longlong
        if kind == wire.KIND_INT:
            value = self._lows[node] + cython.cast(cython.longlong, self._bits.read_int(self._widths[node]))
            self._capture(node, value)
            return self._put_int(value)
        if kind == wire.KIND_STRUCT:
            self._put_char(ord("{"))
            child = self._firsts[node]
            for i in range(self._counts[node]):
                if i:
                    self._put_char(ord(","))
                self._put(self._quoted[child + i])
                self._walk_packed(child + i)
            return self._put_char(ord("}"))
        if kind == wire.KIND_OPTIONAL:
            if self._bits.read_bool():
                return self._walk_packed(self._firsts[node])
            return self._put(b"null")
        if kind == wire.KIND_BOOL:
            value = self._bits.read_bool()
            self._capture(node, value)
            return self._put(b"true" if value else b"false")
        if kind == wire.KIND_CHOICE:
            value = self._lows[node] + cython.cast(cython.longlong, self._bits.read_int(self._widths[node]))
            child = self._case(node, value)
            if child == 0:
                self._corrupt("the number of an alternative", value)
            self._capture(node, value)
            self._put_char(ord("{"))
            self._put(self._quoted[child])
            self._walk_packed(child)
            return self._put_char(ord("}"))
        if kind == wire.KIND_ARRAY:
            value = self._lows[node] + cython.cast(cython.longlong, self._bits.read_int(self._widths[node]))
            self._put_char(ord("["))
            child = self._firsts[node]
            for i in range(value):
                if i:
                    self._put_char(ord(","))
                self._walk_packed(child)
            return self._put_char(ord("]"))
        if kind == wire.KIND_NULL:
            return self._put(b"null")
        if kind == wire.KIND_BIT_ARRAY:
            value = self._lows[node] + cython.cast(cython.longlong, self._bits.read_int(self._widths[node]))
            return self._walk_bits(node, value)
        raw: bytes = self._packed_bytes(node)
        if kind == wire.KIND_BLOB:
            self._capture_blob(node, raw)
        return self._put_blob(raw)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _walk_bits(self, node: cython.longlong, count: cython.longlong) -> cython.int:
        """Take a bit array; its text is a digit for each bit, the first bit first."""
        word: cython.ulonglong
        left: cython.longlong
        bit: cython.longlong
        index: cython.longlong = 0
        self._put_char(ord('"'))
        while index < count:
            left = count - index
            if left > WORD_BITS:
                left = WORD_BITS
            word = self._bit_word(left)
            for bit in range(left):
                if (word >> bit) & 1:
                    self._put_char(ord("1"))
                    self._capture(node, index)
                else:
                    self._put_char(ord("0"))
                index += 1
        return self._put_char(ord('"'))

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _walk_tagged(self, node: cython.longlong) -> cython.int:
        kind: cython.longlong = self._kinds[node]
        value: cython.longlong
        child: cython.longlong
        i: cython.longlong
        if kind == wire.KIND_INT:
            self._tag(tags.VINT, "the tag of an integer, 9")
            value = self._int_of_32_bits()
            self._capture(node, value)
            return self._put_int(value)
        if kind == wire.KIND_STRUCT:
            self._tag(tags.STRUCT, "the tag of a struct, 5")
            self._put_char(ord("{"))
            for i in range(self._count_of(2)):
                value = self._bytes.read_vint()
                if i:
                    self._put_char(ord(","))
                child = self._case(node, value)
                if child:
                    self._put(self._quoted[child])
                    self._walk_tagged(child)
                else:
                    self._put_char(ord('"'))
                    self._put_int(value)
                    self._put(b'":')
                    self._walk_raw(MAX_DEPTH)
            return self._put_char(ord("}"))
        if kind == wire.KIND_OPTIONAL:
            self._tag(tags.OPTIONAL, "the tag of an optional, 4")
            if self._bytes.read_u8():
                return self._walk_tagged(self._firsts[node])
            return self._put(b"null")
        if kind == wire.KIND_ARRAY:
            self._tag(tags.ARRAY, "the tag of an array, 0")
            self._put_char(ord("["))
            for i in range(self._count_of(2)):
                if i:
                    self._put_char(ord(","))
                self._walk_tagged(self._firsts[node])
            return self._put_char(ord("]"))
        if kind == wire.KIND_BLOB:
            raw: bytes = self._tagged_bytes()
            self._capture_blob(node, raw)
            return self._put_blob(raw)
        if kind == wire.KIND_BOOL:
            self._tag(tags.U8, "the tag of a byte, 6")
            value = self._bytes.read_u8()
            self._capture(node, value != 0)
            return self._put(b"true" if value else b"false")
        return self._walk_raw(MAX_DEPTH)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _walk_raw(self, depth: cython.int) -> cython.int:
        """Take a tagged value that no type table describes."""
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
                    self._put_char(ord(","))
                if tag == tags.STRUCT:
                    self._put_char(ord('"'))
                    self._put_int(self._bytes.read_vint())
                    self._put(b'":')
                self._walk_raw(depth - 1)
            return self._put_char(ord("}") if tag == tags.STRUCT else ord("]"))
        if tag == tags.OPTIONAL:
            return self._walk_raw(depth - 1) if self._bytes.read_u8() else self._put(b"null")
        if tag == tags.CHOICE:
            self._put(b'{"')
            self._put_int(self._bytes.read_vint())
            self._put(b'":')
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
            while self.remaining() > 0:
                if self._rows >= self._max_events:
                    raise LimitExceeded(f"expected at most {self._max_events} events in one stream, found more")
                self._read_row()
        except (CorruptReplay, LimitExceeded) as error:
            raise error.locate(offset=self.tell(), tick=self._loop) from None
        return self._rows

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _read_row(self) -> cython.int:
        start: cython.Py_ssize_t = self._size
        columns: object = None
        self._capturing = False
        try:
            node: cython.longlong = self._head()
            columns = self._captured.get(self._number)
            self._capturing = columns is not None and node != UNKNOWN_EVENT
            if node == UNKNOWN_EVENT:
                self._walk_raw(MAX_DEPTH)
            elif self._tagged:
                self._walk_tagged(node)
            else:
                self._walk_packed(node)
                self._bits.align()
        except (CorruptReplay, LimitExceeded):
            self._size = start
            raise
        if self._capturing:
            for column in columns:
                cython.cast(FieldColumn, column).finish()
            order: Int32Buffer = self.orders[self._number]
            order.append(self._rows)
        self.ticks.append(cython.cast(cython.int, self._loop))
        self.users.append(cython.cast(cython.int, self._user))
        self.numbers.append(cython.cast(cython.int, self._number))
        if self._text:
            self.text_ends.append(cython.cast(cython.int, self._size))
        self.ends.append(cython.cast(cython.longlong, self.tell()))
        self._rows += 1
        return 0

    def text_to_arrow(self) -> Any:
        """Return the fields of all events as JSON text, an Arrow string column; it is handed over."""
        import pyarrow as pa

        ends = self.text_ends.to_arrow()
        offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
        return pa.StringArray.from_buffers(len(ends), offsets.buffers()[1], pa.py_buffer(self._out))

    @property
    def rows(self) -> int:
        """Events decoded into columns."""
        return self._rows
