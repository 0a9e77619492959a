"""The header and its JSON."""

from __future__ import annotations

from playhead.teehistorian.stream.header import read_header
from targets import LIMITS


def fuzz(data: bytes) -> None:
    header = read_header(memoryview(data), LIMITS)
    assert header.size <= len(data)
