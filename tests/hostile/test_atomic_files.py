"""Files are written atomically, and remains of a killed writer are soon removed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from playhead.io.atomic import whole_file

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
        assert [each.name for each in sorted(tmp_path.iterdir())] == [".a.txt.part", "a.txt"]
    finally:
        process.kill()
        process.communicate()
    assert path.read_text() == "whole"
