"""Let each call to the system, and each larger allocation, fail once in turn, while a command reads and writes.

    python fuzz/failures.py              every call of every command
    python fuzz/failures.py slice --step 7

A command tells the failure: it ends with an exit status other than 0 and a message that names a file, or its
files are the same as without the failure. It leaves no half file and no open descriptor, and loses nothing of a
lake, into which a second run writes all. An upload to the service is a command too. The calls are those on files
below one folder: open, read, map, write, sync, truncate, rename, link, mkdir. Needs Linux with glibc, and a C
compiler.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import errno
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, NoReturn

SOURCE = Path(__file__).with_name("failing.c")
ROOT = Path(__file__).parents[1]
#: An attempt that takes longer hangs.
SECONDS = 60


class Case(NamedTuple):
    """A command.

    Attributes:
        words: its words; ``IN`` is the folder of inputs, ``OUT`` that of the output, which does not exist,
            ``SHA`` the digest of an input.
        before: a command that makes what this one changes.
        same: whether all files that it writes are the same each time; else files are not compared.
        after: a command whose last number tells that nothing is lost: after a failure it is from before to after
            the command, then, after another run, as after the command.
    """

    words: tuple[str, ...]
    before: tuple[str, ...] = ()
    same: bool = True
    after: tuple[str, ...] = ()


_TO_LAKE = ("export", "IN/sample_sc2.SC2Replay", "IN/sample_ddnet.teehistorian", "-o", "OUT/lake", "--jobs", "1")
_ROWS = ("sql", "SELECT count(*) AS rows FROM info", "OUT/lake")
CASES: Mapping[str, Case] = {
    "export": Case(
        ("export", "IN/sample_sc2.SC2Replay", "IN/sample_ddnet.teehistorian", "--folders", "-o", "OUT")
    ),
    "export csv": Case(("export", "IN/sample_hots.StormReplay", "--format", "csv", "-o", "OUT")),
    "simulate": Case(
        (
            *("ddnet", "simulate", "IN/race.teehistorian", "--maps", "IN", "--least", "0"),
            *("-o", "OUT/tables", "--demo", "OUT/race.demo"),
        )
    ),
    "slice": Case(
        ("slice", "IN/sample_ddnet.teehistorian", "--from", "10t", "--to", "200t", "-o", "OUT/a.teehistorian")
    ),
    "slice demo": Case(("slice", "IN/sample_cs2.dem", "--from", "100t", "--to", "300t", "-o", "OUT/a.dem")),
    "anonymize": Case(
        (
            *("anonymize", "IN/sample_sc2.SC2Replay", "IN/sample_ddnet.teehistorian", "IN/sample_cs2.dem"),
            *("--salt", "x", "-o", "OUT"),
        )
    ),
    "lake": Case(_TO_LAKE, same=False, after=_ROWS),
    "lake append": Case(
        ("export", "IN/sample_hots.StormReplay", "IN/race.teehistorian", *_TO_LAKE[3:]), _TO_LAKE, False, _ROWS
    ),
    "lake compact": Case(("lake", "compact", "OUT/lake"), _TO_LAKE, False, _ROWS),
    "lake remove": Case(("lake", "remove", "OUT/lake", "SHA"), _TO_LAKE, False, _ROWS),
    "lake repair": Case(("lake", "check", "OUT/lake", "--repair"), _TO_LAKE, False, _ROWS),
    "upload": Case(("upload", "IN/sample_sc2.SC2Replay", "OUT/lake"), same=False, after=_ROWS),
}


class Here:
    """As `CallProcesses`, without processes: all calls are counted in this one."""

    def call(self, function: Callable[..., object], payload: object, seconds: float) -> object:
        return function(payload, lambda done, total: None)

    def close(self) -> None: ...


def upload(file: str, lake: str) -> int:
    """Send a file to a service over a lake, as its sender sees it."""
    from playhead.web.archive import Archive
    from playhead.web.bounds import Bounds
    from playhead.web.jobs import Job, Uploads

    async def sent() -> Job:
        async def parts() -> AsyncIterator[bytes]:
            yield data

        data = Path(file).read_bytes()
        uploads = Uploads(Archive(Path(lake), bounds), bounds)
        uploads._processes = Here()  # type: ignore[assignment]
        try:
            job = await uploads.take("sender", Path(file).name, parts(), len(data))
            await job.ended.wait()
            return job
        finally:
            uploads.close()

    bounds = Bounds(free=1)
    try:
        job = asyncio.run(sent())
    except OSError as error:  # the service answers 500
        print(f"{file}: {error}", file=sys.stderr)
        return 1
    if job.status not in (200, 201):
        print(f"{file}: {job.status} {job.error}", file=sys.stderr)
        return 1
    return 0


def library(folder: Path) -> Path:
    """Compile the library that lets calls fail."""
    path = folder / "failing.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", path, SOURCE, "-ldl"], check=True)
    return path


def inputs(folder: Path) -> None:
    """Write the files that commands read."""
    sys.path.insert(0, str(ROOT))
    from tests.samples import cs2
    from tests.teehistorian.physics.written_games import FLOOR, write_map, write_recording

    from playhead.registry import BUILTIN_FORMATS

    for each in BUILTIN_FORMATS[1:]:
        if each.write_sample is not None:
            each.write_sample(folder)
    (folder / "sample_cs2.dem").write_bytes(cs2.sample_demo())
    places = [(100, FLOOR)] * 20 + [(700, FLOOR)] * 20
    recording = write_recording(write_map(folder / "floor.map"), places, {})
    (folder / "race.teehistorian").write_bytes(recording)


def held(folder: Path) -> dict[str, str]:
    """Return a digest of every file below a folder, by name."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in paths}


class Attempt(NamedTuple):
    """What a process with one failure did."""

    status: int
    err: str
    calls: int
    allocations: int
    failed: str
    leaked: int


class Harness:
    """Runs cases in children of this process, which has loaded all modules, with one failure each.

    What reads or writes a lake runs in a process of its own: delta-rs has threads, which do not survive a fork.
    Its allocations do not fail: Rust ends the process then.

    Args:
        folder: an empty folder, or that of another harness.
    """

    def __init__(self, folder: Path) -> None:
        self._library = ctypes.CDLL(os.environ["LD_PRELOAD"])
        self._library.failed_call.restype = ctypes.c_char_p
        self._library.arm.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_long]
        self.folder, self._files = folder, folder / "files"  # what the harness records is not below the latter
        self._below = str(self._files).encode()  # the library keeps the pointer
        self._in, self.out = self._files / "in", self._files / "out"
        if not self._in.exists():
            self._in.mkdir(parents=True)
            inputs(self._in)

    def words(self, words: tuple[str, ...]) -> list[str]:
        """Return the words of a command with the folders in them."""
        replay = sha256((self._in / "sample_sc2.SC2Replay").read_bytes()).hexdigest()
        places = {"IN": str(self._in), "OUT": str(self.out), "SHA": replay}
        return [re.sub("|".join(places), lambda found: places[found[0]], word, count=1) for word in words]

    def attempt(self, words: tuple[str, ...], call: int = 0, error: int = 0, allocation: int = 0) -> Attempt:
        """Run a command in a child, of which one call or allocation fails."""
        told = self.folder / "told"
        if any("lake" in word for word in words):
            child = os.posix_spawn(
                sys.executable,
                [sys.executable, __file__, "--attempt", str(self.folder), str(call), str(error), *words],
                os.environ,
            )
        elif not (child := os.fork()):
            self.end_as(words, call, error, allocation)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        err = (self.folder / "err").read_text(errors="replace")
        if not told.exists():
            return Attempt(status, err, 0, 0, "", 0)
        calls, allocations, leaked, failed = told.read_text().split("\n")
        told.unlink()
        return Attempt(status, err, int(calls), int(allocations), failed, int(leaked))

    def end_as(self, words: tuple[str, ...], call: int, error: int, allocation: int = 0) -> NoReturn:
        """Run a command and end this process with its status."""
        status = 99
        try:
            status = self._run(self.words(words), self.folder / "told", call, error, allocation)
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(status)

    def _run(self, words: list[str], told: Path, call: int, error: int, allocation: int) -> int:
        import signal

        from playhead import cli

        signal.alarm(SECONDS)
        null = os.open(os.devnull, os.O_RDWR)
        err = os.open(self.folder / "err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        out = os.open(self.folder / "said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for at, to in ((0, null), (1, out), (2, err)):
            os.dup2(to, at)
        before = set(os.listdir("/proc/self/fd"))
        self._library.arm(self._below, call, error, allocation)
        try:
            status = upload(*words[1:]) if words[0] == "upload" else cli.run(words)
        finally:
            self._library.disarm()
            sys.stdout.flush()
            sys.stderr.flush()
        last = time.monotonic() + 2  # threads of delta-rs close their files a moment after the error
        while (leaked := self._opened(before)) and time.monotonic() < last:
            time.sleep(0.05)
        counted = self._library.counted_calls(), self._library.counted_allocations(), leaked
        told.write_text("\n".join([*map(str, counted), self._library.failed_call().decode()]))
        return status

    def _opened(self, before: set[str]) -> int:
        """Count the descriptors of files of a case that are open, without those before it."""
        opened = 0
        for each in set(os.listdir("/proc/self/fd")) - before:
            with suppress(OSError):
                opened += os.readlink(f"/proc/self/fd/{each}").startswith(str(self._files))
        return opened

    def _load(self, case: Case) -> None:
        """Run a command in this process, so that its children need not import modules."""
        from playhead import cli

        if case.after:
            return
        self.prepare(case)
        with open(os.devnull, "w") as null, redirect_stdout(null), redirect_stderr(null):
            cli.run(self.words(case.words))

    def prepare(self, case: Case) -> None:
        """Remove the output, or replace it by that of the command before."""
        made = self._files / f"before {list(CASES.values()).index(case)}"
        if case.before and not made.exists():
            shutil.rmtree(self.out, ignore_errors=True)
            assert self.attempt(case.before).status == 0
            self.out.rename(made)
        shutil.rmtree(self.out, ignore_errors=True)
        if case.before:
            shutil.copytree(made, self.out)

    def findings(self, name: str, step: int = 1, first: int = 1) -> Iterator[str]:
        """Yield what is wrong with a command after one failure: each `step`-th call and allocation fails."""
        case = CASES[name]
        self._load(case)
        sound = self.attempt_alone(case)
        if sound.status not in (0, 3):
            yield f"{name}: fails as it is: {sound}"
            return
        wanted, known = held(self.out), self._told(case)
        self.prepare(case)
        before = self._told(case)
        errors = errno.EIO, errno.ENOSPC, errno.EACCES
        tries = [(number, errors[number % len(errors)], 0) for number in range(first, sound.calls + 1, step)]
        if not case.after:
            tries += [(0, 0, number) for number in range(first, sound.allocations + 1, step)]
        for call, error, allocation in tries:
            self.prepare(case)
            found = self.attempt(case.words, call, error, allocation)
            what = f"{name}: {found.failed or 'call'} {call or allocation} ({os.strerror(error or errno.ENOMEM)})"
            yield from (f"{what}: {each}" for each in self._judge(case, found, sound, wanted))
            if case.after:
                told = self._told(case)
                if found.status == sound.status and told != known:
                    yield f"{what}: not told: {told!r} instead of {known!r}"
                if not min(before, known) <= told <= max(before, known):  # some replays of several
                    yield f"{what}: lost: {told!r} instead of {before!r}, the command said {found}"
                again = self.attempt(case.words)
                if (found.status and again.status != sound.status) or self._told(case) != known:
                    yield f"{what}: the next run: {again.status} {again.err[-300:]} {self._told(case)!r}"

    def _told(self, case: Case) -> int:
        """Return the number that the command after a case prints; 0 without a lake."""
        if not case.after or self.attempt(case.after).status:
            return 0
        return int((self.folder / "said").read_text().split()[-1])

    def attempt_alone(self, case: Case) -> Attempt:
        """Run a command without a failure."""
        self.prepare(case)
        return self.attempt(case.words)

    def _judge(self, case: Case, found: Attempt, sound: Attempt, wanted: dict[str, str]) -> Iterator[str]:
        left = held(self.out)
        if found.status not in (0, 1, 3) or "Traceback" in found.err:
            yield f"status {found.status}: {found.err[-1500:]}"
            return
        if half := [name for name in left if "/_scratch/" in name]:
            yield f"left: {half}"
        if found.leaked:
            yield f"{found.leaked} descriptors stay open"
        if found.status == sound.status and case.same and left != wanted:
            yield f"status {found.status}, but the files differ: {sorted(left.items() ^ wanted.items())[:4]}"
        if found.status == 1:
            said = found.err + (self.folder / "said").read_text(errors="replace")  # a check finds damage
            if not any(path.name in said for path in [*self._in.iterdir(), self.out, *self.out.rglob("*")]):
                yield f"no file in: {found.err[-300:]}"
            if case.same:
                strange = {name for name, digest in left.items() if wanted.get(name) != digest}
                strange -= {
                    name for name in strange if Path(name).name == "_playhead.json"
                }  # it comes before tables
                if strange:
                    yield f"files that are not whole: {sorted(strange)}"


def preloaded(run: Callable[[], int]) -> int:
    """Run with the library preloaded: this program again, in a new process."""
    if "failing.so" in os.environ.get("LD_PRELOAD", ""):
        return run()
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "LD_PRELOAD": str(library(Path(folder))), "PYTHONMALLOC": "malloc"}
        return subprocess.run([sys.executable, *sys.argv], env=environment).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="COMMAND", help=", ".join(CASES))
    parser.add_argument("--step", type=int, default=1, help="fail each N-th call only")
    parser.add_argument("--first", type=int, default=1, help="the first call to fail")
    if sys.argv[1:2] == ["--attempt"]:
        place, call, error, *words = sys.argv[2:]
        Harness(Path(place)).end_as(tuple(words), int(call), int(error))
    asked = parser.parse_args()

    def run() -> int:
        count = 0
        with tempfile.TemporaryDirectory() as folder:
            harness = Harness(Path(folder).resolve())
            for name in asked.names or CASES:
                before = count
                for finding in harness.findings(name, asked.step, asked.first):
                    count += 1
                    print(finding, flush=True)
                print(f"{name}: {count - before} findings", flush=True)
        return 1 if count else 0

    return preloaded(run)


if __name__ == "__main__":
    sys.exit(main())
