"""Measure the gain of threads, and the share of work that runs in parallel.

    python benchmarks/threads.py FILE …

Each file is verified eight times by one, two and eight threads. Every thread opens it anew, so nothing is
shared. The gain is the wall time of one thread divided by that of several, best of three; it is meaningful only
on an idle machine. *Unpacking* is the share of the CPU time of a `verify` spent in decompression: bzip2 and zlib
release the interpreter lock meanwhile, our own Snappy does not.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from threading import Thread

import playhead

TIMES = 8


def verify(path: Path, times: int) -> None:
    """Read all of a file, that many times."""
    for _ in range(times):
        with playhead.open(path) as replay:
            replay.verify()


def wall(path: Path, threads: int) -> float:
    """Return the seconds that the threads need to verify a file `TIMES` times."""
    begin = time.perf_counter()
    running = [Thread(target=verify, args=(path, TIMES // threads)) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return time.perf_counter() - begin


def unpacking(path: Path) -> float | None:
    """Return the share of decompression in the CPU time of `verify`; None if the format has none."""
    begin = time.process_time()
    verify(path, 2)
    whole = (time.process_time() - begin) / 2
    with playhead.open(path) as replay:
        if replay.format == "source2":
            frames = [frame for frame in replay.recording.frames if frame.compressed]
            begin = time.process_time()
            for frame in frames:
                replay.recording.payload(frame)
        elif replay.format == "sc2":
            names = replay.archive.names
            begin = time.process_time()
            for name in names:
                replay.archive.read(name)
        else:
            return None
    return (time.process_time() - begin) / whole


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    arguments = parser.parse_args()
    print("| file | 2 threads | 8 threads | unpacking |\n|---|--:|--:|--:|")
    for path in arguments.files:
        verify(path, 1)
        best = {threads: min(wall(path, threads) for _ in range(3)) for threads in (1, 2, 8)}
        share = unpacking(path)
        last = "" if share is None else f"{100 * share:.0f} %"
        print(f"| {path.name} | {best[1] / best[2]:.2f} | {best[1] / best[8]:.2f} | {last} |", flush=True)


if __name__ == "__main__":
    main()
