"""The compiled and the interpreted life of one source behave the same on hostile input."""

from __future__ import annotations

import struct
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loading import load_module
from tests.many import many

from playhead import ReplayError
from playhead.bits import BitReader, ByteReader
from playhead.runtime import hot

pytestmark = pytest.mark.skipif(
    set(hot.status().values()) != {"compiled"}, reason="the hot modules run interpreted: nothing to compare"
)

BIT_READS = [
    "read_boolean",
    "read_ubit_var",
    "read_ubit_var_fp",
    "read_varuint32",
    "read_varuint64",
    "read_varint32",
    "read_varint64",
    "read_float",
    "read_coord",
    "read_normal",
    "read_3bit_normal",
    "read_string",
]
BIT_COUNTED = ["read_bits", "peek_bits", "skip_bits", "read_angle", "read_bytes", "read_bits_as_bytes"]
BYTE_READS = [
    "read_u8",
    "read_u16",
    "read_u32",
    "read_u64",
    "read_i32",
    "read_f32",
    "read_cstring",
    "read_varuint32",
    "read_varuint64",
    "read_packed_int",
    "read_vint",
]
BYTE_COUNTED = ["read_bytes", "skip", "seek"]


def _interpreted(name: str) -> ModuleType:
    return load_module(f"interpreted.{name}", hot.source_path(name))


PlainBitReader = _interpreted("playhead.bits.bit_reader").BitReader
PlainByteReader = _interpreted("playhead.bits.byte_reader").ByteReader


def _outcome(reader: Any, call: str, *arguments: int) -> tuple[Any, ...]:
    try:
        value = getattr(reader, call)(*arguments)
    except ReplayError as error:
        return type(error).__name__, error.message, error.offset, reader.tell()
    if isinstance(value, float):
        value = struct.pack("<d", value)
    return value, reader.tell()


def _calls(plain: list[str], counted: list[str], most: int) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    return st.lists(
        st.one_of(st.tuples(st.sampled_from(plain)), st.tuples(st.sampled_from(counted), st.integers(0, most))),
        max_size=30,
    )


@many(6)
@given(st.binary(max_size=60), _calls(BIT_READS, BIT_COUNTED, 56))
def test_bit_reader(data: bytes, calls: list[tuple[Any, ...]]) -> None:
    fast, plain = BitReader(data), PlainBitReader(data)
    for call in calls:
        if call[0] == "read_angle":
            call = (call[0], min(call[1], 32))
        assert _outcome(fast, *call) == _outcome(plain, *call)


@many(6)
@given(st.binary(max_size=60), _calls(BYTE_READS, BYTE_COUNTED, 70))
def test_byte_reader(data: bytes, calls: list[tuple[Any, ...]]) -> None:
    fast, plain = ByteReader(data), PlainByteReader(data)
    for call in calls:
        assert _outcome(fast, *call) == _outcome(plain, *call)
