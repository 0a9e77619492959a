"""Decode field values into cells: 64-bit numbers, one or a few per value.

A float is stored as the bits of a double, a string as its number in the recording's `ValuePool`.
`playhead.source2.schema.encoding` lists the encodings.
"""

from __future__ import annotations

import struct
from array import array

from playhead.bits.bit_reader import BitReader
from playhead.errors import CorruptReplay, LimitExceeded
from playhead.runtime import cython
from playhead.runtime.typing import TYPE_CHECKING, Any
from playhead.source2.schema.encoding import ENCODINGS
from playhead.source2.schema.quantized_float import HIGH, LOW, ZERO

if TYPE_CHECKING:
    from playhead.source2.schema.encoding import Encoding

if not cython.compiled:
    # Equal to the enums in the .pxd.
    (
        BOOL,
        SIGNED,
        SIGNED64,
        UNSIGNED,
        FIXED64,
        BYTE,
        SIGNED_BYTE,
        SEQUENCE,
        TICKS,
        FLOAT,
        COORD,
        NORMAL,
        QUANTIZED,
        STRING,
        BYTES,
        UNIT_VECTOR,
        ANGLES_FLOAT,
        ANGLES,
        PITCH_YAW,
        ANGLES_PRECISE,
        ANGLES_COORD,
        POINTER,
        LENGTH,
    ) = ENCODINGS.values()
    from playhead.bits.bit_reader import next_bits

    SENDS_LOW, SENDS_HIGH, SENDS_ZERO = LOW, HIGH, ZERO

# Bound on the elements of a vector; real ones have at most a few thousand. It detects a desync early.
_MOST_ELEMENTS = 65536


@cython.final
@cython.cclass
class ValuePool:
    """Distinct strings and byte blocks of a recording's entities, by number.

    Attributes:
        lookups: number of calls of `number`.
    """

    def __init__(self) -> None:
        self._numbers = {}
        self._values = []
        self.lookups = 0

    def number(self, value: bytes) -> cython.longlong:
        """Return the number of a value, adding a new value."""
        self.lookups += 1
        known = self._numbers.get(value)
        if known is None:
            known = len(self._values)
            self._numbers[value] = known
            self._values.append(value)
        return known

    def value(self, number: int) -> bytes:
        """Return the value of a number."""
        value: bytes = self._values[number]
        return value


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _single(value: cython.float) -> cython.float:
    """Round `value` to float32; compiled code already computes in float32."""
    return value if cython.compiled else array("f", (value,))[0]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _bits_of(value: cython.double) -> cython.longlong:
    if cython.compiled:
        bits: cython.longlong = 0
        memcpy(cython.address(bits), cython.address(value), 8)
        return bits
    return struct.unpack("<q", struct.pack("<d", value))[0]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _bits_of_single(word: cython.ulonglong) -> cython.longlong:
    """Return the cell of the float32 in the lower half of `word`."""
    if cython.compiled:
        half: cython.uint = cython.cast(cython.uint, word)
        value: cython.float = 0
        memcpy(cython.address(value), cython.address(half), 4)
        return _bits_of(value)
    return _bits_of(struct.unpack("<f", struct.pack("<I", word & 0xFFFFFFFF))[0])


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _double_of(bits: cython.longlong) -> cython.double:
    if cython.compiled:
        value: cython.double = 0
        memcpy(cython.address(value), cython.address(bits), 8)
        return value
    return struct.unpack("<d", struct.pack("<q", bits))[0]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _signed(value: cython.ulonglong) -> cython.longlong:
    """Return the cell of an unsigned number."""
    if cython.compiled:
        return cython.cast(cython.longlong, value)
    return value - (1 << 64) if value >> 63 else value


@cython.final
@cython.cclass
class FieldDecoder:
    """Decodes values of one encoding.

    Attributes:
        kind: number of a `playhead.source2.schema.encoding.Kind`.
        cells: cells of a value.
    """

    def __init__(self, encoding: Encoding) -> None:
        self.kind = encoding.kind
        self.cells = encoding.cells
        self._bits = encoding.bits
        self._types = encoding.types
        if self.kind == FLOAT:
            self._bits = 32
        self._flags = 0
        self._low = self._high = self._range = self._step = 0.0
        quantized = encoding.quantized
        if quantized is not None:
            self._flags = quantized.flags
            self._low = quantized.low
            self._high = quantized.high
            self._range = quantized.range
            self._step = quantized.step

    def float_size(self, word: cython.ulonglong) -> cython.int:
        """Return the bits (at most 35) of the float32 or quantized float at the start of `word`."""
        if self.kind == FLOAT:
            return 32
        flags: cython.int = self._flags & (SENDS_LOW | SENDS_HIGH | SENDS_ZERO)
        at: cython.int = 0
        if flags:
            if flags & SENDS_LOW:
                at += 1
                if word & 1:
                    return at
                word >>= 1
            if flags & SENDS_HIGH:
                at += 1
                if word & 1:
                    return at
                word >>= 1
            if flags & SENDS_ZERO:
                at += 1
                if word & 1:
                    return at
        return at + cython.cast(cython.int, self._bits)

    def float_cell(self, word: cython.ulonglong) -> cython.longlong:
        """Return the cell of the float32 or quantized float at the start of `word`."""
        if self.kind == FLOAT:
            return _bits_of_single(word)
        flags: cython.int = self._flags & (SENDS_LOW | SENDS_HIGH | SENDS_ZERO)
        if flags:
            if flags & SENDS_LOW:
                if word & 1:
                    return _bits_of(self._low)
                word >>= 1
            if flags & SENDS_HIGH:
                if word & 1:
                    return _bits_of(self._high)
                word >>= 1
            if flags & SENDS_ZERO:
                if word & 1:
                    return 0
                word >>= 1
        word &= (cython.cast(cython.ulonglong, 1) << self._bits) - 1
        number: cython.float = _single(cython.cast(cython.float, cython.cast(cython.longlong, word)))
        return _bits_of(_single(self._low + _single(_single(self._range * number) * self._step)))

    def _read_float(self, reader: BitReader) -> cython.double:
        kind: cython.int = self.kind
        if kind == QUANTIZED:
            word: cython.ulonglong = reader.peek_bits(36)
            reader.skip_bits(cython.cast(cython.ulonglong, self.float_size(word)))
            return _double_of(self.float_cell(word))
        if kind == COORD:
            return reader.read_coord()
        if kind == NORMAL:
            return reader.read_normal()
        return reader.read_float()

    def _read_angles(self, reader: BitReader, cells: cython.p_longlong, at: cython.Py_ssize_t) -> cython.int:
        kind: cython.int = self.kind
        bits: cython.uint = self._bits
        i: cython.int
        if kind == ANGLES_FLOAT:
            for i in range(3):
                cells[at + i] = _bits_of(reader.read_float())
        elif kind == ANGLES:
            for i in range(3):
                cells[at + i] = _bits_of(reader.read_angle(bits))
        elif kind == PITCH_YAW:
            for i in range(2):
                cells[at + i] = _bits_of(reader.read_float() if bits == 32 else reader.read_angle(bits))
            cells[at + 2] = 0
        else:
            flags: cython.ulonglong = next_bits(reader, 3)
            for i in range(3):
                if not (flags >> i) & 1:
                    cells[at + i] = 0
                elif kind == ANGLES_PRECISE:
                    cells[at + i] = _bits_of(reader.read_angle(bits) - 180.0)
                else:
                    cells[at + i] = _bits_of(reader.read_coord())
        return 0

    def _read_rare(
        self, reader: BitReader, pool: ValuePool, cells: cython.p_longlong, at: cython.Py_ssize_t
    ) -> cython.int:
        kind: cython.int = self.kind
        if kind == STRING:
            cells[at] = pool.number(reader.read_string())
        elif kind == BYTES:
            cells[at] = pool.number(reader.read_bytes(cython.cast(cython.ulonglong, reader.read_varuint32())))
        elif kind == UNIT_VECTOR:
            x, y, z = reader.read_3bit_normal()
            cells[at] = _bits_of(x)
            cells[at + 1] = _bits_of(y)
            cells[at + 2] = _bits_of(z)
        elif kind == POINTER:
            value: cython.longlong = 0
            if reader.read_boolean():
                value = 1
                if self._types > 1:
                    value += cython.cast(cython.longlong, reader.read_ubit_var())
                    if value > self._types:
                        raise CorruptReplay(f"expected one of {self._types} types of a pointer, found {value}")
            cells[at] = value
        elif kind == LENGTH:
            value = reader.read_varuint32()
            if value > _MOST_ELEMENTS:
                raise LimitExceeded(f"a vector of {value} elements is over the limit of {_MOST_ELEMENTS}")
            cells[at] = value
        return 0

    def decode(
        self, reader: BitReader, pool: ValuePool, cells: cython.p_longlong, at: cython.Py_ssize_t
    ) -> cython.int:
        """Decode one value into `cells` from `at` on."""
        kind: cython.int = self.kind
        i: cython.int
        if kind in (UNSIGNED, TICKS):
            cells[at] = _signed(reader.read_varuint64())
        elif FLOAT <= kind <= QUANTIZED:
            if self.cells == 1:
                cells[at] = _bits_of(self._read_float(reader))
            else:
                for i in range(self.cells):
                    cells[at + i] = _bits_of(self._read_float(reader))
        elif kind == BOOL:
            cells[at] = reader.read_boolean()
        elif kind == SIGNED:
            cells[at] = reader.read_varint32()
        elif kind == SIGNED64:
            cells[at] = reader.read_varint64()
        elif kind == FIXED64:
            cells[at] = _signed(reader.read_bits(64))
        elif kind == BYTE:
            cells[at] = cython.cast(cython.longlong, reader.read_bits(8))
        elif kind == SIGNED_BYTE:
            cells[at] = (cython.cast(cython.longlong, reader.read_bits(8)) ^ 128) - 128
        elif kind == SEQUENCE:
            cells[at] = cython.cast(cython.longlong, reader.read_varuint64()) - 1
        elif ANGLES_FLOAT <= kind <= ANGLES_COORD:
            self._read_angles(reader, cells, at)
        else:
            self._read_rare(reader, pool, cells, at)
        return 0

    def present(self, pool: ValuePool, cells: cython.p_longlong, at: cython.Py_ssize_t) -> object:
        """Return the value in `cells` as a Python object: bool, int, float, str, bytes, or a tuple of floats.

        A pointer gives whether it is set; `Kind.TICKS` gives ticks.
        """
        kind: cython.int = self.kind
        if kind in (BOOL, POINTER):
            return cells[at] != 0
        if kind in (UNSIGNED, FIXED64):
            number: object = cells[at]
            return number + (1 << 64) if number < 0 else number
        if kind == STRING:
            return pool.value(cells[at]).decode("utf-8", "replace")
        if kind == BYTES:
            return pool.value(cells[at])
        if FLOAT <= kind <= QUANTIZED and self.cells == 1:
            return _double_of(cells[at])
        if self.cells > 1:
            return tuple([_double_of(cells[at + i]) for i in range(self.cells)])
        return cells[at]

    def read(self, reader: BitReader) -> Any:
        """Decode one value and return it as a Python object."""
        pool = ValuePool()
        cells = array("q", [0] * self.cells)
        if cython.compiled:
            self.decode(reader, pool, cython.cast(array, cells).data.as_longlongs, 0)
            return self.present(pool, cython.cast(array, cells).data.as_longlongs, 0)
        self.decode(reader, pool, cells, 0)
        return self.present(pool, cells, 0)
