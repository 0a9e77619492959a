"""Recordings that are streamed or still being written give what a whole one gives, in flat memory."""

from __future__ import annotations

import io
import lzma
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.opened import open_as
from tests.samples.teehistorian import sample_bytes

from playhead import Follow, Limits, ReplayError, TruncatedReplay
from playhead.teehistorian.replay import TeehistorianReplay
from playhead.teehistorian.stream.header import encode_header
from playhead.teehistorian.stream.messages import Finish, NetMessage
from playhead.teehistorian.writing.writer import encode_message

SAMPLE = sample_bytes()
LONG = ("messages", "positions", "inputs")


WHOLE = open_as(TeehistorianReplay, SAMPLE)


def joined(replay: TeehistorianReplay, name: str, rows: int) -> pa.Table:
    batches = list(replay.batches(name, rows=rows))
    assert all(0 < batch.num_rows <= rows for batch in batches)
    return pa.Table.from_batches(batches, replay.tables[name].arrow())


class Slow(io.RawIOBase):
    """A file object that gives a few bytes at a time."""

    name = "<bytes>"

    def __init__(self, data: bytes, step: int) -> None:
        self._file = io.BytesIO(data)
        self._step = step

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._file.read(self._step)


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_cut_anywhere_the_pieces_give_the_same_messages(step: int) -> None:
    assert list(open_as(TeehistorianReplay, Slow(SAMPLE, step), stream=True).messages()) == list(WHOLE.messages())
    streamed = open_as(TeehistorianReplay, Slow(SAMPLE, step), stream=True)
    assert streamed.read_tables() == WHOLE.read_tables()
    assert streamed.problems == ()
    assert streamed.header == WHOLE.header


@pytest.mark.long
@pytest.mark.parametrize("rows", [1, 100, 65_536])
@pytest.mark.parametrize("name", [*LONG, "sessions"])
def test_batches_make_the_table(name: str, rows: int) -> None:
    for replay in (open_as(TeehistorianReplay, SAMPLE), open_as(TeehistorianReplay, SAMPLE, stream=True)):
        expected = replay.table(name)
        assert joined(replay, name, rows).to_pylist() == expected.to_pylist()
        assert replay.problems == ()


def test_a_table_that_is_not() -> None:
    with pytest.raises(KeyError, match="no table 'x'"):
        list(WHOLE.batches("x"))


def test_what_comes_once_is_read_once() -> None:
    replay = open_as(TeehistorianReplay, io.BytesIO(SAMPLE), stream=True)
    assert replay.table("positions") == WHOLE.table("positions")
    assert replay.info.complete  # from the same pass
    with pytest.raises(ReplayError, match="only once"):
        replay.table("inputs")


def test_a_cut_compressed_stream_keeps_its_good_part() -> None:
    packed = lzma.compress(SAMPLE)[:-100]
    whole, streamed = open_as(TeehistorianReplay, packed), open_as(TeehistorianReplay, packed, stream=True)
    assert len(streamed.problems) == 2  # the xz stream, and that FINISH is not there
    assert streamed.problems == whole.problems
    assert streamed.table("messages") == whole.table("messages")
    assert streamed.table("messages").num_rows > 10
    read = open_as(TeehistorianReplay, packed, stream=True)
    assert len(list(read.messages())) == whole.table("messages").num_rows
    assert read.problems_so_far == whole.problems
    fresh = open_as(TeehistorianReplay, packed, stream=True)
    list(fresh.batches("positions"))
    assert fresh.problems == whole.problems


def test_bytes_behind_the_end_are_a_problem() -> None:
    data = SAMPLE + b"more" * 600_000
    whole, streamed = open_as(TeehistorianReplay, data), open_as(TeehistorianReplay, data, stream=True)
    assert streamed.problems == whole.problems
    assert len(streamed.problems) == 1


def test_a_message_without_end_is_not_gathered() -> None:
    head = encode_header({"version": "2"}) + b"\x48\x00"  # DROP 0, and a reason that never ends
    replay = open_as(TeehistorianReplay, head + b"x" * 9_000_000, stream=True, limits=Limits(message=2_000_000))
    (problem,) = replay.problems
    assert problem.kind == "LimitExceeded"
    assert "2000000" in problem.what
    assert list(replay.messages()) == []


def test_a_large_message_crosses_pieces() -> None:
    message = NetMessage(3, bytes(5_000_000))
    data = encode_header({"version": "2"}) + encode_message(message) + encode_message(Finish())
    assert list(open_as(TeehistorianReplay, data, stream=True).messages()) == [(0, message), (0, Finish())]


def test_a_long_header(tmp_path: Path) -> None:
    data = encode_header({"version": "2", "map_name": "m" * 100_000}) + encode_message(Finish())
    replay = open_as(TeehistorianReplay, data, stream=True)
    assert replay.info.map == "m" * 100_000
    assert replay.problems == ()
    with pytest.raises(TruncatedReplay, match="end of the header"):
        open_as(TeehistorianReplay, data[:50_000], stream=True)


class Growth:
    """A server that writes some more of the sample whenever the reader waits."""

    def __init__(self, path: Path, step: int, end: int = len(SAMPLE)) -> None:
        self.path, self.step, self.end = path, step, end
        self.written = 0
        path.write_bytes(b"")
        self.follow = Follow(idle_seconds=1.0, interval=0.5, sleep=lambda seconds: self.write())

    def write(self) -> None:
        with self.path.open("ab") as file:
            file.write(SAMPLE[self.written : min(self.end, self.written + self.step)])
        self.written = min(self.end, self.written + self.step)


def test_messages_come_as_they_are_written(tmp_path: Path) -> None:
    growth = Growth(tmp_path / "growing", 100)
    replay = open_as(TeehistorianReplay, growth.path, follow=growth.follow)
    found = []
    for tick, message in replay.messages():
        found.append((tick, message))
        growth_seen = growth.written
    assert found == list(WHOLE.messages())
    assert growth_seen == len(SAMPLE)
    assert replay.problems == ()
    assert replay.info.complete


def test_batches_come_before_each_wait(tmp_path: Path) -> None:
    growth = Growth(tmp_path / "growing", 300)
    replay = open_as(TeehistorianReplay, growth.path, follow=growth.follow)
    batches, ends = [], []
    for batch in replay.batches("positions"):
        batches.append(batch)
        ends.append(growth.written)
    assert len(set(ends)) > 3  # not all at the end
    assert pa.Table.from_batches(batches).to_pylist() == WHOLE.table("positions").to_pylist()


def test_a_server_that_dies_leaves_a_problem(tmp_path: Path) -> None:
    end = len(SAMPLE) - 5
    growth = Growth(tmp_path / "growing", 5000, end)
    replay = open_as(TeehistorianReplay, growth.path, follow=growth.follow)
    whole = open_as(TeehistorianReplay, SAMPLE[:end])
    assert list(replay.messages()) == list(whole.messages())
    assert replay.problems_so_far == whole.problems_so_far == replay.problems == whole.problems


def test_tables_of_a_growing_file_do_not_wait(tmp_path: Path) -> None:
    growth = Growth(tmp_path / "growing", 6000)
    replay = open_as(TeehistorianReplay, growth.path, follow=growth.follow)
    before = growth.written
    found = replay.table("positions")
    assert growth.written == before
    assert found.to_pylist() == open_as(TeehistorianReplay, SAMPLE[:before]).table("positions").to_pylist()


_FLAT = """
import resource, sys
import playhead
replay = playhead.open(sys.argv[1], stream=True)
for batch in replay.batches("positions", rows=4096):   # loads pyarrow and fills its pools
    break
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rows = sum(batch.num_rows for batch in replay.batches("positions"))
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(rows, after - before)
"""


@pytest.mark.long
@pytest.mark.slow_interpreted
@pytest.mark.skipif(sys.platform == "win32", reason="needs the resource module")
@pytest.mark.parametrize("packed", [False, True])
def test_memory_is_flat(packed: bool, tmp_path: Path) -> None:
    body = b"".join(bytes([cid, cid % 3, 0x40]) for cid in range(64)) * 400  # 400 ticks of 64 moving tees
    start = b"".join(b"\x42" + bytes([cid, 10, 10]) for cid in range(64))
    copies = 600  # 46 MB: 15 million positions, 370 MB as columns
    path = tmp_path / "large"
    opener = lzma.open if packed else open
    options = {"preset": 0} if packed else {}
    with opener(path, "wb", **options) as file:  # type: ignore[operator]
        file.write(encode_header({"version": "2"}) + start)
        for _ in range(copies):
            file.write(body)
        file.write(encode_message(Finish()))
    run = subprocess.run([sys.executable, "-c", _FLAT, path], capture_output=True, text=True, check=True)
    rows, grown = map(int, run.stdout.split())
    assert rows == 64 + 64 * 400 * copies
    assert grown < 40_000  # kilobytes


@pytest.mark.parametrize("format", ["parquet", "csv", "ndjson"])
def test_export_in_batches_writes_the_same(format: str, tmp_path: Path) -> None:
    path = tmp_path / "game"
    path.write_bytes(SAMPLE)
    whole = open_as(TeehistorianReplay, path).export(tmp_path / "whole", format=format)
    streamed = open_as(TeehistorianReplay, path, stream=True)
    parts = streamed.export(tmp_path / "parts", format=format)
    assert [p.name for p in parts] == [p.name for p in whole]
    assert not {"positions", "inputs", "messages"} & streamed._tables.keys()  # never whole in memory
    for mine, its in zip(whole, parts, strict=True):
        if format == "parquet":
            assert pq.read_table(its).equals(pq.read_table(mine))
            assert pq.read_schema(its).equals(pq.read_schema(mine), check_metadata=True)
        else:
            assert its.read_bytes() == mine.read_bytes()
    (only,) = open_as(TeehistorianReplay, path, stream=True).export(
        tmp_path / "one", format=format, tables=["inputs"]
    )
    assert only.name == f"inputs.{format}"
    with pytest.raises(KeyError):
        open_as(TeehistorianReplay, path, stream=True).export(tmp_path / "none", tables=["x"])
