from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead import Limits
from playhead.teehistorian.stream.extensions import PlayerTeam
from playhead.teehistorian.stream.header import MAGIC, read_header
from playhead.teehistorian.stream.messages import (
    ConsoleCommand,
    Drop,
    Extra,
    Finish,
    InputDiff,
    InputNew,
    Join,
    Message,
    NetMessage,
    PlayerDiff,
    PlayerNew,
    PlayerOld,
    TickSkip,
)
from playhead.teehistorian.stream.reader import MessageReader
from playhead.teehistorian.writing.writer import TeehistorianWriter

CID = st.integers(0, 127)
INT32 = st.integers(-(1 << 31), (1 << 31) - 1)
TEXT = st.binary(max_size=12).map(lambda raw: raw.replace(b"\0", b"").decode("utf-8", "surrogateescape"))
TEN = st.tuples(*[INT32] * 10)
MESSAGES: st.SearchStrategy[Message] = st.one_of(
    st.builds(PlayerDiff, CID, INT32, INT32),
    st.builds(TickSkip, st.integers(0, 1000)),
    st.builds(PlayerNew, CID, INT32, INT32),
    st.builds(PlayerOld, CID),
    st.builds(InputDiff, CID, TEN),
    st.builds(InputNew, CID, TEN),
    st.builds(NetMessage, CID, st.binary(max_size=100)),
    st.builds(Join, CID),
    st.builds(Drop, CID, TEXT),
    st.builds(ConsoleCommand, st.integers(-3, 127), INT32, TEXT, st.lists(TEXT, max_size=4).map(tuple)),
    st.builds(Extra, st.uuids(), st.binary(max_size=50)),
)


@given(st.lists(MESSAGES, max_size=30))
def test_messages_survive_writing(messages: list[Message]) -> None:
    writer = TeehistorianWriter({"version": "2"})
    for message in [*messages, Finish()]:
        writer.write(message)
    data = writer.to_bytes()
    header = read_header(memoryview(data), Limits())
    back = [message for _, message in MessageReader(data, header.size)]
    assert back == [*messages, Finish()]
    again = TeehistorianWriter(header)
    for message in back:
        again.write(message)
    assert again.to_bytes() == data


def test_a_header_that_was_read_is_written_byte_by_byte() -> None:
    data = MAGIC + b'{ "version" : "2", "server_name": "\xff" }\0'
    header = read_header(memoryview(data), Limits())
    assert TeehistorianWriter(header).to_bytes() == data


STEPS = st.lists(st.tuples(st.integers(0, 3), st.lists(st.integers(0, 127), unique=True, max_size=4)), max_size=12)


@given(STEPS)
def test_told_ticks_are_read_again(steps: list[tuple[int, list[int]]]) -> None:
    """Whatever moves in whatever tick: the reader finds the tick that the writer was told."""
    writer = TeehistorianWriter({})
    start = len(writer.to_bytes())
    expected: list[tuple[int, int]] = []
    tick = 0
    for number, (ahead, cids) in enumerate(steps):
        tick += ahead + 1
        writer.set_tick(tick)
        for cid in sorted(cids):
            writer.tee_at(cid, number, -number)
            expected.append((tick, cid))
        if number % 3 == 1:
            writer.record(PlayerTeam(0, number))
            expected.append((tick, -1))
    reader = MessageReader(writer.to_bytes(), start)
    found = []
    while reader.advance():
        if not isinstance(reader.message(), TickSkip):
            found.append((reader.tick, reader.cid))
    assert found == expected


def test_only_changes_are_written() -> None:
    writer = TeehistorianWriter({})
    start = len(writer.to_bytes())
    for tick in (1, 2, 3):
        writer.set_tick(tick)
        writer.tee_at(0, 5, 5)
        writer.set_input(0, [1] * 10)
    writer.set_tick(4)
    writer.tee_at(0, 6, 4)
    writer.set_input(0, [3, *[1] * 9])
    writer.tee_at(1, 0, 0)
    writer.set_tick(5)
    writer.tee_gone(0)
    assert list(MessageReader(writer.to_bytes(), start)) == [
        (1, PlayerNew(0, 5, 5)),
        (1, InputNew(0, (1,) * 10)),
        (4, TickSkip(2)),
        (4, PlayerDiff(0, 1, -1)),
        (4, InputDiff(0, (2, *[0] * 9))),
        (4, PlayerNew(1, 0, 0)),
        (5, PlayerOld(0)),
    ]


def test_impossible_orders_are_refused() -> None:
    writer = TeehistorianWriter({})
    with pytest.raises(ValueError, match="from tick 1 on"):
        writer.tee_at(0, 0, 0)
    writer = TeehistorianWriter({})
    writer.set_tick(5)
    writer.tee_at(3, 0, 0)
    with pytest.raises(ValueError, match="ascending"):
        writer.tee_at(2, 0, 0)
    with pytest.raises(ValueError, match="go back"):
        writer.set_tick(4)
