"""Read replays into a lake on a Ray cluster: python lake_ray.py LAKE FILE|FOLDER… [--tables NAME…]

A task reads 256 names on one core; a task whose node is lost runs again on another.
"""

import argparse

import ray

import playhead
from playhead.corpus import run_shard


def main(lake: str, names: list[str], size: int = 256, tables: list[str] | None = None) -> int:
    """Return the number of inputs that were read."""
    ray.init(ignore_reinit_error=True, log_to_driver=False)
    read = ray.remote(num_cpus=1, max_retries=5, scheduling_strategy="SPREAD")(run_shard)
    files = playhead.scan(names).files  # of folders, those that are replays
    tasks = [read.remote(files[at : at + size], lake, tables=tables) for at in range(0, len(files), size)]
    return sum(rows.num_rows for rows in ray.get(tasks))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("lake")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--tables", nargs="+")
    given = parser.parse_args()
    print(main(given.lake, given.names, tables=given.tables), "inputs read")
