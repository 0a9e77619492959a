"""Reads the bytes of `Rows.to_bytes`, for tests."""

from __future__ import annotations

import json
import struct
from typing import Any

COLUMNS = ("tick", "thing", "age", "x", "y", "facing", "health", "state")


def decoded(data: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the head and the rows of a stretch."""
    size = int.from_bytes(data[:4], "little")
    head = json.loads(data[4 : 4 + size])
    rows = head["rows"]
    assert len(data) == 4 + size + 29 * rows
    numbers = struct.unpack(f"<{3 * rows}i{4 * rows}f{rows}B", data[4 + size :])
    columns = [numbers[place * rows : (place + 1) * rows] for place in range(8)]
    return head, [dict(zip(COLUMNS, row, strict=True)) for row in zip(*columns, strict=True)]
