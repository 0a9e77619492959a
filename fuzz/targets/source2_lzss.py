"""Valve's LZSS."""

from __future__ import annotations

from playhead.source2.string_tables.tables import unpack_lzss

MOST = 1 << 20


def fuzz(data: bytes) -> None:
    out = unpack_lzss(data, MOST)
    assert len(out) == int.from_bytes(data[4:8], "little")
    assert len(out) <= 16 * len(data)
