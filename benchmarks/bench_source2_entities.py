"""Entities of a Dota 2 demo: playhead against gem-dota's own parse, on the same file in the same run.

    python benchmarks/bench_source2_entities.py [FILE.dem] [--minutes 40]

Without a file, a synthetic match of that length is made. Each reader runs in a process of its own, so that neither
pays for the other's objects; the first file of a process and the best of the following are told apart, because
playhead remembers the schema of a build. gem-dota's parse also decodes user messages; it cannot be told not to.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_OURS = """
import json, resource, sys, time
import playhead
times, out = [], {}
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    playback = playhead.open(sys.argv[1]).playback()
    playback.run()
    times.append(time.perf_counter() - start)
    if not out:
        out["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        out["values"] = playback.entities.memory.values
        out["messages"] = playback.entities.messages
start = time.perf_counter()
replay = playhead.open(sys.argv[1])
replay.playback().seek(replay.info.duration_ticks * 3 // 4)
out["seek"] = time.perf_counter() - start
print(json.dumps({"times": times, **out}))
"""

_GEM = """
import json, sys, time
from gem.parser import ReplayParser
times = []
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    ReplayParser(sys.argv[1]).parse()
    times.append(time.perf_counter() - start)
print(json.dumps({"times": times}))
"""


def _run(code: str, path: Path, runs: int) -> dict | None:
    done = subprocess.run([sys.executable, "-c", code, str(path), str(runs)], capture_output=True, text=True)
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1])
        return None
    return json.loads(done.stdout)


def _bare_reader(bits: int) -> float:
    """Seconds that the checked bit reader takes for so many bits, 13 at a time, called from compiled code."""
    from bit_loop import compiled_loop

    loop = compiled_loop()
    data = bytes(1 << 20)
    start = time.perf_counter()
    loop(data)
    return (time.perf_counter() - start) * bits / (len(data) * 8)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--minutes", type=float, default=40.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.file
        if path is None:
            from playhead.source2.sample_demo import match_demo

            path = Path(folder) / "match.dem"
            path.write_bytes(match_demo(given.minutes)[0])
        size = path.stat().st_size
        ours = _run(_OURS, path, 5)
        assert ours is not None
        first, best = ours["times"][0], min(ours["times"])
        print(f"{size / 1e6:.1f} MB, {ours['messages']} entity messages, {ours['values']} values of fields")
        print(f"playhead: first file {first:.3f} s, next {best:.3f} s = {size / best / 1e6:.0f} MB/s stored,")
        print(f"  {best / ours['values'] * 1e9:.0f} ns a value, peak memory {ours['peak'] / 1024:.0f} MB,")
        print(f"  to three quarters of the length by seeking: {ours['seek'] * 1e3:.1f} ms")
        theirs = _run(_GEM, path, 2 if size < 4e6 else 1)
        if theirs is None:
            print("no peer in this run")
            return
        best_theirs = min(theirs["times"])
        print(f"gem-dota: first file {theirs['times'][0]:.3f} s, best {best_theirs:.3f} s")
        print(
            f"playhead is {theirs['times'][0] / first:.0f} times (first), {best_theirs / best:.0f} times as fast"
        )


main()
