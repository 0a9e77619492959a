"""Read replays into a lake on a Ray cluster: python lake_ray.py LAKE FILE…

A task reads 256 names on one core; a task whose node is lost runs again on another.
"""

import sys

import ray

from playhead.corpus import run_shard


def main(lake: str, names: list[str], size: int = 256) -> int:
    """Return the number of inputs that were read."""
    ray.init(ignore_reinit_error=True, log_to_driver=False)
    read = ray.remote(num_cpus=1, max_retries=5, scheduling_strategy="SPREAD")(run_shard)
    tasks = [read.remote(names[start : start + size], lake) for start in range(0, len(names), size)]
    return sum(rows.num_rows for rows in ray.get(tasks))


if __name__ == "__main__":
    print(main(sys.argv[1], sys.argv[2:]), "inputs read")
