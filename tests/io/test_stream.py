"""Streams: flat memory, inputs that come once, files that grow while they are read."""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import lzma
import os
import random
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import playhead
from playhead import Follow, LimitExceeded, Limits, ReplayError, TruncatedReplay, UnknownFormat
from playhead.io.source import STREAM_HEAD, open_source, open_stream, read_all
from playhead.io.stream import Stream

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

DATA = random.Random(3).randbytes(300_000) + bytes(700_000) + random.Random(4).randbytes(300_000)
COMPRESSORS: dict[str | None, Callable[[bytes], bytes]] = {
    None: bytes,
    "xz": lambda data: lzma.compress(data, preset=0),
    "gz": lambda data: gzip.compress(data, 1),
    "bz2": lambda data: bz2.compress(data, 1),
    "zst": zstd.compress,
}


def stream_of(target: object, follow: Follow | None = None) -> Stream:
    stream = open_stream(target, follow).stream
    assert stream is not None
    return stream


class Growth:
    """A file that gets its next piece whenever the reader waits."""

    def __init__(self, path: Path, *pieces: bytes, idle_seconds: float = 1.0) -> None:
        self.path = path
        self.pieces = list(pieces)
        self.waits = 0
        path.write_bytes(b"")
        self.follow = Follow(idle_seconds=idle_seconds, interval=0.5, sleep=self.sleep)

    def sleep(self, seconds: float) -> None:
        assert seconds == 0.5
        self.waits += 1
        if self.pieces:
            with self.path.open("ab") as file:
                file.write(self.pieces.pop(0))


@pytest.mark.parametrize("name", COMPRESSORS)
def test_pieces_make_the_whole(name: str | None, tmp_path: Path) -> None:
    packed = COMPRESSORS[name](DATA)
    path = tmp_path / "input"
    path.write_bytes(packed + packed if name else packed)
    whole = DATA + DATA if name else DATA
    with path.open("rb") as file:
        for target in (path, str(path), path.read_bytes(), io.BytesIO(path.read_bytes()), file):
            source = open_stream(target)
            assert source.data == whole[:STREAM_HEAD]
            assert source.compression == name
            stream = source.stream
            assert stream is not None
            pieces = list(stream.pieces())
            assert b"".join(pieces) == whole
            assert max(map(len, pieces)) <= (1 << 20) + STREAM_HEAD
            assert stream.done == path.stat().st_size
            if stream.reopenable:
                assert stream.size == path.stat().st_size
                assert b"".join(stream.pieces()) == whole
            else:
                with pytest.raises(ReplayError, match="only once"):
                    next(stream.pieces())


def test_peek_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(DATA)
    for target in (path, io.BytesIO(DATA)):
        stream = stream_of(target)
        for size in (10, 1_200_000):
            head = stream.peek(size)
            assert len(head) >= size
            assert DATA.startswith(head)
        assert stream.peek(9_000_000) == DATA
        assert b"".join(stream.pieces()) == DATA


def test_a_pipe_comes_once() -> None:
    reading, writing = os.pipe()
    packed = lzma.compress(DATA, preset=0)

    def write() -> None:
        with os.fdopen(writing, "wb") as file:
            file.write(packed)

    writer = threading.Thread(target=write)
    writer.start()
    with os.fdopen(reading, "rb") as file:
        stream = stream_of(file)
        assert stream.size == 0
        assert b"".join(stream.pieces()) == DATA
    writer.join()


@pytest.mark.parametrize("name", [name for name in COMPRESSORS if name])
def test_a_cut_stream_gives_what_is_there_and_raises(name: str) -> None:
    packed = COMPRESSORS[name](DATA)
    found = b""
    with pytest.raises(TruncatedReplay, match=name):  # noqa: PT012
        for piece in stream_of(packed[: len(packed) // 2]).pieces():
            found += piece
    assert 0 < len(found) < len(DATA)
    assert DATA.startswith(found)
    with pytest.raises(ReplayError, match=name):
        open_stream(packed[:8])


@pytest.mark.parametrize("name", COMPRESSORS)
def test_a_growing_file_is_followed(name: str | None, tmp_path: Path) -> None:
    packed = COMPRESSORS[name](DATA)
    cuts = [0, 3, 1000, len(packed) // 2, len(packed) - 1, len(packed)]
    growth = Growth(tmp_path / "growing", *(packed[a:b] for a, b in itertools.pairwise(cuts)))
    stream = stream_of(growth.path, growth.follow)
    pieces = list(stream.pieces())
    assert b"".join(pieces) == DATA
    assert b"" in pieces  # said that there was nothing for now
    assert not growth.pieces
    assert b"".join(stream.pieces(wait=False)) == DATA


def test_following_ends_when_nothing_comes(tmp_path: Path) -> None:
    growth = Growth(tmp_path / "growing", b"x" * 100, idle_seconds=2.0)
    stream = stream_of(growth.path, growth.follow)
    growth.waits = 0
    assert b"".join(stream.pieces()) == b"x" * 100
    assert growth.waits == 4  # 2 seconds, half a second each


def test_following_ends_when_told(tmp_path: Path) -> None:
    path = tmp_path / "growing"
    path.write_bytes(b"x" * 100)
    asked = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 3

    follow = Follow(idle_seconds=float("inf"), stop=stop, sleep=lambda seconds: None)
    assert b"".join(stream_of(path, follow).pieces()) == b"x" * 100
    assert len(asked) == 4


def test_a_followed_pipe_that_stays_open_and_silent_ends() -> None:
    reading, writing = os.pipe()
    try:
        os.write(writing, b"y" * 100)
        with os.fdopen(reading, "rb") as file:
            stream = stream_of(file, Follow(idle_seconds=1.0, sleep=lambda seconds: None))
            assert b"".join(stream.pieces()) == b"y" * 100
    finally:
        os.close(writing)


def test_a_followed_file_that_shrinks(tmp_path: Path) -> None:
    path = tmp_path / "growing"
    path.write_bytes(b"x" * 1000)
    stream = stream_of(path, Follow(sleep=lambda seconds: path.write_bytes(b"short")))
    with pytest.raises(ReplayError, match="cut to 5 bytes after 1000"):
        list(stream.pieces())


def test_patience_must_make_sense() -> None:
    with pytest.raises(ValueError, match="interval"):
        Follow(interval=0)


def test_what_cannot_be_streamed(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match="directory"):
        open_stream(tmp_path)
    with pytest.raises(FileNotFoundError):
        open_stream(tmp_path / "none")
    for target in (42, None, io.StringIO("text")):
        with pytest.raises(TypeError, match="expected a"):
            open_stream(target)


def test_url(tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="URLs need fsspec")
    path = tmp_path / "input"
    path.write_bytes(DATA)
    stream = stream_of(path.as_uri())
    assert stream.size == len(DATA)
    assert b"".join(stream.pieces()) == DATA


def test_reading_all_of_a_stream() -> None:
    packed = lzma.compress(DATA, preset=0)
    assert read_all(open_stream(packed), Limits()).data == DATA
    with pytest.raises(LimitExceeded):
        read_all(open_stream(packed), Limits(decompressed_input=1000))
    cut = read_all(open_stream(packed[:400_000]), Limits())
    reference = open_source(packed[:400_000], Limits())
    assert cut.data == reference.data
    assert cut.problems == reference.problems


def test_formats_that_need_all_get_all(tmp_path: Path) -> None:
    from playhead.registry import BUILTIN_FORMATS

    for known in BUILTIN_FORMATS:
        path = known.write_sample(tmp_path)
        direct, streamed = playhead.open(path), playhead.open(path, stream=True)
        assert streamed.problems == direct.problems == ()
        assert streamed.info == direct.info
        assert streamed.players == direct.players
        assert streamed.read_tables() == direct.read_tables()
        if not known.streams:
            with pytest.raises(ValueError, match="cannot be followed"):
                playhead.open(path, follow=True)
