"""Snappy blocks: compression as writers of demos need it, without the search for the shortest block."""

from __future__ import annotations

from playhead.bits import ByteWriter

#: Bytes that have to be the same for a copy.
_LEAST_COPY = 4
#: Longest copy of one element, and farthest that its offset of two bytes reaches.
_MOST_COPY, _FARTHEST = 64, 0xFFFF
#: Literals up to this size have it in their tag; longer ones in up to four bytes behind it.
_SHORT_LITERAL = 60
#: After that many misses in a row, one more byte is stepped over at a time: what does not repeat is soon behind.
_PATIENCE = 32
#: Bytes compared at a time where a copy is long.
_STRIDE = 256


def compress(data: bytes) -> bytes:
    """Return `data` as a raw Snappy block; `playhead.source2.container.snappy.decompress` reads it."""
    head = ByteWriter()
    head.write_varuint32(len(data))
    out = bytearray(head.to_bytes())
    seen: dict[bytes, int] = {}
    written = position = misses = 0
    while position <= len(data) - _LEAST_COPY:
        key = data[position : position + _LEAST_COPY]
        before = seen.get(key, -1)
        seen[key] = position
        if before < 0 or position - before > _FARTHEST:
            misses += 1
            position += 1 + misses // _PATIENCE
            continue
        misses = 0
        _write_literal(out, data[written:position])
        written = _end_of_match(data, before + _LEAST_COPY, position + _LEAST_COPY)
        _write_copies(out, position - before, written - position)
        position = written
    _write_literal(out, data[written:])
    return bytes(out)


def _end_of_match(data: bytes, source: int, position: int) -> int:
    """Return where the bytes from `position` on cease to be those from `source` on."""
    whole = len(data) - _STRIDE
    while position <= whole and data[position : position + _STRIDE] == data[source : source + _STRIDE]:
        source, position = source + _STRIDE, position + _STRIDE
    while position < len(data) and data[source] == data[position]:
        source, position = source + 1, position + 1
    return position


def _write_literal(out: bytearray, data: bytes) -> None:
    if not data:
        return
    size = len(data) - 1
    if size < _SHORT_LITERAL:
        out.append(size << 2)
    else:
        count = (size.bit_length() + 7) // 8
        out.append((_SHORT_LITERAL - 1 + count) << 2)
        out += size.to_bytes(count, "little")
    out += data


def _write_copies(out: bytearray, offset: int, size: int) -> None:
    """Write copies of `size` bytes in all, from `offset` bytes before."""
    place = offset.to_bytes(2, "little")
    while size:
        part = min(size, _MOST_COPY)
        out.append((part - 1) << 2 | 2)
        out += place
        size -= part
