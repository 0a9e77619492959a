"""JSON of values that JSON has no type for: one rule for everything that playhead writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
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


def _make_strict() -> Callable[[object], str]:
    """Return what writes a value as JSON, raising a ValueError of a float that JSON has no number for.

    An encoder of `json` makes another inside for each value, which takes longer than to write a small one; where
    Python has the inner one it is made once.
    """
    slow = json.JSONEncoder(ensure_ascii=False, default=plain, allow_nan=False)
    make, quote = json.encoder.c_make_encoder, json.encoder.c_encode_basestring  # type: ignore[attr-defined]
    if make is None or quote is None:
        return slow.encode
    pieces = make(None, plain, quote, None, slow.key_separator, slow.item_separator, False, False, False)
    return lambda value: "".join(pieces(value, 0))


_STRICT = _make_strict()


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
    return valid_text(text)


def valid_text(text: str) -> str:
    """Return text that UTF-8 can hold: a lone surrogate, as in the name of a file that is no text, becomes
    U+FFFD.
    """
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
