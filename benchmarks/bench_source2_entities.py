"""Entities of a Dota 2 demo: playhead and gem-dota's own parse, on the same file in the same run.

    python benchmarks/bench_source2_entities.py [FILE.dem or folder of a broadcast] [--minutes 40]

Without a file, it creates a synthetic match of that length and realistic size. All times are CPU seconds. Each
reader has its own process, so neither pays for the other's objects. The first file of a process and the best of
the following are reported separately, because playhead caches the schema of a build. gem-dota's parse always
decodes user messages too. On a CS2 demo the peer is demoparser2, with a query that both support: the players at
every tick.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from real_match import real_match

_OURS = """
import json, resource, sys, time
import playhead
times, out = [], {}
for _ in range(int(sys.argv[2])):
    start = time.process_time()
    playback = playhead.open(sys.argv[1]).playback()
    playback.run()
    times.append(time.process_time() - start)
    if not out:
        out["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        out["values"] = playback.entities.pool.values
        out["messages"] = playback.entities.messages
start = time.process_time()
replay = playhead.open(sys.argv[1])
replay.playback().seek(replay.info.duration_ticks * 3 // 4)
out["seek"] = time.process_time() - start
print(json.dumps({"times": times, **out}))
"""

_GEM = """
import json, sys, time
from gem.parser import ReplayParser
times = []
for _ in range(int(sys.argv[2])):
    start = time.process_time()
    ReplayParser(sys.argv[1]).parse()
    times.append(time.process_time() - start)
print(json.dumps({"times": times}))
"""


# The query for CS2 that both support: position and health of all players at every tick.
_OUR_PLAYERS = """
import json, sys, time
import playhead
fields = ["m_iHealth", *(f"CBodyComponent.m_{part}" for part in ("cellX", "vecX", "cellY", "vecY"))]
times = []
for _ in range(int(sys.argv[2])):
    start = time.process_time()
    rows = playhead.open(sys.argv[1]).table("entities:CCSPlayerPawn", fields=fields, every=1).num_rows
    times.append(time.process_time() - start)
print(json.dumps({"times": times, "rows": rows}))
"""

_DEMOPARSER = """
import json, sys, time
from demoparser2 import DemoParser
times = []
for _ in range(int(sys.argv[2])):
    start = time.process_time()
    rows = len(DemoParser(sys.argv[1]).parse_ticks(["X", "Y", "health"]))
    times.append(time.process_time() - start)
print(json.dumps({"times": times, "rows": rows}))
"""


def _compare_players(path: Path) -> None:
    ours, theirs = _run(_OUR_PLAYERS, path, 8), _run(_DEMOPARSER, path, 8)
    if ours is None or theirs is None:
        print("no peer in this run")
        return
    for name, found in (("playhead", ours), ("demoparser2", theirs)):
        first, best = found["times"][0], min(found["times"])
        print(f"{name}, players at every tick: first file {first:.3f} s, best {best:.4f} s, {found['rows']} rows")
    print(f"playhead is {min(theirs['times']) / min(ours['times']):.1f} times as fast")


def _run(code: str, path: Path, runs: int) -> dict | None:
    done = subprocess.run([sys.executable, "-c", code, str(path), str(runs)], capture_output=True, text=True)
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1])
        return None
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--minutes", type=float, default=40.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.file
        if path is None:
            path = real_match(folder, given.minutes)
        size = sum(part.stat().st_size for part in ([path] if path.is_file() else path.rglob("*.bin")))
        ours = _run(_OURS, path, 5)
        assert ours is not None
        first, best = ours["times"][0], min(ours["times"])
        print(f"{size / 1e6:.1f} MB, {ours['messages']} entity messages, {ours['values']} values of fields")
        print(f"playhead: first file {first:.3f} s, next {best:.3f} s = {size / best / 1e6:.0f} MB/s stored,")
        print(f"  {best / ours['values'] * 1e9:.0f} ns a value, peak memory {ours['peak'] / 1024:.0f} MB,")
        print(f"  to three quarters of the length by seeking: {ours['seek'] * 1e3:.1f} ms")
        import playhead

        game = playhead.open(path).info.game
        if game == "csgo":
            _compare_players(path)
            return
        if game != "dota":
            print("no peer in this run: gem-dota reads Dota 2 alone")
            return
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
