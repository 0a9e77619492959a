"""Compress Snappy blocks, searching for repeats as Google's compressor does."""

from __future__ import annotations

from array import array

from playhead.bits import ByteWriter
from playhead.runtime import cython

if cython.compiled:
    from cython.cimports.cpython.array import array

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
