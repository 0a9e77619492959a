"""Read replays into a lake with Dask: python lake_dask.py LAKE FILE…

Each task reads 256 names. `run_shard` has processes of its own, so threads of one worker are enough.
"""

import sys

import dask

from playhead.corpus import run_shard


def main(lake: str, names: list[str], size: int = 256) -> int:
    """Return the number of inputs that were read."""
    read = dask.delayed(lambda some: run_shard(some, lake).num_rows, pure=False)
    tasks = [read(names[start : start + size]) for start in range(0, len(names), size)]
    return sum(dask.compute(*tasks, scheduler="threads"))


if __name__ == "__main__":
    print(main(sys.argv[1], sys.argv[2:]), "inputs read")
