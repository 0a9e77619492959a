"""Many replays at once: a corpus, the lake of tables exported from it, and the workers that export.

inputs ──► identity ──► decode ──► write ──► commit ──► lake
files      hashes       (pool)     Parquet   Delta      you
"""

from playhead.corpus.care.check import Fault, check_lake, repair_lake
from playhead.corpus.care.compact import compact, remove
from playhead.corpus.delta import DamagedLake, is_lake
from playhead.corpus.reading.collection import Corpus, run_shard, scan
from playhead.corpus.reading.lake import Lake, open_lake
from playhead.corpus.reading.replays import Replays
from playhead.corpus.writing.export import Report, TooManyFailures
from playhead.corpus.writing.pool import WorkerLimits

__all__ = [
    "Corpus",
    "DamagedLake",
    "Fault",
    "Lake",
    "Replays",
    "Report",
    "TooManyFailures",
    "WorkerLimits",
    "check_lake",
    "compact",
    "is_lake",
    "open_lake",
    "remove",
    "repair_lake",
    "run_shard",
    "scan",
]
