"""The tagged encoding."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.blizzard import VersionedWriter

from playhead.blizzard.encoding.versioned import Choice, StoredBits, VersionedReader
from playhead.errors import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay

INTS = st.integers(-(2**63) + 1, 2**63 - 1)
bit_arrays = st.binary(max_size=9).flatmap(
    lambda data: st.builds(
        lambda short: StoredBits(max(0, len(data) * 8 - short), data), st.integers(0, 7 if data else 0)
    )
)
values = st.recursive(
    st.one_of(INTS, st.binary(max_size=20), bit_arrays, st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(st.integers(0, 300), inner, max_size=5),
        st.builds(Choice, INTS, inner),
    ),
    max_leaves=25,
)


def encoded(value: Any) -> bytes:
    out = VersionedWriter()
    out.write_value(value)
    return out.to_bytes()


@given(values)
def test_round_trip(value: Any) -> None:
    data = encoded(value)
    reader = VersionedReader(data)
    assert reader.read_value() == value
    assert reader.tell() == len(data)
    assert reader.remaining() == 0


@given(values)
def test_every_truncation_is_noticed(value: Any) -> None:
    data = encoded(value)
    for end in range(len(data)):
        with pytest.raises(TruncatedReplay):
            VersionedReader(data[:end]).read_value()


@given(st.binary(max_size=60))
def test_anything_is_read_or_refused(data: bytes) -> None:
    reader = VersionedReader(data, max_depth=8, max_elements=100)
    with suppress(ReplayError):
        reader.read_value()
    assert reader.tell() + reader.remaining() == len(data)


def test_every_kind_by_its_bytes() -> None:
    out = VersionedWriter()
    out.begin_array(6)
    out.write_u8(200)
    out.write_u32(0xFFFFFFFF)
    out.write_u64(2**64 - 1)
    out.write_vint(-769)
    out.begin_optional(True)
    out.write_blob(b"ab")
    out.begin_choice(2)
    out.begin_struct(1)
    out.write_field_number(7)
    out.write_bit_array(StoredBits(9, b"\xff\x01"))
    data = out.to_bytes()
    assert data == bytes.fromhex(
        "000c 06c8 07ffffffff 08ffffffffffffffff 09830c 0401 02046162 0304 0502 0e 0112ff01".replace(" ", "")
    )
    assert VersionedReader(b"?" + data, 1).read_value() == [
        200,
        0xFFFFFFFF,
        2**64 - 1,
        -769,
        b"ab",
        Choice(2, {7: StoredBits(9, b"\xff\x01")}),
    ]


@pytest.mark.parametrize(
    ("data", "offset"),
    [(b"\x0a", 0), (b"\xff", 0), (b"\x04\x02", 2), (b"\x02\x03", 2), (b"\x01\x03", 2), (b"\x00\x03", 2)],
)
def test_what_is_no_value(data: bytes, offset: int) -> None:
    with pytest.raises(CorruptReplay) as caught:
        VersionedReader(data + bytes(20)).read_value()
    assert caught.value.offset == offset


def test_depth_is_limited() -> None:
    assert VersionedReader(b"\x04\x01" * 64 + b"\x06\x07").read_value() == 7
    with pytest.raises(LimitExceeded, match="64 levels"):
        VersionedReader(b"\x04\x01" * 65 + b"\x06\x07").read_value()
    with pytest.raises(LimitExceeded):  # however much is allowed, the stack is safe
        VersionedReader(b"\x04\x01" * 100_000 + b"\x06\x07", max_depth=1_000_000).read_value()


def test_elements_are_limited_over_the_whole_value() -> None:
    data = encoded([[1] * 50, [2] * 50])
    with pytest.raises(LimitExceeded, match="101 elements"):
        VersionedReader(data, max_elements=101).read_value()
    reader = VersionedReader(data * 2, max_elements=102)
    reader.read_value()
    reader.read_value()


def test_a_count_is_no_allocation() -> None:
    huge = bytes.fromhex("fefffffff7ffffffff01")  # a vint near 2**63
    for tag in (b"\0", b"\x01", b"\x02", b"\x05"):
        with pytest.raises((TruncatedReplay, LimitExceeded)):
            VersionedReader(tag + huge + bytes(40)).read_value()


def test_the_writer_refuses_what_it_cannot_write() -> None:
    with pytest.raises(TypeError):
        encoded(1.5)
    with pytest.raises(ValueError, match="9 bits"):
        encoded(StoredBits(9, b"x"))
    with pytest.raises(ValueError, match="64 bits"):
        encoded(2**63)
