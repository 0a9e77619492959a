"""Where bytes come from: every kind of input, every compression, and what damage to it does."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import mmap
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from playhead import LimitExceeded, Limits, ReplayError, UnknownFormat
from playhead.io import source as sources
from playhead.io.source import Source, open_source

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

DATA = bytes(range(256)) * 40 + b"the end"
LIMITS = Limits()
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "xz": lzma.compress,
    "gz": gzip.compress,
    "bz2": lambda data: bz2.compress(data, 1),
    "zst": zstd.compress,
}


def _open(target: object, limits: Limits = LIMITS) -> Source:
    return open_source(target, limits)


def test_paths_bytes_and_file_objects(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(DATA)
    with path.open("rb") as file:
        for target in (path, str(path), DATA, bytearray(DATA), memoryview(DATA), io.BytesIO(DATA), file):
            source = _open(target)
            assert source.data == DATA
            assert source.data.readonly
            assert source.compression is None
    assert _open(path).name == str(path)
    assert _open(DATA).name == "<bytes>"


def test_url(tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="URLs need fsspec")
    path = tmp_path / "input"
    path.write_bytes(DATA)
    assert _open(path.as_uri()).data == DATA


@pytest.mark.parametrize("name", COMPRESSORS)
def test_compressed(name: str, tmp_path: Path) -> None:
    packed = COMPRESSORS[name](DATA)
    source = _open(packed)
    assert (source.data, source.compression, source.problems) == (DATA, name, [])
    path = tmp_path / "no.hint"
    path.write_bytes(packed)
    assert _open(path).data == DATA


@pytest.mark.parametrize("name", COMPRESSORS)
def test_concatenated_streams_and_trailing_padding(name: str) -> None:
    packed = COMPRESSORS[name](DATA)
    assert _open(packed + packed).data == DATA + DATA
    assert _open(packed + b"\0" * 8).data == DATA


@pytest.mark.parametrize("name", COMPRESSORS)
@pytest.mark.parametrize("foreign", ["text", "a stream with damaged magic"])
def test_bytes_after_the_last_stream_are_a_problem(name: str, foreign: str) -> None:
    packed = COMPRESSORS[name](DATA)
    more = b"a newline\n" if foreign == "text" else b"X" + packed[1:]
    source = _open(packed + more)
    assert source.data == DATA
    (problem,) = source.problems
    assert (problem.kind, problem.offset) == ("CorruptReplay", len(packed))
    assert problem.what == f"expected another {name} stream or the end of the file, found {len(more)} other bytes"
    assert problem.cost == f"everything after {len(DATA)} decompressed bytes"


@pytest.mark.parametrize("place", [-1, -5], ids=["length", "checksum"])
def test_a_wrong_trailer_of_gzip_costs_nothing(place: int) -> None:
    packed = bytearray(gzip.compress(DATA))
    packed[place] ^= 1
    source = _open(bytes(packed))
    assert source.data == DATA
    (problem,) = source.problems
    assert (problem.kind, problem.where) == ("CorruptReplay", "gz stream")


def test_damage_inside_gzip_costs_only_what_follows() -> None:
    import random

    noise = random.Random(1).randbytes(300_000)
    packed = bytearray(gzip.compress(noise))
    packed[200_000:200_010] = b"\xff" * 10
    packed[250_000:] = b""
    source = _open(bytes(packed))
    assert len(source.data) > 190_000
    assert source.data[:190_000] == noise[:190_000]


@pytest.mark.long
@pytest.mark.parametrize("name", COMPRESSORS)
def test_larger_than_one_chunk(name: str) -> None:
    big = b"".join(n.to_bytes(4, "big") for n in range(300_000))
    assert _open(COMPRESSORS[name](big)).data == big


@pytest.mark.parametrize("name", COMPRESSORS)
def test_a_cut_stream_gives_what_is_there_and_one_problem(name: str) -> None:
    import random

    noise = random.Random(1).randbytes(800_000)  # incompressible: half of the stream holds about half of it
    packed = COMPRESSORS[name](noise)
    source = _open(packed[: len(packed) // 2])
    assert 0 < len(source.data) < len(noise)
    assert source.data == noise[: len(source.data)]
    (problem,) = source.problems
    assert problem.kind == "TruncatedReplay"
    assert name in problem.where
    assert str(len(source.data)) in problem.cost


@pytest.mark.parametrize("name", COMPRESSORS)
def test_nothing_left_of_a_stream_is_an_error(name: str) -> None:
    packed = COMPRESSORS[name](DATA)
    with pytest.raises(ReplayError, match=name):
        _open(packed[:8])


@pytest.mark.parametrize("name", COMPRESSORS)
def test_a_bomb_stops_at_the_limit(name: str) -> None:
    packed = COMPRESSORS[name](bytes(8_000_000))
    with pytest.raises(LimitExceeded, match="1000000 bytes"):
        _open(packed, Limits(decompressed_input=1_000_000))


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match="directory"):
        _open(tmp_path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        _open(tmp_path / "none")


@pytest.mark.parametrize("target", [42, None, io.StringIO("text")])
def test_what_is_no_input(target: object) -> None:
    with pytest.raises(TypeError, match=r"expected a"):
        _open(target)


@pytest.mark.skipif(not hasattr(mmap, "MADV_DONTNEED"), reason="this system cannot release mapped pages")
@pytest.mark.parametrize("name", [None, *COMPRESSORS])
def test_a_copy_on_disk(name: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes are the same, also after a release, and after somebody has cut the file."""
    path = tmp_path / "input"
    path.write_bytes(DATA if name is None else COMPRESSORS[name](DATA))
    assert not isinstance(open_source(path, LIMITS, disk=True).data.obj, mmap.mmap)  # it is small
    monkeypatch.setattr(sources, "_SMALLEST_COPY", 1)
    source = open_source(path, LIMITS, disk=True)
    assert isinstance(source.data.obj, mmap.mmap)
    path.write_bytes(b"")
    assert bytes(source.data) == DATA
    source.release()
    assert bytes(source.data) == DATA
    path.write_bytes(DATA if name is None else COMPRESSORS[name](DATA))
    source = open_source(path, LIMITS)
    source.move_to_disk()  # as an export does
    assert isinstance(source.data.obj, mmap.mmap)
    assert bytes(source.data) == DATA
    monkeypatch.setattr(sources, "_COPY_SHARE", 0)  # no room on the disk
    path.write_bytes(DATA)
    source = open_source(path, LIMITS, disk=True)
    assert not isinstance(source.data.obj, mmap.mmap)
    source.release()
    assert bytes(source.data) == DATA
