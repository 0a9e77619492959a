"""JSON of values that JSON has no type for: one rule for everything that playhead writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def plain(value: object) -> object:
    """Return what JSON has in place of a value of another type; the ``default=`` of an encoder.

    Bytes become ``{"hex": …}``, sets sorted lists, mappings dicts, and everything else its text (times as
    ``2024-05-01 18:30:00+00:00``).
    """
    if isinstance(value, bytes | bytearray | memoryview):
        return {"hex": bytes(value).hex()}
    if isinstance(value, frozenset | set):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


# Made once: json.dumps makes an encoder for each call that has options.
_STRICT = json.JSONEncoder(ensure_ascii=False, default=plain, allow_nan=False).encode


def to_json(value: Any) -> str:
    """Return a value as one line of valid JSON that any UTF-8 file can hold.

    A float that JSON has no number for becomes text (``"nan"``), a lone surrogate U+FFFD.

    Raises:
        TypeError: a key of a mapping is neither text, number, truth value nor None.
    """
    try:
        text = _STRICT(value)
    except ValueError:
        text = _STRICT(_finite(value))
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _finite(value: Any) -> Any:
    if isinstance(value, float) and value - value != 0:
        return str(value)
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return value
