"""Members of packs are decompressed while reading: a bomb ends at the limit, damage is an error of the input."""

from __future__ import annotations

import gzip
import io
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from tests.cli.in_process import run
from tests.samples.source2.engine import sample_demo

import playhead
from playhead import LimitExceeded, Limits, UnknownFormat
from playhead.io.packs import list_pack, open_member
from playhead.io.source import open_source, open_stream, read_all

pytestmark = pytest.mark.slow_interpreted

MEGABYTE = 1 << 20
BOMB = 40 * MEGABYTE
NAMES = ("pack.zip", "pack.tar", "pack.tar.gz", "pack.tar.xz")


def write_pack(path: Path, data: bytes) -> str:
    """Write a pack with one member; return the member's full name."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("in/a.dem", data)
    else:
        suffix = path.name.removeprefix("pack.tar").removeprefix(".")
        with tarfile.open(path, f"w:{suffix}") as archive:  # type: ignore[call-overload]
            member = tarfile.TarInfo("in/a.dem")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return f"{path}::in/a.dem"


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_a_bomb_in_a_pack_ends_at_the_limit(tmp_path: Path, name: str) -> None:
    member = write_pack(tmp_path / name, bytes(BOMB))
    limits = Limits(decompressed_input=2 * MEGABYTE)
    tracemalloc.start()
    try:
        with pytest.raises(LimitExceeded, match="2097152 bytes"):
            open_source(member, limits)
        with pytest.raises(LimitExceeded, match="2097152 bytes"):
            read_all(open_stream(member), limits)
        assert tracemalloc.get_traced_memory()[1] < 24 * MEGABYTE  # xz takes 8 of these
    finally:
        tracemalloc.stop()


@pytest.mark.long
def test_a_bomb_in_a_pack_ends_at_its_expansion(tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, head in (("sound.dem", sample_demo()), ("none.dem", b"")):
            with archive.open(name, "w") as member:
                member.write(head)
                for _ in range(70):
                    member.write(bytes(MEGABYTE))
    with pytest.raises(LimitExceeded, match="more than 9 times its size"):
        playhead.open(f"{path}::sound.dem", limits=Limits(expansion=9))
    assert len(open_source(f"{path}::sound.dem", Limits(expansion=2000)).data) > 70 * MEGABYTE
    tracemalloc.start()
    try:
        with pytest.raises(UnknownFormat, match="zero bytes"):
            playhead.open(f"{path}::none.dem")
        assert tracemalloc.get_traced_memory()[1] < 8 * MEGABYTE
    finally:
        tracemalloc.stop()


def test_a_member_with_a_long_name(tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a" * 400, sample_demo())
    assert playhead.open(f"{path}::{'a' * 400}").info
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("in/b.dem", sample_demo())
    outcome = run("export", path, "-o", tmp_path / "out", "--tables", "info", "--format", "csv")
    assert "File name too long" in outcome.stderr
    assert [each.parent.name for each in (tmp_path / "out").glob("*/info.csv")] == ["b.dem"]


def test_names_that_begin_at_the_folder_are_not_hidden(tmp_path: Path) -> None:
    """``tar -C folder -cf pack.tar .`` writes them so; a name that leads elsewhere is a name."""
    path = tmp_path / "pack.tar"
    with tarfile.open(path, "w") as archive:
        for each in (
            "./a.dem",
            "./in/b.dem",
            "../../c.dem",
            "./.hidden",
            ".git/d.dem",
            "e.dem/..",
            "__MACOSX/a.dem",
        ):
            archive.addfile(tarfile.TarInfo(each))
    assert [name.partition("::")[2] for name, *_ in list_pack(str(path))] == [
        "./a.dem",
        "./in/b.dem",
        "../../c.dem",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_member_is_read_whole_or_as_a_stream(tmp_path: Path, name: str) -> None:
    data = sample_demo()
    member = write_pack(tmp_path / name, data)
    for _ in range(2):  # archives kept open return it again
        assert open_source(member, Limits()).data == data
    rows = playhead.open(data).table("messages").num_rows
    for stream in (False, True):
        with playhead.open(member, stream=stream) as replay:
            assert replay.table("messages").num_rows == rows
    with open_member(member) as one, open_member(member) as other:
        assert one.read(100) == other.read(100) == data[:100]


@pytest.mark.parametrize("name", ["pack.tar", "pack.tar.gz"])
@pytest.mark.parametrize("kind", ["flipped", "cut", "between", "long"])
def test_a_damaged_header_of_a_tar_is_not_its_end(tmp_path: Path, name: str, kind: str) -> None:
    """The members before it are read, and the damage is told."""
    data = sample_demo()
    first = io.BytesIO()
    with tarfile.open(fileobj=first, mode="w") as archive:
        for each in ("a.dem", "b.dem"):
            member = tarfile.TarInfo(each)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    pack, second = bytearray(first.getvalue()), 512 + -(-len(data) // 512) * 512
    if kind == "flipped":
        pack[second] ^= 1
    elif kind == "cut":
        del pack[second + 100 :]
    elif kind == "between":
        del pack[second:]
    else:
        named = tarfile.TarInfo("x" * 2_000_000).tobuf(tarfile.GNU_FORMAT)
        pack[second:] = named + pack[second:]
    path = tmp_path / name
    path.write_bytes(gzip.compress(pack) if name.endswith(".gz") else pack)
    found: list[str] = []
    with pytest.raises(OSError, match=r"checksum|truncated|expected names|without its end blocks"):
        found.extend(each for each, *_ in list_pack(str(path)))  # it keeps those before the damage
    assert found == [f"{path}::a.dem"]
    assert open_source(found[0], Limits()).data == data
    with pytest.raises(OSError, match=r"checksum|truncated|expected names|no such member"):
        open_member(f"{path}::b.dem")


def test_a_member_whose_content_is_damaged_is_an_error_of_the_input(tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    member = write_pack(path, sample_demo())
    data = bytearray(path.read_bytes())
    data[200:300] = bytes(100)
    path.write_bytes(data)
    with pytest.raises(OSError, match=r"pack\.zip::in/a\.dem"):
        playhead.open(member)
