"""The form in which every peer says what it has decoded: one JSON value a line.

    {"entity": 7, "serial": 3, "class": "CWorld", "active": true, "fields": {"1.0.23": "f:3f800000"}}
    {"table": "userinfo", "items": [[0, "0", "0a05…"]]}
    {"counters": {"creates": 883}, "accommodated": ["…"]}

A field goes by its path of numbers, which all parsers agree on; names differ (source2-demo puts the send node
before them, some classes declare a name twice). Of gem-dota, which shows names only, it goes by name. Numbers and
booleans are as they are. A string begins with ``s:``, bytes in hexadecimal with ``b:``, and floats with ``f:``:
the 32 bits of each in hexadecimal, so that equal means equal to the last bit.
"""

from __future__ import annotations

from array import array
from typing import Any


def single(value: float) -> float:
    """Return `value` rounded to float32."""
    return array("f", (value,))[0]


def floats(*values: float) -> str:
    """Return the canonical form of one float or of a vector's."""
    bits = array("I", array("f", values).tobytes())
    return "f:" + ",".join(f"{number:08x}" for number in bits)


def read_floats(value: Any) -> tuple[float, ...] | None:
    """Return the floats that a canonical value stands for; None if it is none."""
    if not isinstance(value, str) or not value.startswith("f:"):
        return None
    bits = array("I", [int(number, 16) for number in value[2:].split(",")])
    return tuple(array("f", bits.tobytes()))


def canonical(value: Any) -> Any:
    """Return the canonical form of a value as Python has it: the floats of a list or tuple are a vector's."""
    if isinstance(value, str):
        return "s:" + value
    if isinstance(value, bytes | bytearray):
        return "b:" + bytes(value).hex()
    if isinstance(value, float):
        return floats(value)
    if isinstance(value, list | tuple):
        return floats(*value)
    return value
