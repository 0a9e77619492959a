"""Differential fuzzing: mutants of our samples, as playhead and another parser of the format decode them.

    python fuzz/differential.py sc2 --seconds 60 --seed 1    # events of StarCraft II: s2protocol
    python fuzz/differential.py tees                         # recordings: crate teehistorian; messages: libtw2
    python fuzz/differential.py source2                      # demos: crate source2-demo

A finding is a value that both decode and that differs, without a known reason. cargo builds the crates at first.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections import Counter
from pathlib import Path
from random import Random

FINDINGS = Path("build/findings")


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("format", choices=("sc2", "tees", "source2"))
    parser.add_argument("--seconds", type=float, default=30.0, help="of this process's CPU")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    pair = importlib.import_module(f"differ_{chosen.format}")
    random = Random(chosen.seed)
    seeds = pair.seeds()
    tried: Counter[str] = Counter()
    both: Counter[str] = Counter()
    found: dict[str, bytes] = {}
    end = time.process_time() + chosen.seconds
    while time.process_time() < end:
        name = random.choice(sorted(seeds))
        data = pair.mutate(seeds[name], random, name)
        tried[name] += 1
        read, text = pair.compare(data, name)
        both[name] += read
        if text is not None and len(found) < 20:
            found.setdefault(f"{name}: {text}", data)
    for name in sorted(tried):
        print(f"{name}: {tried[name]} inputs, {both[name]} read by both to their ends")
    FINDINGS.mkdir(parents=True, exist_ok=True)
    for number, (text, data) in enumerate(found.items()):
        (FINDINGS / f"differ_{chosen.format}_{number}").write_bytes(data)
        print(f"{FINDINGS}/differ_{chosen.format}_{number}: {text}")
    print(f"{len(found)} differences")
    return min(len(found), 1)


if __name__ == "__main__":
    raise SystemExit(main())
