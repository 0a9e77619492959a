"""Decoder in the workers of `scale.py` for inputs that hang and crash, selected by the first word of their
names.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from pathlib import PurePath

from playhead.corpus.writing import decode as reader


def decode(order: reader.Order, report: Callable[[int, int], None]) -> reader.Outcome:
    """Read an input, or hang or crash as its name says."""
    name = PurePath(order.item.file).name
    if name.startswith("hang"):
        time.sleep(3600)
    if name.startswith("crash"):
        ctypes.string_at(0)
    return reader.decode(order, report)
