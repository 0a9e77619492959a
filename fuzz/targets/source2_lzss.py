"""Valve's LZSS."""

from __future__ import annotations

from playhead.source2.string_tables import lzss

MOST = 1 << 20


def fuzz(data: bytes) -> None:
    out = lzss.unpack(data, MOST)
    assert len(out) == int.from_bytes(data[4:8], "little")
    assert len(out) <= 16 * len(data)
