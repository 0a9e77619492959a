"""Facts of a Dota 2 match: one module per group of tables, each made by a collector.

All collectors share one pass over the recording. A new group of facts is a new module here; see
`playhead.tables.registry`.
"""

from __future__ import annotations

from playhead.runtime.typing import TYPE_CHECKING
from playhead.source2.tables import TABLES as ENGINE_TABLES
from playhead.tables.registry import TableRegistry

if TYPE_CHECKING:
    from playhead.source2.playback.collector import Collector

TABLES: TableRegistry[type[Collector]] = TableRegistry(
    __name__, base=ENGINE_TABLES, replaces=("chat",), first=("kills",)
)
