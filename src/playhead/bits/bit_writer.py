"""Writes bits least significant bit first: the mirror image of `playhead.bits.BitReader`."""

from __future__ import annotations

import struct

from playhead.runtime import cython


@cython.final
@cython.cclass
class BitWriter:
    """Collects bits; `to_bytes` gives them, the last byte filled up with zero bits.

    A value that does not fit its width is a ValueError: a writer never emits something else than it was given.
    """

    def __init__(self) -> None:
        self._out = bytearray()
        self._acc = 0
        self._used = 0

    def tell(self) -> int:
        """Bits written so far."""
        return len(self._out) * 8 + self._used

    def to_bytes(self) -> bytes:
        """Everything written so far."""
        if self._used:
            return bytes(self._out) + bytes((self._acc,))
        return bytes(self._out)

    def write_bits(self, value: cython.ulonglong, count: cython.uint) -> cython.int:
        """`value` in `count` (at most 64) bits."""
        if count > 64:
            raise ValueError("a write takes at most 64 bits")
        if count < 64 and value >> count:
            raise ValueError(f"{value} does not fit {count} bits")
        while count:
            step: cython.uint = 8 - self._used
            if step > count:
                step = count
            self._acc |= (value & ((1 << step) - 1)) << self._used
            self._used += step
            value >>= step
            count -= step
            if self._used == 8:
                self._out.append(self._acc)
                self._acc = 0
                self._used = 0
        return 0

    def write_boolean(self, value: cython.bint) -> cython.int:
        """One bit."""
        return self.write_bits(1 if value else 0, 1)

    def write_ubit_var(self, value: cython.ulonglong) -> cython.int:
        """ "ubitvar" in the shortest form; at most 32 bits."""
        if value < 16:
            return self.write_bits(value, 6)
        selector: cython.ulonglong = 3
        extra: cython.uint = 28
        if value < 256:
            selector = 1
            extra = 4
        elif value < 4096:
            selector = 2
            extra = 8
        elif value >> 32:
            raise ValueError(f"{value} does not fit a ubitvar of 32 bits")
        self.write_bits((value & 15) | (selector << 4), 6)
        return self.write_bits(value >> 4, extra)

    def write_ubit_var_fp(self, value: cython.ulonglong) -> cython.int:
        """The field-path form of "ubitvar" in the shortest form; at most 31 bits."""
        if value < 4:
            self.write_bits(1, 1)
            return self.write_bits(value, 2)
        if value < 16:
            self.write_bits(2, 2)
            return self.write_bits(value, 4)
        if value < 1024:
            self.write_bits(4, 3)
            return self.write_bits(value, 10)
        if value < 131072:
            self.write_bits(8, 4)
            return self.write_bits(value, 17)
        if value >> 31:
            raise ValueError(f"{value} does not fit a field-path ubitvar of 31 bits")
        self.write_bits(0, 4)
        return self.write_bits(value, 31)

    def write_varuint32(self, value: cython.ulonglong) -> cython.int:
        """LEB128 of an unsigned 32-bit value."""
        if value >> 32:
            raise ValueError(f"{value} does not fit 32 bits")
        return self.write_varuint64(value)

    def write_varuint64(self, value: cython.ulonglong) -> cython.int:
        """LEB128 of an unsigned 64-bit value."""
        while value >= 0x80:
            self.write_bits((value & 0x7F) | 0x80, 8)
            value >>= 7
        return self.write_bits(value, 8)

    def write_varint32(self, value: cython.longlong) -> cython.int:
        """Zigzag LEB128 of a signed 32-bit value."""
        if value >> 31 != 0 and value >> 31 != -1:
            raise ValueError(f"{value} does not fit 32 bits")
        return self.write_varint64(value)

    def write_varint64(self, value: cython.longlong) -> cython.int:
        """Zigzag LEB128 of a signed 64-bit value."""
        if value < 0:
            magnitude: cython.ulonglong = cython.cast(cython.ulonglong, -(value + 1))
            return self.write_varuint64((magnitude << 1) | 1)
        magnitude = cython.cast(cython.ulonglong, value)
        return self.write_varuint64(magnitude << 1)

    def write_float(self, value: float) -> None:
        """IEEE 754 single precision; `value` is rounded to it."""
        self.write_bits(struct.unpack("<I", struct.pack("<f", value))[0], 32)

    def write_coord(self, value: float) -> None:
        """World coordinate, rounded to 1/32; magnitudes up to 16384 + 31/32."""
        units = round(abs(value) * 32)
        whole, fraction = units >> 5, units & 31
        if whole > 16384:
            raise ValueError(f"{value} does not fit a coordinate of 14 + 5 bits")
        self.write_boolean(whole != 0)
        self.write_boolean(fraction != 0)
        if units:
            self.write_boolean(value < 0)
            if whole:
                self.write_bits(whole - 1, 14)
            if fraction:
                self.write_bits(fraction, 5)

    def write_angle(self, degrees: float, count: int) -> None:
        """Angle in `count` bits, rounded to the nearest step and wrapped to one turn."""
        steps = 1 << count
        self.write_bits(round(degrees * steps / 360.0) % steps, count)

    def write_normal(self, value: float) -> None:
        """Component of a unit vector, rounded to 1/2047."""
        if not -1.0 <= value <= 1.0:
            raise ValueError(f"{value} is no component of a unit vector")
        self.write_bits((round(abs(value) * 2047) << 1) | (value < 0), 12)

    def write_3bit_normal(self, x: float, y: float, negative_z: bool) -> None:
        """Packed unit vector; z follows from length 1 but for its sign."""
        self.write_boolean(x != 0.0)
        self.write_boolean(y != 0.0)
        if x != 0.0:
            self.write_normal(x)
        if y != 0.0:
            self.write_normal(y)
        self.write_boolean(negative_z)

    def write_bits_from_bytes(self, data: bytes, count: cython.ulonglong) -> cython.int:
        """The first `count` bits of `data`."""
        if count > cython.cast(cython.ulonglong, len(data)) * 8:
            raise ValueError(f"{count} bits wanted from {len(data)} bytes")
        i: cython.Py_ssize_t
        for i in range(count >> 3):
            self.write_bits(data[i], 8)
        tail: cython.uint = count & 7
        if tail:
            self.write_bits(data[count >> 3] & ((1 << tail) - 1), tail)
        return 0

    def write_bytes(self, data: bytes) -> None:
        """Raw bytes, wherever in a byte the stream is."""
        if self._used == 0:
            self._out += data
        else:
            self.write_bits_from_bytes(data, len(data) * 8)

    def write_string(self, data: bytes) -> None:
        """Bytes and a zero byte; `data` must not contain one."""
        if b"\0" in data:
            raise ValueError("a zero-terminated string cannot contain a zero byte")
        self.write_bytes(data)
        self.write_bits(0, 8)
