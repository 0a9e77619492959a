"""Ticks a second and memory of the simulation of a teehistorian recording, by CPU time.

python benchmarks/bench_physics.py RECORDING MAP [repetitions]
"""

from __future__ import annotations

import resource
import sys

from fastest import fastest

import playhead
from playhead.teehistorian.physics.simulation import Simulation


def kernel(simulation: Simulation) -> None:
    """Simulate without rows."""
    for _ in simulation.passes(emits=False):
        pass


def rows(simulation: Simulation) -> None:
    """Simulate with all rows of table ``physics``, in batches."""
    for _ in simulation.batches("physics"):
        pass


def main() -> None:
    """Print a line for each part."""
    recording, map_file = sys.argv[1:3]
    repetitions = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    simulation = playhead.open(recording).simulate(map_file)
    kernel(simulation)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ticks = simulation.last_tick
    jobs = {
        "kernel": lambda: kernel(simulation),
        "with all rows": lambda: rows(simulation),
        "from opening, with all rows": lambda: rows(playhead.open(recording).simulate(map_file)),
    }
    for name, job in jobs.items():
        seconds, _ = fastest(job, repetitions)
        print(f"{name:28s} {seconds:6.3f} s {ticks / seconds:9,.0f} ticks/s")
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{'memory of the process':28s} {after / 1024:6.0f} MB, {before / 1024:.0f} before the rows")


if __name__ == "__main__":
    main()
