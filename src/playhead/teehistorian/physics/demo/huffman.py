"""The fixed Huffman code of the network, and whole numbers of one to five bytes.

Format: DDNet's ``engine/shared/huffman.cpp`` and ``compression.cpp``.
"""

from __future__ import annotations

from functools import cache

from playhead.errors import CorruptReplay, LimitExceeded
from playhead.runtime import cython

_END = 256
_FREQUENCIES = (
    1 << 30,
    *map(
        int,
        """
        4545 2657 431 1950 919 444 482 2244 617 838 542 715 1814 304 240 754 212 647 186 283 131 146 166 543
        164 167 136 179 859 363 113 157 154 204 108 137 180 202 176 872 404 168 134 151 111 113 109 120 126
        129 100 41 20 16 22 18 18 17 19 16 37 13 21 362 166 99 78 95 88 81 70 83 284 91 187 77 68 52 68 59
        66 61 638 71 157 50 46 69 43 11 24 13 19 10 12 12 20 14 9 20 20 10 10 15 15 12 12 7 19 15 14 13 18
        35 19 17 14 8 5 15 17 9 15 14 18 8 10 2173 134 157 68 188 60 170 60 194 62 175 71 148 67 167 78 211
        67 156 69 1674 90 174 53 147 89 181 51 174 63 163 80 167 94 128 122 223 153 218 77 200 110 190 73
        174 69 145 66 277 143 141 60 136 53 180 57 142 57 158 61 166 112 152 92 26 22 21 28 20 26 30 21 32
        27 20 17 23 21 30 22 22 21 27 25 17 27 23 18 39 26 15 21 12 18 18 27 20 18 15 19 11 17 33 12 18 15
        19 18 16 26 17 18 9 10 25 22 22 17 20 16 6 16 15 20 14 18 24 335 1517
        """.split(),
    ),
)


@cache
def codes() -> tuple[tuple[int, int], ...]:
    """Return (bits, number of bits) of each byte and of the end; the lowest bit comes first."""
    weights = [*_FREQUENCIES[:_END], 1]
    nodes: list[tuple[int, int] | int] = list(range(_END + 1))
    left = sorted(range(_END + 1), key=lambda node: -weights[node])
    while len(left) > 1:
        one, other = left.pop(), left.pop()
        weights.append(weights[one] + weights[other])
        nodes.append((one, other))
        left.append(len(nodes) - 1)
        left.sort(key=lambda node: -weights[node])
    found = [(0, 0)] * (_END + 1)
    waiting = [(left[0], 0, 0)]
    while waiting:
        node, bits, depth = waiting.pop()
        below = nodes[node]
        if isinstance(below, int):
            found[below] = (bits, depth)
        else:
            waiting += [(below[0], bits, depth + 1), (below[1], bits | 1 << depth, depth + 1)]
    return tuple(found)


def compress(data: bytes) -> bytes:
    """Return the coded bytes, with the end."""
    table = codes()
    value = place = 0
    done = bytearray()
    for byte in data:
        bits, count = table[byte]
        value |= bits << place
        place += count
        if place > 255:
            done += (value & (1 << 248) - 1).to_bytes(31, "little")
            value >>= 248
            place -= 248
    bits, count = table[_END]
    value |= bits << place
    return bytes(done) + value.to_bytes((place + count) // 8 + 1, "little")


def _branches() -> tuple[bytes, bytes]:
    """Return the result of a bit after an unfinished code, and whether that is another unfinished code (0), a byte
    (1) or the end (2), at twice the number of the code and the bit. The empty code has number 0."""
    numbered = {1: 0}
    follows, kinds = bytearray(2 * _END), bytearray(2 * _END)
    for symbol, (bits, count) in enumerate(codes()):
        for length in range(count):
            number = numbered.setdefault(bits & (1 << length) - 1 | 1 << length, len(numbered))
            place = 2 * number + (bits >> length & 1)
            if length < count - 1:
                longer = bits & (1 << length + 1) - 1 | 1 << length + 1
                follows[place] = numbered.setdefault(longer, len(numbered))
            elif symbol == _END:
                kinds[place] = 2
            else:
                follows[place], kinds[place] = symbol, 1
    return bytes(follows), bytes(kinds)


_FOLLOWS, _KINDS = _branches()


def pack(value: int) -> bytes:
    """Return a number in one to five bytes, as in teehistorian files."""
    sign, value = (0x40, ~value) if value < 0 else (0, value)
    first, value = sign | value & 0x3F, value >> 6
    found = bytearray()
    while value:
        found.append(first | 0x80)
        first, value = value & 0x7F, value >> 7
    return bytes(found) + bytes([first])


_SMALL = {value: pack(value) for value in range(-64, 512)}


def coded(values: list[int]) -> bytes:
    """Return numbers, packed and compressed."""
    return compress(b"".join([_SMALL.get(value) or pack(value) for value in values]))


def numbers(data: bytes, most: cython.longlong) -> list[int]:
    """Return the numbers of `coded`, as 32 bits with a sign; a cut one at the end is skipped.

    Raises:
        CorruptReplay: the end of the Huffman code is missing.
        LimitExceeded: it is of more than `most` bytes.
    """
    found: list[int] = []
    follows: bytes = _FOLLOWS
    kinds: bytes = _KINDS
    node: cython.int = 0
    place: cython.int
    kind: cython.int
    bit: cython.int
    coded_byte: cython.uint
    byte: cython.uint
    value: cython.uint = 0
    sign: cython.uint = 0
    shift: cython.int = 0
    left: cython.longlong = most
    for coded_byte in data:
        for bit in range(8):
            place = 2 * node + (coded_byte >> bit & 1)
            node = follows[place]
            kind = kinds[place]
            if not kind:
                continue
            if kind == 2:
                return found
            byte, node = cython.cast(cython.uint, node), 0
            left -= 1
            if left < 0:
                raise LimitExceeded(f"more than {most} bytes in a chunk of {len(data)}")
            if not shift:
                value, sign, shift = byte & 0x3F, byte & 0x40, 6
            else:
                value = (value | (byte & 0x7F) << shift) & 0xFFFFFFFF
                shift += 7
            if byte & 0x80 and shift < 34:
                continue
            if sign:
                value = ~value & 0xFFFFFFFF
            found.append(cython.cast(cython.longlong, value) - (cython.cast(cython.longlong, value >> 31) << 32))
            shift = 0
    raise CorruptReplay("expected the end of a Huffman code")
