"""Memory bounds: endless inputs, bombs, far ticks, wide tables, shrinking files."""

from __future__ import annotations

import os
import socket
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.hostile.makers import far_demo
from tests.samples.source2 import dota2
from tests.samples.source2.engine import sample_demo

import playhead
from playhead import LimitExceeded, Limits, UnknownFormat
from playhead.io.source import open_source
from playhead.registry import BUILTIN_FORMATS, is_replay
from playhead.source2.container.frames import HEAD_SIZE

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MEGABYTE = 1 << 20


class Endless:
    """An endless file object: some bytes, and zeros."""

    def __init__(self, head: bytes) -> None:
        self.given = 0
        self._head = head

    def read(self, size: int = -1) -> bytes:
        size = MEGABYTE if size < 0 else size
        head = b"" if self.given else self._head
        self.given += size
        return head + bytes(size - len(head))


@contextmanager
def at_most(most: int) -> Iterator[None]:
    """Check that Python's memory grows by at most that many bytes."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


def test_an_endless_file_object_ends_at_the_limit() -> None:
    endless = Endless(sample_demo()[:HEAD_SIZE])
    with pytest.raises(LimitExceeded, match="16777216 bytes"):
        playhead.open(endless, limits=Limits(decompressed_input=16 * MEGABYTE))
    assert endless.given <= 18 * MEGABYTE


def test_an_endless_input_that_is_no_replay_ends_at_its_first_bytes(tmp_path: Path) -> None:
    endless = Endless(b"")
    with at_most(10 * MEGABYTE), pytest.raises(UnknownFormat, match="zero bytes"):
        playhead.open(endless)
    assert endless.given <= 2 * MEGABYTE
    os.mkfifo(tmp_path / "pipe")
    written: list[int] = []

    def write() -> None:
        with suppress(BrokenPipeError), open(tmp_path / "pipe", "wb", buffering=0) as pipe:
            while True:
                written.append(pipe.write(bytes(1 << 16)))

    writer = threading.Thread(target=write)
    writer.start()
    with at_most(10 * MEGABYTE), pytest.raises(UnknownFormat, match="zero bytes"):
        playhead.open(tmp_path / "pipe")
    writer.join(20)
    assert 0 < sum(written) <= 2 * MEGABYTE


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("/dev/zero", "a device"),
        ("/dev/null", "a device"),
        ("/proc/self/mem", "a file of the kernel"),
        ("/proc/self/maps", "a file of the kernel"),
        ("link", "a device"),
        ("socket", "a socket"),
    ],
)
def test_what_is_never_a_replay_is_not_opened(
    name: str, kind: str, stream: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.symlink("/dev/zero", "link")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        if not os.path.exists(name):
            pytest.skip(f"there is no {name}")
        with at_most(MEGABYTE), pytest.raises(UnknownFormat, match=f"found {kind}"):
            playhead.open(name, stream=stream)
    assert not is_replay(name)


def test_a_url_ends_at_the_limit(tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="URLs need fsspec")
    path = tmp_path / "large"
    path.write_bytes(bytes(3 * MEGABYTE))
    with pytest.raises(LimitExceeded):
        open_source(path.as_uri(), Limits(decompressed_input=2 * MEGABYTE))


def test_other_files_are_not_decompressed() -> None:
    bomb = zstd.compress(bytes(50 * MEGABYTE))
    with at_most(10 * MEGABYTE), pytest.raises(UnknownFormat, match="zero bytes"):
        playhead.open(bomb)


@pytest.mark.slow_interpreted
def test_frames_of_nothing_end_at_the_limit() -> None:
    data = sample_demo()
    bomb = zstd.compress(data[: data.index(b"\x06", HEAD_SIZE)] + bytes(2 * MEGABYTE))
    with at_most(40 * MEGABYTE):
        replay = playhead.open(bomb, limits=Limits(frames=20_000))
        assert [problem.kind for problem in replay.problems if "20000" in problem.what] == ["LimitExceeded"]
        assert len(replay.recording.frames) == 20_000


def test_nothing_is_sampled_in_a_gap() -> None:
    whole = playhead.open(sample_demo())
    far = playhead.open(far_demo(sample_demo(), 0x7FFFFFF0))
    name = next(iter(whole.recording.class_names.values()))
    rows = whole.entity_table(name, every="1s").num_rows
    assert far.entity_table(name, every="1s").num_rows <= rows


@pytest.mark.slow_interpreted
def test_a_table_is_no_larger_than_its_limit() -> None:
    data, _match, _messages = dota2.sample_demo()
    whole = playhead.open(data).entity_table("CDOTA_Unit_Hero_*", every="1s")
    cells = whole.num_rows * whole.num_columns
    assert playhead.open(data, limits=Limits(cells=cells)).entity_table("CDOTA_Unit_Hero_*", every="1s") == whole
    small = playhead.open(data, limits=Limits(cells=cells // 10))
    with pytest.raises(LimitExceeded, match="name the fields"):
        small.entity_table("CDOTA_Unit_Hero_*", every="1s")


def test_a_file_above_the_limit_is_refused_and_can_be_streamed(tmp_path: Path) -> None:
    path = BUILTIN_FORMATS[-1].write_sample(tmp_path)
    small = Limits(decompressed_input=path.stat().st_size - 1)
    with pytest.raises(LimitExceeded, match="stream=True"):
        playhead.open(path, limits=small)
    streamed = playhead.open(path, limits=small, stream=True)
    assert streamed.table("positions").equals(playhead.open(path).table("positions"))


def test_a_sparse_file_of_an_exbibyte_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.dem"
    path.write_bytes(sample_demo())
    try:
        os.truncate(path, 1 << 60)
    except OSError:
        os.truncate(path, 1 << 42)
    with pytest.raises(LimitExceeded, match="larger than the limit"):
        playhead.open(path)
