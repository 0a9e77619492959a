"""Count the instructions of a job of `jobs.py`, run by run: ``counted.py NAME RUNS PATH…``.

Valgrind runs the job RUNS times in one process, and its tool callgrind writes its counters at each call of a C
function that nothing else calls, that of `os.getppid`. So start, first run, each later run and end of the process
have counters of their own, which other work on the machine does not change. The libraries are those of the last
run. CPython must have its symbols, and the environment no `PYTHONDONTWRITEBYTECODE`: without compiled code beside
each module, a start compiles all.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

_OBJECT = re.compile(r"c?ob=\((\d+)\)(?: (.*))?")


def by_library(path: Path) -> Counter[str]:
    """Return the instructions in a file of callgrind by library, without those of the functions it calls."""
    names: dict[str, str] = {}
    found: Counter[str] = Counter()
    here, called = "?", False
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if match := _OBJECT.match(line):
                number, name = match.groups()
                if name:
                    names[number] = Path(name).name
                if not line.startswith("c"):
                    here = names[number]
            elif line.startswith("calls="):
                called = True
            elif line[0] in "0123456789+-*":
                if not called:
                    found[here] += int(line.split()[1])
                called = False
    return found


def count(arguments: list[str]) -> list[Counter[str]]:
    """Return the counters of each part of the process."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "counters")
        valgrind = ["valgrind", "--tool=callgrind", "--dump-before=os_getppid", f"--callgrind-out-file={out}"]
        fixed = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
        command = [*valgrind, "--dump-line=no", sys.executable, __file__, "--run", *arguments]
        subprocess.run(command, env=os.environ | fixed, check=True, capture_output=True)
        dumps = sorted(Path(folder).glob("counters.*"), key=lambda path: int(path.suffix[1:]))
        return [by_library(path) for path in [*dumps, out]]


def run(name: str, runs: str, *paths: str) -> None:
    """Run a job, with a mark before each run and at the end."""
    from jobs import JOBS

    job = JOBS[name](list(paths))
    for _ in range(int(runs)):
        os.getppid()
        job()
    os.getppid()


def main() -> None:
    """Count, and print the counts."""
    if sys.argv[1] == "--run":
        run(*sys.argv[2:])
        return
    start, *runs, end = count(sys.argv[1:])
    for name, each in ("start", start), *((f"run {n}", each) for n, each in enumerate(runs, 1)), ("end", end):
        print(f"{each.total() / 1e6:10.1f} million  {name}")
    for library, taken in runs[-1].most_common(12):
        print(f"{taken / 1e6:10.1f} million  {library}")


if __name__ == "__main__":
    main()
