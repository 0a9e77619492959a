"""Snappy blocks of frames, string tables and their values."""

from __future__ import annotations

from playhead.source2.container.snappy import SnappyBlock, decompress
from playhead.source2.string_tables.tables import LZSS, unpack_lzss

MOST = 1 << 20


def fuzz(data: bytes) -> None:
    if data.startswith(LZSS):
        unpack_lzss(data, MOST)
    else:
        SnappyBlock(MOST)
        decompress(data, MOST)
