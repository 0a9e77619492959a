"""The common output form of all peers: one JSON value per line.

    {"entity": 7, "serial": 3, "class": "CWorld", "active": true, "fields": {"1.0.23": "f:3f800000"}}
    {"table": "userinfo", "items": [[0, "0", "0a05…"]]}
    {"counters": {"creates": 883}, "accommodated": ["…"]}

The key of a field is its path of numbers, on which all parsers agree. Names differ: source2-demo prefixes the
send node, and some classes declare a name twice. gem-dota shows only names, so its keys are names. Numbers and
booleans are unchanged. A string begins with ``s:``, bytes in hexadecimal with ``b:``, and floats with ``f:``,
followed by the 32 bits of each in hexadecimal, so equality is bit for bit.
"""

from __future__ import annotations

from array import array
from typing import Any


def single(value: float) -> float:
    """Return `value` rounded to float32."""
    return array("f", (value,))[0]


def floats(*values: float) -> str:
    """Return the canonical form of a float or of a vector."""
    bits = array("I", array("f", values).tobytes())
    return "f:" + ",".join(f"{number:08x}" for number in bits)


def read_floats(value: Any) -> tuple[float, ...] | None:
    """Return the floats of a canonical value; None for another kind of value."""
    if not isinstance(value, str) or not value.startswith("f:"):
        return None
    bits = array("I", [int(number, 16) for number in value[2:].split(",")])
    return tuple(array("f", bits.tobytes()))


def canonical(value: Any) -> Any:
    """Return the canonical form of a Python value: the floats of a list or tuple form a vector."""
    if isinstance(value, str):
        return "s:" + value
    if isinstance(value, bytes | bytearray):
        return "b:" + bytes(value).hex()
    if isinstance(value, float):
        return floats(value)
    if isinstance(value, list | tuple):
        return floats(*value)
    return value
