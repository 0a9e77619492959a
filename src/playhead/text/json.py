"""JSON: one rule for every file, table, command and page that playhead writes.

* Text is as it is, not ``\\u`` escapes; a lone surrogate, which UTF-8 cannot hold, is U+FFFD.
* Bytes are the object ``{"hex": "…"}``, never taken for text.
* A float that JSON has no number for is the string ``"NaN"``, ``"Infinity"`` or ``"-Infinity"``, as in
  protobuf's JSON.
* A whole number beyond 2^53, as an account of Steam, is its digits as a string: JavaScript would round it.
* A decimal, as of SQL's sums, is a number if such an integer or a double has its digits, otherwise a string.
* A time is ISO 8601, ``2024-05-01T18:30:00+00:00``, a set a sorted list, and any other value its ``str``.
* One value is one line, with a space after each comma and colon, as `json.dumps` writes it.

`to_json` writes Python values. Hot code that has bytes and C numbers instead appends them to a
`playhead.tables.json_columns.ByteBuffer`, by the same rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from playhead.runtime.typing import Any


def plain(value: object) -> object:
    """Return a JSON value for one of another type; the ``default=`` of an encoder."""
    if isinstance(value, bytes | bytearray | memoryview):
        return {"hex": bytes(value).hex()}
    if isinstance(value, frozenset | set):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    if type(value).__name__ == "Decimal":
        return _number(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _number(value: Any) -> int | float | str:
    """Return a decimal as the number that has its digits; without such a one, its text."""
    if value == value.to_integral_value() and -(1 << 63) <= value < 1 << 64:
        return int(value)
    number = float(value)
    return number if math.isfinite(number) and type(value)(repr(number)) == value else str(value)


#: JavaScript's numbers have all whole numbers up to here.
MOST_EXACT = 1 << 53
#: Makes `_LONG` of the start of a number that may be beyond it. A regular expression takes several times as long.
_DIGITS = bytes.maketrans(b"123456789[-", b"000000000  ")
_LONG = b" " + 16 * b"0"

#: Writes a value as JSON and raises ValueError for NaN and infinities. `json.JSONEncoder.encode` makes a C encoder
#: for each value, which takes longer than writing a small value; the C encoder is made once here if Python has it,
#: and without `json`, which with `re` takes a thirtieth of the time of a small file.
_STRICT: Callable[[object], str]
try:
    from _json import encode_basestring, make_encoder
except ImportError:
    import json
    from json.encoder import encode_basestring

    _STRICT = json.JSONEncoder(ensure_ascii=False, default=plain, allow_nan=False).encode
else:
    _pieces = make_encoder(None, plain, encode_basestring, None, ": ", ", ", False, False, False)

    def _joined(value: object) -> str:
        return "".join(_pieces(value, 0))

    _STRICT = _joined


def to_json(value: Any) -> str:
    """Return a value as one line of JSON, by the rule of this module.

    Raises:
        TypeError: a key of a mapping is not a string, number, bool or None.
    """
    try:
        text = _STRICT(value)
        if _LONG in f" {text}".encode("utf-8", "replace").translate(_DIGITS):
            text = _STRICT(_exact(value))
    except ValueError:
        text = _STRICT(_exact(value))
    return valid_text(text)


def quoted(text: str) -> str:
    """Return text as a JSON string."""
    return encode_basestring(valid_text(text))


def valid_text(text: str) -> str:
    """Return text with each lone surrogate replaced by U+FFFD; undecodable file names have such."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def storable(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose texts are valid UTF-8, also those of lists."""
    return {name: _storable(value) for name, value in row.items()}


def _storable(value: Any) -> Any:
    if isinstance(value, list):
        return list(map(valid_text, value))
    return valid_text(value) if isinstance(value, str) else value


def _exact(value: Any) -> Any:
    """Return a value with strings for floats that JSON has no number for and for integers beyond 2^53."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if -MOST_EXACT <= value <= MOST_EXACT else str(int(value))
    if isinstance(value, float):
        found = "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
        return value if math.isfinite(value) else found
    if isinstance(value, Mapping):
        return {key: _exact(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_exact(inner) for inner in value]
    return _exact(plain(value))
