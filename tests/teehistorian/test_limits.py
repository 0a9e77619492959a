"""What few bytes may ask for: messages of a compressed recording, rows that are made one by one, connections."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest
from tests.opened import open_as

import playhead
from playhead import LimitExceeded, Limits
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.stream import feed
from playhead.teehistorian.stream.messages import ConsoleCommand, Finish, Join, Message, PlayerNew
from playhead.teehistorian.writing.writer import TeehistorianWriter, encode_message


def recording(*messages: Message, then: bytes = b"") -> bytes:
    start = TeehistorianWriter({"version": "2", "version_minor": "22"}).to_bytes()
    return start + b"".join(map(encode_message, messages)) + then


#: Three zero bytes are a tee that does not move, for a tick.
STANDING = recording(Join(0), PlayerNew(0, 1, 2), then=3000 * b"\0\0\0" + encode_message(Finish()))


def opened(data: bytes, limits: Limits) -> TeehistorianReplay:
    return open_as(TeehistorianReplay, data, limits=limits)


def test_compressed_bytes_pay_for_so_many_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "_ALWAYS_ALLOWED", 100)
    packed = lzma.compress(STANDING)
    allowed = 2 * len(packed)
    replay = opened(packed, Limits(work=2))
    assert replay.table("messages").num_rows == allowed < 3000
    assert replay.table("positions").num_rows == allowed - 1  # all but the JOIN
    (problem,) = replay.problems
    assert f"more messages than the limit of {allowed}" in problem.what
    assert sum(1 for _ in replay.messages()) == allowed
    with pytest.raises(LimitExceeded, match="more messages"):
        playhead.open(packed, strict=True, limits=Limits(work=2)).table("positions")


def test_some_messages_are_always_allowed() -> None:
    replay = opened(lzma.compress(STANDING), Limits(work=0))
    assert (replay.table("messages").num_rows, replay.problems) == (3003, ())


def test_bytes_that_are_not_compressed_pay_for_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "_ALWAYS_ALLOWED", 100)
    replay = opened(STANDING, Limits(work=0))
    assert (replay.table("messages").num_rows, replay.problems) == (3003, ())


@pytest.mark.parametrize(("limit", "found"), [(3, 3), (5, 5), (6, 5)])
def test_connections_are_limited(limit: int, found: int, tmp_path: Path) -> None:
    data = recording(*[Join(0)] * 5, Finish())
    replay = opened(data, Limits(sessions=limit))
    assert len(replay.players) == replay.table("sessions").num_rows == found
    limited = [p.what for p in replay.problems if "more connections than the limit of" in p.what]
    assert len(limited) == (limit < 5)
    writing = opened(data, Limits(sessions=limit))
    writing.write_anonymized(tmp_path / "out.teehistorian")
    assert any("more connections" in p.what for p in writing.problems_so_far) == (limit < 5)


def test_rows_of_rare_messages_are_limited() -> None:
    data = recording(Join(0), *[ConsoleCommand(0, 0, "kill", ())] * 9, Finish())
    replay = opened(data, Limits(rows=4))
    assert replay.table("commands").num_rows == 4
    assert any("more rows than the limit of 4" in p.what for p in replay.problems)
    assert len(list(replay.events("command_given"))) == 9  # one after the other, nothing is kept
    assert opened(data, Limits(rows=9)).table("commands").num_rows == 9
    with pytest.raises(LimitExceeded, match="more rows"):
        playhead.open(data, strict=True, limits=Limits(rows=4)).table("commands")
