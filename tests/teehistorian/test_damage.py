"""Damaged files: only typed errors come out, and the good part is kept."""

from __future__ import annotations

import lzma
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.many import many
from tests.opened import open_as
from tests.samples.teehistorian import sample_bytes

import playhead
from playhead import LimitExceeded, Limits, ReplayError, TruncatedReplay, UnknownFormat
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.stream.extensions import PlayerName, PlayerTeam, encode_extension
from playhead.teehistorian.stream.header import MAGIC, encode_header
from playhead.teehistorian.stream.messages import ConsoleCommand, Drop, Finish, Join, NetMessage, TickSkip
from playhead.teehistorian.writing.writer import TeehistorianWriter, encode_message


def small() -> tuple[bytes, list[int]]:
    """A recording of a few ticks with every kind of message, and the offsets at which messages end."""
    writer = TeehistorianWriter({"version": "2", "map_name": "m"})
    ends = [len(writer.to_bytes())]

    def mark() -> None:
        ends.append(len(writer.to_bytes()))

    for message in (Join(0), NetMessage(0, b"\x28abc\0"), encode_extension(PlayerName(0, "ä"))):
        writer.write(message)
        mark()
    for tick in range(1, 6):
        writer.set_tick(tick)
        writer.tee_at(0, 1000 * tick, -tick)
        mark()
        writer.set_input(0, [tick, 200 * tick, *[0] * 8])
        mark()
    for message in (ConsoleCommand(0, 128, "team", ("5", "6")), PlayerTeam(0, 5), Drop(0, "bye"), Finish()):
        writer.record(message)
        mark()
    return writer.to_bytes(), ends


def read_everything(data: bytes) -> TeehistorianReplay:
    replay = open_as(TeehistorianReplay, data)
    replay.read_tables()
    replay.problems  # noqa: B018
    return replay


@pytest.mark.long
def test_every_truncation_keeps_the_good_part_and_is_one_problem() -> None:
    data, ends = small()
    whole = read_everything(data)
    assert whole.problems == ()
    rows = {name: table.to_pylist() for name, table in whole.read_tables().items()}
    for cut in range(len(data)):
        if cut < len(MAGIC):
            with pytest.raises(UnknownFormat):
                playhead.open(data[:cut])
            continue
        if cut < ends[0]:
            with pytest.raises(TruncatedReplay):
                playhead.open(data[:cut])
            continue
        replay = read_everything(data[:cut])
        (problem,) = replay.problems
        good = max(end for end in ends if end <= cut)
        assert (problem.kind, problem.offset) == ("TruncatedReplay", good)
        assert not replay.info.complete
        kept = ends.index(good)
        assert replay.table("messages").to_pylist() == rows["messages"][:kept]
        for name in ("positions", "inputs"):
            found = replay.table(name).to_pylist()
            assert found == rows[name][: len(found)]
        assert replay.info.map == "m"


def outcome(data: bytes) -> str:
    try:
        replay = read_everything(data)
    except ReplayError as error:
        return type(error).__name__
    return f"{len(replay.problems)} {replay.table('messages').num_rows}"


@many(3)
@given(st.lists(st.tuples(st.integers(16, 10_000), st.integers(0, 255)), min_size=1, max_size=8))
def test_flipped_bytes_give_only_typed_errors(flips: list[tuple[int, int]]) -> None:
    data = bytearray(small()[0])
    for position, value in flips:
        data[16 + position % (len(data) - 16)] = value
    outcome(bytes(data))


@many(3)
@given(st.binary(max_size=300))
def test_any_bytes_as_stream_give_only_typed_errors(stream: bytes) -> None:
    replay = read_everything(encode_header({"version": "2"}) + stream)
    assert replay.problems or replay.info.complete


@many(2)
@given(st.binary(max_size=200))
def test_any_bytes_as_header_give_only_typed_errors(raw: bytes) -> None:
    outcome(MAGIC + raw + b"\0" + encode_message(Finish()))


@pytest.mark.long
def test_flips_in_the_sample() -> None:
    original = sample_bytes()
    dice = random.Random(5)
    results = set()
    for _ in range(150):
        data = bytearray(original)
        for _ in range(dice.choice((1, 1, 3))):
            data[dice.randrange(16, len(data))] = dice.randrange(256)
        results.add(outcome(bytes(data)))
    assert len(results) > 20  # the flips did something


def test_texts_and_arguments_have_bounds() -> None:
    limits = Limits(string=100, elements=10)
    for good, bad in (
        (Drop(1, "x" * 100), Drop(1, "x" * 101)),
        (ConsoleCommand(1, 4, "say", ("x",) * 10), ConsoleCommand(1, 4, "say", ("x",) * 11)),
        (ConsoleCommand(1, 4, "say", ("x" * 100,)), ConsoleCommand(1, 4, "say", ("x" * 101,))),
    ):
        for message, kinds in ((good, []), (bad, ["LimitExceeded"])):
            data = MAGIC + b"{}\0" + encode_message(message) + encode_message(Finish())
            assert [p.kind for p in playhead.open(data, limits=limits).problems] == kinds
            streamed = playhead.open(lzma.compress(data), limits=limits, stream=True)
            assert [p.kind for p in streamed.problems] == kinds


@pytest.mark.long
def test_an_input_does_not_expand_without_bounds() -> None:
    packed = lzma.compress(MAGIC + b"{}\0" + encode_message(Finish()) + bytes(70 << 20))
    with pytest.raises(LimitExceeded, match="times its size"):
        playhead.open(packed)
    assert playhead.open(packed, limits=Limits(expansion=100_000)).problems  # what is after FINISH
    assert playhead.open(packed, stream=True).problems


def test_info_says_that_a_file_ends_early() -> None:
    """Without reading all for problems: what it read for its facts had no end."""
    data, ends = small()
    for size in range(ends[0], len(data)):
        with playhead.open(data[:size]) as replay:
            assert not replay.info.complete, size
            assert replay.problems_so_far[0].kind == "TruncatedReplay", size


def test_the_error_of_a_damaged_message_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "cut.teehistorian"
    path.write_bytes(sample_bytes()[:-1] + encode_message(TickSkip(-5)))
    with (
        playhead.open(path, strict=True) as replay,
        pytest.raises(playhead.CorruptReplay, match=re.escape(str(path))),
    ):
        list(replay.messages())
