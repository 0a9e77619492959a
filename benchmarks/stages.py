"""Profile a job: ``stages.py JOB PATH…`` prints the shares of stages of a warm run as JSON; ``stages.py --limits
KIND PATH…`` prints lower bounds for its bytes.

A stage is a folder of the package (``source2/entities``), or a library's work for it. A compiled function counts
with all its calls in C, so its stage is the folder in which Python code ends: entities decoded by the fast path
of the playback count as playback. Profiling exaggerates the cost of small functions.

Lower bounds for these bytes are: copying them in memory, decompressing them and nothing else, and reading the
result 13 bits at a time with the checked reader of `playhead.bits`, from C.
"""

from __future__ import annotations

import bz2
import cProfile
import json
import pstats
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from fastest import fastest
from jobs import JOBS

_LIBRARIES = ("pyarrow", "numpy", "bz2", "lzma", "zlib", "hashlib", "json", "sqlite3", "argparse")
_MODULE = re.compile(r"playhead\.([a-z0-9_.]+)")


def stage_of(file: str, function: str) -> str:
    """Return the stage of a profiled function."""
    named = function if file == "~" else ""
    found = _MODULE.search(named)
    if found is not None:
        return "/".join(found[1].split(".")[:2])
    if file != "~" and "/playhead/" in file.replace("\\", "/"):
        inner = file.replace("\\", "/").rpartition("/playhead/")[2]
        return "/".join(inner.removesuffix(".py").split("/")[:2])
    for library in _LIBRARIES:
        if library in (named or file):
            return library
    return "imports" if "importlib" in (named or file) else "Python"


def shares(run: Callable[[], Any]) -> dict[str, float]:
    """Return the share of each stage of a run, largest first; those below a fiftieth are summed."""
    profile = cProfile.Profile(time.process_time)
    profile.runcall(run)
    spent: Counter[str] = Counter()
    for (file, _, function), (_, _, own, _, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        spent[stage_of(file, function)] += own
    whole = sum(spent.values()) or 1.0
    large = {stage: own / whole for stage, own in spent.most_common() if own >= whole / 50}
    return large | {"the rest": max(0.0, 1 - sum(large.values()))}


def _bit_reads(size: int) -> float | None:
    """Return the seconds to read that many bytes 13 bits at a time; None if the loop cannot be compiled."""
    from bench_bits import COUNT, WIDTH, compiled_loop

    from playhead.bits import BitReader

    with tempfile.TemporaryDirectory() as folder:
        try:
            loop = compiled_loop(folder)
        except Exception as error:  # no Cython or no compiler
            print(f"no bare bit reads: {error}", file=sys.stderr)
            return None
        data = bytes(range(256)) * (COUNT * WIDTH // 8 // 256 + 1)
        taken = fastest(lambda: loop.read_bits(BitReader(data), COUNT, WIDTH), 5)[0]
    return taken / COUNT * size * 8 / WIDTH


def _payloads(paths: Iterable[str]) -> tuple[bytes, Callable[[], int]]:
    """Return the bytes of demos, and a function that decompresses all their frames and returns the size."""
    import playhead

    replays: list[Any] = [playhead.open(path) for path in paths]

    def inflate() -> int:
        return sum(len(replay.recording.payload(frame)) for replay in replays for frame in replay.recording.frames)

    return b"".join(bytes(replay.source.data) for replay in replays), inflate


def _streams(paths: Iterable[str]) -> tuple[bytes, Callable[[], int]]:
    """As `_payloads`, for StarCraft II replays: their event streams, compressed again as in the archive."""
    import playhead

    packed = []
    for path in paths:
        replay: Any = playhead.open(path)
        archive = replay.recording.container.archive
        for name in ("game", "message", "tracker"):
            member = f"replay.{name}.events"
            if archive is not None and member in archive:
                packed.append(bz2.compress(archive.read(member)))
    return b"".join(packed), lambda: sum(len(bz2.decompress(each)) for each in packed)


def _plain(paths: Iterable[str]) -> tuple[bytes, Callable[[], int]]:
    """As `_payloads`, for uncompressed recordings."""
    data = b"".join(Path(path).read_bytes() for path in paths)
    return data, lambda: len(data)


KINDS = {"Snappy": _payloads, "bz2": _streams, "nothing": _plain}


def limits(kind: str, paths: list[str]) -> dict[str, float | None]:
    """Return the CPU seconds of each lower bound, and the bytes."""
    data, inflate = KINDS[kind](paths)
    inflate()
    seconds, size = fastest(inflate, 3)
    out = bytearray(max(size, len(data)))

    def copy() -> None:
        memoryview(out)[: len(data)] = data

    found: dict[str, float | None] = {"stored": len(data), "unpacked": size, "copy": fastest(copy, 5)[0]}
    found["decompression"] = None if kind == "nothing" else seconds
    found["bit reads"] = _bit_reads(size)
    return found


def main() -> None:
    if len(sys.argv) < 3 or sys.argv[1] not in {"--limits", *JOBS}:
        sys.exit(f"usage: stages.py JOB FILE…, or --limits {'|'.join(KINDS)} FILE…\njobs: {', '.join(JOBS)}")
    if sys.argv[1] == "--limits":
        print(json.dumps(limits(sys.argv[2], sys.argv[3:])))
        return
    run = JOBS[sys.argv[1]](sys.argv[2:])
    run()
    print(json.dumps(shares(run)))


if __name__ == "__main__":
    main()
