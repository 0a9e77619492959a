"""Killed processes leave nothing for long: neither folders, in memory or on disk, nor processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from playhead.io import scratch
from playhead.io.scratch import TemporaryFolder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are killed and locked another way here")


def start(tmp_path: Path, program: str, *words: str | Path) -> tuple[subprocess.Popen[str], str]:
    """Run a program up to its first line; a worker imports it again, so it is a file."""
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(program))
    process = subprocess.Popen([sys.executable, path, *words], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def test_a_folder_of_a_killed_process_is_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent = tmp_path / "shm"
    parent.mkdir()
    monkeypatch.setattr(scratch, "_NEW", -1.0)
    program = """
        import sys, time
        from pathlib import Path
        from playhead.io.scratch import TemporaryFolder
        folder = TemporaryFolder("jobs", sys.argv[1])
        Path(folder.name, "0").write_bytes(bytes(1000))
        print(folder.name, flush=True)
        time.sleep(600)
    """
    process, left = start(tmp_path, program, parent)
    try:
        with TemporaryFolder("jobs", str(parent)) as mine:
            assert Path(left, "0").exists(), "its process runs"
            assert Path(mine).stat().st_mode & 0o777 == 0o700
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
        assert os.listdir(parent) == [Path(left).name]
        with TemporaryFolder("other", str(parent)):
            assert Path(left).exists()
        with TemporaryFolder("jobs", str(parent)) as mine:
            assert os.listdir(parent) == [Path(mine).name]
    finally:
        process.kill()
        process.communicate()


def test_what_others_plant_is_not_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").touch()
    (tmp_path / "playhead-jobs-link").symlink_to(outside)
    (tmp_path / "playhead-jobs-file").touch()
    (tmp_path / "playhead-jobs-new").mkdir()
    TemporaryFolder("jobs", str(tmp_path)).cleanup()
    monkeypatch.setattr(scratch, "_NEW", -1.0)
    (tmp_path / "playhead-jobs-foreign").mkdir()
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    TemporaryFolder("jobs", str(tmp_path)).cleanup()
    monkeypatch.setattr(os, "geteuid", lambda: user)
    left = {"outside", "playhead-jobs-link", "playhead-jobs-file", "playhead-jobs-new", "playhead-jobs-foreign"}
    assert set(os.listdir(tmp_path)) == left
    TemporaryFolder("jobs", str(tmp_path)).cleanup()
    assert set(os.listdir(tmp_path)) == left - {"playhead-jobs-new", "playhead-jobs-foreign"}
    assert (outside / "mine").exists()


def test_workers_end_with_a_killed_process(tmp_path: Path) -> None:
    program = """
        import os, time
        from playhead.runtime.workers import WORKERS
        if __name__ == "__main__":
            print(WORKERS.take(1).submit(os.getpid).result(), flush=True)
            time.sleep(600)
    """
    process, worker = start(tmp_path, program)
    assert int(worker) != process.pid
    process.kill()
    try:
        process.communicate(timeout=300)  # to the end of the output, which the worker holds, too
    except subprocess.TimeoutExpired:
        os.kill(int(worker), signal.SIGKILL)
        raise
