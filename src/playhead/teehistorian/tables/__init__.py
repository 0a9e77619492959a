"""The tables of a teehistorian recording; a table is declared in one module: its schema, messages and builder.

* `bulk`: ``messages``, ``positions``, ``inputs``, from columns that one fast pass fills.
* `sessions`: ``sessions``, ``names``, ``periods``. `events`: ``events``.
* `rcon`: ``commands``, ``auth``, ``antibot``, ``net_messages``.
* `runs`: ``runs``, ``finishes``, ``saves``, ``teams``.
* `builder`: the base classes of all of them.
* `window`: positions and inputs of some ticks of a recording, or of all of them by several threads.

A new table is a `TableBuilder` in a module here; see `playhead.tables.registry`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playhead.tables.registry import TableRegistry

if TYPE_CHECKING:
    from playhead.teehistorian.tables.builder import TableBuilder

TABLES: TableRegistry[type[TableBuilder]] = TableRegistry(__name__)
