"""The tables of a teehistorian recording; one module declares a table: its schema, messages and builder.

* `bulk`: ``messages``, ``positions``, ``inputs``, from columns that one fast pass fills.
* `sessions`: one row per connection. `events`: one row per event.
* `net_messages`, `commands`, `auth`, `antibot`, `teams`, `saves`, `finishes`, `runs`: rare messages.
* `builder`: the base classes of all of them.
* `window`: positions and inputs of some ticks of a recording.

A new table is a new module here, with a `TableBuilder`; see `playhead.tables.registry`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playhead.tables.registry import TableRegistry

if TYPE_CHECKING:
    from playhead.teehistorian.tables.builder import TableBuilder

TABLES: TableRegistry[type[TableBuilder]] = TableRegistry(__name__)
