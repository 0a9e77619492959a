"""Hashing a corpus is bounded: a bomb, an endless member or a pipe costs itself, and the lake goes on."""

from __future__ import annotations

import bz2
import io
import os
import tarfile
import zipfile
from functools import cache
from pathlib import Path

import pytest
from tests.hostile import attempts, makers

import playhead
from playhead.corpus import WorkerLimits, scan
from playhead.io import packs
from playhead.io.inputs import expand_inputs
from playhead.io.packs import list_pack, open_member
from playhead.limits import Limits
from playhead.registry import BUILTIN_FORMATS
from playhead.web.shelf import Shelf, about

pytestmark = pytest.mark.slow_interpreted

TEEHISTORIAN = BUILTIN_FORMATS[-1].write_sample


def sparse_tar(folder: Path, kind: str, size: int = 1 << 60) -> Path:
    """Write a tar whose member claims a size and has one byte of data, as GNU's sparse type."""
    info = tarfile.TarInfo("endless.dem")
    info.type = tarfile.GNUTYPE_SPARSE
    head = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    head[124:136] = b"%011o\0" % 512
    head[386:410] = _number(0) + _number(512)
    head[483:495] = _number(size)
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    data = bytes(head) + b"PBDEMS2\0".ljust(512, b"x") + bytes(1024)
    path = folder / f"sparse.{kind}"
    path.write_bytes(makers.COMPRESSED_AS[f".{kind.partition('.')[2]}"](data) if "." in kind else data)
    return path


def _number(value: int) -> bytes:
    if value < 8**11:
        return b"%011o\0" % value
    return b"\x80" + value.to_bytes(11, "big")


def negative_tar(path: Path) -> Path:
    """Write a tar whose member has a negative size."""
    head = bytearray(tarfile.TarInfo("negative.dem").tobuf(tarfile.GNU_FORMAT))
    head[124:136] = b"\xff" * 8 + (-4096).to_bytes(4, "big", signed=True)
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    path.write_bytes(bytes(head) + bytes(2048))
    return path


@cache
def bomb(size: int = 3 << 30) -> bytes:
    """Return a bz2 of zeros that begins like a demo."""
    zeros = bz2.compress(bytes(16 << 20))
    return bz2.compress(b"PBDEMS2\0" + bytes(5000)) + zeros * (size >> 24)


def export(folder: Path, tmp_path: Path, jobs: int) -> playhead.corpus.Report:  # type: ignore[name-defined]
    limits = WorkerLimits(seconds=60, memory=2 << 30)
    return scan(folder, jobs=jobs, worker_limits=limits).export(tmp_path / f"lake{jobs}")


@pytest.mark.long
@pytest.mark.parametrize("jobs", [0, 1])
def test_a_lake_goes_on_after_bombs(tmp_path: Path, jobs: int) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    TEEHISTORIAN(folder)
    (folder / "bomb.dem.bz2").write_bytes(bomb())
    for kind in ("tar", "tar.gz", "tar.xz", "tar.bz2", "tar.zst"):
        sparse_tar(folder, kind)
    negative_tar(folder / "negative.tar")
    makers.packed(folder, "zip", "b.dem", bomb(1 << 28))
    report = export(folder, tmp_path, jobs)
    status = playhead.open_lake(tmp_path / f"lake{jobs}").status()
    assert status["whole"] == 1
    assert status["failed"] + status["quarantined"] == 8
    assert report.failed.num_rows == 8
    reasons = {row["file"].rpartition("/")[2]: row["reason"] for row in report.failed.to_pylist()}
    assert reasons["bomb.dem.bz2"] == "limit"
    assert {text for name, text in reasons.items() if "sparse" in name} == {"unreadable"}


def test_a_negative_size_in_a_tar_is_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="expected the size of a member, found -4096"):
        playhead.open(f"{negative_tar(tmp_path / 'negative.tar')}::negative.dem")


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="a worker is killed another way here")
def test_a_worker_that_dies_while_hashing_is_quarantined(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    good = TEEHISTORIAN(folder)
    (folder / "late.dem.bz2").write_bytes(bomb(1 << 30))
    patient = Limits(expansion=1 << 30)  # time is the limit that the bomb reaches
    items = scan(folder, jobs=1, worker_limits=WorkerLimits(seconds=0.2), limits=patient).items
    found = {Path(item.file).name: item for item in items}
    late = found["late.dem.bz2"]
    assert late.gave_up
    assert late.reason == "timeout"
    assert "took longer than allowed" in (late.error or "")
    assert found[good.name].reason is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_pipes_in_folders_do_not_hang(tmp_path: Path) -> None:
    names = ("pipe.dem", "pipe.zip", "pipe.tar", "sync", "sync.json", "1/start", "pipe.dem.xz")
    folders = [tmp_path / str(number) for number in range(len(names))]
    for folder, name in zip(folders, names, strict=True):
        (folder / name).parent.mkdir(parents=True)
        os.mkfifo(folder / name)
    pipes = [(str(folder), str(folder / name)) for folder, name in zip(folders, names, strict=True)]
    program = f"import playhead\nfor pipe in {pipes}: print(len(playhead.scan(list(pipe), jobs=0).items))"
    found = attempts.run([attempts.sys.executable, "-c", program], wait=60)
    assert found.status == 0, found
    assert len(found.out.split()) == len(names)
    assert set(found.out.split()) <= {"0", "1"}


def test_members_of_a_pack_have_one_budget(tmp_path: Path) -> None:
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(20):
            archive.writestr(f"{number}.dem", bytes(10 << 20))
    listed = []
    with pytest.raises(OSError, match="more bytes together"):
        listed.extend(list_pack(str(path)))
    assert 3 <= len(listed) < 20
    (found,) = list(expand_inputs([path]))
    assert found.error is not None


@pytest.mark.stepped
@pytest.mark.parametrize("kind", ["tar.gz", "tar.xz", "tar.bz2", "tar.zst", "tgz"])
def test_a_compressed_tar_is_listed_within_bounds(tmp_path: Path, kind: str) -> None:
    suffix = ".gz" if kind == "tgz" else f".{kind.partition('.')[2]}"
    head = tarfile.TarInfo("first.dem")
    head.size = 130 << 20
    content = head.tobuf() + bytes(head.size) + bytes(1024)
    path = tmp_path / f"bomb.{kind}"
    path.write_bytes(makers.COMPRESSED_AS[suffix](content))
    with pytest.raises(OSError, match="more bytes"):
        list(list_pack(str(path)))


def many_members(path: Path, count: int) -> None:
    head = tarfile.TarInfo("0.dem")
    head.size = 8
    content = b""
    for number in range(count):
        head.name = f"{number}.dem"
        content += head.tobuf() + b"PBDEMS2\0".ljust(512, b"\0")
    path.write_bytes(makers.COMPRESSED_AS[path.suffix](content + bytes(1024)))


def test_a_compressed_tar_is_decompressed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    class Counted(packs._Inflated):
        def __init__(self, path: str, limits: Limits) -> None:
            opened.append(path)
            super().__init__(path, limits)

    monkeypatch.setattr(packs, "_Inflated", Counted)
    many_members(tmp_path / "many.tar.gz", 100)
    assert len(scan(tmp_path, jobs=0).items[0].copies) == 99
    assert len(opened) == 2  # one lists it


def test_members_of_a_large_compressed_tar_have_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "many.tar.gz"
    many_members(path, 1000)
    assert len(list(list_pack(str(path)))) == 1000
    monkeypatch.setattr(packs, "_COPIED", 100_000)
    with pytest.raises(OSError, match="too many members"):
        list(list_pack(str(path)))
    with open_member(f"{path}::99.dem") as file:  # from the start: it is not copied
        assert file.read() == b"PBDEMS2\0"


def test_a_member_with_a_long_number_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    names = ["b10.dem", "b9.dem", f"{'7' * 5000}.dem", f"{'7' * 4999}8.dem", "07.dem"]
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, b"x")
    found = [file.path.partition("::")[2] for file in expand_inputs([path])]
    assert found == ["07.dem", *names[2:4], "b9.dem", "b10.dem"]


def test_a_deep_folder_is_an_error(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * 200)
    deep.mkdir(parents=True)
    TEEHISTORIAN(tmp_path)
    files = scan(tmp_path, jobs=0)._inputs
    assert [file.error is None for file in files] == [False, True]
    assert "more than 100 folders" in str(files[0].error)


def test_limits_reach_the_listing_of_a_pack(tmp_path: Path) -> None:
    head = tarfile.TarInfo("first.dem")
    head.size = 80 << 20
    (tmp_path / "a.tar.zst").write_bytes(
        makers.COMPRESSED_AS[".zst"](head.tobuf() + bytes(head.size) + bytes(1024))
    )
    (file,) = scan(tmp_path, limits=Limits(expansion=1))._inputs
    assert "more bytes" in str(file.error)
    (file,) = scan(tmp_path, limits=Limits(expansion=1 << 20))._inputs
    assert (file.error, file.size) == (None, head.size)


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz", "tar.xz", "tar.bz2"])
def test_members_are_read_as_before(tmp_path: Path, kind: str) -> None:
    data = TEEHISTORIAN(tmp_path).read_bytes()
    path = makers.packed(tmp_path, kind, "a.teehistorian", data)
    assert [each[:2] for each in list_pack(str(path))] == [(f"{path}::a.teehistorian", len(data))]
    with open_member(f"{path}::a.teehistorian") as file:
        assert file.read() == data
    whole = playhead.open(data)
    assert playhead.open(f"{path}::a.teehistorian").content_hash == whole.content_hash


@pytest.mark.parametrize("name", ["http://host/a.teehistorian", "a://b", "x::y://z.teehistorian"])
def test_members_may_look_like_urls(tmp_path: Path, name: str) -> None:
    data = TEEHISTORIAN(tmp_path).read_bytes()
    for kind in ("zip", "tar"):
        path = makers.packed(tmp_path, kind, "plain", data)
        path.unlink()
        if kind == "zip":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr(name, data)
        else:
            with tarfile.open(path, "w") as tar:
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
        (item,) = scan(path, jobs=0).items
        assert (item.reason, item.id) == (None, playhead.open(data).content_hash)
        assert scan(path, jobs=0).table("info").num_rows == 1


def test_a_member_packed_by_lzma_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.dem", bytes(1000))
    with pytest.raises(OSError, match="method 14"):
        open_member(f"{path}::a.dem")


def test_chained_long_names_are_an_error(tmp_path: Path) -> None:
    head = tarfile.TarInfo("././@LongLink")
    head.type = tarfile.GNUTYPE_LONGNAME
    head.size = 5
    path = tmp_path / "chain.tar"
    path.write_bytes((head.tobuf() + b"name\0".ljust(512, b"\0")) * 5000)
    with pytest.raises(OSError, match=r"chain\.tar"):
        list(list_pack(str(path)))


def test_a_pack_in_place_of_a_replay_is_named(tmp_path: Path) -> None:
    with pytest.raises(playhead.UnknownFormat, match="found a tar archive, of which PACK::FILE names a file"):
        playhead.open(sparse_tar(tmp_path, "tar"))


def test_the_viewer_names_a_file_that_it_cannot_open(tmp_path: Path) -> None:
    (listed,) = Shelf([str(sparse_tar(tmp_path, "tar"))]).files
    text = about(listed.path)["error"]
    assert text.startswith(str(tmp_path))
    assert "is a sparse file" in text
