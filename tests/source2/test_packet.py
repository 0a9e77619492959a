"""Inner messages round-trip at any bit position."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead import CorruptReplay, TruncatedReplay
from playhead.bits import BitWriter
from playhead.source2.messages.packet import PacketReader, inner_messages, priority_of
from playhead.source2.tables.message_columns import NO_MESSAGE, MessageColumns
from playhead.source2.writing.demo import encode_packet

MESSAGES = st.lists(st.tuples(st.integers(1, 700) | st.just(2**31 - 1), st.binary(max_size=300)), max_size=20)


@given(MESSAGES, st.sets(st.integers(0, 19)))
def test_messages_round_trip(messages: list[tuple[int, bytes]], skipped: set[int]) -> None:
    reader = PacketReader(encode_packet(messages))
    for number, (id_, payload) in enumerate(messages):
        assert reader.advance()
        assert (reader.id, reader.size) == (id_, len(payload))
        if number not in skipped:
            assert reader.payload() == payload
    assert not reader.advance()


@given(MESSAGES | st.lists(st.tuples(st.sampled_from((4, 44, 45, 51, 55, 207)), st.binary(max_size=3))))
def test_by_priority_string_tables_come_first_and_entities_last(messages: list[tuple[int, bytes]]) -> None:
    data = encode_packet(messages)
    assert inner_messages(data) == messages
    first = [each for each in messages if each[0] in (44, 45, 51)]
    last = [each for each in messages if each[0] == 55]
    rest = [each for each in messages if each[0] not in (44, 45, 51, 55)]
    assert inner_messages(data, by_priority=True) == first + rest + last
    assert [priority_of((number, b"")) for number in (44, 45, 51, 4, 55)] == [-10, -10, -10, 0, 5]


def test_inner_messages_of_a_damaged_packet() -> None:
    with pytest.raises(TruncatedReplay):
        inner_messages(encode_packet([(4, b"abcdef")])[:-3])


def test_a_message_larger_than_the_packet() -> None:
    writer = BitWriter()
    writer.write_ubit_var(55)
    writer.write_varuint32(10)
    writer.write_bytes(b"short")
    reader = PacketReader(writer.to_bytes())
    with pytest.raises(TruncatedReplay, match="message 55 of 10 bytes"):
        reader.advance()


def test_a_size_that_would_overflow() -> None:
    writer = BitWriter()
    writer.write_ubit_var(4)
    writer.write_varuint32(2**32 - 1)
    with pytest.raises(TruncatedReplay, match="4294967295 bytes"):
        PacketReader(writer.to_bytes()).advance()


def columns_of(columns: MessageColumns) -> list[list[int]]:
    return [[] if each is None else each.to_pylist() for each in columns.rows.to_arrow()]


@pytest.mark.parametrize("number", [2**31, 2**32 - 1])
def test_a_number_outside_the_enumeration(number: int) -> None:
    # 2**32 - 1 as an int is -1, which a row has for a frame without messages.
    columns = MessageColumns()
    with pytest.raises(CorruptReplay, match=str(number)):
        columns.add_packet(0, 1, 7, 16, encode_packet([(4, b"abc"), (number, b"x"), (4, b"")]))
    assert columns_of(columns)[3] == [4]


@given(MESSAGES)
def test_columns(messages: list[tuple[int, bytes]]) -> None:
    columns = MessageColumns()
    columns.add_frame(0, -1, 4, 16, 999)
    columns.add_packet(1, 30, 7, 2**33, encode_packet([*messages, (0, b"")]))
    frames, ticks, commands, ids, sizes, high, low = columns_of(columns)
    assert frames == [0] + [1] * len(messages)
    assert ticks == [-1] + [30] * len(messages)
    assert commands == [4] + [7] * len(messages)
    assert ids == [NO_MESSAGE, *(number for number, _ in messages)]
    assert sizes == [999, *(len(payload) for _, payload in messages)]
    assert [upper << 31 | lower for upper, lower in zip(high, low, strict=True)] == [16] + [2**33] * len(messages)
    assert sum(columns.counts.values()) == len(messages)


def test_columns_keep_messages_before_the_damage() -> None:
    columns = MessageColumns()
    data = encode_packet([(4, b"abc"), (55, b"defghij")])[:-3]
    with pytest.raises(TruncatedReplay):
        columns.add_packet(0, 1, 7, 16, data)
    assert columns_of(columns)[3] == [4]
