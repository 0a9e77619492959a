"""Raw Snappy blocks, decompressed into memory that is used again.

A packet of a Source 2 recording is a block of some hundred bytes, and a match has 70,000 of them: what a call into
a general library costs (objects for source and result) is more than the work. The format is that of Google's
``format_description.txt``: the size as a varint, then literals and copies of what was written before.
"""

from __future__ import annotations

from typing import Any

from playhead.bits.bit_reader import BitReader
from playhead.errors import CorruptReplay, LimitExceeded

try:
    import cython
except ModuleNotFoundError:
    from playhead.runtime import cython_shim as cython

# stub: def decompress(block: Buffer, most: int) -> bytes: ...
if not cython.compiled:
    # The same numbers as the enum in the .pxd.
    LITERAL, COPY_1, COPY_2, COPY_4 = range(4)
    ROOM = 64


@cython.final
@cython.cclass
class SnappyBlock:
    """Memory for one block after another.

    Args:
        most: bound on the bytes that a block may declare.

    Attributes:
        reader: at the beginning of the latest block.
        size: how many those are.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._capacity = -1
        self.size = 0
        self._grow(0)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _grow(self, size: cython.longlong) -> cython.int:
        # Another object each time: the reader of the old one may still be held by somebody.
        self._capacity = max(4096, size + size // 2)
        self._memory = bytearray(self._capacity + ROOM)
        self.reader = BitReader(self._memory)
        if cython.compiled:
            self._out = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(self._memory))
        else:
            self._out = self._memory
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def decompress_into(self, source: BitReader, first: cython.longlong, size: cython.longlong) -> cython.int:
        """Decompress the block of `size` bytes from byte `first` of what `source` holds (wherever that is).

        Raises:
            LimitExceeded: it declares more than it may.
            CorruptReplay: it is no Snappy block.
        """
        declared: cython.longlong = _declared(source, first, size, self._most)
        if declared > self._capacity:
            self._grow(declared)
        _unpack(source, first, size, self._out, declared, declared + ROOM)
        self.size = declared
        self.reader.window(0, 8 * declared)
        return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def _bad(expected: str, at: cython.longlong) -> cython.int:
    raise CorruptReplay(f"expected {expected} at byte {at} of a Snappy block")


@cython.cfunc
@cython.exceptval(-1, check=False)
def _declared(
    source: BitReader, first: cython.longlong, size: cython.longlong, most: cython.longlong
) -> cython.longlong:
    """The bytes that a block declares.

    Raises:
        LimitExceeded: more than it may.
        CorruptReplay: it is no Snappy block, or not where it is said to be.
    """
    if first < 0 or size < 0 or cython.cast(cython.ulonglong, first + size) > source._held_bits >> 3:
        _bad("bytes that are there", first)
    data: cython.p_const_uchar = source._data
    at: cython.longlong = first
    declared: cython.longlong = 0
    shift: cython.int = 0
    tag: cython.uint
    while True:
        if at >= first + size or shift > 28:
            _bad("the size", at - first)
        tag = data[at]
        at += 1
        declared |= cython.cast(cython.longlong, tag & 127) << shift
        shift += 7
        if tag < 128:
            break
    if declared > most:
        raise LimitExceeded(f"a Snappy block of {declared} bytes is over the limit of {most}")
    if declared > 22 * size:  # 64 bytes take at least 3
        raise CorruptReplay(f"expected a Snappy block, found one of {size} bytes that declares {declared}")
    return declared


@cython.cfunc
@cython.exceptval(-1, check=False)
def _unpack(
    source: BitReader,
    first: cython.longlong,
    size: cython.longlong,
    out: cython.p_uchar,
    declared: cython.longlong,
    room: cython.longlong,
) -> cython.int:
    """Decompress a block that `_declared` found to be there into `out`, which has room for `room` bytes.

    Raises:
        CorruptReplay: it is no Snappy block.
    """
    data: cython.p_const_uchar = source._data
    at: cython.longlong = first
    end: cython.longlong = first + size
    done: cython.longlong = 0
    length: cython.longlong
    offset: cython.longlong
    shift: cython.int
    tag: cython.uint
    while data[at] >= 128:
        at += 1
    at += 1
    while at < end:
        tag = data[at]
        at += 1
        if tag & 3 == LITERAL:
            length = tag >> 2
            if length >= 60:
                shift = cython.cast(cython.int, length - 59)
                if end - at < shift:
                    _bad("the size of a literal", at - first)
                length = 0
                while shift:
                    shift -= 1
                    length = length << 8 | data[at + shift]
                at += (tag >> 2) - 59
            length += 1
            if length > end - at or length > declared - done:
                _bad(f"a literal of less than {length} bytes", at - first)
            if cython.compiled:
                if length <= 16 and end - at >= 16 and room - done >= 16:
                    memcpy(out + done, data + at, 16)
                else:
                    memcpy(out + done, data + at, length)
            else:
                out[done : done + length] = data[at : at + length]
            at += length
            done += length
            continue
        if tag & 3 == COPY_1:
            if end - at < 1:
                _bad("an offset", at - first)
            length = 4 + ((tag >> 2) & 7)
            offset = (tag >> 5) << 8 | data[at]
            at += 1
        else:
            length = 1 + (tag >> 2)
            if end - at < (2 if tag & 3 == COPY_2 else 4):
                _bad("an offset", at - first)
            offset = data[at] | cython.cast(cython.longlong, data[at + 1]) << 8
            at += 2
            if tag & 3 == COPY_4:
                offset |= cython.cast(cython.longlong, data[at]) << 16
                offset |= cython.cast(cython.longlong, data[at + 1]) << 24
                at += 2
        if offset == 0 or offset > done:
            _bad(f"an offset of 1 to {done}, found {offset}", at - first)
        if length > declared - done:
            _bad(f"a copy of at most {declared - done} bytes, found {length}", at - first)
        _copy_back(out, done, offset, length, room - done >= ROOM)
        done += length
    if done != declared:
        _bad(f"{declared - done} more bytes", size)
    return 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _copy_back(
    out: cython.p_uchar,
    at: cython.longlong,
    offset: cython.longlong,
    length: cython.longlong,
    roomy: cython.bint,
) -> cython.void:
    """`length` (at most 64) bytes again that stand `offset` before; where that is less, they repeat. If `roomy`,
    there is room for 64, and more than `length` may be written.
    """
    i: cython.longlong
    if cython.compiled and offset >= 16 and roomy:
        for i in range(0, length, 16):
            memcpy(out + at + i, out + at + i - offset, 16)
    elif cython.compiled and offset >= 8 and roomy:
        for i in range(0, length, 8):
            memcpy(out + at + i, out + at + i - offset, 8)
    else:
        for i in range(at, at + length):
            out[i] = out[i - offset]


def decompress(block: Any, most: int) -> bytes:
    """Return the content of a raw Snappy block.

    Args:
        block: any contiguous bytes-like object.
        most: bound on the bytes that it may declare; checked before anything is allocated.

    Raises:
        LimitExceeded: it declares more.
        CorruptReplay: it is no Snappy block.
    """
    source: BitReader = BitReader(block)
    size: cython.longlong = cython.cast(cython.longlong, source.rem_bits() >> 3)
    declared: cython.longlong = _declared(source, 0, size, most)
    if not cython.compiled:
        memory = bytearray(declared)
        _unpack(source, 0, size, memory, declared, declared)
        return bytes(memory)
    # Into its own memory, all of which is written: not to be cleared before, nor copied behind.
    out: bytes = PyBytes_FromStringAndSize(cython.NULL, declared)
    _unpack(source, 0, size, cython.cast(cython.p_uchar, PyBytes_AS_STRING(out)), declared, declared)
    return out
