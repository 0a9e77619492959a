"""Read the frames of a broadcast fragment, or copy valid ones into a demo.

`broadcast` describes both forms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playhead.bits.byte_reader import ByteReader
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError
from playhead.runtime import cython
from playhead.source2.container.snappy import decompress

if TYPE_CHECKING:
    from array import array


if not cython.compiled:
    # Equal to the enum in the .pxd.
    STOP, PACKET, SIGNON_PACKET, COMPRESSED, HIGHEST_COMMAND = 0, 7, 8, 0x40, 0x7F
    INNER_MESSAGES = 3 << 3 | 2


@cython.cfunc
@cython.exceptval(-1, check=False)
def _write_varint(out: bytearray, value: cython.ulonglong) -> cython.int:
    while value >= 0x80:
        out.append((value & 0x7F) | 0x80)
        value >>= 7
    out.append(value)
    return 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _varint_size(value: cython.ulonglong) -> cython.longlong:
    size: cython.longlong = 1
    while value >= 0x80:
        value >>= 7
        size += 1
    return size


@cython.cfunc
@cython.exceptval(-1, check=False)
def _reserve(out: bytearray, wanted: cython.Py_ssize_t) -> cython.int:
    """Double the capacity of `out` if `wanted` bytes may not fit; its default growth would move it every few
    pieces.
    """
    size: cython.Py_ssize_t = len(out)
    if out.__alloc__() < wanted and size:
        PyByteArray_Resize(out, 2 * size)
        PyByteArray_Resize(out, size)
    return 0


@cython.ccall
def read_frame(reader: ByteReader, most: cython.longlong) -> tuple[int, int, bytes]:
    """Read a frame: its command with the compression bit, its tick, and its stored payload (empty for a STOP).

    Args:
        reader: the fragment, at the first byte of the frame.
        most: bound on the bytes of the payload.

    Raises:
        TruncatedReplay: the fragment ends inside the frame.
        LimitExceeded: the payload is larger than `most`.
        CorruptReplay: the frame has an invalid head.
    """
    command: cython.longlong = reader.read_varuint32()
    tick: cython.longlong = reader.read_u32()
    zero: cython.longlong = reader.read_u8()
    if command > HIGHEST_COMMAND or zero:
        raise CorruptReplay(f"expected the head of a frame, found command {command}, then {zero}")
    if command == STOP:
        return command, tick, b""
    size: cython.longlong = reader.read_u32()
    if size > most:
        raise LimitExceeded(f"a frame of {size} bytes is over the limit of {most}", tick=tick)
    return command, tick, reader.read_bytes(size)


def copy_frames(
    data: bytes,
    most: int,
    frames: int,
    room: int,
    out: bytearray,
    first: int,
    offsets: array[int],
    inside: array[int],
) -> tuple[int, int]:
    """Append the frames of a ``delta`` to `out`, with every packet as a packet of the game.

    Copying stops before a STOP, before an unreadable frame, and if `offsets` or `out` is full.

    Args:
        data: the fragment.
        most: bound on the bytes of a frame, stored and decompressed.
        frames: bound on the size of `offsets`.
        room: bound on the size of `out`.
        out: the demo, or its latest piece; extended.
        first: offset of `out` in the demo.
        offsets: each frame's offset in the demo is appended.
        inside: each frame's offset in `data` is appended.

    Returns:
        The offset in `data` of the first uncopied byte, and the highest tick (0 if no frame was copied).
    """
    reader: ByteReader = ByteReader(data)
    bound: cython.longlong = most
    largest: cython.longlong = room
    highest: cython.longlong = 0
    offset: cython.longlong = 0
    command: cython.longlong
    tick: cython.longlong
    payload: bytes
    if cython.compiled:
        _reserve(out, len(out) + 2 * len(data))
    while reader.remaining():
        offset = reader.tell()
        if len(offsets) >= frames:
            return offset, highest
        try:
            frame: tuple = read_frame(reader, bound)
            command, tick, payload = frame
            if command & ~COMPRESSED == STOP:
                return offset, highest
            if command in (PACKET | COMPRESSED, SIGNON_PACKET | COMPRESSED):
                payload = decompress(payload, bound)
                command ^= COMPRESSED
            size: cython.longlong = len(payload)
        except ReplayError:  # reported when the frame is read again
            return offset, highest
        if len(out) + size > largest:
            return offset, highest
        offsets.append(first + len(out))
        inside.append(offset)
        if command in (PACKET, SIGNON_PACKET):
            out.append(PACKET)
            _write_varint(out, tick)
            _write_varint(out, 1 + _varint_size(size) + size)
            out.append(INNER_MESSAGES)
            _write_varint(out, size)
        else:
            _write_varint(out, command)
            _write_varint(out, tick)
            _write_varint(out, size)
        out += payload
        if tick > highest:
            highest = tick
    return reader.tell(), highest
