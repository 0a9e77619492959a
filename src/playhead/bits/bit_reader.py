"""A bounds-checked cursor over bits, least significant bit first, with the Source 2 engine's primitives.

Bit 0 of the stream is the lowest bit of the first byte, and the first bit read is the lowest of the value.
The primitives and their names are those of the public Source 2 documents (`read_ubit_var`, `read_coord` …);
the numbers were verified on Dota 2, CS2 and Deadlock recordings.

The module is long because every primitive reads the C fields of the one cursor; callers inline most of them.
"""

from __future__ import annotations

import struct
from math import sqrt

from playhead.errors import CorruptReplay, TruncatedReplay
from playhead.runtime import cython
from playhead.runtime.typing import Any

if not cython.compiled:
    # The same as the inline functions in the .pxd.
    PEEK_BITS = 56

    def peek_word(reader: Any) -> int:
        """As `peek_bits(PEEK_BITS)`."""
        word: int = reader.peek_bits(PEEK_BITS)
        return word

    def pass_bits(reader: Any, count: int) -> bool:
        """As `try_skip`."""
        passed: bool = reader.try_skip(count)
        return passed

    def bits_left(reader: Any) -> int:
        """As `rem_bits`."""
        left: int = reader.rem_bits()
        return left

    def next_bits(reader: Any, count: int) -> int:
        """As `read_bits`, of at most `PEEK_BITS`."""
        bits: int = reader.read_bits(count)
        return bits

    def varint_size(word: int) -> int:
        """Return the bits of the varint at the start of `word`; 0 for one of more than four bytes."""
        return next((8 * size for size in (1, 2, 3, 4) if not word >> (8 * size - 1) & 1), 0)

    def varint_of(word: int, size: int) -> int:
        """Return the varint of `size` bits (at most 32) at the start of `word`."""
        return sum((word >> at & 127) << at // 8 * 7 for at in range(0, size, 8))

    def ubit_var_size(word: int) -> int:
        """Return the bits of the "ubitvar" at the start of `word`."""
        return (6, 10, 14, 34)[word >> 4 & 3]

    def ubit_var_of(word: int) -> int:
        """Return the "ubitvar" at the start of `word`."""
        return word & 15 | (word >> 6 & (1 << ubit_var_size(word) - 6) - 1) << 4

    def next_ubit_var(reader: Any) -> int:
        """As `read_ubit_var`."""
        number: int = reader.read_ubit_var()
        return number

    def next_varuint32(reader: Any) -> int:
        """As `read_varuint32`."""
        number: int = reader.read_varuint32()
        return number

    def next_varuint64(reader: Any) -> int:
        """As `read_varuint64`."""
        number: int = reader.read_varuint64()
        return number


@cython.final
@cython.no_gc_clear  # clearing would drop the held buffer without releasing it; __dealloc__ releases it
@cython.cclass
class BitReader:
    """Reads `data` (any contiguous bytes-like object, kept alive and never copied) bit by bit.

    Every read either succeeds whole or raises `TruncatedReplay` with the byte offset and leaves the position
    where it was. `bit_count` cuts the stream short of the last byte's end.
    """

    def __init__(self, data: Buffer, bit_count: int = -1) -> None:
        self._hold(data)
        self._pos = self._first = 0
        if bit_count >= 0:
            if bit_count > self._end:
                raise TruncatedReplay(f"expected {bit_count} bits, but there are {self._end}", offset=0)
            self._end = bit_count
        self._whole_words = cython.cast(cython.longlong, self._end) - 64

    def window(self, first: cython.ulonglong, count: cython.ulonglong) -> cython.int:
        """Move to bit `first` of the data and end at bit `first + count`.

        `tell` still counts from the beginning of the data; errors count from `first`.
        """
        if first > self._held_bits or count > self._held_bits - first:
            raise TruncatedReplay(
                f"expected {count} bits from bit {first} on, but there are {self._held_bits}", offset=first >> 3
            )
        self._pos = self._first = first
        self._end = first + count
        self._whole_words = cython.cast(cython.longlong, self._end) - 64
        return 0

    def _hold(self, data: object) -> object:
        if cython.compiled:
            if self._held:
                PyBuffer_Release(cython.address(self._buffer))
                self._held = False
                # The next line may raise: drop the released buffer first.
                self._data = cython.NULL
                self._pos = self._first = self._end = self._held_bits = 0
                self._whole_words = -1
            size: cython.Py_ssize_t = 0
            hold_buffer(data, cython.address(self._buffer), cython.address(self._data), cython.address(size))
            self._held = True
            self._held_bits = cython.cast(cython.ulonglong, size) * 8
        else:
            self._data = memoryview(data).cast("B")
            self._held_bits = len(self._data) * 8
        self._end = self._held_bits
        return None

    if cython.compiled:

        def __cinit__(self, *_args: Any, **_kwargs: Any) -> None:
            self._whole_words = -1  # a reader whose __init__ never ran has nothing to read

        def __dealloc__(self) -> None:
            if self._held:
                PyBuffer_Release(cython.address(self._buffer))

    @cython.cfunc
    @cython.with_gil
    @cython.exceptval(-1, check=False)
    def _past_end(self, wanted: cython.ulonglong) -> cython.int:
        at: cython.ulonglong = self._pos - self._first
        raise TruncatedReplay(
            f"expected {wanted} more bits at bit {at}, but only {self._end - self._pos} are left", offset=at >> 3
        )

    @cython.cfunc
    @cython.with_gil
    @cython.exceptval(-1, check=False)
    def _bad(self, wanted: cython.int) -> cython.int:
        if wanted < 0:
            raise ValueError("a read takes at most 64 bits")
        at: cython.ulonglong = self._pos - self._first
        raise CorruptReplay(f"expected a varint of at most {wanted} bytes at bit {at}", offset=at >> 3)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _word(self) -> cython.ulonglong:
        """At least the next 57 bits; only where the data has 64, as it has up to position `_whole_words`."""
        if not cython.compiled:
            first = self._pos >> 3
            return int.from_bytes(self._data[first : first + 8], "little") >> (self._pos & 7)
        data: cython.p_const_uchar = self._data + (self._pos >> 3)
        # Unrolled: the compiler recognizes one unaligned load, which it does not in a loop.
        word: cython.ulonglong = (
            cython.cast(cython.ulonglong, data[0])
            | cython.cast(cython.ulonglong, data[1]) << 8
            | cython.cast(cython.ulonglong, data[2]) << 16
            | cython.cast(cython.ulonglong, data[3]) << 24
            | cython.cast(cython.ulonglong, data[4]) << 32
            | cython.cast(cython.ulonglong, data[5]) << 40
            | cython.cast(cython.ulonglong, data[6]) << 48
            | cython.cast(cython.ulonglong, data[7]) << 56
        )
        return word >> (self._pos & 7)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _gather(self, count: cython.uint) -> cython.ulonglong:
        """The next `count` (at most 64) bits, near the end of the stream or wider than a word gives."""
        value: cython.ulonglong = 0
        got: cython.uint = 0
        position: cython.ulonglong = self._pos
        if count <= 56 and position + 64 <= self._held_bits:
            # The end of a window within longer data.
            return self._word() & ((cython.cast(cython.ulonglong, 1) << count) - 1)
        while got < count:
            byte: cython.ulonglong = self._data[position >> 3]
            shift: cython.uint = position & 7
            step: cython.uint = 8 - shift
            if step > count - got:
                step = count - got
            value |= ((byte >> shift) & ((cython.cast(cython.ulonglong, 1) << step) - 1)) << got
            got += step
            position += step
        return value

    @cython.ccall
    @cython.nogil
    @cython.exceptval(check=False)
    def tell(self) -> cython.ulonglong:
        """Current position in bits."""
        return self._pos

    @cython.ccall
    @cython.nogil
    @cython.exceptval(check=False)
    def rem_bits(self) -> cython.ulonglong:
        """Bits between the current position and the end."""
        return self._end - self._pos

    @cython.ccall
    @cython.nogil
    @cython.exceptval(check=False)
    def peek_bits(self, count: cython.uint) -> cython.ulonglong:
        """The next `count` (at most 56) bits without moving; bits past the end read as zero."""
        if count > 56:
            count = 56
        if cython.cast(cython.longlong, self._pos) <= self._whole_words:
            return self._word() & ((cython.cast(cython.ulonglong, 1) << count) - 1)
        if count > self._end - self._pos:
            count = cython.cast(cython.uint, self._end - self._pos)
        return self._gather(count)

    @cython.ccall
    @cython.nogil
    @cython.exceptval(0xFFFFFFFFFFFFFFFE, check=True)
    def read_bits(self, count: cython.uint) -> cython.ulonglong:
        """`count` (at most 64) bits as an unsigned integer."""
        if count <= 56 and cython.cast(cython.longlong, self._pos) <= self._whole_words:
            value: cython.ulonglong = self._word() & ((cython.cast(cython.ulonglong, 1) << count) - 1)
            self._pos = self._pos + count
            return value
        if count > self._end - self._pos:
            self._past_end(count)
        if count > 64:
            self._bad(-1)
        value = self._gather(count)
        self._pos = self._pos + count
        return value

    @cython.ccall
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def skip_bits(self, count: cython.ulonglong) -> cython.int:
        """Move forwards by `count` bits."""
        if count > self._end - self._pos:
            self._past_end(count)
        self._pos = self._pos + count
        return 0

    @cython.ccall
    @cython.nogil
    @cython.exceptval(check=False)
    def try_skip(self, count: cython.ulonglong) -> cython.bint:
        """As `skip_bits`; False, and nothing moved, if there are fewer bits."""
        if count > self._end - self._pos:
            return False
        self._pos = self._pos + count
        return True

    @cython.ccall
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_boolean(self) -> cython.bint:
        """One bit."""
        if self._pos >= self._end:
            self._past_end(1)
        byte: cython.uint = self._data[self._pos >> 3]
        bit: cython.bint = ((byte >> (self._pos & 7)) & 1) != 0
        self._pos = self._pos + 1
        return bit

    @cython.ccall
    @cython.nogil
    @cython.exceptval(0xFFFFFFFFFFFFFFFE, check=True)
    def read_ubit_var(self) -> cython.ulonglong:
        """ "ubitvar": 6 bits; the upper two select 0, 4, 8 or 28 more bits above the lower four."""
        start: cython.ulonglong = self._pos
        head: cython.ulonglong = self.read_bits(6)
        selector: cython.ulonglong = head >> 4
        extra: cython.uint = 0
        if selector == 0:
            return head
        if selector == 1:
            extra = 4
        elif selector == 2:
            extra = 8
        else:
            extra = 28
        if extra > self._end - self._pos:
            self._pos = start
            self._past_end(6 + extra)
        return (head & 15) | (self.read_bits(extra) << 4)

    @cython.ccall
    @cython.nogil
    @cython.exceptval(0xFFFFFFFFFFFFFFFE, check=True)
    def read_ubit_var_fp(self) -> cython.ulonglong:
        """The field-path form: up to four one-bit tests select 2, 4, 10 or 17 bits, otherwise 31."""
        start: cython.ulonglong = self._pos
        head: cython.ulonglong = self.peek_bits(4)
        tests: cython.uint = 4
        count: cython.uint = 31
        if head & 1:
            tests = 1
            count = 2
        elif head & 2:
            tests = 2
            count = 4
        elif head & 4:
            tests = 3
            count = 10
        elif head & 8:
            count = 17
        if tests + count > self._end - start:
            self._past_end(tests + count)
        self._pos = start + tests
        return self.read_bits(count)

    @cython.ccall
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_varuint32(self) -> cython.longlong:
        """LEB128 of at most 5 bytes; bits above 32 are dropped, as the engine does."""
        start: cython.ulonglong = self._pos
        value: cython.ulonglong = 0
        shift: cython.uint = 0
        if cython.cast(cython.longlong, start) <= self._whole_words:
            word: cython.ulonglong = self._word()
            while True:
                byte: cython.ulonglong = word & 0xFF
                value |= (byte & 0x7F) << shift
                if byte < 0x80:
                    self._pos = start + (shift // 7 + 1) * 8
                    return cython.cast(cython.longlong, value & ((cython.cast(cython.ulonglong, 1) << 32) - 1))
                word >>= 8
                shift += 7
                if shift == 35:
                    self._bad(5)
        while True:
            if self._end - self._pos < 8:
                self._pos = start
                self._past_end(shift // 7 * 8 + 8)
            byte = self.read_bits(8)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift == 35:
                self._pos = start
                self._bad(5)
        return cython.cast(cython.longlong, value & ((cython.cast(cython.ulonglong, 1) << 32) - 1))

    @cython.ccall
    @cython.nogil
    @cython.exceptval(0xFFFFFFFFFFFFFFFE, check=True)
    def read_varuint64(self) -> cython.ulonglong:
        """LEB128 of at most 10 bytes; bits above 64 are dropped."""
        start: cython.ulonglong = self._pos
        value: cython.ulonglong = 0
        shift: cython.uint = 0
        if cython.cast(cython.longlong, start) <= self._whole_words:
            # One load has all of a number of up to seven bytes; nearly every one is.
            word: cython.ulonglong = self._word()
            while shift < 49:
                value |= (word & 0x7F) << shift
                shift += 7
                if word & 0x80 == 0:
                    self._pos = start + (shift // 7) * 8
                    return value
                word >>= 8
            value = 0
            shift = 0
        while True:
            if self._end - self._pos < 8:
                self._pos = start
                self._past_end(shift // 7 * 8 + 8)
            byte: cython.ulonglong = self.read_bits(8)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift == 70:
                self._pos = start
                self._bad(10)
        if not cython.compiled:
            value &= 0xFFFFFFFFFFFFFFFF
        return value

    @cython.ccall
    @cython.nogil
    @cython.exceptval(-0x7EADBEEF01, check=True)
    def read_varint32(self) -> cython.longlong:
        """Zigzag LEB128, 32 bits."""
        raw: cython.longlong = self.read_varuint32()
        return (raw >> 1) ^ -(raw & 1)

    @cython.ccall
    @cython.nogil
    @cython.exceptval(-0x7EADBEEF01EADBEE, check=True)
    def read_varint64(self) -> cython.longlong:
        """Zigzag LEB128, 64 bits."""
        raw: cython.ulonglong = self.read_varuint64()
        half: cython.longlong = cython.cast(cython.longlong, raw >> 1)
        if raw & 1:
            return -half - 1
        return half

    @cython.ccall
    @cython.nogil
    @cython.exceptval(-7.0e300, check=True)
    def read_float(self) -> cython.double:
        """32 bits, IEEE 754 single precision."""
        raw: cython.ulonglong = self.read_bits(32)
        if cython.compiled:
            word: cython.uint = cython.cast(cython.uint, raw)
            single: cython.float = 0
            memcpy(cython.address(single), cython.address(word), 4)
            return single
        value: cython.double = struct.unpack("<f", struct.pack("<I", raw))[0]
        return value

    @cython.ccall
    @cython.nogil
    @cython.exceptval(-7.0e300, check=True)
    def read_coord(self) -> cython.double:
        """World coordinate in game units: flags integer and fraction, sign, 14 bits + 1, 5 bits of 1/32."""
        start: cython.ulonglong = self._pos
        flags: cython.ulonglong = self.read_bits(2)
        if flags == 0:
            return 0.0
        wanted: cython.uint = 1
        if flags & 1:
            wanted += 14
        if flags & 2:
            wanted += 5
        if wanted > self._end - self._pos:
            self._pos = start
            self._past_end(2 + wanted)
        negative: cython.bint = self.read_bits(1) != 0
        value: cython.double = 0.0
        if flags & 1:
            value = cython.cast(cython.double, self.read_bits(14)) + 1.0
        if flags & 2:
            value += cython.cast(cython.double, self.read_bits(5)) * 0.03125
        if negative:
            return -value
        return value

    @cython.ccall
    @cython.nogil
    @cython.exceptval(-7.0e300, check=True)
    def read_angle(self, count: cython.uint) -> cython.double:
        """Angle of `count` (at most 32) bits in degrees, 0 up to 360."""
        # Of signed numbers, which the processor converts at once.
        raw: cython.double = cython.cast(cython.double, cython.cast(cython.longlong, self.read_bits(count)))
        steps: cython.double = cython.cast(cython.double, cython.cast(cython.longlong, 1) << count)
        return raw * 360.0 / steps

    @cython.ccall
    @cython.nogil
    @cython.exceptval(-7.0e300, check=True)
    def read_normal(self) -> cython.double:
        """Component of a unit vector: sign, then 11 bits of 1/2047."""
        raw: cython.ulonglong = self.read_bits(12)
        value: cython.double = cython.cast(cython.double, raw >> 1) / 2047.0
        if raw & 1:
            return -value
        return value

    def read_3bit_normal(self) -> tuple[float, float, float]:
        """Packed unit vector: flags for x and y, each flagged component, sign of z; z follows from length 1."""
        start = self._pos
        try:
            has_x = self.read_boolean()
            has_y = self.read_boolean()
            x = self.read_normal() if has_x else 0.0
            y = self.read_normal() if has_y else 0.0
            negative_z = self.read_boolean()
        except TruncatedReplay:
            self._pos = start
            raise
        squares = x * x + y * y
        z = sqrt(1.0 - squares) if squares < 1.0 else 0.0
        return x, y, (-z if negative_z else z)

    def read_bits_as_bytes(self, count: cython.ulonglong) -> bytes:
        """`count` bits as bytes, the last one filled up with zero bits."""
        if count > self._end - self._pos:
            self._past_end(count)
        whole: cython.ulonglong = count >> 3
        tail: cython.uint = count & 7
        first: cython.ulonglong = self._pos >> 3
        if self._pos & 7 == 0 and tail == 0:
            if cython.compiled:
                out: bytes = (cython.cast(cython.p_char, self._data + first))[:whole]
            else:
                out = bytes(self._data[first : first + whole])
            self._pos = self._pos + count
            return out
        if not cython.compiled:
            parts = bytearray()
            while len(parts) < whole:
                parts.append(self.read_bits(8))
            if tail:
                parts.append(self.read_bits(tail))
            return bytes(parts)
        done: cython.ulonglong = 0
        copied: bytes = PyBytes_FromStringAndSize(cython.NULL, whole + (1 if tail else 0))
        target: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(copied))
        word: cython.ulonglong
        if (
            tail == 0 and whole >= 8
        ):  # most messages: not at a byte, so there is a byte more than those of the copy
            shift: cython.uint = self._pos & 7
            data: cython.p_const_uchar = self._data + first
            while True:
                word = (
                    cython.cast(cython.ulonglong, data[done])
                    | cython.cast(cython.ulonglong, data[done + 1]) << 8
                    | cython.cast(cython.ulonglong, data[done + 2]) << 16
                    | cython.cast(cython.ulonglong, data[done + 3]) << 24
                    | cython.cast(cython.ulonglong, data[done + 4]) << 32
                    | cython.cast(cython.ulonglong, data[done + 5]) << 40
                    | cython.cast(cython.ulonglong, data[done + 6]) << 48
                    | cython.cast(cython.ulonglong, data[done + 7]) << 56
                )
                word = word >> shift | cython.cast(cython.ulonglong, data[done + 8]) << (64 - shift)
                target[done] = cython.cast(cython.uchar, word)
                target[done + 1] = cython.cast(cython.uchar, word >> 8)
                target[done + 2] = cython.cast(cython.uchar, word >> 16)
                target[done + 3] = cython.cast(cython.uchar, word >> 24)
                target[done + 4] = cython.cast(cython.uchar, word >> 32)
                target[done + 5] = cython.cast(cython.uchar, word >> 40)
                target[done + 6] = cython.cast(cython.uchar, word >> 48)
                target[done + 7] = cython.cast(cython.uchar, word >> 56)
                if done + 8 == whole:
                    break
                done = min(done + 8, whole - 8)  # the last word may repeat bytes of the one before
            self._pos = self._pos + count
            return copied
        while whole - done >= 7 and cython.cast(cython.longlong, self._pos) <= self._whole_words:
            word = self._word()
            target[done] = cython.cast(cython.uchar, word)
            target[done + 1] = cython.cast(cython.uchar, word >> 8)
            target[done + 2] = cython.cast(cython.uchar, word >> 16)
            target[done + 3] = cython.cast(cython.uchar, word >> 24)
            target[done + 4] = cython.cast(cython.uchar, word >> 32)
            target[done + 5] = cython.cast(cython.uchar, word >> 40)
            target[done + 6] = cython.cast(cython.uchar, word >> 48)
            self._pos = self._pos + 56
            done += 7
        while done < whole:
            target[done] = cython.cast(cython.uchar, self.read_bits(8))
            done += 1
        if tail:
            target[done] = cython.cast(cython.uchar, self.read_bits(tail))
        return copied

    def read_bytes(self, count: cython.ulonglong) -> bytes:
        """`count` bytes, which need not be byte-aligned in the stream."""
        if count > (self._end - self._pos) >> 3:
            self._past_end(count * 8)
        return self.read_bits_as_bytes(count * 8)

    def read_string(self) -> bytes:
        """Bytes up to a zero byte, which is consumed and not returned. Limited by the remaining bits."""
        return self.read_string_after(b"")

    def read_string_after(self, begin: bytes) -> bytes:
        """As `read_string`, appended to `begin`."""
        start: cython.ulonglong = self._pos
        byte: cython.ulonglong
        size: cython.Py_ssize_t = len(begin)
        if cython.compiled:
            text: cython.uchar[SHORT_TEXT]
            i: cython.int
            if size <= SHORT_TEXT - 7:
                memcpy(text, PyBytes_AS_STRING(begin), size)
                while size <= SHORT_TEXT - 7 and cython.cast(cython.longlong, self._pos) <= self._whole_words:
                    word: cython.ulonglong = self._word()
                    for i in range(7):
                        byte = word >> 8 * i & 255
                        if byte == 0:
                            self._pos = self._pos + 8 * (i + 1)
                            return PyBytes_FromStringAndSize(cython.cast(cython.p_char, text), size)
                        text[size] = cython.cast(cython.uchar, byte)
                        size += 1
                    self._pos = self._pos + 56
                self._pos = start
        parts = bytearray(begin)
        while True:
            if self._end - self._pos < 8:
                self._pos = start
                raise TruncatedReplay(
                    "expected a zero byte at the end of a string", offset=(start - self._first) >> 3
                )
            byte = self.read_bits(8)
            if byte == 0:
                return bytes(parts)
            parts.append(byte)
