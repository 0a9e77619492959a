"""The tables of a teehistorian recording, each declared in one file: schema, what it takes, how it is built.

* `bulk`: ``messages``, ``positions``, ``inputs``, from columns that one fast pass fills.
* `sessions`: every connection. `events`: every event.
* `net_messages`, `commands`, `auth`, `antibot`, `teams`, `saves`, `finishes`, `runs`: rare messages.
* `collector`: what a table is made by. `columns`: columns that several tables share.
* `window`: positions and inputs of a stretch of a recording.

A new table is a new module here, with a `Collector` that has a schema: nothing else lists it.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from playhead.teehistorian.tables.collector import COLLECTORS, BulkCollector, Collector

__all__ = ["COLLECTORS", "BulkCollector", "Collector"]

for _module in sorted(module.name for module in iter_modules(__path__)):
    import_module(f"{__name__}.{_module}")
