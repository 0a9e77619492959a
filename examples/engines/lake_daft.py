"""Read replays into a lake with Daft: python lake_daft.py LAKE FILE…

An input that cannot be read is a row that says so: it ends no job.
"""

import sys

import daft

from playhead.corpus import run_shard


def main(lake: str, names: list[str], size: int = 256) -> int:
    """Return the number of inputs that were read."""

    @daft.udf(return_dtype=daft.DataType.int64(), batch_size=size)
    def read(some: daft.Series) -> list[int]:
        count = run_shard(some.to_pylist(), lake).num_rows
        return [count] + [0] * (len(some) - 1)

    frame = daft.from_pydict({"name": names})
    return int(sum(frame.select(read(frame["name"])).to_pydict()["name"]))


if __name__ == "__main__":
    print(main(sys.argv[1], sys.argv[2:]), "inputs read")
