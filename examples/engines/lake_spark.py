"""Read replays into a lake with PySpark: spark-submit lake_spark.py LAKE FILE…

Spark runs a failed task again; what it had committed is not read twice.
"""

import sys
from collections.abc import Iterator

from pyspark.sql import SparkSession

from playhead.corpus import run_shard


def main(lake: str, names: list[str], size: int = 256) -> int:
    """Return the number of inputs that were read."""

    def read(some: Iterator[str]) -> Iterator[int]:
        yield run_shard(list(some), lake).num_rows

    context = SparkSession.builder.getOrCreate().sparkContext
    return int(context.parallelize(names, -(-len(names) // size)).mapPartitions(read).sum())


if __name__ == "__main__":
    print(main(sys.argv[1], sys.argv[2:]), "inputs read")
