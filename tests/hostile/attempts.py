"""`attempt`: runs the command line or a program under the bounds that hold for every file: CPU time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

#: Bounds for a file, whatever is done with it. Memory is virtual, so that it includes what is only asked for.
CPU_SECONDS = 20
MEMORY = 4 << 30


class Attempt(NamedTuple):
    """What a process did.

    Attributes:
        status: exit status; negative for a signal.
        peak: greatest resident memory in bytes; at least that of the process that started it, from which it was
            forked.
    """

    status: int
    out: str
    err: str
    cpu: float
    peak: int


def run(arguments: Sequence[str], *, wait: float = 300.0) -> Attempt:
    """Run a process to its end under the bounds; the kernel ends it above `CPU_SECONDS`."""
    import resource

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    environment = {**os.environ, "ARROW_IO_THREADS": "1", "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=bound,
        env=environment,
    )
    killer = threading.Timer(wait, process.kill)
    killer.start()
    parts: list[bytes] = [b"", b""]

    def read(place: int, pipe: object) -> None:
        parts[place] = pipe.read()  # type: ignore[attr-defined]

    readers = [threading.Thread(target=read, args=each) for each in ((0, process.stdout), (1, process.stderr))]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    _, status, used = os.wait4(process.pid, 0)
    killer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    for pipe in (process.stdout, process.stderr):
        with suppress(OSError):
            pipe.close()  # type: ignore[union-attr]
    out, err = (part.decode(errors="replace") for part in parts)
    return Attempt(process.returncode, out, err, used.ru_utime + used.ru_stime, used.ru_maxrss << 10)


def command(*arguments: str | Path) -> Attempt:
    """Run a command of playhead; check that it ended by itself and without a traceback."""
    found = run([sys.executable, "-m", "playhead", *map(str, arguments)])
    assert found.status in (0, 1, 2, 3), (arguments, found)
    assert "Traceback" not in found.err, (arguments, found.err)
    return found


def program(text: str) -> Attempt:
    """Run a Python program; check that it ended well."""
    found = run([sys.executable, "-c", textwrap.dedent(text)])
    assert found.status == 0, found
    return found


def kept_within(found: Attempt, most: int) -> bool:
    """Tell whether a process took less memory than this, or little more than one that does nothing: what is forked
    from this process has at least its memory."""
    return found.peak < most or found.peak < program("pass").peak + (64 << 20)


#: Commands that read all of a recording, each with the words after its name and the file.
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("info",),
    ("tables",),
    ("events", "--format", "ndjson"),
    ("export", "-o", "{out}/export"),
    ("report", "-o", "{out}/report.html"),
    ("verify",),
)


def commands(path: Path, out: Path, step: int, wanted: Sequence[tuple[str, ...]] = COMMANDS) -> None:
    """Run every `step`-th of the commands on a file, each in its own process; the name of the file chooses the
    first."""
    for name, *words in wanted[crc32(path.name.encode()) % min(step, len(wanted)) :: step]:
        command(name, path, *(word.format(out=out) for word in words))
