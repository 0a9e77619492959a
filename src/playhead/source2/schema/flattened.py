"""Read the messages of a schema into rows of numbers, without creating an object per field.

Most of CSVCMsg_FlattenedSerializer is 100,000 field numbers and some thousand declarations; a recording
needs a few. Damage raises the same errors as in `WireDecoder`; a test compares both.
"""

from __future__ import annotations

from array import array

from playhead.bits.byte_reader import ByteReader
from playhead.errors import CorruptReplay, LimitExceeded, TruncatedReplay
from playhead.runtime import cython

if not cython.compiled:
    # Equal to the enums in the .pxd, and in that of `wire_decoder`.
    WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES, WIRE_FIXED32 = 0, 1, 2, 5
    SERIALIZERS, SYMBOLS, FIELDS, COORD_SIZES = 1, 2, 3, 4
    SERIALIZER_NAME, SERIALIZER_VERSION, FIELD_NUMBERS = 1, 2, 3
    TYPE, NAME, BIT_COUNT, LOW, HIGH, FLAGS, TABLE_NAME, TABLE_VERSION, SEND_NODE, ENCODER = range(1, 11)
    POLYMORPHIC, ENUMERATION = 11, 13
    PRESENT, FIRST_TYPE, CELLS = 0, 12, 14
    TYPE_NAME, TYPE_VERSION, TYPE_CELLS = 1, 2, 2
    TABLE_NUMBERS, TABLE_COUNT, TABLE_CELLS = 2, 3, 4
    IS_SIGNED = 1

_OUTER = "CSVCMsg_FlattenedSerializer"
_TABLE = "ProtoFlattenedSerializer_t"
_FIELD = "ProtoFlattenedSerializerField_t"
_TYPE = "ProtoFlattenedSerializerField_t.polymorphic_field_t"
_ENUM = "ProtoFlattenedSerializerField_t.proto_enum_info_t"


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _int32(raw: cython.ulonglong) -> cython.int:
    """Return a varint as ``int32``: its low 32 bits."""
    if cython.compiled:
        return cython.cast(cython.int, raw)
    low = raw & 0xFFFFFFFF
    return low - (low >> 31 << 32)


@cython.final
@cython.cclass
class FlattenedSchema:
    """The content of a CSVCMsg_FlattenedSerializer as numbers, unchecked.

    Attributes:
        symbols: the texts that other messages refer to by number.
        coord_sizes: ProtoCoordSizeParams_t, as bytes.
        numbers: rows of fields, of types and of serializers, and the field numbers of the serializers.
    """

    def __init__(self) -> None:
        self.symbols = []
        self.coord_sizes = b""
        # A row of CELLS per field. Each declared value is in the cell of its field number in the message, and
        # the bits of PRESENT are those that are declared. POLYMORPHIC has the number of types, which begin at
        # FIRST_TYPE.
        self._fields = array("i")
        # Per possible type of a pointer: symbol of its name, version.
        self._types = array("i")
        # Per serializer: symbol of its name, version, first of its field numbers, number of them.
        self._tables = array("i")
        self._numbers = array("i")
        self._number_count = 0
        self._number_room = 0

    @property
    def numbers(self) -> tuple[list[int], list[int], list[int], list[int]]:
        return self._fields.tolist(), self._types.tolist(), self._tables.tolist(), self._numbers.tolist()

    def make_room(self, numbers: cython.Py_ssize_t) -> cython.int:
        """Reserve memory for so many numbers; memory that is never written costs nothing."""
        if cython.compiled:
            resize(self._numbers, numbers)
            self._number_room = numbers
        return 0

    def add_number(self, number: cython.int) -> cython.int:
        if cython.compiled:
            if self._number_count == self._number_room:
                self.make_room(2 * self._number_room + 4096)
            self._numbers.data.as_ints[self._number_count] = number
        else:
            self._numbers.append(number)
        self._number_count += 1
        return 0


@cython.final
@cython.cclass
class FlattenedReader:
    """Read one message, field by field.

    Attributes:
        skipped: definition and key of each field that is not read.
    """

    def __init__(self, data: Buffer, max_fields: cython.longlong) -> None:
        self._reader = ByteReader(data)
        self._left = max_fields
        self.skipped = set()
        if not cython.compiled:
            self._row = [0] * CELLS

    def _count(self, name: str) -> cython.int:
        if self._left == 0:
            raise LimitExceeded(
                f"expected fewer fields in a message, found more in {name}", offset=self._reader.tell()
            )
        self._left -= 1
        return 0

    def _key(self, name: str) -> cython.longlong:
        """Read the key of the next field."""
        self._count(name)
        return self._reader.read_varuint32()

    def _end(self, end: cython.ulonglong, name: str) -> cython.longlong:
        """Read a length; return the end of its byte string, checked against the end of the enclosing message."""
        size: cython.ulonglong = self._reader.read_varuint32()
        at: cython.ulonglong = self._reader.tell()
        if at > end or size > end - at:
            raise TruncatedReplay(f"expected a field of {size} bytes in {name}, but fewer are left", offset=at)
        return cython.cast(cython.longlong, at + size)

    def _close(self, end: cython.ulonglong, name: str) -> cython.int:
        """Check that a message ended at the end of a field."""
        at: cython.ulonglong = self._reader.tell()
        if at != end:
            raise CorruptReplay(
                f"expected the end of {name}, found a field that passes it by {at - end} bytes", offset=end
            )
        return 0

    def _unknown(self, key: cython.longlong, end: cython.ulonglong, name: str) -> cython.int:
        """Skip a field that is absent from the definition or has another type there."""
        wire: cython.longlong = key & 7
        self.skipped.add((name, key))
        if key >> 3 == 0:
            raise CorruptReplay("expected a protobuf field, found number 0", offset=self._reader.tell())
        if wire == WIRE_VARINT:
            self._reader.read_varuint64()
        elif wire == WIRE_FIXED64:
            self._reader.read_u64()
        elif wire == WIRE_BYTES:
            self._reader.seek(self._end(end, name))
        elif wire == WIRE_FIXED32:
            self._reader.read_u32()
        else:
            raise CorruptReplay(
                f"expected a protobuf wire type of 0, 1, 2 or 5, found {wire}", offset=self._reader.tell()
            )
        return 0

    def _text(self, end: cython.ulonglong, name: str) -> str:
        stop: cython.ulonglong = self._end(end, name)
        size: cython.ulonglong = stop - self._reader.tell()
        if cython.compiled:
            text: str = PyUnicode_DecodeUTF8(
                cython.cast(cython.p_char, self._reader._data + self._reader._pos), size, "replace"
            )
            self._reader._pos = stop
            return text
        return self._reader.read_bytes(size).decode("utf-8", "replace")

    @cython.nonecheck(True)
    def schema(self) -> FlattenedSchema:
        """Read the message as CSVCMsg_FlattenedSerializer."""
        out: FlattenedSchema = FlattenedSchema()
        end: cython.ulonglong = self._reader.remaining()
        out.make_room(end // 2)  # a number and its key take two bytes
        while self._reader.tell() < end:
            key: cython.longlong = self._key(_OUTER)
            if key == (SERIALIZERS << 3 | WIRE_BYTES):
                self._serializer(out, self._end(end, _OUTER))
            elif key == (SYMBOLS << 3 | WIRE_BYTES):
                out.symbols.append(self._text(end, _OUTER))
            elif key == (FIELDS << 3 | WIRE_BYTES):
                self._field(out, self._end(end, _OUTER))
            elif key == (COORD_SIZES << 3 | WIRE_BYTES):
                # A repeated message field is merged, as protobuf requires.
                stop: cython.ulonglong = self._end(end, _OUTER)
                out.coord_sizes += self._reader.read_bytes(stop - self._reader.tell())
            else:
                self._unknown(key, end, _OUTER)
        self._close(end, _OUTER)
        out.make_room(out._number_count)
        return out

    def _add_row(self, rows: array, count: cython.int) -> cython.int:
        """Append the first cells of the row to `rows`."""
        if cython.compiled:
            extend_buffer(rows, cython.cast(cython.p_char, self._row), count)
        else:
            rows.extend(self._row[:count])
        return 0

    def _serializer(self, out: FlattenedSchema, end: cython.ulonglong) -> cython.int:
        reader: ByteReader = self._reader
        name: cython.int = 0
        version: cython.int = 0
        first: cython.Py_ssize_t = out._number_count
        while reader.tell() < end:
            if cython.compiled:
                # Nearly all numbers have one or two bytes, after a key of one.
                data: cython.p_const_uchar = reader._data
                at: cython.ulonglong = reader._pos
                numbers: cython.p_int = out._numbers.data.as_ints
                count: cython.Py_ssize_t = out._number_count
                most: cython.Py_ssize_t = min(out._number_room, count + self._left)
                while at + 4 < end and count < most and data[at] == (FIELD_NUMBERS << 3 | WIRE_VARINT):
                    if data[at + 1] < 0x80:
                        numbers[count] = data[at + 1]
                        at += 2
                    elif data[at + 2] < 0x80:
                        numbers[count] = (data[at + 1] & 0x7F) | cython.cast(cython.int, data[at + 2]) << 7
                        at += 3
                    else:
                        break
                    count += 1
                self._left -= count - out._number_count
                out._number_count = count
                reader._pos = at
            key: cython.longlong = self._key(_TABLE)
            if key == (FIELD_NUMBERS << 3 | WIRE_VARINT):
                out.add_number(_int32(reader.read_varuint64()))
            elif key == (SERIALIZER_NAME << 3 | WIRE_VARINT):
                name = _int32(reader.read_varuint64())
            elif key == (SERIALIZER_VERSION << 3 | WIRE_VARINT):
                version = _int32(reader.read_varuint64())
            elif key == (FIELD_NUMBERS << 3 | WIRE_BYTES):
                stop: cython.ulonglong = self._end(end, _TABLE)
                while reader.tell() < stop:
                    self._count(_TABLE)
                    out.add_number(_int32(reader.read_varuint64()))
                if reader.tell() != stop:
                    raise CorruptReplay(f"expected {_TABLE}.fields_index to end with its last value", offset=stop)
            else:
                self._unknown(key, end, _TABLE)
        self._close(end, _TABLE)
        self._row[0], self._row[1] = name, version
        self._row[TABLE_NUMBERS], self._row[TABLE_COUNT] = first, out._number_count - first
        return self._add_row(out._tables, TABLE_CELLS)

    def _field(self, out: FlattenedSchema, end: cython.ulonglong) -> cython.int:
        cell: cython.int
        types: cython.int = 0
        signed: cython.int = 0
        present: cython.int = 0
        for cell in range(CELLS):
            self._row[cell] = 0
        self._row[FIRST_TYPE] = len(out._types) // TYPE_CELLS
        while self._reader.tell() < end:
            key: cython.longlong = self._key(_FIELD)
            number: cython.longlong = key >> 3
            wire: cython.longlong = key & 7
            if wire == WIRE_VARINT and (TYPE <= number <= BIT_COUNT or FLAGS <= number <= ENCODER):
                self._row[number] = _int32(self._reader.read_varuint64())
            elif wire == WIRE_FIXED32 and number in (LOW, HIGH):
                self._row[number] = _int32(self._reader.read_u32())
            elif wire == WIRE_BYTES and number == POLYMORPHIC:
                self._type(out, self._end(end, _FIELD))
                types += 1
            elif wire == WIRE_BYTES and number == ENUMERATION:
                signed = self._is_signed(signed, self._end(end, _FIELD))
            else:
                self._unknown(key, end, _FIELD)
                continue
            present |= cython.cast(cython.int, 1) << number
        self._close(end, _FIELD)
        self._row[PRESENT], self._row[POLYMORPHIC], self._row[ENUMERATION] = present, types, signed
        return self._add_row(out._fields, CELLS)

    def _type(self, out: FlattenedSchema, end: cython.ulonglong) -> cython.int:
        """Read a possible type of a pointer."""
        name: cython.int = 0
        version: cython.int = 0
        while self._reader.tell() < end:
            key: cython.longlong = self._key(_TYPE)
            if key == (TYPE_NAME << 3 | WIRE_VARINT):
                name = _int32(self._reader.read_varuint64())
            elif key == (TYPE_VERSION << 3 | WIRE_VARINT):
                version = _int32(self._reader.read_varuint64())
            else:
                self._unknown(key, end, _TYPE)
        self._close(end, _TYPE)
        out._types.append(name)
        out._types.append(version)
        return 0

    def _is_signed(self, signed: cython.int, end: cython.ulonglong) -> cython.int:
        """Return whether the values of an enumeration are signed; `signed` if undeclared."""
        while self._reader.tell() < end:
            key: cython.longlong = self._key(_ENUM)
            if key == (IS_SIGNED << 3 | WIRE_VARINT):
                signed = self._reader.read_varuint64() != 0
            else:
                self._unknown(key, end, _ENUM)
        self._close(end, _ENUM)
        return signed
