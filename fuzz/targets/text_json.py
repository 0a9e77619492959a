"""The writer of JSON: any value becomes one line without control characters, which others read as the same value.

The bytes choose the value.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal
from random import Random
from typing import Any

from playhead.text.json import MOST_EXACT, quoted, to_json
from playhead.text.visible import visible


def _value(random: Random, depth: int) -> Any:
    kind = random.randrange(14 if depth else 11)
    if kind >= 11:
        count = random.randrange(4)
        if kind == 11:
            return [_value(random, depth - 1) for _ in range(count)]
        if kind == 12:
            return {_text(random): _value(random, depth - 1) for _ in range(count)}
        return {random.randrange(9) for _ in range(count)}
    return (
        None,
        random.random() < 0.5,
        random.randrange(-(1 << 80), 1 << 80),
        random.choice((0.0, -0.0, 5e-324, 1.7e308, math.nan, math.inf, -math.inf, random.random())),
        _text(random),
        random.randbytes(random.randrange(4)),
        bytearray(b"\0\xff"),
        Decimal(random.randrange(-(1 << 130), 1 << 130)).scaleb(-random.randrange(40)),
        Decimal(random.randrange(10**6)).scaleb(-random.randrange(6)),
        frozenset({"a", "b"}),
        memoryview(b"xyz"),
    )[kind]


def _text(random: Random) -> str:
    return "".join(
        chr(random.choice((random.randrange(0x20), random.randrange(0x300), 0xD800, 0x202E, 0x1F600)))
        for _ in range(random.randrange(6))
    )


def _same(value: Any, read: Any) -> bool:
    if isinstance(value, dict):
        return isinstance(read, dict) and len(read) <= len(value)
    if isinstance(value, list):
        return isinstance(read, list) and all(map(_same, value, read)) and len(read) == len(value)
    if isinstance(value, float):
        return bool(
            read
            == (value if math.isfinite(value) else {"nan": "NaN", "inf": "Infinity"}.get(str(value), "-Infinity"))
        )
    if isinstance(value, Decimal):
        return Decimal(repr(read) if isinstance(read, float) else str(read)) == value
    if isinstance(value, bytes | bytearray | memoryview):
        return bool(read == {"hex": bytes(value).hex()})
    if isinstance(value, set | frozenset):
        return bool(read == sorted(value))
    if isinstance(value, str):
        return isinstance(read, str) and len(read) <= len(value)
    if isinstance(value, int) and abs(value) > MOST_EXACT:
        return bool(read == str(value))
    return bool(read == value)


def fuzz(data: bytes) -> None:
    value = _value(Random(data), 4)
    text = to_json(value)
    assert "\n" not in text
    assert "\x1b" not in text
    text.encode()
    assert _same(value, json.loads(text)), (value, text)
    assert visible(visible(text)) == visible(text)
    said = str(value)
    assert json.loads(quoted(said)) == said.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
