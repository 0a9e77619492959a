"""Disturb a lake in every way that may happen to one. It ends with the rows of an undisturbed one, none twice:

    python -m tests.corpus.gate [KILLS] [PAIRS]

Exports, appends, compactions and removals are killed at random moments, two exports write at once, an S3 server
fails one request in ten, the folder is read-only, the clock is set back a day and forward again. Linux, with `cc`.
"""

from __future__ import annotations

import ctypes
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.corpus.buckets import BUCKET, served

import playhead
from playhead.corpus import check_lake, is_lake
from playhead.registry import list_formats

logging.getLogger("werkzeug").setLevel(logging.ERROR)
FEW = "info,players,commands,units"
QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1
#: A clock that is a day behind as long as a file exists.
CLOCK = """
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, id, now);
    if (!failed && id == CLOCK_REALTIME && access(getenv("CLOCK_IS_BACK"), F_OK) == 0) now->tv_sec -= 86400;
    return failed;
}
"""


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "playhead", *map(str, words)]


def export(games: Path, lake: Path | str) -> list[str]:
    return command("export", games, "-o", lake, "--tables", FEW, "--jobs", 2, "--shard-inputs", 3)


def rows(lake: Path | str) -> dict[str, list[dict[str, Any]]]:
    opened = playhead.open_lake(lake)
    return {name: opened.table(name).to_pylist() for name in opened.tables}


def write_games(folder: Path, count: int) -> None:
    folder.mkdir()
    sc2 = next(each for each in list_formats() if each.name == "sc2").write_sample(folder)
    data = sc2.read_bytes()
    for number in range(count):
        (folder / f"game{number}.SC2Replay").write_bytes(data + number.to_bytes(4, "little"))
    sc2.unlink()


class Lakes:
    """Replays in two folders, nine of them in both, and what is true of their lakes."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.games, self.more = scratch / "games", scratch / "more"
        write_games(self.games, 9)
        write_games(self.more, 12)
        whole = scratch / "whole"
        subprocess.run(export(self.games, whole), check=True, **QUIET)
        self.expected = rows(whole)
        self.gone = sorted({*playhead.scan(self.more, jobs=0).replays} - {*playhead.open_lake(whole).replays})

    def works(self, lake: Path | str) -> tuple[list[str], ...]:
        """Return commands after which, in turns, a lake is what it was after the first one."""
        return (
            export(self.games, lake),
            export(self.more, lake),
            command("lake", "compact", lake, "--keep", 0),
            command("lake", "remove", lake, *self.gone),
        )


def killed(words: list[str], moments: random.Random, usual: float) -> float | None:
    """Start a command and kill it at a random moment; return how long it took if it ended before."""
    began = time.monotonic()
    process = subprocess.Popen(words, **QUIET, start_new_session=True)
    try:
        process.wait(usual * (0.3 + 0.6 * moments.random()))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return None
    return time.monotonic() - began


def kill(lakes: Lakes, kills: int) -> str:
    moments = random.Random(76)
    usual = []
    for work in lakes.works(lakes.scratch / "usual"):
        began = time.monotonic()
        subprocess.run(work, check=True, **QUIET)
        usual.append(time.monotonic() - began)
    lake = lakes.scratch / "killed"
    by_work = [0] * 4
    runs = 0
    while sum(by_work) < kills or runs % 4:
        place = runs % 4
        work = lakes.works(lake)[place]
        ended = killed(work, moments, usual[place])
        by_work[place] += ended is None
        usual[place] = ended or usual[place]  # the machine may have become faster
        if is_lake(lake):
            rows(lake)  # whatever happened, what is there is whole
        subprocess.run(work, check=False, **QUIET)  # the resume
        assert not check_lake(lake), runs
        if place == 3:
            assert rows(lake) == lakes.expected, runs
        runs += 1
    words = ", ".join(map("{} {}".format, by_work, ("exports", "appends", "compactions", "removals")))
    return f"{runs} runs, {sum(by_work)} killed ({words})"


def pair(lakes: Lakes, pairs: int) -> str:
    for number in range(pairs):
        lake = lakes.scratch / f"pair{number}"
        both = [subprocess.Popen(export(folder, lake), **QUIET) for folder in (lakes.games, lakes.more)]
        assert [each.wait() for each in both] == [0, 0], number
        found = playhead.open_lake(lake)
        assert len(found) == 12, number
        assert rows(lake).keys() == lakes.expected.keys()
        assert found.rows["players"] == found.table("players").num_rows == 24, number
        assert not check_lake(lake), number
    return f"{pairs} times two writers at once"


def shake(lakes: Lakes, kills: int) -> str:
    with served(0.1) as server:
        lake = f"s3://{BUCKET}/lake"
        for _ in range(2):
            for work in lakes.works(lake):
                subprocess.run(work, check=True, **QUIET)
            assert rows(lake) == lakes.expected
            assert not check_lake(lake)
        return f"{server.failed} of {server.asked} requests failed"


def deny(lakes: Lakes, kills: int) -> str:
    """Write into a read-only folder; root has the right to, which the commands give up."""
    lake = lakes.scratch / "denied"
    subprocess.run(export(lakes.games, lake), check=True, **QUIET)
    for path in (lake, *lake.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    held = {path: path.stat().st_mtime_ns for path in (lake, *lake.rglob("*"))}
    own: dict[str, Any] = {"preexec_fn": lambda: ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE)}
    try:
        replay = min(playhead.open_lake(lake).replays)
        for work in (*lakes.works(lake)[1:3], command("lake", "remove", lake, replay)):
            done = subprocess.run(work, capture_output=True, text=True, check=False, **own)
            assert done.returncode != 0, work
            assert "denied" in done.stderr, done.stderr
            assert "Traceback" not in done.stderr, done.stderr
        for work in (command("lake", "check", lake), command("sql", "SELECT count(*) FROM units", lake)):
            subprocess.run(work, check=True, **QUIET, **own)
        assert held == {path: path.stat().st_mtime_ns for path in (lake, *lake.rglob("*"))}
        assert rows(lake) == lakes.expected
    finally:
        for path in held:
            path.chmod(0o755)
    return "a read-only folder is read, and stays as it is"


def turn(lakes: Lakes, kills: int) -> str:
    """Set the clock back and forward in the middle of each work."""
    library, source, is_back = (lakes.scratch / name for name in ("clock.so", "clock.c", "back"))
    source.write_text(CLOCK)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    own = {**os.environ, "LD_PRELOAD": str(library), "CLOCK_IS_BACK": str(is_back)}
    is_back.touch()
    told = subprocess.run([sys.executable, "-c", "import time; print(time.time())"], env=own, capture_output=True)
    assert float(told.stdout) < time.time() - 80000
    lake = lakes.scratch / "turned"
    turns = 0
    for _ in range(4):
        for work in lakes.works(lake):
            process = subprocess.Popen(work, **QUIET, env=own)
            while process.poll() is None:
                time.sleep(0.4)
                is_back.unlink() if is_back.exists() else is_back.touch()
                turns += 1
            assert process.returncode == 0, work
            assert not check_lake(lake)
        assert rows(lake) == lakes.expected
    return f"the clock was set {turns} times"


def main(kills: int = 60, pairs: int = 20) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        lakes = Lakes(Path(scratch))
        for disturb, count in ((kill, kills), (pair, pairs), (shake, 0), (deny, 0), (turn, 0)):
            print(f"{disturb(lakes, count)}: the rows are those of an undisturbed export, none twice", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
