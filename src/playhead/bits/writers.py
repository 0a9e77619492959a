"""Write bits, bytes and variable-length integers: the mirror image of the readers of this package."""

from __future__ import annotations

import struct


def varuint(value: int, bits: int) -> bytes:
    """Return the LEB128 of an unsigned number, in its shortest form.

    Raises:
        ValueError: it does not fit so many bits.
    """
    if value >> bits:
        raise ValueError(f"{value} does not fit {bits} bits")
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zero_terminated(data: bytes) -> bytes:
    """Return `data` and a zero byte.

    Raises:
        ValueError: `data` contains one.
    """
    if b"\0" in data:
        raise ValueError("a zero-terminated string cannot contain a zero byte")
    return data + b"\0"


class BitWriter:
    """Collects bits, least significant first; `to_bytes` gives them, the last byte filled up with zero bits.

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

    def write_bits(self, value: int, count: int) -> None:
        """`value` in `count` (at most 64) bits."""
        if count > 64:
            raise ValueError("a write takes at most 64 bits")
        if value >> count:
            raise ValueError(f"{value} does not fit {count} bits")
        self._write(value, count)

    def _write(self, value: int, count: int) -> None:
        self._acc |= value << self._used
        self._used += count
        whole = self._used >> 3
        if whole:
            self._out += (self._acc & ((1 << 8 * whole) - 1)).to_bytes(whole, "little")
            self._acc >>= 8 * whole
            self._used &= 7

    def write_boolean(self, value: bool) -> None:
        """One bit."""
        self._write(1 if value else 0, 1)

    def write_ubit_var(self, value: int) -> None:
        """ "ubitvar" in the shortest form; at most 32 bits."""
        for selector, extra in enumerate((0, 4, 8, 28)):
            if not value >> 4 + extra:
                self._write(value & 15 | selector << 4 | value >> 4 << 6, 6 + extra)
                return
        raise ValueError(f"{value} does not fit a ubitvar of 32 bits")

    def write_ubit_var_fp(self, value: int) -> None:
        """The field-path form of "ubitvar" in the shortest form; at most 31 bits."""
        for head, size, count in ((1, 1, 2), (2, 2, 4), (4, 3, 10), (8, 4, 17), (0, 4, 31)):
            if not value >> count:
                self._write(head | value << size, size + count)
                return
        raise ValueError(f"{value} does not fit a field-path ubitvar of 31 bits")

    def write_varuint32(self, value: int) -> None:
        """LEB128 of an unsigned 32-bit value."""
        self.write_bytes(varuint(value, 32))

    def write_varuint64(self, value: int) -> None:
        """LEB128 of an unsigned 64-bit value."""
        self.write_bytes(varuint(value, 64))

    def write_varint32(self, value: int) -> None:
        """Zigzag LEB128 of a signed 32-bit value."""
        self.write_bytes(varuint(value << 1 ^ value >> 31, 32))

    def write_varint64(self, value: int) -> None:
        """Zigzag LEB128 of a signed 64-bit value."""
        self.write_bytes(varuint(value << 1 ^ value >> 63, 64))

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

    def write_bits_from_bytes(self, data: bytes, count: int) -> None:
        """The first `count` bits of `data`."""
        if count > 8 * len(data):
            raise ValueError(f"{count} bits wanted from {len(data)} bytes")
        self._write(int.from_bytes(data, "little") & ((1 << count) - 1), count)

    def write_bytes(self, data: bytes) -> None:
        """Raw bytes, wherever in a byte the stream is."""
        if self._used == 0:
            self._out += data
        else:
            self.write_bits_from_bytes(data, len(data) * 8)

    def write_string(self, data: bytes) -> None:
        """Bytes and a zero byte; `data` must not contain one."""
        self.write_bytes(zero_terminated(data))


class ByteWriter:
    """Collects bytes; `to_bytes` gives them. Every varint is written in its shortest form."""

    def __init__(self) -> None:
        self._out = bytearray()

    def tell(self) -> int:
        """Bytes written so far."""
        return len(self._out)

    def to_bytes(self) -> bytes:
        """Everything written so far."""
        return bytes(self._out)

    def write_u8(self, value: int) -> None:
        """One byte."""
        if value > 0xFF:
            raise ValueError(f"{value} does not fit a byte")
        self._out.append(value)

    def write_u16(self, value: int) -> None:
        """Two bytes, little-endian."""
        self._out += value.to_bytes(2, "little")

    def write_u32(self, value: int) -> None:
        """Four bytes, little-endian, unsigned."""
        self._out += value.to_bytes(4, "little")

    def write_u64(self, value: int) -> None:
        """Eight bytes, little-endian, unsigned."""
        self._out += value.to_bytes(8, "little")

    def write_i32(self, value: int) -> None:
        """Four bytes, little-endian, two's complement."""
        self._out += value.to_bytes(4, "little", signed=True)

    def write_f32(self, value: float) -> None:
        """IEEE 754 single precision, little-endian; `value` is rounded to it."""
        self._out += struct.pack("<f", value)

    def write_bytes(self, data: bytes) -> None:
        """Raw bytes."""
        self._out += data

    def write_cstring(self, data: bytes) -> None:
        """Bytes and a zero byte; `data` must not contain one."""
        self._out += zero_terminated(data)

    def write_varuint32(self, value: int) -> None:
        """LEB128 of an unsigned 32-bit value."""
        self._out += varuint(value, 32)

    def write_varuint64(self, value: int) -> None:
        """LEB128 of an unsigned 64-bit value."""
        self._out += varuint(value, 64)

    def write_packed_int(self, value: int) -> None:
        """Teeworlds packed int of a signed 32-bit value."""
        if value >> 31 != 0 and value >> 31 != -1:
            raise ValueError(f"{value} does not fit 32 bits")
        head = 0
        if value < 0:
            head = 0x40
            value = ~value
        head |= value & 0x3F
        value >>= 6
        while value:
            self._out.append(head | 0x80)
            head = value & 0x7F
            value >>= 7
        self._out.append(head)

    def write_vint(self, value: int) -> None:
        """StarCraft II vint."""
        if value < -0x7FFFFFFFFFFFFFFF:
            raise ValueError(f"{value} does not fit a vint of 64 bits")
        self.write_varuint64(abs(value) << 1 | (value < 0))
