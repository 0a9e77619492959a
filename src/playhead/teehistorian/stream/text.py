"""Strings of a teehistorian file: UTF-8, sometimes invalid.

DDNet replaces invalid bytes before it records message strings; mods and other writers may not.
"""

from __future__ import annotations

import math


def decode_text(raw: bytes) -> str:
    """Decode text without loss: invalid UTF-8 becomes lone surrogates, which `encode_text` converts back."""
    return raw.decode("utf-8", "surrogateescape")


def encode_text(text: str) -> bytes:
    """Return the bytes from which `decode_text` made `text`.

    Raises:
        ValueError: `text` has a surrogate for no byte.
    """
    return text.encode("utf-8", "surrogateescape")


def printable(text: str) -> str:
    """Return text for tables and terminals: every lone surrogate becomes U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def number(text: str) -> float:
    """Return the number that a text begins with, 0 without one, as the server reads it."""
    try:
        found = float(text)
    except ValueError:
        return 0.0
    return found if math.isfinite(found) else 0.0
