"""What is behind URLs is fetched once, whatever is done with it; and not at all if the lake knows it."""

from __future__ import annotations

import gc
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import playhead
from playhead.corpus.writing.export import Progress
from playhead.errors import UnknownFormat
from playhead.io.spool import Spool

fsspec = pytest.importorskip("fsspec", reason="URLs need fsspec (extra remote)")

pytestmark = pytest.mark.slow_interpreted

FEW = ["players", "chat"]


@pytest.fixture
def opened(samples: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """How often each file of a file system in memory was opened for reading."""
    from fsspec.implementations.memory import MemoryFileSystem

    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    system = fsspec.filesystem("memory")
    system.pipe({f"/in/{name}.replay": data for name, data in samples.items()})
    system.pipe("/in/notes.txt", b"no replay " * 1_000_000)
    system.pipe("/in/broken.replay", samples["sc2"][:40])
    counts: Counter[str] = Counter()
    whole = MemoryFileSystem._open

    def counting(self: Any, path: str, mode: str = "rb", **options: Any) -> Any:
        if "r" in mode:
            counts[path.rpartition("/")[2]] += 1
        return whole(self, path, mode, **options)

    monkeypatch.setattr(MemoryFileSystem, "_open", counting)
    yield counts
    system.rm("/in", recursive=True)


def test_each_is_fetched_once(opened: Counter[str], samples: dict[str, bytes], tmp_path: Path) -> None:
    corpus = playhead.scan("memory://in/", jobs=0)
    report = corpus.export(tmp_path / "lake", tables=FEW)
    assert (report.progress.done, report.progress.failed, report.skipped) == (len(samples) + 1, 1, 1)
    assert set(opened.values()) == {1}
    assert len(opened) == len(samples) + 2
    assert corpus.filter(format="sc2").info()["file"].to_pylist() == ["memory:///in/sc2.replay"]
    with pytest.warns(UserWarning, match=r"add no rows .*broken\.replay"):
        assert corpus.table("players").num_rows
    assert set(opened.values()) == {1}
    errors = playhead.open_lake(tmp_path / "lake").problems["what"].to_pylist()
    assert all("memory:///in/broken.replay" in error for error in errors)
    # The copies go with the corpus.
    assert list((tmp_path / "scratch").iterdir())
    del corpus, report
    gc.collect()
    assert not list((tmp_path / "scratch").iterdir())


def test_what_the_lake_knows_is_not_fetched(
    opened: Counter[str], samples: dict[str, bytes], tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    playhead.scan("memory://in/", jobs=0).export(lake, tables=FEW)
    opened.clear()
    report = playhead.scan("memory://in/", jobs=0).export(lake, tables=FEW)
    assert (report.progress.held, report.progress.done) == (len(samples), 1)
    assert opened.keys() == {"notes.txt", "broken.replay"}
    fsspec.filesystem("memory").pipe("/in/sc2.replay", samples["sc2"] + b"changed")
    assert playhead.scan("memory://in/", jobs=0).export(lake, tables=FEW).progress.done == 2


def test_more_than_there_is_room_for_is_fetched_twice(
    opened: Counter[str], samples: dict[str, bytes], tmp_path: Path
) -> None:
    corpus = playhead.scan("memory://in/", jobs=0)
    corpus._spool = Spool(len(samples["hots"]) + len(samples["sc2"]) + 100)
    assert corpus.export(tmp_path / "lake", tables=FEW).progress.failed == 1
    assert opened["sc2.replay"] == 1
    assert opened["source2.replay"] > 1
    table = playhead.open_lake(tmp_path / "lake").table("players")
    with pytest.warns(UserWarning, match="add no rows"):
        assert table.num_rows == playhead.scan("memory://in/", jobs=0).table("players").num_rows


def test_nothing_is_left_of_what_is_not_kept(opened: Counter[str], tmp_path: Path) -> None:
    spool = Spool(1 << 20)

    def refuse(path: str) -> None:
        assert Path(path).stat().st_size > 4096
        raise UnknownFormat("no")

    with pytest.raises(UnknownFormat):
        spool.fetch("memory://in/notes.txt", 1 << 30, refuse)
    with pytest.raises(FileNotFoundError):
        spool.fetch("memory://in/nothing", 1 << 30, refuse)
    assert spool.fetch("memory://in/sc2.replay", 100, lambda path: None) is None
    (folder,) = (tmp_path / "scratch").iterdir()
    assert not list(folder.iterdir())
    copy = spool.fetch("memory://in/sc2.replay", 1 << 20, lambda path: None)
    assert copy is not None
    assert Path(copy).read_bytes() == fsspec.filesystem("memory").cat("/in/sc2.replay")


def test_hashing_is_told_of_too(opened: Counter[str], samples: dict[str, bytes], tmp_path: Path) -> None:
    told: list[tuple[str, int, int, int]] = []

    def note(progress: Progress) -> None:
        told.append((progress.phase, progress.files, progress.hashed, progress.done))

    corpus = playhead.scan("memory://in/", jobs=0)
    corpus.export(tmp_path / "lake", tables=FEW, on_progress=note)
    count = len(samples) + 2
    assert told[:count] == [("hash", count, number, 0) for number in range(1, count + 1)]
    assert told[count:] == [("read", count, count, number) for number in range(count)]
    del told[:]
    corpus.export(tmp_path / "other", tables=FEW, on_progress=note)  # hashed before
    assert {phase for phase, *_ in told} == {"read"}


def test_a_folder_without_its_slash(opened: Counter[str], tmp_path: Path) -> None:
    reports = [
        playhead.scan(name, jobs=0).export(tmp_path / lake, tables=FEW)
        for lake, name in (("with", "memory://in/"), ("without", "memory://in"))
    ]
    assert [(each.progress.done, each.progress.failed) for each in reports] == [(5, 1)] * 2
    for report in reports:
        (error,) = report.failed["error"].to_pylist()
        assert "broken.replay, replay header, offset 0x5" in error


def test_a_cut_answer_is_no_end(
    tmp_path: Path, samples: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    from fsspec.implementations.memory import MemoryFile

    fsspec.filesystem("memory").pipe("/cut/sc2.replay", samples["sc2"])
    half = len(samples["sc2"]) // 2
    whole = MemoryFile.read

    def short(self: Any, length: int = -1) -> bytes:
        return whole(self, min(length, max(half - self.tell(), 0)))

    monkeypatch.setattr(MemoryFile, "read", short)
    monkeypatch.setattr(MemoryFile, "readinto", None)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    report = playhead.scan("memory://cut/", jobs=0).export(tmp_path / "lake", tables=FEW)
    (row,) = report.failed.to_pylist()
    assert row["reason"] == "unreadable"
    assert f"the answer ends at byte {half} of {len(samples['sc2'])}" in row["error"]
    with pytest.raises(OSError, match="the answer ends at byte"):
        playhead.open("memory://cut/sc2.replay").table("players")
    fsspec.filesystem("memory").rm("/cut", recursive=True)
