"""All facts of a Dota 2 match: playhead and gem-dota, on the same file in the same run.

    python benchmarks/bench_dota2.py [FILE.dem]

Without a file, it creates a synthetic match of ten minutes and realistic size. Times are CPU seconds. playhead
builds every table of `playhead.dota2`, gem-dota a `ParsedMatch` and its data frames. Neither result contains the
other: gem-dota derives more (lanes, farming, vision), playhead keeps more (modifiers, orders, sounds, particles,
voice).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from fastest import fastest
from real_match import real_match

import playhead
from playhead.dota2.facts import TABLES

NAMES = list(TABLES.own())


def ours(path: Path) -> int:
    return sum(table.num_rows for table in playhead.open(path).read_tables(NAMES).values())


def gem_match(path: Path) -> int:
    import gem

    return len(gem.parse(str(path)).players)


def gem_frames(path: Path) -> int:
    import gem
    from gem.results.dataframes import build_dataframes

    return sum(len(frame) for frame in build_dataframes(gem.parse(str(path))).values())


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else real_match(folder, 10)
        print(f"{path.stat().st_size / 1e6:.1f} MB, {playhead.open(path).info.duration_seconds:.0f} s of play")
        mine, rows = fastest(lambda: ours(path), 5)
        print(f"playhead, {len(NAMES)} tables of facts: {mine:.3f} s, {rows} rows")
        try:
            theirs, players = fastest(lambda: gem_match(path), 1)
        except ImportError:
            print("gem-dota is not installed: no peer in this run")
            return
        print(f"gem-dota, gem.parse: {theirs:.2f} s, {players} players; {theirs / mine:.1f} times ours")
        theirs, rows = fastest(lambda: gem_frames(path), 1)
        print(f"gem-dota, with data frames: {theirs:.2f} s, {rows} rows; {theirs / mine:.1f} times ours")


main()
