"""Strings of a teehistorian file: bytes that should be UTF-8 and sometimes are not.

DDNet replaces bad bytes before it records message strings; mods and other writers need not.
"""

from __future__ import annotations


def decode_text(raw: bytes) -> str:
    """Text from which `encode_text` gives exactly `raw` again: bytes that are no UTF-8 become lone surrogates."""
    return raw.decode("utf-8", "surrogateescape")


def encode_text(text: str) -> bytes:
    """The bytes that `decode_text` was given.

    Raises:
        ValueError: `text` has a surrogate that is no byte.
    """
    return text.encode("utf-8", "surrogateescape")


def printable(text: str) -> str:
    """`text` fit for tables and terminals: every lone surrogate becomes U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
