"""Tagged, self-describing values."""

from __future__ import annotations

from playhead.blizzard.encoding.versioned import VersionedReader
from playhead.errors import CorruptReplay, LimitExceeded


def fuzz(data: bytes) -> None:
    reader = VersionedReader(data, max_elements=1 << 14)
    while reader.remaining():
        try:
            reader.read_value()
        except (CorruptReplay, LimitExceeded):
            return
