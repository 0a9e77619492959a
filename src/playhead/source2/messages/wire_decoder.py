"""`WireDecoder`: messages in the protobuf wire format, decoded to dicts by definitions that are data.

A `WireDecoder` holds the fields of one message as flat arrays, and the decoders of the messages inside it.
`playhead.source2.messages.definitions` has the definitions.

The module is long because plans and functions for single fields read with the tables of a decoder, in C.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Mapping, Sequence
from itertools import accumulate

from playhead.bits.byte_reader import ByteReader
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay
from playhead.runtime import cython
from playhead.runtime.typing import Any
from playhead.text.json import quoted

if not cython.compiled:
    # The same numbers as the enums in the .pxd.
    TEXT, IGNORED, VALUE, SPAN, LIST, INSIDE, FLAT = range(7)
    MOST_SLOTS = 128
    ROW_ACTION, ROW_WIRE, ROW_KEPT, ROW_KIND, ROW_PLAIN, ROW_PASSED = 1, 4, 7, 8, 13, 14
    ROW_PLACE, ROW_KINDS = 16, 31


#: Kinds of value, each at the place of its code: 0 to 7 are varints, 8 to 10 four bytes, 11 to 13 eight
#: bytes, 14 to 16 a size and that many bytes.
KINDS: tuple[str, ...] = (
    *("int32", "int64", "uint32", "uint64", "sint32", "sint64", "bool", "enum"),
    *("fixed32", "sfixed32", "float"),
    *("fixed64", "sfixed64", "double"),
    *("string", "bytes", "message"),
)

if not cython.compiled:
    # The same as in the .pxd files.
    take_varuint32 = ByteReader.read_varuint32
    WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES, WIRE_FIXED32 = 0, 1, 2, 5
    INT32, INT64, UINT32, UINT64, SINT32, SINT64, BOOL, ENUM = range(8)
    FIXED32, SFIXED32, FLOAT = range(8, 11)
    FIXED64, SFIXED64, DOUBLE = range(11, 14)
    STRING, BYTES, MESSAGE = range(14, 17)

#: Wire type of every kind.
WIRE_TYPES: tuple[int, ...] = (*[WIRE_VARINT] * 8, *[WIRE_FIXED32] * 3, *[WIRE_FIXED64] * 3, *[WIRE_BYTES] * 3)

#: Deepest nesting; no real message is as deep.
MAX_DEPTH = 16

#: Fields of one message, nested ones included. A field of two bytes becomes an object of a hundred, and a Snappy
#: block of a few megabytes can hold a hundred million of them. The largest message in five real demos, Dota's
#: sign-on string tables, has 9,722.
MAX_FIELDS = 1 << 20

# Highest field number of a definition.
_MAX_NUMBER = 4096

# See `unknown_met`.
_met = cython.declare(cython.longlong, 0)


def unknown_met() -> int:
    """Return how many unknown fields the decoders of this process have met.

    A message that leaves it unchanged has none, and need not be searched.
    """
    return _met


@cython.cfunc
@cython.exceptval(check=False)
@cython.inline
def whole_number(raw: cython.ulonglong, kind: cython.int) -> cython.longlong:
    """Return the value of a varint; for UINT64 its bits, for 32-bit kinds the value of the low 32 bits."""
    if kind == BOOL:
        return raw != 0
    if kind in (INT64, UINT64):
        if cython.compiled:
            return cython.cast(cython.longlong, raw)
        return raw if kind == UINT64 else raw - (raw >> 63 << 64)
    if kind == SINT64:
        return cython.cast(cython.longlong, (raw >> 1) ^ (0 - (raw & 1)))
    low: cython.longlong = raw & ((cython.cast(cython.ulonglong, 1) << 32) - 1)
    if kind == UINT32:
        return low
    if kind == SINT32:
        return (low >> 1) ^ -(low & 1)
    return low - (low >> 31 << 32)


@cython.final
@cython.cclass
class WireDecoder:
    """Decodes one kind of message.

    Args:
        name: the message's name, for errors.
        fields: number, place in `KINDS`, name, and whether it is repeated, of each field.
        max_fields: limit of the fields of one message, including those of messages inside it.

    Raises:
        ValueError: a field's number or kind is out of range.
    """

    def __init__(
        self, name: str, fields: Sequence[tuple[int, int, str, bool]], max_fields: int = MAX_FIELDS
    ) -> None:
        self.name = name
        self._max_fields = max_fields
        self._span = max([number for number, *_ in fields], default=0) + 1
        if self._span > _MAX_NUMBER + 1 or any(number < 1 for number, *_ in fields):
            raise ValueError(f"{name}: expected field numbers of 1 to {_MAX_NUMBER}")
        if any(not 0 <= kind < len(KINDS) for _, kind, *_ in fields):
            raise ValueError(f"{name}: expected kinds of 0 to {len(KINDS) - 1}")
        places = array("i", [-1]) * self._span
        for place, (number, *_) in enumerate(fields):
            places[number] = place
        self._places = places
        self._kinds = array("i", [kind for _, kind, *_ in fields])
        self._wires = array("i", [WIRE_TYPES[kind] for _, kind, *_ in fields])
        self._repeated = array("i", [int(repeated) for *_, repeated in fields])
        self._names = [field for *_, field, _ in fields]
        self._enums = [None] * len(fields)
        self._inside = [None] * len(fields)
        self._place_of = self._places.data.as_ints if cython.compiled else self._places
        self._kind_of = self._kinds.data.as_ints if cython.compiled else self._kinds
        self._wire_of = self._wires.data.as_ints if cython.compiled else self._wires
        self._is_repeated = self._repeated.data.as_ints if cython.compiled else self._repeated

    def link(self, place: int, target: WireDecoder | Mapping[int, str]) -> None:
        """Set the decoder of the message field at that place of `fields`, or the names of its
        enumeration. Every message field must be linked before `decode`."""
        if isinstance(target, WireDecoder):
            self._inside[place] = target
        else:
            self._enums[place] = dict(target)

    def decode(self, data: Buffer) -> dict[str | int, Any]:
        """Return the fields of `data` by name, without those that were not sent.

        Values are integers, floats, str (bytes that are no UTF-8 become U+FFFD), bytes, nested dicts, lists for
        repeated fields, and the name of an enumeration's value, or its number if it has no name. An unknown field,
        or one of another wire type than defined, is a list of raw values under its number.

        Raises:
            TruncatedReplay, CorruptReplay: the bytes are no protobuf message; `offset` is relative to `data`.
            LimitExceeded: messages nest too deep, or there are too many fields.
        """
        reader: ByteReader = ByteReader(data)
        out: dict = {}
        self._fill(out, reader, reader.remaining(), 0, self._max_fields)
        return out

    def _fill(
        self, out: dict, reader: ByteReader, end: cython.ulonglong, depth: cython.int, left: cython.longlong
    ) -> cython.longlong:
        """Read fields up to `end` into `out`; return how many of `left` allowed fields remain."""
        if depth > 16:
            raise LimitExceeded(f"messages nest more than {MAX_DEPTH} deep", offset=reader.tell())
        while reader.tell() < end:
            if left == 0:
                self._too_many(reader)
            left -= 1
            key: cython.longlong = take_varuint32(reader)
            wire: cython.int = key & 7
            number: cython.longlong = key >> 3
            place: cython.int = -1
            if number < self._span:
                place = self._place_of[number]
            if place < 0 or wire != self._wire_of[place]:
                # Numbers of a repeated field may be packed into one byte string.
                packable: cython.bint = place >= 0 and self._is_repeated[place] and self._kind_of[place] < STRING
                if packable and wire == WIRE_BYTES:
                    left = self._packed(out, reader, end, place, left)
                else:
                    self._unknown(out, reader, end, number, wire)
                continue
            kind: cython.int = self._kind_of[place]
            name: str = self._names[place]
            if kind != MESSAGE:
                value: object = self._value(reader, end, kind, place)
            else:
                size: cython.ulonglong = self._size(reader, end)
                # A message that comes twice without being repeated was sent in parts.
                known: object = None if self._is_repeated[place] else out.get(name)
                inner: dict = {} if known is None else known
                child: WireDecoder = self._inside[place]
                left = child._fill(inner, reader, reader.tell() + size, depth + 1, left)
                value = inner
            if self._is_repeated[place]:
                self._append(out, name, value)
            else:
                out[name] = value
        if reader.tell() != end:
            raise CorruptReplay(
                f"expected the end of {self.name}, found a field that passes it by {reader.tell() - end} bytes",
                offset=end,
            )
        return left

    def _too_many(self, reader: ByteReader) -> cython.int:
        raise LimitExceeded(f"expected fewer fields in a message, found more in {self.name}", offset=reader.tell())

    def _append(self, out: dict, name: object, value: object) -> cython.int:
        values: object = out.get(name)
        if values is None:
            out[name] = [value]
        else:
            values.append(value)
        return 0

    def _size(self, reader: ByteReader, end: cython.ulonglong) -> cython.ulonglong:
        """Return the size of a byte string, checked against the end of the message around it."""
        size: cython.ulonglong = take_varuint32(reader)
        at: cython.ulonglong = reader.tell()
        if at > end or size > end - at:
            raise TruncatedReplay(
                f"expected a field of {size} bytes in {self.name}, but fewer are left", offset=reader.tell()
            )
        return size

    def _value(self, reader: ByteReader, end: cython.ulonglong, kind: cython.int, place: cython.int) -> object:
        if kind <= ENUM:
            return self._integer(reader.read_varuint64(), kind, place)
        if kind == STRING:
            return reader.read_bytes(self._size(reader, end)).decode("utf-8", "replace")
        if kind == BYTES:
            return reader.read_bytes(self._size(reader, end))
        if kind == FIXED32:
            return reader.read_u32()
        if kind == SFIXED32:
            return reader.read_i32()
        if kind == FLOAT:
            return reader.read_f32()
        bits: cython.ulonglong = reader.read_u64()
        if kind == FIXED64:
            return bits
        if kind == SFIXED64:
            if cython.compiled:
                return cython.cast(cython.longlong, bits)
            return bits - (bits >> 63 << 64)
        if cython.compiled:
            number: cython.double = 0
            memcpy(cython.address(number), cython.address(bits), 8)
            return number
        return struct.unpack("<d", struct.pack("<Q", bits))[0]

    def _integer(self, raw: cython.ulonglong, kind: cython.int, place: cython.int) -> object:
        """Return the value of a varint as an object."""
        if kind == UINT64:
            return raw
        value: cython.longlong = whole_number(raw, kind)
        if kind == BOOL:
            return value != 0
        if kind == ENUM and self._enums[place] is not None:
            names: dict = self._enums[place]
            return names.get(value, value)
        return value

    def _packed(
        self, out: dict, reader: ByteReader, end: cython.ulonglong, place: cython.int, left: cython.longlong
    ) -> cython.longlong:
        """Read a repeated field whose values follow each other in one byte string; return as `_fill`."""
        size: cython.ulonglong = self._size(reader, end)
        stop: cython.ulonglong = reader.tell() + size
        kind: cython.int = self._kind_of[place]
        name: str = self._names[place]
        values: object = out.get(name)
        if values is None:
            out[name] = values = []
        while reader.tell() < stop:
            if left == 0:
                self._too_many(reader)
            left -= 1
            values.append(self._value(reader, stop, kind, place))
        if reader.tell() != stop:
            raise CorruptReplay(f"expected {self.name}.{name} to end with its last value", offset=stop)
        return left

    def _unknown(
        self, out: dict, reader: ByteReader, end: cython.ulonglong, number: cython.longlong, wire: cython.int
    ) -> cython.int:
        global _met
        if number == 0:
            raise CorruptReplay("expected a protobuf field, found number 0", offset=reader.tell())
        _met += 1
        if wire == WIRE_VARINT:
            value: object = reader.read_varuint64()
        elif wire == WIRE_FIXED64:
            value = reader.read_u64()
        elif wire == WIRE_BYTES:
            value = reader.read_bytes(self._size(reader, end))
        elif wire == WIRE_FIXED32:
            value = reader.read_u32()
        else:
            raise CorruptReplay(
                f"expected a protobuf wire type of 0, 1, 2 or 5, found {wire}", offset=reader.tell()
            )
        self._append(out, number, value)
        return 0


def field_bytes(data: bytes | memoryview, number: int, max_fields: int = MAX_FIELDS) -> bytes | None:
    """The length-delimited field of that number, without decoding the others; None without one.

    All of `data` is walked: bytes after the field must be protobuf too, which shows a damaged size that lets
    others in.
    """
    reader: ByteReader = ByteReader(data)
    end: cython.longlong = _find(reader, number, max_fields)
    return None if end < 0 else reader.read_bytes(end - reader.tell())


def field_view(data: bytes | memoryview, number: int, max_fields: int = MAX_FIELDS) -> memoryview | None:
    """As `field_bytes`, without a copy."""
    reader: ByteReader = ByteReader(data)
    end: cython.longlong = _find(reader, number, max_fields)
    return None if end < 0 else memoryview(data)[reader.tell() : end]


@cython.cfunc
@cython.exceptval(-2, check=False)
def _find(reader: ByteReader, wanted: cython.longlong, most: cython.longlong) -> cython.longlong:
    """Walk all fields, and stop at the last of that number; return the place of its end, or -1 without one."""
    found: cython.longlong = -1
    end: cython.longlong = -1
    fields: cython.longlong = 0
    while reader.remaining():
        fields += 1
        start: cython.longlong = reader.tell()
        if fields > most:
            raise LimitExceeded(f"a message has more than {most} fields")
        key: cython.longlong = take_varuint32(reader)
        wire_type: cython.longlong = key & 7
        if key >> 3 == wanted:
            if wire_type != WIRE_BYTES:
                raise CorruptReplay(
                    f"expected field {wanted} as a byte string, found wire type {wire_type}", offset=start
                )
            size: cython.longlong = take_varuint32(reader)
            found = reader.tell()
            reader.skip(size)
            end = reader.tell()
        else:
            _skip(reader, wire_type, start)
    if end >= 0:
        reader.seek(found)
    return end


def fields_of(data: bytes | memoryview, most: int) -> list[tuple[int, int, Any]]:
    """The number, wire type and raw value of each field: a whole number, or bytes."""
    reader: ByteReader = ByteReader(data)
    found: list = []
    while reader.remaining():
        if len(found) >= most:
            raise LimitExceeded(f"a message has more than {most} fields")
        start: cython.longlong = reader.tell()
        key: cython.longlong = take_varuint32(reader)
        wire: cython.longlong = key & 7
        if wire == WIRE_VARINT:
            value: object = reader.read_varuint64()
        elif wire == WIRE_BYTES:
            value = reader.read_bytes(take_varuint32(reader))
        elif wire == WIRE_FIXED64:
            value = reader.read_bytes(8)
        else:
            _skip(reader, wire, start)
            value = bytes(data[reader.tell() - 4 : reader.tell()])
        found.append((key >> 3, wire, value))
    return found


def first_number(data: bytes | memoryview) -> int:
    """The number in field 1 of a message, if it comes first; -1 if it does not, or cannot be read."""
    reader: ByteReader = ByteReader(data)
    if not reader.remaining() or reader.read_u8() != 1 << 3 | WIRE_VARINT:
        return -1
    try:
        return reader.read_varuint32()
    except ReplayError:
        return -1


def field_count(data: bytes | memoryview, number: int) -> int:
    """How many fields of that number there are, none of them decoded."""
    reader: ByteReader = ByteReader(data)
    wanted: cython.longlong = number
    found: cython.longlong = 0
    while reader.remaining():
        start: cython.longlong = reader.tell()
        key: cython.longlong = take_varuint32(reader)
        if key >> 3 == wanted:
            found += 1
        _skip(reader, key & 7, start)
    return found


@cython.cfunc
@cython.exceptval(-1, check=False)
def _skip(reader: ByteReader, wire_type: cython.longlong, start: cython.longlong) -> cython.int:
    """Pass the value of a field that begins at `start`."""
    if wire_type == WIRE_BYTES:
        reader.skip(take_varuint32(reader))
    elif wire_type == WIRE_VARINT:
        reader.read_varuint64()
    elif wire_type == WIRE_FIXED64:
        reader.skip(8)
    elif wire_type == WIRE_FIXED32:
        reader.skip(4)
    else:
        raise CorruptReplay(f"expected a protobuf wire type of 0, 1, 2 or 5, found {wire_type}", offset=start)
    return 0


@cython.final
@cython.cclass
class FieldPlan:
    """What happens to each field of a definition: it becomes JSON, unless a method sets something else.

    Args:
        decoder: decoder of the definition.
        text: fields become JSON; False skips them.
    """

    def __init__(self, decoder: WireDecoder, text: bool = True) -> None:
        self._decoder = decoder
        count = len(decoder._names)
        self._actions = array("i", [TEXT if text else IGNORED]) * count
        self._slots = array("i", [-1]) * count
        self._before = array("i", [0]) * count
        self._handles = array("i", [0]) * count
        self._inside = [None] * count
        # Plans that skip the message in a field.
        self._passing = [None] * count
        # The key of each field as JSON, in one byte string, since they are used in this order.
        keys = [f", {quoted(name)}: ".encode() for name in decoder._names]
        self._keys = b"".join(keys)
        self._key_ends = array("i", accumulate(map(len, keys), initial=0))
        self._enums = [
            None if names is None else {number: quoted(name).encode() for number, name in names.items()}
            for names in decoder._enums
        ]
        self._action_of = self._actions.data.as_ints if cython.compiled else self._actions
        self._slot_of = self._slots.data.as_ints if cython.compiled else self._slots
        self._before_of = self._before.data.as_ints if cython.compiled else self._before
        self._handle_of = self._handles.data.as_ints if cython.compiled else self._handles
        self._key_end_of = self._key_ends.data.as_ints if cython.compiled else self._key_ends
        self._text = text
        self._rows = array("i")
        self._tell()

    def _tell(self) -> object:
        """Pack the properties of each field that the reader needs into one number, by field number."""
        decoder: WireDecoder = self._decoder
        number: cython.int
        rows = array("i", [-1]) * decoder._span
        for number in range(decoder._span):
            rows[number] = self._row(decoder._place_of[number])
        self._rows = rows
        self._row_of = self._rows.data.as_ints if cython.compiled else self._rows
        return None

    def _row(self, place: cython.int) -> cython.int:
        """Return the packed properties of a field; -1 without any."""
        decoder: WireDecoder = self._decoder
        if place < 0:
            return -1
        kept: cython.bint = bool(self._before_of[place] or self._handle_of[place])
        passed: cython.bint = self._action_of[place] <= IGNORED and decoder._kind_of[place] != MESSAGE
        return (
            place << ROW_PLACE
            | (passed and not decoder._is_repeated[place]) << ROW_PASSED
            | (self._action_of[place] == VALUE and not kept and not decoder._is_repeated[place]) << ROW_PLAIN
            | decoder._kind_of[place] << ROW_KIND
            | decoder._wire_of[place] << ROW_WIRE
            | kept << ROW_KEPT
            | self._action_of[place] << ROW_ACTION
            | bool(decoder._is_repeated[place])
        )

    def _tell_one(self, place: cython.int) -> object:
        """As `_tell`, of one field."""
        number: cython.int
        for number in range(self._decoder._span):
            if self._decoder._place_of[number] == place:
                self._row_of[number] = self._row(place)
        return None

    @cython.nonecheck(True)
    def inner(self, name: str) -> FieldPlan:
        """Return a plan for the message in a field.

        Raises:
            ValueError: there is no such field, or it is no message.
        """
        decoder = self._decoder._inside[self._decoder._names.index(name)]
        if decoder is None:
            raise ValueError(f"expected a message in field {name} of {self._decoder.name}")
        return FieldPlan(decoder)

    @property
    @cython.nonecheck(True)
    def names(self) -> list[str]:
        """Names of the fields."""
        return list(self._decoder._names)

    @cython.nonecheck(True)
    def store(self, name: str, slot: int, *, before: int = 0, handle: bool = False) -> None:
        """Store a number, or the span of text or bytes, in a slot.

        Args:
            name: name of the field.
            slot: a number below `MOST_SLOTS`.
            before: number of slots right before it whose fields are preferred; if one of them is filled, this
                field also becomes JSON.
            handle: the field also becomes JSON if it is a handle of nothing.

        Raises:
            ValueError: there is no such field or slot, or the field is a message or a list of no numbers.
        """
        place = self._decoder._names.index(name)
        kind = self._decoder._kinds[place]
        repeated = self._decoder._repeated[place]
        if not before <= slot < MOST_SLOTS or kind == MESSAGE or (repeated and kind > ENUM):
            raise ValueError(f"field {name} of {self._decoder.name} cannot be put into slot {slot}")
        self._actions[place] = LIST if repeated else SPAN if kind in (STRING, BYTES) else VALUE
        self._slots[place] = slot
        self._before[place] = before
        self._handles[place] = handle
        self._tell_one(place)

    def enter(self, name: str, plan: FieldPlan, slot: int, *, before: int = 0) -> None:
        """Read the message in a field by its own plan; the slot is filled if the message was sent.

        Raises:
            ValueError: as `store`, or the field is no message.
        """
        place = self._decoder._names.index(name)
        repeated = self._decoder._repeated[place]
        if not before <= slot < MOST_SLOTS or self._decoder._inside[place] is None or repeated:
            raise ValueError(f"field {name} of {self._decoder.name} cannot be entered")
        self._actions[place] = INSIDE
        self._slots[place] = slot
        self._before[place] = before
        self._inside[place] = plan
        self._tell_one(place)

    @cython.nonecheck(True)
    def ignore(self, name: str) -> None:
        """Skip a field."""
        place = self._decoder._names.index(name)
        self._actions[place] = IGNORED
        self._tell_one(place)

    @cython.nonecheck(True)
    def flatten(self, name: str, plan: FieldPlan) -> None:
        """Read the fields of the message in a field as if they were outside.

        Raises:
            ValueError: there is no such field, or it is no message.
        """
        place = self._decoder._names.index(name)
        if self._decoder._inside[place] is None or self._decoder._repeated[place]:
            raise ValueError(f"field {name} of {self._decoder.name} cannot be entered")
        self._actions[place] = FLAT
        self._inside[place] = plan
        self._tell_one(place)
