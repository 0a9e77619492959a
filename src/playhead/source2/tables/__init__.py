"""The tables of every Source 2 demo, each made by a collector; all collectors share one pass over the recording.

A new table is a new module here; see `playhead.tables.registry`.
"""

from __future__ import annotations

from playhead.runtime.typing import TYPE_CHECKING
from playhead.tables.registry import TableRegistry

if TYPE_CHECKING:
    from playhead.source2.playback.collector import Collector

#: A table of entities has this prefix, then a class name or pattern (``entities:CDOTA_Unit_Hero_*``).
PREFIX = "entities:"

TABLES: TableRegistry[type[Collector]] = TableRegistry(__name__)
