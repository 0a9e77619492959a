"""Decompress raw Snappy blocks into reused memory, and compress them.

A packet of a Source 2 recording is a block of some hundred bytes, and a match has 70,000 of them: creating
objects for source and result, as a general library does, costs more than the decompression. Format: Google's
``format_description.txt``: the size as a varint, then literals and copies of earlier output.
"""

from __future__ import annotations

from array import array

from playhead.bits import ByteWriter
from playhead.bits.bit_reader import BitReader
from playhead.errors import CorruptReplay, LimitExceeded
from playhead.runtime import cython

if not cython.compiled:
    # Equal to the enum in the .pxd.
    LITERAL, COPY_1, COPY_2, COPY_4 = range(4)
    ROOM = 64


@cython.final
@cython.cclass
class SnappyBlock:
    """Reusable memory for one decompressed block at a time.

    Attributes:
        reader: a reader at the start of the latest block.
        size: bytes of the latest block.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._capacity = -1
        self.size = 0
        self._grow(0)

    def _grow(self, size: cython.longlong) -> cython.int:
        # Allocate new memory: the caller may still hold the reader of the old memory.
        self._capacity = max(4096, size + size // 2)
        self._memory = bytearray(self._capacity + ROOM)
        self.reader = BitReader(self._memory)
        if cython.compiled:
            self._out = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(self._memory))
        else:
            self._out = self._memory
        return 0

    def decompress_into(self, source: BitReader, first: cython.longlong, size: cython.longlong) -> cython.int:
        """Decompress the block of `size` bytes at byte `first` of the data of `source`, regardless of its
        position.
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
    """Return the size that a block declares."""
    if first < 0 or size < 0 or cython.cast(cython.ulonglong, first + size) > source._held_bits >> 3:
        _bad("a block inside the data", first)
    data: cython.p_const_uchar = source._data
    at: cython.longlong = first
    declared: cython.longlong = 0
    shift: cython.int = 0
    while True:
        if at >= first + size or shift > 28:
            _bad("the size", at - first)
        tag: cython.uint = data[at]
        at += 1
        declared |= cython.cast(cython.longlong, tag & 127) << shift
        shift += 7
        if tag < 128:
            break
    if declared > most:
        raise LimitExceeded(f"a Snappy block of {declared} bytes is over the limit of {most}")
    if declared > 22 * size:  # Snappy stores 64 bytes in three at best.
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
    """Decompress a block that `_declared` has checked into `out`, which has room for `room` bytes."""
    data: cython.p_const_uchar = source._data
    at: cython.longlong = first
    end: cython.longlong = first + size
    done: cython.longlong = 0
    while data[at] >= 128:
        at += 1
    at += 1
    while at < end:
        tag: cython.uint = data[at]
        at += 1
        if tag & 3 == LITERAL:
            length: cython.longlong = tag >> 2
            if length >= 60:
                shift: cython.int = cython.cast(cython.int, length - 59)
                if end - at < shift:
                    _bad("the size of a literal", at - first)
                length = 0
                while shift:
                    shift -= 1
                    length = length << 8 | data[at + shift]
                at += (tag >> 2) - 59
            length += 1
            if length > end - at or length > declared - done:
                _bad(f"a literal of fewer than {length} bytes", at - first)
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
            offset: cython.longlong = (tag >> 5) << 8 | data[at]
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
    out: cython.p_uchar, at: cython.longlong, offset: cython.longlong, length: cython.longlong, roomy: cython.bint
) -> cython.void:
    """Copy `length` (at most 64) bytes from `offset` bytes earlier; with a smaller offset they repeat.

    If `roomy`, `out` has room for 64 bytes and more than `length` of them may be overwritten.
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


def decompress(block: Buffer, most: int) -> bytes:
    """Return the content of a raw Snappy block."""
    source: BitReader = BitReader(block)
    size: cython.longlong = cython.cast(cython.longlong, source.rem_bits() >> 3)
    declared: cython.longlong = _declared(source, 0, size, most)
    if not cython.compiled:
        memory = bytearray(declared)
        _unpack(source, 0, size, memory, declared, declared)
        return bytes(memory)
    # Decompress into the result itself: no clearing beforehand and no copy afterwards.
    out: bytes = PyBytes_FromStringAndSize(cython.NULL, declared)
    _unpack(source, 0, size, cython.cast(cython.p_uchar, PyBytes_AS_STRING(out)), declared, declared)
    return out


#: Fewest equal bytes for a copy.
_LEAST_COPY = 4
#: Longest copy of one element, and farthest distance of its two-byte offset.
_MOST_COPY, _FARTHEST = 64, 0xFFFF
#: Longest copy of an element with an offset of eleven bits, and its farthest distance.
_SHORT_COPY, _NEAR = 11, 1 << 11
#: Literals up to this size store it in their tag; longer ones in up to four following bytes.
_SHORT_LITERAL = 60
#: After this many misses in a row, the search skips one more byte at a time to leave incompressible data sooner.
_PATIENCE = 32
#: Positions are stored under this many bits of the product of four bytes and this number.
_HASH_BITS, _HASH = 14, 0x1E35A7BD


def compress(data: bytes) -> bytes:
    """Return `data` as a raw Snappy block for `playhead.source2.container.snappy.decompress`."""
    head = ByteWriter()
    head.write_varuint32(len(data))
    out = bytearray(head.to_bytes())
    _compress(data, out, array("i", bytes(4 << _HASH_BITS)))
    return bytes(out)


@cython.cfunc
@cython.exceptval(-1, check=False)
def _compress(data: bytes, out: bytearray, table: array) -> cython.int:
    source: cython.p_const_uchar = data
    seen: cython.p_int = table.data.as_ints if cython.compiled else table
    size: cython.Py_ssize_t = len(data)
    position: cython.Py_ssize_t = 0
    written: cython.Py_ssize_t = 0
    misses: cython.Py_ssize_t = 0
    farthest: cython.Py_ssize_t = _FARTHEST
    patience: cython.Py_ssize_t = _PATIENCE
    factor: cython.ulonglong = _HASH
    shift: cython.int = 32 - _HASH_BITS
    last: cython.Py_ssize_t = size - _LEAST_COPY
    while position <= last:
        word: cython.ulonglong = source[position]
        word |= cython.cast(cython.ulonglong, source[position + 1]) << 8
        word |= cython.cast(cython.ulonglong, source[position + 2]) << 16
        word |= cython.cast(cython.ulonglong, source[position + 3]) << 24
        place: cython.int = cython.cast(cython.int, ((word * factor) & 0xFFFF_FFFF) >> shift)
        before: cython.Py_ssize_t = seen[place] - 1  # an unused place has 0
        seen[place] = cython.cast(cython.int, position + 1)
        if (
            before < 0
            or position - before > farthest
            or source[before] != source[position]
            or source[before + 1] != source[position + 1]
            or source[before + 2] != source[position + 2]
            or source[before + 3] != source[position + 3]
        ):
            misses += 1
            position += 1 + misses // patience
            continue
        misses = 0
        if written < position:
            _write_literal(out, data[written:position])
        end: cython.Py_ssize_t = position + _LEAST_COPY
        before += _LEAST_COPY
        while end < size and source[end] == source[before]:
            end += 1
            before += 1
        _write_copies(out, end - before, end - position)
        position = written = end
    if written < size:
        _write_literal(out, data[written:])
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def _write_literal(out: bytearray, data: bytes) -> cython.int:
    size: cython.Py_ssize_t = len(data) - 1
    count: cython.int = 1
    if size < _SHORT_LITERAL:
        out.append(size << 2)
    else:
        while size >> 8 * count:
            count += 1
        out.append((_SHORT_LITERAL - 1 + count) << 2)
        out += int(size).to_bytes(count, "little")
    out += data
    return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def _write_copies(out: bytearray, offset: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.int:
    """Write copies of `size` bytes in total, from `offset` bytes earlier."""
    while size:
        part: cython.Py_ssize_t = size if size < _MOST_COPY else _MOST_COPY
        if _LEAST_COPY <= part <= _SHORT_COPY and offset < _NEAR:
            out.append((offset >> 8) << 5 | (part - _LEAST_COPY) << 2 | 1)
            out.append(offset & 0xFF)
        else:
            out.append((part - 1) << 2 | 2)
            out.append(offset & 0xFF)
            out.append(offset >> 8)
        size -= part
    return 0
