"""Files are written atomically, and remains of a killed writer are soon removed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

import pytest
from tests.cli.in_process import run as command

import playhead
from playhead.io import atomic
from playhead.io.atomic import whole_file
from playhead.registry import BUILTIN_FORMATS

WRITER = """
    import sys, time
    from pathlib import Path
    from playhead.io.atomic import whole_file
    with whole_file(Path(sys.argv[1])) as path:
        path.write_text("half")
        print("writing", flush=True)
        time.sleep(60)
"""


def start_writer(path: Path) -> subprocess.Popen[str]:
    program = [sys.executable, "-c", textwrap.dedent(WRITER), str(path)]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "writing"
    return process


def test_a_file_replaces_another_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "a.txt"
    with whole_file(path) as temporary:
        temporary.write_text("one")
        assert not path.exists()
    with pytest.raises(IsADirectoryError), whole_file(path) as temporary:
        temporary.write_bytes(tmp_path.read_bytes())
    assert path.read_text() == "one"
    assert [each.name for each in path.parent.iterdir()] == ["a.txt"]


@pytest.mark.skipif(os.name != "posix", reason="processes are killed and locked another way here")
def test_remains_of_a_killed_writer_are_removed_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "a [1].txt"
    process = start_writer(path)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert len(list(tmp_path.iterdir())) == 1
    with whole_file(path) as temporary:
        temporary.write_text("whole")
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.skipif(os.name != "posix", reason="processes are killed and locked another way here")
def test_a_writer_at_work_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    process = start_writer(path)
    try:
        with whole_file(path) as temporary:
            temporary.write_text("whole")
        names = sorted(each.name for each in tmp_path.iterdir())
        assert len(names) == 2
        assert names[0].startswith(".a.txt.")
        assert names[1] == "a.txt"
    finally:
        process.kill()
        process.communicate()
    assert path.read_text() == "whole"


@pytest.mark.skipif(os.name != "posix", reason="files are locked another way here")
def test_a_file_that_another_writer_removed_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, make = tmp_path / "a.txt", tempfile.mkstemp
    made: list[str] = []

    def watched(**named: Any) -> tuple[int, str]:
        handle, name = make(**named)
        if not made:
            atomic._remove_left(path)
        made.append(name)
        return handle, name

    monkeypatch.setattr(tempfile, "mkstemp", watched)
    with whole_file(path) as temporary:
        temporary.write_text("whole")
    assert len(made) == 2
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("a.txt", "whole")]


@pytest.mark.skipif(os.name != "posix", reason="links need a right here")
@pytest.mark.parametrize("planted", [".a.txt.part", "a.txt", ".a.txt.x.part"])
def test_a_planted_link_is_not_followed(tmp_path: Path, planted: str) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    outside.chmod(0o600)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / planted).symlink_to(outside)
    with whole_file(folder / "a.txt") as temporary:
        temporary.write_text("whole")
    assert (outside.read_text(), outside.stat().st_mode & 0o777) == ("mine", 0o600)
    assert not (folder / "a.txt").is_symlink()
    assert (folder / "a.txt").read_text() == "whole"


@pytest.mark.skipif(os.name != "posix", reason="links need a right here")
def test_a_replaced_temporary_file_is_not_used(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    with pytest.raises(OSError, match="another process replaced"):  # noqa: PT012, SIM117
        with whole_file(tmp_path / "a.txt") as temporary:
            temporary.unlink()
            temporary.symlink_to(outside)
    assert outside.read_text() == "mine"
    assert [each.name for each in tmp_path.iterdir()] == ["outside"]


@pytest.mark.skipif(os.name != "posix", reason="names have other limits here")
def test_long_names_are_written(tmp_path: Path) -> None:
    path = tmp_path / ("ä" * 120 + ".txt")
    with whole_file(path) as temporary:
        temporary.write_text("whole")
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.slow_interpreted
@pytest.mark.skipif(os.name != "posix", reason="links need a right here")
def test_commands_do_not_follow_planted_links(tmp_path: Path) -> None:
    replay = BUILTIN_FORMATS[-1].write_sample(tmp_path)
    outside = tmp_path / "outside"
    outside.write_text("mine")
    folder = tmp_path / "out"
    command("export", replay, "-o", folder)
    (folder / "info.parquet").unlink()
    names = ("info.parquet", ".info.parquet.part", "report.html", "index", ".index.part")
    for name in names:
        (folder / name).symlink_to(outside)
    command("export", replay, "-o", folder)
    command("report", replay, "-o", folder / "report.html", "--force")
    opened = playhead.open(replay)
    opened.use_index(folder / "index")  # type: ignore[attr-defined]
    opened.at(10)
    command("sample", folder / "sample")
    assert outside.read_text() == "mine"
    assert [name for name in names if (folder / name).is_symlink()] == [".info.parquet.part", ".index.part"]


@pytest.mark.skipif(os.name != "posix", reason="links need a right here")
def test_a_link_in_place_of_scratch_is_refused(tmp_path: Path) -> None:
    replay = BUILTIN_FORMATS[-1].write_sample(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / "_scratch").symlink_to(outside)
    with pytest.raises(OSError, match="is a link"):
        playhead.scan(replay, jobs=0).export(lake)
    assert not list(outside.iterdir())
