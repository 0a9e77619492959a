from __future__ import annotations

import dataclasses
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay
from playhead.bits import ByteWriter
from playhead.teehistorian.stream.extensions import named_uuid
from playhead.teehistorian.stream.messages import (
    ConsoleCommand,
    Drop,
    Extra,
    Finish,
    InputDiff,
    InputNew,
    Join,
    Message,
    MessageKind,
    NetMessage,
    PlayerDiff,
    PlayerNew,
    PlayerOld,
    TickSkip,
)
from playhead.teehistorian.stream.reader import MAX_TICK, MessageReader
from playhead.teehistorian.writing.writer import encode_message

TEN = tuple(range(-5, 5))
ONE_OF_EACH: list[Message] = [
    TickSkip(3),
    Join(2),
    PlayerNew(2, 1000, -1000),
    PlayerDiff(2, -70, 64),
    InputNew(2, TEN),
    InputDiff(2, TEN[::-1]),
    NetMessage(2, b"\x28abc\0"),
    ConsoleCommand(2, 128, "team", ("5", "", "ä b")),
    ConsoleCommand(-1, 4, "say", ()),
    Extra(named_uuid("somebody@else.example"), b"raw\0bytes"),
    PlayerOld(2),
    Drop(2, "bad \udcff byte"),
    Finish(),
]


def ints(*values: int) -> bytes:
    out = ByteWriter()
    for value in values:
        out.write_packed_int(value)
    return out.to_bytes()


def stream(messages: list[Message]) -> bytes:
    return b"".join(map(encode_message, messages))


def test_one_of_each_comes_back() -> None:
    data = stream(ONE_OF_EACH)
    reader = MessageReader(data)
    assert [message for _, message in reader] == ONE_OF_EACH
    assert reader.finished
    assert reader.end_offset() == len(data)


def test_attributes_tell_kind_place_and_size() -> None:
    reader = MessageReader(b"junk" + stream(ONE_OF_EACH), 4)
    offset = 4
    for message in ONE_OF_EACH:
        assert reader.advance()
        assert reader.offset == offset
        offset += len(encode_message(message))
        assert reader.end_offset() == offset
        if isinstance(message, NetMessage | Extra):
            assert reader.payload_size == len(message.data)
            assert reader.payload() == message.data
    assert not reader.advance()
    assert {int(kind) for kind in MessageKind} == set(range(-11, 1))


@pytest.mark.parametrize(
    ("messages", "ticks"),
    [
        # The writer counts tick 0 as written: the first player record implies tick 1.
        ([PlayerNew(5, 0, 0), PlayerDiff(6, 1, 1)], [1, 1]),
        # The same client again is the next tick, and so is a lower one.
        ([PlayerNew(5, 0, 0), PlayerDiff(5, 1, 1), PlayerDiff(5, 1, 1), PlayerOld(4)], [1, 2, 3, 4]),
        # TICK_SKIP moves one tick further than it says, and resets the order: any client fits in.
        ([PlayerNew(5, 0, 0), TickSkip(0), PlayerDiff(0, 1, 1), PlayerDiff(5, 1, 1)], [1, 2, 2, 2]),
        ([TickSkip(9), PlayerNew(0, 0, 0)], [10, 10]),
        # Everything else stays where it is and changes nothing.
        (
            [Join(9), PlayerNew(5, 0, 0), Join(3), InputNew(1, TEN), PlayerDiff(6, 0, 1), Finish()],
            [0, 1, 1, 1, 1, 1],
        ),
    ],
)
def test_tick_rule(messages: list[Message], ticks: list[int]) -> None:
    assert [tick for tick, _ in MessageReader(stream(messages))] == ticks


@pytest.mark.parametrize(
    ("bad", "text"),
    [
        (ints(-12), "message id of -11 or more, found -12"),
        (ints(-(1 << 31)), "message id"),
        (ints(128, 0, 0), "client id from 0 to 127, found 128"),
        (ints(-3, -1, 0, 0), "client id"),
        (ints(-5, 128, *TEN), "client id"),
        (ints(-7, 0, -1), "size of 0 or more"),
        (ints(-8, 200), "client id"),
        (ints(-10, -4, 0) + b"a\0" + ints(0), "client id from -3"),
        (ints(-10, 0, 0) + b"a\0" + ints(-1), "0 or more arguments"),
        (ints(-2, -1), "skip of 0 to"),
        (ints(-11) + bytes(16) + ints(-1), "size of 0 or more"),
    ],
)
def test_corruption_is_located_at_its_message(bad: bytes, text: str) -> None:
    good = stream([TickSkip(6), Join(1)])
    reader = MessageReader(good + bad)
    assert reader.advance()
    assert reader.advance()
    for _ in range(2):  # nothing sticks: trying again says the same
        with pytest.raises(CorruptReplay, match=text) as caught:
            reader.advance()
        assert (caught.value.offset, caught.value.tick) == (len(good), 7)
        assert not isinstance(caught.value, TruncatedReplay)
    assert (reader.end_offset(), reader.tick) == (len(good), 7)


def test_version_1_has_no_extensions() -> None:
    data = stream([Extra(named_uuid("a"), b"")])
    assert list(MessageReader(data))
    with pytest.raises(CorruptReplay, match="-10 or more, found -11"):
        list(MessageReader(data, version=1))


def test_payload_limit() -> None:
    data = ints(-7, 0, 1 << 30) + bytes(100)
    with pytest.raises(TruncatedReplay):
        list(MessageReader(data, max_payload=1 << 30))
    with pytest.raises(LimitExceeded, match="above the limit"):
        list(MessageReader(data, max_payload=(1 << 30) - 1))


def test_ticks_do_not_overflow() -> None:
    last = stream([TickSkip(MAX_TICK - 1)])
    assert [tick for tick, _ in MessageReader(last)] == [MAX_TICK]
    for more in (TickSkip(0), TickSkip((1 << 31) - 1)):
        with pytest.raises(CorruptReplay, match="skip of"):
            list(MessageReader(last + encode_message(more)))
    again = stream([PlayerNew(0, 0, 0), PlayerDiff(0, 1, 1)])
    with pytest.raises(CorruptReplay, match="ticks to fit"):
        list(MessageReader(last + again))


def test_every_cut_gives_the_messages_before_it_and_asks_for_more() -> None:
    data = stream(ONE_OF_EACH)
    ends = [0]
    for message in ONE_OF_EACH:
        ends.append(ends[-1] + len(encode_message(message)))
    for cut in range(len(data)):
        reader = MessageReader(data[:cut])
        seen: list[Message] = []
        if cut in ends:
            seen += [message for _, message in reader]
        else:
            with pytest.raises(TruncatedReplay) as caught:
                seen.extend(message for _, message in reader)
            assert caught.value.offset == max(end for end in ends if end < cut)
        whole = sum(end <= cut for end in ends) - 1
        assert seen == ONE_OF_EACH[:whole]


@pytest.mark.parametrize("step", [1, 2, 7, 50])
def test_a_stream_in_pieces_reads_as_one(step: int) -> None:
    data = stream(ONE_OF_EACH[:-1] * 3 + [Finish()])
    whole_reader = MessageReader(data)
    whole = [(tick, message, whole_reader.offset) for tick, message in whole_reader]
    pieces = []
    have = step
    reader = MessageReader(data[:have])
    while not reader.finished:
        try:
            while reader.advance():
                pieces.append((reader.tick, reader.message(), reader.offset))
        except TruncatedReplay:
            pass
        have += step
        reader.continue_with(data[reader.end_offset() : have])
        assert have < len(data) + 2 * step
    assert pieces == whole


def test_any_two_bytes_give_messages_or_a_located_error() -> None:
    located = 0
    for first in range(256):
        for second in (0, 0x40, 0x7F, 0x80, 0xFF):
            error = None
            try:
                list(MessageReader(bytes([first, second] * 9)))
            except ReplayError as caught:
                error = caught
            if error is not None:
                assert error.offset is not None
                assert error.offset < 18
                located += 1
    assert 0 < located < 256 * 5


@pytest.mark.parametrize("record", [InputDiff, InputNew])
def test_inputs_are_records_of_ten_numbers(record: type[InputDiff] | type[InputNew]) -> None:
    values = (1, -2, 3, 2**31 - 1, -(2**31), 0, 0, 0, 0, 5)
    made = record(7, list(values))
    assert (made.cid, made.values) == (7, values)
    assert made == record(cid=7, values=values)
    assert made != record(8, values)
    assert made != (7, values)
    assert repr(made) == f"{record.__name__}(cid=7, values={values})"
    assert pickle.loads(pickle.dumps(made)) == made
    made.values = tuple(range(10))
    match made:
        case InputDiff(cid, numbers) | InputNew(cid, numbers):
            assert (cid, numbers) == (7, tuple(range(10)))
    for bad in ((1, 2), range(11), (2**31, *range(9)), (-(2**31) - 1, *range(9))):
        with pytest.raises(ValueError, match="expected"):
            record(7, bad)
    with pytest.raises(TypeError):
        hash(made)


def test_records_about_ticks_are_dataclasses() -> None:
    made = PlayerDiff(3, -4, 5)
    assert made == PlayerDiff(cid=3, dx=-4, dy=5)
    assert made != PlayerNew(3, -4, 5)
    assert dataclasses.replace(made, dx=0) == PlayerDiff(3, 0, 5)
    assert pickle.loads(pickle.dumps(made)) == made
    assert repr(TickSkip(4)) == "TickSkip(dt=4)"


def good_prefix(data: bytes, end: int) -> list[tuple[int, int, Message]]:
    """(end offset, tick, message) of every message that can be read and ends up to `end`."""
    reader = MessageReader(data)
    found = []
    try:
        while reader.advance() and reader.end_offset() <= end:
            found.append((reader.end_offset(), reader.tick, reader.message()))
    except ReplayError:
        pass
    return found


@given(
    st.lists(st.sampled_from([*range(0x40, 0x4B), 0, 1, 5, 0x3F, 0x80, 0xC0, 0xFF]) | st.integers(0, 255)).map(
        bytes
    )
)
def test_the_end_of_the_data_changes_nothing_before_it(data: bytes) -> None:
    # Far from the end, where nothing can run over it, numbers are read in a quicker way.
    assert good_prefix(data, len(data)) == good_prefix(data + b"\x40" * 64, len(data))
