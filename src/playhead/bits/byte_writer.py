"""Writes byte-aligned integers, strings and varints: the mirror image of `playhead.bits.ByteReader`."""

from __future__ import annotations

import struct


class ByteWriter:
    """Collects bytes; `to_bytes` gives them. Every varint is written in its shortest form."""

    _out: bytearray

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
        if b"\0" in data:
            raise ValueError("a zero-terminated string cannot contain a zero byte")
        self._out += data
        self._out.append(0)

    def write_varuint32(self, value: int) -> None:
        """LEB128 of an unsigned 32-bit value."""
        if value >> 32:
            raise ValueError(f"{value} does not fit 32 bits")
        self.write_varuint64(value)

    def write_varuint64(self, value: int) -> None:
        """LEB128 of an unsigned 64-bit value."""
        while value >= 0x80:
            self._out.append((value & 0x7F) | 0x80)
            value >>= 7
        self._out.append(value)

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
