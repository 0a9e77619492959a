"""Decoded fields as JSON text.

The standard library's encoder takes longer for a typical message than decoding it did; this takes a third of it.
"""

from __future__ import annotations

from binascii import b2a_base64
from json.encoder import encode_basestring
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from playhead.runtime import cython_shim as cython

# A recording can name its own game events' values; definitions have some 1,500 names of fields.
_MAX_KEYS = 8192


@cython.final
@cython.cclass
class JsonWriter:
    """Writes decoded messages as JSON; one for many messages, since it remembers the names of fields.

    As in protobuf's own JSON, bytes are base64 and a float that JSON cannot say is ``"NaN"``, ``"Infinity"`` or
    ``"-Infinity"``; but every integer is a number, and unknown fields stand there by number.
    """

    _keys: dict
    _quote: object

    def __init__(self) -> None:
        self._keys = {}
        self._quote = encode_basestring

    @cython.ccall
    def write(self, fields: dict[Any, Any]) -> str:
        """One message as a JSON object.

        Raises:
            TypeError: a value is of a type that no decoder gives.
        """
        pieces: list = []
        for key, value in fields.items():
            start: object = self._keys.get(key)
            pieces.append(self._key(key) if start is None else start)
            pieces.append(self._value(value))
            pieces.append(",")
        if not pieces:
            return "{}"
        pieces[0] = "{" + pieces[0]
        pieces[len(pieces) - 1] = "}"
        return "".join(pieces)

    @cython.cfunc
    def _key(self, key: object) -> object:
        start: object = self._quote(str(key)) + ":"
        if len(self._keys) < _MAX_KEYS:
            self._keys[key] = start
        return start

    @cython.cfunc
    def _value(self, value: object) -> object:
        kind: object = type(value)
        if kind is int:
            return str(value)
        if kind is str:
            return self._quote(value)
        if kind is bool:
            return "true" if value else "false"
        if kind is float:
            return self._number(value)
        if kind is dict:
            return self.write(value)
        if kind is list:
            return "[" + ",".join([self._value(entry) for entry in value]) + "]"
        if kind is bytes:
            return '"' + b2a_base64(value, newline=False).decode("ascii") + '"'
        if value is None:
            return "null"
        raise TypeError(f"expected a decoded value, found {kind}")

    @cython.cfunc
    def _number(self, value: cython.double) -> object:
        if value - value == 0:  # neither infinite nor NaN
            return repr(value)
        if value != value:
            return '"NaN"'
        return '"Infinity"' if value > 0 else '"-Infinity"'
