"""An export that is killed at any moment loses nothing, and whoever goes on ends with the same lake."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from tests.cli.in_process import run

import playhead
from playhead.corpus import check_lake, compact, is_lake
from playhead.corpus.delta import LakeTables
from playhead.corpus.reading.lake import Lake
from playhead.corpus.writing.commits import InfoTable, write_file
from playhead.io.store import open_store

deltalake = pytest.importorskip("deltalake.exceptions", reason="needs the extra lake")

pytestmark = [
    pytest.mark.slow_interpreted,
    pytest.mark.skipif(os.name != "posix", reason="a process that is killed without warning is Unix's"),
]

FEW = ["info", "players", "commands", "units"]
SMALL = ["--shard-inputs", "4", "--tables", ",".join(FEW)]
#: The command line; it stops (SIGSTOP) after its first commit, so that a kill comes in time on every machine.
STOPPING = """
import os, runpy, signal
from playhead.corpus.writing import commits
commit = commits.commit
def stop(*arguments):
    commits.commit = commit
    found = commit(*arguments)
    os.kill(os.getpid(), signal.SIGSTOP)
    return found
commits.commit = stop
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
runpy.run_module("playhead", run_name="__main__")
"""
PROGRAM = [sys.executable, "-m", "playhead"]
STOPPED = [sys.executable, "-c", STOPPING]


def wait_for_stop(process: subprocess.Popen[Any]) -> None:
    """Wait until a shard is committed or the program has ended."""
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)


def contents(lake: Lake) -> dict[str, list[dict[str, Any]]]:
    return {name: lake.table(name).to_pylist() for name in lake.tables}


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory, write_games: Callable[..., list[Path]], step: int) -> Path:
    # A kill takes away one or two shards of four.
    folder = tmp_path_factory.mktemp("games")
    write_games(folder, 48 if step == 1 else 15)
    (folder / "broken.SC2Replay").write_bytes((folder / "game0.SC2Replay").read_bytes()[:40])
    return folder


@pytest.fixture(scope="module")
def undisturbed(games: Path, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    out = tmp_path_factory.mktemp("undisturbed") / "lake"
    playhead.scan(games, jobs=0).export(out, shard_inputs=4, tables=FEW)
    return playhead.open_lake(out)


@pytest.mark.long
def test_killed_at_random_moments(games: Path, undisturbed: Lake, tmp_path: Path, step: int) -> None:
    moments = random.Random(17)
    out = tmp_path / "lake"
    command = [*STOPPED, "export", str(games), "-o", str(out), "--jobs", "2", *SMALL]
    kills = done = 0
    for _ in range(3 if step == 1 else 2):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for_stop(process)
            time.sleep(moments.random() * 0.2)
            process.send_signal(signal.SIGKILL)
        finally:
            status = process.wait()
        if status != -signal.SIGKILL:
            done = 1
            break
        kills += 1
        if is_lake(out):
            contents(playhead.open_lake(out))  # whatever happened, what is there is whole
    if not done:
        assert run(*command[3:]).returncode == 1  # one is broken
    assert kills >= 2
    lake = playhead.open_lake(out)
    assert lake.status() == undisturbed.status()
    assert contents(lake) == contents(undisturbed)


def test_a_compaction_spares_the_rows_of_a_writer_whose_clock_is_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_games: Callable[..., list[Path]]
) -> None:
    """Between the commits of tables and that of `info`, the rows of a writer look like those of one that died."""
    write_games(tmp_path / "in", 4)
    lake, put = tmp_path / "lake", InfoTable.put

    def put_late(table: InfoTable, rows: pa.Table) -> None:
        if is_lake(lake):
            compact(lake, keep_hours=1)
        put(table, rows)

    yesterday = SimpleNamespace(time=lambda: time.time() - 86400, sleep=time.sleep)
    monkeypatch.setattr("playhead.corpus.delta.time", yesterday)
    monkeypatch.setattr(InfoTable, "put", put_late)
    playhead.scan(tmp_path / "in", jobs=0).export(lake, shard_inputs=2, tables=FEW)
    assert not check_lake(lake)
    assert playhead.open_lake(lake).status()["whole"] == 4


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_errors_of_a_lake_name_a_file_on_one_line(tmp_path: Path) -> None:
    (tmp_path / "a-kills.parquet.part").symlink_to("/dev/full")
    rows = pa.table({"replay": ["1"] * 9, "file": ["1"] * 9, "reading": ["1"] * 9})
    with pytest.raises(OSError, match=r"a-kills\.parquet\.part: .*No space left"):
        write_file(lambda name, path: None, tmp_path, "a", "kills", None, [rows])
    drawn = "Generic error\n      \x1b[31m↳\x1b[0m Unable to copy\n      \x1b[31m↳\x1b[0m disk\n"
    for kind in (deltalake.DeltaError, OSError):

        def fails(kind: type[Exception] = kind) -> None:
            raise kind(drawn)

        with pytest.raises(OSError, match="Generic") as found:
            LakeTables(open_store(tmp_path)).retried(fails)
        assert str(found.value) == f"{tmp_path}: Generic error: Unable to copy: disk"


@pytest.mark.long
@pytest.mark.parametrize("part", [0.0, 0.2, 0.4, 0.6, 0.8, 0.99])
def test_failing_at_each_step_of_writing(
    part: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_games: Callable[..., list[Path]]
) -> None:
    """Every write of a file is a moment at which all may end."""
    from playhead.io.store import FolderStore

    write_games(tmp_path / "in", 4)
    corpus = playhead.scan(tmp_path / "in", jobs=0)
    steps = {"left": 1 << 30}

    def failing(method: Callable[..., None]) -> Callable[..., None]:
        def call(*arguments: Any, **options: Any) -> None:
            if not steps["left"]:
                raise OSError(28, "No space left on device")
            steps["left"] -= 1
            method(*arguments, **options)

        return call

    with monkeypatch.context() as broken:
        broken.setattr(FolderStore, "move_in", failing(FolderStore.move_in))
        broken.setattr(LakeTables, "commit", failing(LakeTables.commit))
        corpus.export(tmp_path / "fresh", shard_inputs=2, tables=FEW)
        steps["left"] = int(part * ((1 << 30) - steps["left"]))
        with pytest.raises(OSError, match="No space left"):
            corpus.export(tmp_path / "lake", shard_inputs=2, tables=FEW)
    if is_lake(tmp_path / "lake"):
        lake = playhead.open_lake(tmp_path / "lake")
        assert len({*lake.replays}) == lake.status()["whole"]
    corpus.export(tmp_path / "lake", shard_inputs=2, tables=FEW)
    lake, fresh = playhead.open_lake(tmp_path / "lake"), playhead.open_lake(tmp_path / "fresh")
    assert contents(lake) == contents(fresh)
    monkeypatch.setattr("playhead.corpus.care.compact.UNFINISHED_HOURS", 0)
    compact(tmp_path / "lake", keep_hours=0)
    assert check_lake(tmp_path / "lake") == ()
    assert contents(playhead.open_lake(tmp_path / "lake")) == contents(fresh)
    assert filled(tmp_path / "lake") == sum(map(bool, lake.rows.values())), "nothing of the failed run is left"


@pytest.mark.skipif(sys.platform != "linux", reason="names of open files are Linux's")
def test_what_is_acknowledged_survives_a_power_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_games: Callable[..., list[Path]]
) -> None:
    """Of a disk that keeps only what was synced: each file as it is, each folder as it was at its latest sync."""
    lake = tmp_path / "lakes" / "lake"
    kept: dict[Path, object] = {}
    order: list[Path] = []

    def fsync(handle: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{handle}"))
        kept[path] = {each.name for each in path.iterdir()} if path.is_dir() else path.stat().st_size
        order.append(path)

    monkeypatch.setattr(os, "fsync", fsync)
    corpus = playhead.scan(write_games(tmp_path / "in", 3), jobs=0)
    for tables in ("players", "units"):
        corpus.export(lake, tables=tables, shard_inputs=2)
        for path in [lake.parent, lake, *lake.rglob("*")]:
            if path.is_dir():
                missing = {each.name for each in path.iterdir()} - {*kept[path]}  # type: ignore[misc]
                assert not missing, path
            elif path.suffix == ".json":
                assert kept[path] == path.stat().st_size
        names = {path.name: size for path, size in kept.items() if isinstance(size, int)}
        assert all(size in names.values() for size in (each.stat().st_size for each in lake.glob("*/*.parquet")))
    last = max(place for place, path in enumerate(order) if path.parent == lake / "units" / "_delta_log")
    assert order.index(max((lake / "info" / "_delta_log").glob("*.json"))) > last, "info is last"


def filled(lake: Path) -> int:
    return len(list(lake.glob("*/*.parquet")))


@pytest.mark.long
def test_workers_go_when_the_export_is_killed(games: Path, tmp_path: Path) -> None:
    command = [*STOPPED, "export", str(games), "-o", str(tmp_path / "lake"), "--jobs", "2", *SMALL]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for_stop(process)
    workers = children(process.pid)
    process.kill()
    process.wait()
    assert workers
    deadline = time.monotonic() + 60
    while any(map(is_alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_alive, workers))


def children(process: int) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            facts = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(facts[1]) == process:
            found.append(int(folder.name))
    return found


def is_alive(process: int) -> bool:
    try:
        return (Path("/proc") / str(process) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.long
def test_an_interrupt_leaves_what_is_finished(games: Path, tmp_path: Path) -> None:
    command = [*STOPPED, "export", str(games), "-o", str(tmp_path / "lake"), "--jobs", "1", *SMALL]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_stop(process)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGCONT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert playhead.open_lake(tmp_path / "lake").inputs.num_rows >= 1
    assert not (tmp_path / "lake" / "_scratch").exists()


@pytest.mark.long
def test_progress_for_machines(games: Path, tmp_path: Path) -> None:
    files = len(list(games.iterdir()))
    asked = [*PROGRAM, "export", str(games), "-o", str(tmp_path / "lake"), "--json", "--jobs", "1", *SMALL]
    outcome = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert outcome.returncode == 1  # one is broken
    lines = [json.loads(line) for line in outcome.stdout.splitlines()]
    told = [line for line in lines if line["event"] == "progress"]
    assert (told[0]["phase"], told[0]["files"], told[0]["hashed"], told[0]["total"]) == ("hash", files, 1, 0)
    reading = [line for line in told if line["phase"] == "read"]
    assert (reading[0]["hashed"], reading[0]["total"], reading[0]["done"]) == (files, files, 0)
    failed = [line for line in lines if line["event"] == "failed"]
    assert [Path(line["file"]).name for line in failed] == ["broken.SC2Replay"]
    assert lines[-1]["event"] == "done"
    assert (lines[-1]["whole"], lines[-1]["failed"]) == (files - 1, 1)
