"""The loop that `bench_bits.py` compiles: reads from C, as in playhead's decoders."""

from __future__ import annotations

import cython
from cython.cimports.playhead.bits.bit_reader import BitReader


def read_bits(reader: BitReader, count: cython.int, width: cython.uint) -> int:
    total: cython.ulonglong = 0
    _: cython.int
    for _ in range(count):
        total += reader.read_bits(width)
    return total


def read_varuint32(reader: BitReader, count: cython.int) -> int:
    total: cython.longlong = 0
    _: cython.int
    for _ in range(count):
        total += reader.read_varuint32()
    return total
