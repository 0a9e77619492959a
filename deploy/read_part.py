"""Read one part of a list of replays into a lake: the work of one pod of an indexed job.

    JOB_COMPLETION_INDEX=0 JOB_COMPLETIONS=64 python read_part.py s3://bucket/today.txt s3://bucket/lake [JOBS]

The list has a path or URL per line. Part I of N has the lines I·256 to I·256 + 255, and so on every N·256 lines.
A pod that was killed skips the shards that it finished.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from playhead.corpus import run_shard

SHARD = 256


def read_text(place: str) -> str:
    """Return the text of a file or an object of a bucket."""
    if "://" not in place:
        return Path(place).read_text(encoding="utf-8")
    import fsspec

    with fsspec.open(place, "rt", encoding="utf-8") as file:
        return str(file.read())


def main(listing: str, lake: str, jobs: str = "4") -> None:
    """Read the part that the environment names."""
    names = [line for line in read_text(listing).splitlines() if line.strip()]
    part, parts = int(os.environ["JOB_COMPLETION_INDEX"]), int(os.environ["JOB_COMPLETIONS"])
    for start in range(part * SHARD, len(names), parts * SHARD):
        rows = run_shard(names[start : start + SHARD], lake, jobs=int(jobs))
        print(f"lines {start + 1} to {start + rows.num_rows}: {rows.num_rows} replays", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
