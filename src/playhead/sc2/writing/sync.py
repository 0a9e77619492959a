"""Writes ``replay.sync.events``."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.blizzard.encoding.bit_packed_writer import BitPackedWriter


def write_sync(checks: Mapping[int, int]) -> bytes:
    """Return ``replay.sync.events`` from checksum by loop, in ascending order."""
    parts = []
    before = 0
    for loop, checksum in checks.items():
        out = BitPackedWriter()
        out.write_loop_delta(loop - before)
        out.write_int(1, 1)
        out.write_int(checksum, 16)
        parts.append(out.to_bytes())
        before = loop
    return b"".join(parts)
