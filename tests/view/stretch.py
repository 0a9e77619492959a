"""Reads the bytes of `Rows.to_bytes`, for tests."""

from __future__ import annotations

import json
import struct
from typing import Any

COLUMNS = ("tick", "thing", "age", "x", "y", "facing", "health", "state", "team")
SIMULATED = (*COLUMNS[:-2], "to_x", "to_y", "vel_x", "vel_y", "state", "team", "item")


def decoded(data: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the head and the rows of a stretch."""
    size = int.from_bytes(data[:4], "little")
    head = json.loads(data[4 : 4 + size])
    rows = head["rows"]
    simulated = "items" in head
    assert len(data) == 4 + size + (47 if simulated else 30) * rows
    layout = (
        f"<{3 * rows}i{8 * rows}f{rows}B{2 * rows}b" if simulated else f"<{3 * rows}i{4 * rows}f{rows}B{rows}b"
    )
    numbers = struct.unpack(layout, data[4 + size :])
    names = SIMULATED if simulated else COLUMNS
    columns = [numbers[place * rows : (place + 1) * rows] for place in range(len(names))]
    return head, [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
