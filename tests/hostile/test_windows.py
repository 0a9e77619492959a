"""Habits of Windows that another system can imitate: open files stay, there are no locks, no fork and no `killpg`,
text has other line ends and encodings."""

from __future__ import annotations

import ast
import asyncio
import io
import multiprocessing
import ntpath
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from playhead.cli.output import standard
from playhead.corpus.writing import pool
from playhead.io import atomic, packs, scratch
from playhead.io.atomic import whole_file
from playhead.io.store import FolderStore
from playhead.runtime import bounded
from playhead.web import shelf as shelf_module
from playhead.web.shelf import Shelf

SOURCE = Path(__file__).parents[2] / "src"


class OpenFiles:
    """Refuses to replace or remove files that this process has open, as Windows does without FILE_SHARE_DELETE."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.waits = 0
        self.replace, self.unlink = os.replace, os.unlink
        monkeypatch.setattr(os, "replace", lambda path, to: self._free(path, to) or self.replace(path, to))
        monkeypatch.setattr(os, "unlink", lambda path, **named: self._free(path) or self.unlink(path, **named))
        monkeypatch.setattr(atomic, "HAS_LOCKS", False)
        monkeypatch.setattr(atomic, "_PATIENCE", 0.2)

    def _free(self, *paths: str | os.PathLike[str]) -> None:
        held = {os.path.realpath(f"/proc/self/fd/{each}") for each in os.listdir("/proc/self/fd")}
        for path in paths:
            if os.path.realpath(path) in held:
                self.waits += 1
                raise PermissionError(13, "The process cannot access the file", os.fspath(path))


@pytest.fixture
def open_files(monkeypatch: pytest.MonkeyPatch) -> OpenFiles:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("the system does not list open files")
    return OpenFiles(monkeypatch)


def test_a_whole_file_is_closed_before_it_is_moved_or_removed(tmp_path: Path, open_files: OpenFiles) -> None:
    path = tmp_path / "a.txt"
    with whole_file(path) as temporary:
        temporary.write_text("one")
    with pytest.raises(ZeroDivisionError), whole_file(path) as temporary:
        temporary.write_text(str(1 / 0))
    assert path.read_text() == "one"
    assert os.listdir(tmp_path) == ["a.txt"]
    assert open_files.waits == 0


@pytest.mark.parametrize("way", ["whole_file", "move_in"])
def test_a_file_that_is_read_is_replaced_once_it_is_closed(
    tmp_path: Path, open_files: OpenFiles, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FolderStore(str(tmp_path / "lake"))
    new = tmp_path / "new"
    new.write_bytes(b"old")
    store.move_in("manifest", new)
    new.write_bytes(b"new")

    def write() -> None:
        if way == "move_in":
            store.move_in("manifest", new)
        else:
            with whole_file(tmp_path / "lake" / "manifest") as temporary:
                temporary.write_bytes(b"new")

    reader = store.open("manifest")
    with pytest.raises(PermissionError):
        write()
    assert reader.read() == b"old"
    assert [each.name for each in store.files()] == ["manifest"], "no remains"

    monkeypatch.setattr(atomic.time, "sleep", lambda seconds: reader.close())
    write()
    with store.open("manifest") as file:
        assert file.read() == b"new"
    assert open_files.waits >= 2


def test_too_large_a_file_is_dropped(
    tmp_path: Path, open_files: OpenFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = scratch.TemporaryFolder("dropped", str(tmp_path))
    monkeypatch.setattr(shelf_module, "MOST_DROPPED", 3)
    monkeypatch.setattr(shelf_module, "TemporaryFolder", lambda purpose: folder)

    async def parts() -> AsyncIterator[bytes]:
        yield b"four"

    def drop() -> int:
        return asyncio.run(Shelf([]).add("a.dem", parts()))

    # A test of the page that ran before keeps a loop in this thread.
    with folder, ThreadPoolExecutor(1) as thread:
        with pytest.raises(ValueError, match="dropped files may have"):
            thread.submit(drop).result()
        assert [path for path in Path(folder.name).rglob("*") if path.is_file()] == []


def test_processes_without_fork_and_kill(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker is begun with a command, not a fork, and killed without a process group."""
    monkeypatch.delattr(os, "killpg")
    monkeypatch.delattr(os, "fork")
    limits = pool.WorkerLimits(seconds=0.2, stall_seconds=None)
    with pool.open_pool(1, limits) as calls:
        (found,) = calls.run(iter([pool.Task("slow", sleep, 60.0)]))
    assert found.death is not None
    assert found.death.reason == "timeout"


def sleep(seconds: float, _report: Any) -> None:
    import time

    time.sleep(seconds)


def test_an_interrupt_of_the_console_reaches_the_first_process_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows sends Ctrl-C to all processes of a console but those of a new group."""
    given: dict[str, Any] = {}

    class Begun:
        stdin = io.BytesIO()

        def __init__(self, command: list[str], **named: Any) -> None:
            given.update(named)

    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0x200, raising=False)
    monkeypatch.setattr(subprocess, "Popen", Begun)
    bounded.start_server([], io.BytesIO())
    assert given["creationflags"] == 0x200
    assert given["start_new_session"]


def test_no_process_is_forked() -> None:
    """Where there is fork it is not the way: the same processes begin on every system."""
    calls = [
        (path.name, ast.unparse(node))
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith(("get_context", "ProcessPoolExecutor", "os.fork"))
    ]
    assert calls
    assert [each for each in calls if "spawn" not in each[1]] == []
    assert "spawn" in multiprocessing.get_all_start_methods()


def test_no_folder_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "statvfs")
    assert scratch.fast_folder(1) is None


def test_text_that_is_written_has_the_same_bytes_everywhere() -> None:
    """Python would write the line ends and the encoding of the system."""
    found = 0
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "write_text"
            ):
                found += 1
                names = {word.arg for word in node.keywords}
                assert "newline" in names, f"{path}:{node.lineno}"
                assert "encoding" in names or len(node.args) > 1, f"{path}:{node.lineno}"
    assert found > 5


@pytest.mark.parametrize(
    ("terminal", "named", "encoding"), [(False, None, "utf-8"), (False, "cp437", "cp1252"), (True, None, "cp1252")]
)
def test_what_a_pipe_gets(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, named: str | None, encoding: str
) -> None:
    """Windows opens pipes in the language's encoding, which has no place for most names of players."""

    class Raw(io.RawIOBase):
        data = b""

        def writable(self) -> bool:
            return True

        def isatty(self) -> bool:
            return terminal

        def write(self, data: Any, /) -> int:
            self.data += bytes(data)
            return len(data)

    raw = Raw()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BufferedWriter(raw), encoding="cp1252"))
    monkeypatch.setattr(standard, "os", Os(environ={} if named is None else {"PYTHONIOENCODING": named}))
    standard.guard_stdout()
    standard.print_out("é 中")
    sys.stdout.flush()
    assert sys.stdout.encoding == encoding
    assert raw.data == ("é 中\n".encode() if encoding == "utf-8" else b"\xe9 \\u4e2d\n")


class Os:
    """What `standard` asks the module `os`, as on Windows."""

    name = "nt"

    def __init__(self, environ: dict[str, str]) -> None:
        self.environ = environ


@pytest.mark.parametrize(
    "name", [r"C:\games\a.dem", "C:/games/a.dem", r"\\server\games\a.dem", r"C:\packs\a.zip::b/c.dem"]
)
def test_a_drive_is_no_scheme(name: str) -> None:
    assert not packs.is_url(name)


def test_a_member_of_a_pack_on_a_drive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "os", type("", (), {"path": ntpath}))
    assert packs.split_member(r"C:\packs\a.zip::b/c.dem") == (r"C:\packs\a.zip", "b/c.dem")
    assert packs.split_member(r"C:\packs\a.dem") is None
