"""Facts of a written Deadlock match: playhead and boon 0.10.0, on the same file in the same run, one thread each.

    PLAYHEAD_BOON=…/bin/python python benchmarks/bench_deadlock.py [FILE.dem]

Without a file, it writes the match of 30 minutes. Times are CPU seconds, the best of three runs in one process.
The rows: every player at every tick (boon's `player_ticks`), kills with damage and purchases (boon's `load`), and
all tables of `playhead.deadlock` as a multiple of decoding all entities.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from fastest import fastest

import playhead
from playhead.deadlock.facts import TABLES
from playhead.samples.source2.matches import write_match
from playhead.source2.playback.playback import Playback

_THEIRS = """
import json, sys, time
from boon import Demo
best = {}
for name in ("player_ticks", "kills damage item_purchases"):
    for _ in range(3):
        begin = time.process_time()
        Demo(sys.argv[1], preload=False).load(*name.split())
        best[name] = min(best.get(name, 1e9), time.process_time() - begin)
print(json.dumps(best))
"""


def rows_of(path: Path, *names: str) -> int:
    return sum(table.num_rows for table in playhead.open(path).read_tables(names).values())


def play(path: Path) -> int:
    playback = Playback(playhead.open(path).recording, tables=None)
    playback.run()
    return playback.tick


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else write_match("deadlock", Path(folder), 30)[0]
        print(f"{path.stat().st_size / 1e6:.1f} MB, {playhead.open(path).info.duration_seconds:.0f} s of play")
        bare, _ = fastest(lambda: play(path), 3)
        every, _ = fastest(lambda: playhead.open(path).table("player_series", every=1).num_rows, 3)
        three, _ = fastest(lambda: rows_of(path, "kills", "damage", "item_purchases"), 3)
        tables = sorted(TABLES.own())
        whole, rows = fastest(lambda: rows_of(path, *tables), 3)
        print(f"all entities decoded: {bare:.3f} s")
        print(f"{len(tables)} tables, {rows} rows: {whole:.3f} s, {whole / bare:.1f} times as long")
        theirs: dict[str, float] = {}
        if python := os.environ.get("PLAYHEAD_BOON"):
            alone = {**os.environ, "BOON_TICK_SEGMENTS": "1"}
            done = subprocess.run([python, "-c", _THEIRS, path], env=alone, capture_output=True, check=True)
            theirs = json.loads(done.stdout)
        for words, mine, name in (
            ("players at every tick", every, "player_ticks"),
            ("kills, damage, purchases", three, "kills damage item_purchases"),
        ):
            peer = f"; boon {theirs[name]:.3f} s" if name in theirs else ""
            print(f"{words}: {mine:.3f} s{peer}")


main()
