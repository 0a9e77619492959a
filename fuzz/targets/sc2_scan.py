"""Scan for the members of an archive without its tables."""

from __future__ import annotations

from playhead.blizzard.mpq.scan import scan
from targets import LIMITS


def fuzz(data: bytes) -> None:
    scan(memoryview(data), 0, len(data), sector_size=512, md5=len(data) % 8 == 0, most=LIMITS.member)
