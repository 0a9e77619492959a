"""Inputs that are made of several: a list of byte strings as one, each behind its size."""

from __future__ import annotations

import io
from collections.abc import Sequence

_SIZE_BYTES = 3


def join(parts: Sequence[bytes]) -> bytes:
    """The parts as one input."""
    return b"".join(len(part).to_bytes(_SIZE_BYTES, "little") + part for part in parts)


def split(data: bytes, most: int = 1 << 10) -> list[bytes]:
    """The parts of an input, whatever its bytes are: the last may be shorter than it says."""
    parts = []
    at = 0
    while at < len(data) and len(parts) < most:
        size = int.from_bytes(data[at : at + _SIZE_BYTES], "little")
        at += _SIZE_BYTES
        parts.append(data[at : at + size])
        at += size
    return parts


class GrowingFile(io.RawIOBase):
    """A file that is being written: it comes in pieces as small as the first of its bytes say, some of them empty.

    Attributes:
        content: all that will ever be in it.
    """

    def __init__(self, data: bytes) -> None:
        count = 1 + (data[0] & 15 if data else 0)
        self.content = data[1 + count :]
        self._sizes = data[1 : 1 + count]
        self._at = self._turn = 0

    def read(self, size: int = -1, /) -> bytes:
        self._turn += 1
        chosen = self._sizes[self._turn % len(self._sizes)] if self._sizes else 255
        wanted = max(chosen - 31, (chosen - 63) * 64)
        if chosen < 32:  # often nothing for now, but never so often that it would seem to have ended
            wanted = self._turn % 3 == 0
        piece = self.content[self._at : self._at + wanted]
        self._at += len(piece)
        return piece
