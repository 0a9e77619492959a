"""A bounds-checked cursor over bytes: little-endian integers, strings, and every byte-aligned varint.

Which format uses which variable-length integer:

* `read_varuint32`, `read_varuint64`: LEB128, seven value bits a byte, least significant group first.
  Source 2 frame heads and the protobuf wire format.
* `read_packed_int`: Teeworlds/DDNet "packed int". First byte ``E S vvvvvv`` (extend, sign, 6 value bits),
  then up to four bytes of 7 value bits; a set sign means bitwise NOT. 32-bit two's complement.
* `read_vint`: StarCraft II "vint". Little-endian groups of 7 bits; the lowest bit of the whole is the sign.
"""

from __future__ import annotations

import struct

from playhead.errors import CorruptReplay, TruncatedReplay
from playhead.runtime import cython


@cython.final
@cython.no_gc_clear  # clearing would drop the held buffer without releasing it; __dealloc__ releases it
@cython.cclass
class ByteReader:
    """Reads `data` (any contiguous bytes-like object, kept alive and never copied) from the front.

    Every read either succeeds whole or raises `TruncatedReplay` with the byte offset and leaves the position
    where it was.
    """

    def __init__(self, data: Buffer, offset: int = 0) -> None:
        self._hold(data)
        self._pos = 0
        self.seek(offset)

    def _hold(self, data: object) -> object:
        if cython.compiled:
            if self._held:
                PyBuffer_Release(cython.address(self._buffer))
                self._held = False
                # The next line may raise: drop the released buffer first.
                self._data = cython.NULL
                self._pos = self._end = 0
            size: cython.Py_ssize_t = 0
            hold_buffer(data, cython.address(self._buffer), cython.address(self._data), cython.address(size))
            self._held = True
            self._end = size
        else:
            self._data = memoryview(data).cast("B")
            self._end = len(self._data)
        return None

    def _lend(self, data: bytes) -> object:
        """Read bytes without holding a buffer: the caller keeps them alive until it calls `_give_back`."""
        if cython.compiled:
            self._data = cython.cast(cython.p_const_uchar, PyBytes_AS_STRING(data))
            self._end = len(data)
        else:
            self._hold(data)
        self._pos = 0
        return None

    def _give_back(self) -> cython.void:
        """Forget the borrowed bytes."""
        self._pos = self._end = 0

    if cython.compiled:

        def __dealloc__(self) -> None:
            if self._held:
                PyBuffer_Release(cython.address(self._buffer))

    def _past_end(self, wanted: cython.ulonglong, what: str) -> cython.int:
        raise TruncatedReplay(
            f"expected {what} of {wanted} bytes, but only {self._end - self._pos} are left", offset=self._pos
        )

    def _overlong(self, what: str) -> cython.int:
        raise CorruptReplay(f"expected {what}, found one that is too long", offset=self._pos)

    def tell(self) -> cython.ulonglong:
        """Current byte offset."""
        return self._pos

    def remaining(self) -> cython.ulonglong:
        """Bytes between the current offset and the end."""
        return self._end - self._pos

    def seek(self, position: cython.ulonglong) -> cython.int:
        """Move to an absolute byte offset; the end itself is allowed."""
        if position > self._end:
            raise TruncatedReplay(
                f"expected at least {position} bytes, but there are {self._end}", offset=self._end
            )
        self._pos = position
        return 0

    def skip(self, count: cython.ulonglong) -> cython.int:
        """Move forwards by `count` bytes."""
        if count > self._end - self._pos:
            self._past_end(count, "a block")
        self._pos = self._pos + count
        return 0

    def read_u8(self) -> cython.int:
        """One byte."""
        if self._pos >= self._end:
            self._past_end(1, "an integer")
        value: cython.int = self._data[self._pos]
        self._pos = self._pos + 1
        return value

    def read_u16(self) -> cython.int:
        """Two bytes, little-endian."""
        if self._end - self._pos < 2:
            self._past_end(2, "an integer")
        value: cython.int = self._data[self._pos] | (self._data[self._pos + 1] << 8)
        self._pos = self._pos + 2
        return value

    def read_u32(self) -> cython.longlong:
        """Four bytes, little-endian, unsigned."""
        if self._end - self._pos < 4:
            self._past_end(4, "an integer")
        value: cython.longlong = 0
        i: cython.int
        for i in range(4):
            byte: cython.longlong = self._data[self._pos + i]
            value |= byte << (8 * i)
        self._pos = self._pos + 4
        return value

    def read_u64(self) -> cython.ulonglong:
        """Eight bytes, little-endian, unsigned."""
        if self._end - self._pos < 8:
            self._past_end(8, "an integer")
        value: cython.ulonglong = 0
        i: cython.int
        for i in range(8):
            byte: cython.ulonglong = self._data[self._pos + i]
            value |= byte << (8 * i)
        self._pos = self._pos + 8
        return value

    def read_i32(self) -> cython.longlong:
        """Four bytes, little-endian, two's complement."""
        value: cython.longlong = self.read_u32()
        if value >> 31:
            value -= cython.cast(cython.longlong, 1) << 32
        return value

    def read_f32(self) -> cython.double:
        """Four bytes, IEEE 754 single precision, little-endian."""
        bits: cython.longlong = self.read_u32()
        if cython.compiled:
            word: cython.uint = cython.cast(cython.uint, bits)
            single: cython.float = 0
            memcpy(cython.address(single), cython.address(word), 4)
            return single
        value: cython.double = struct.unpack("<f", struct.pack("<I", bits))[0]
        return value

    def read_bytes(self, count: cython.ulonglong) -> bytes:
        """`count` raw bytes, copied."""
        if count > self._end - self._pos:
            self._past_end(count, "a block")
        if cython.compiled:
            out: bytes = PyBytes_FromStringAndSize(
                cython.cast(cython.p_char, self._data + self._pos), cython.cast(cython.Py_ssize_t, count)
            )
        else:
            out = bytes(self._data[self._pos : self._pos + count])
        self._pos = self._pos + count
        return out

    def _find_zero(self) -> cython.longlong:
        """Return how many bytes there are before the next zero byte."""
        if cython.compiled:
            found: cython.p_const_uchar = cython.cast(
                cython.p_const_uchar, memchr(self._data + self._pos, 0, self._end - self._pos)
            )
            if found != cython.NULL:
                return found - (self._data + self._pos)
        else:
            step = 256
            for start in range(self._pos, self._end, step):
                place = bytes(self._data[start : start + step]).find(0)
                if place >= 0:
                    return start + place - self._pos
        raise TruncatedReplay("expected a zero byte at the end of a string", offset=self._pos)

    def read_cstring(self) -> bytes:
        """Bytes up to a zero byte, which is consumed and not returned."""
        length: cython.ulonglong = self._find_zero()
        out: bytes = self.read_bytes(length)
        self._pos = self._pos + 1
        return out

    def skip_cstring(self) -> cython.longlong:
        """Skip the bytes up to a zero byte and the zero byte; return how many there are before it."""
        length: cython.ulonglong = self._find_zero()
        self._pos = self._pos + length + 1
        return length

    def read_varuint32(self) -> cython.longlong:
        """LEB128 of at most 5 bytes; bits above 32 are dropped, as protobuf readers do."""
        value: cython.longlong = 0
        pos: cython.ulonglong = self._pos
        shift: cython.int = 0
        while True:
            if pos >= self._end:
                self._past_end(pos - self._pos + 1, "a varint")
            byte: cython.longlong = self._data[pos]
            pos += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift == 35:
                self._overlong("a varint of at most 5 bytes")
        self._pos = pos
        return value & ((cython.cast(cython.longlong, 1) << 32) - 1)

    def read_varuint64(self) -> cython.ulonglong:
        """LEB128 of at most 10 bytes; bits above 64 are dropped."""
        value: cython.ulonglong = 0
        pos: cython.ulonglong = self._pos
        shift: cython.int = 0
        while True:
            if pos >= self._end:
                self._past_end(pos - self._pos + 1, "a varint")
            byte: cython.ulonglong = self._data[pos]
            pos += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift == 70:
                self._overlong("a varint of at most 10 bytes")
        self._pos = pos
        if not cython.compiled:
            value &= 0xFFFFFFFFFFFFFFFF
        return value

    def read_packed_int(self) -> cython.longlong:
        """Teeworlds packed int: -2**31 … 2**31-1.

        As DDNet's own unpacker does, of a fifth byte only the low four bits count and its extend bit is
        ignored.
        """
        pos: cython.ulonglong = self._pos
        if pos >= self._end:
            self._past_end(1, "a packed int")
        byte: cython.longlong = self._data[pos]
        pos += 1
        sign: cython.longlong = byte & 0x40
        value: cython.longlong = byte & 0x3F
        shift: cython.int = 6
        while byte & 0x80 and shift < 34:
            if pos >= self._end:
                self._past_end(pos - self._pos + 1, "a packed int")
            byte = self._data[pos]
            pos += 1
            if shift == 27:
                value |= (byte & 0x0F) << shift
            else:
                value |= (byte & 0x7F) << shift
            shift += 7
        self._pos = pos
        if sign:
            return ~value
        return value

    def read_packed_record(
        self, values: cython.p_int, lengths: cython.p_int, known: cython.int
    ) -> cython.longlong:
        """A packed int that says what follows, returned, and the packed ints that follow, into `values`.

        ``lengths[0]`` is the number of ints after an int of 0 or more, ``lengths[n]`` after -n for n below
        `known`; no int follows one of -`known` or less. `values` and `lengths` are C arrays, lists when
        interpreted. For compiled callers; not visible from Python.
        """
        start: cython.ulonglong = self._pos
        if start < self._end and self._data[start] < 0x80:
            byte: cython.int = self._data[start]
            kind: cython.longlong = (byte & 0x3F) ^ -((byte >> 6) & 1)
            self._pos = start + 1
        else:
            kind = self.read_packed_int()
        count: cython.int = 0
        if kind >= 0:
            count = lengths[0]
        elif -kind < known:
            count = lengths[-kind]
        pos: cython.ulonglong = self._pos
        if count > 0 and self._end - pos < cython.cast(cython.ulonglong, 5 * count):
            self._read_last_packed_ints(values, count, start)
            return kind
        # No packed int is longer than five bytes: nothing below can read past the end.
        i: cython.int
        for i in range(count):
            byte = self._data[pos]
            pos += 1
            sign: cython.int = -((byte >> 6) & 1)  # -1 if the value is inverted
            value: cython.int = byte & 0x3F
            if byte >= 0x80:
                byte = self._data[pos]
                pos += 1
                value |= (byte & 0x7F) << 6
                if byte >= 0x80:
                    byte = self._data[pos]
                    pos += 1
                    value |= (byte & 0x7F) << 13
                    if byte >= 0x80:
                        byte = self._data[pos]
                        pos += 1
                        value |= (byte & 0x7F) << 20
                        if byte >= 0x80:
                            value |= (self._data[pos] & 0x0F) << 27
                            pos += 1
            values[i] = value ^ sign
        self._pos = pos
        return kind

    def _read_last_packed_ints(
        self, values: cython.p_int, count: cython.int, start: cython.ulonglong
    ) -> cython.int:
        """The packed ints of a record that begins at `start`, near the end of the data, where each byte has to be
        checked.
        """
        try:
            i: cython.int
            for i in range(count):
                values[i] = cython.cast(cython.int, self.read_packed_int())
        except TruncatedReplay:
            self._pos = start
            raise
        return 0

    def read_vint(self) -> cython.longlong:
        """StarCraft II vint of at most 10 bytes: -2**63+1 … 2**63-1."""
        raw: cython.ulonglong = self.read_varuint64()
        magnitude: cython.longlong = cython.cast(cython.longlong, raw >> 1)
        if raw & 1:
            return -magnitude
        return magnitude


if not cython.compiled:
    # The same as the inline functions in the .pxd.
    take_u8 = ByteReader.read_u8
    take_vint = ByteReader.read_vint
    take_varuint32 = ByteReader.read_varuint32
