"""Many replays at once: a corpus, the lake of tables exported from it, and the workers that export.

inputs ──► identity ──► plan ──► decode ──► write ──► manifests ──► lake
files      hashes       shards   (pool)     Parquet   decide        you
"""

from playhead.corpus.check import Fault, check_lake
from playhead.corpus.collection import Corpus, run_shard, scan
from playhead.corpus.compact import compact
from playhead.corpus.export import Report, TooManyFailures
from playhead.corpus.lake import Lake, open_lake
from playhead.corpus.manifest import DamagedLake, is_lake
from playhead.corpus.pool import WorkerLimits
from playhead.corpus.repair import Repair, repair_lake
from playhead.corpus.replays import Replays

__all__ = [
    "Corpus",
    "DamagedLake",
    "Fault",
    "Lake",
    "Repair",
    "Replays",
    "Report",
    "TooManyFailures",
    "WorkerLimits",
    "check_lake",
    "compact",
    "is_lake",
    "open_lake",
    "repair_lake",
    "run_shard",
    "scan",
]
