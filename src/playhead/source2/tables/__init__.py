"""The engine's tables, which every Source 2 demo has: each made by a collector in the pass that all share.

A collector is found in its module: a new table of the engine is a new module here, and nothing else lists it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.source2.playback.collector import Collector

#: A table of entities is named by this and a class or pattern (``entities:CDOTA_Unit_Hero_*``).
PREFIX = "entities:"


@cache
def engine_collectors() -> tuple[type[Collector], ...]:
    """Return every collector of this package that makes tables."""
    from playhead.source2.playback.collector import collectors_in

    return collectors_in(__name__)
