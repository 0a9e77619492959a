"""Facts of a Dota 2 match: a module a group of tables, each made by a collector in the pass that all share.

A collector is found in its module: a new group of facts is a new module here, and nothing else lists it.
"""

from __future__ import annotations

from functools import cache

from playhead.dota2.sources.match import FactCollector
from playhead.source2.playback.collector import collectors_in


@cache
def fact_collectors() -> tuple[type[FactCollector], ...]:
    """Return every collector of this package that makes tables."""
    return tuple(kind for kind in collectors_in(__name__) if issubclass(kind, FactCollector))
