"""The rule of JSON: `to_json`, and `ByteBuffer`, which appends the same text."""

from __future__ import annotations

import datetime
import json
import math
import struct
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import playhead
from playhead.bits import ByteReader
from playhead.errors import TruncatedReplay
from playhead.tables.json_columns import ByteBuffer
from playhead.text.json import to_json


def test_no_reader_rounds_an_account(samples: dict[str, Path]) -> None:
    """JSON numbers beyond 2^53 lose digits in JavaScript; accounts have more."""
    seen = set()
    for path in samples.values():
        with playhead.open(path) as replay:
            for schema in replay.tables.values():
                accounts = {each.name: each.type for each in schema.columns if each.name.endswith("account")}
                assert set(accounts.values()) <= {"string"}, schema.name
                seen |= {replay.format} if accounts else set()
    assert seen >= {"source2", "sc2", "hots"}
    most = 2**53
    values = [most, -most, most + 1, [{"id": -most - 1}], "[76561198000000000", 0.30000001192092896, {most + 1}]
    exact = [most, -most, str(most + 1), [{"id": str(-most - 1)}], *values[4:6], [str(most + 1)]]
    assert json.loads(to_json(values)) == exact
    assert to_json(2**64 - 1) == '"18446744073709551615"'


def test_values_that_json_has_no_type_for() -> None:
    time = datetime.datetime(2024, 5, 1, 18, 30, tzinfo=datetime.UTC)
    values = {"b": b"\x00ab", "s": {2, 1}, "m": MappingProxyType({"x": (1, None)}), 7: [True, 1.5]}
    assert to_json(values) == ('{"b": {"hex": "006162"}, "s": [1, 2], "m": {"x": [1, null]}, "7": [true, 1.5]}')
    assert to_json(time) == '"2024-05-01T18:30:00+00:00"'
    with pytest.raises(TypeError):
        to_json({b"key": 1})


def test_floats_and_text_that_json_cannot_hold() -> None:
    assert to_json([math.nan, math.inf, -math.inf, 0.1]) == '["NaN", "Infinity", "-Infinity", 0.1]'
    assert to_json({"x": (math.nan,)}) == '{"x": ["NaN"]}'
    assert to_json('é"\n\ud800\U0001f600') == '"é\\"\\n\ufffd\U0001f600"'


_VALUES = st.binary(max_size=5) | st.floats() | st.text(st.characters(), max_size=4) | st.integers(0, 2**64 - 1)


@given(
    st.dictionaries(st.text(max_size=3) | st.integers(1, 9), _VALUES | st.lists(_VALUES, max_size=2), max_size=4)
)
def test_every_value_is_json(value: dict[str | int, Any]) -> None:
    def refuse(text: str) -> None:
        raise AssertionError(text)

    read = json.loads(to_json(value).encode(), parse_constant=refuse)
    assert len(read) == len({str(key) for key in value})


_SINGLES = st.floats(width=32)
_HALVES = st.integers(-(2**50), 2**50).map(lambda number: number / 2)
_ANY_BITS = st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack("<d", struct.pack("<Q", bits))[0])


@given(st.lists(_SINGLES | _HALVES | _ANY_BITS))
def test_appended_floats(values: list[float]) -> None:
    buffer = ByteBuffer()
    for value in values:
        buffer.add_float(value)
        buffer.add(10)
    assert bytes(buffer.detach()).decode().split() == [to_json(value) for value in values]


@given(st.lists(st.text(st.characters(), max_size=5)))
def test_appended_text(values: list[str]) -> None:
    buffer = ByteBuffer()
    for value in values:
        buffer.add_text(value)
    assert bytes(buffer.detach()).decode() == "".join(to_json(value) for value in values)


@given(st.lists(st.binary(max_size=6) | st.text(st.characters(codec="utf-8"), max_size=5).map(str.encode)))
def test_appended_bytes(values: list[bytes]) -> None:
    buffer = ByteBuffer()
    reader = ByteReader(b"".join(values))
    for value in values:
        buffer.add_utf8(reader, len(value))
        buffer.add_hex(value)
    text = "".join(to_json(value.decode("utf-8", "replace")) + to_json(value) for value in values)
    assert bytes(buffer.detach()).decode() == text
    with pytest.raises(TruncatedReplay):
        buffer.add_utf8(reader, 1)
