"""The tables of a teehistorian recording.

* `stream`: ``messages``, ``positions``, ``inputs``, from columns that one fast pass fills.
* `sessions`: every connection.
* `net_messages`, `commands`, `teams`, `runs`, `events`: rare messages, each table by a `collector.Collector`.
* `columns`: what they share.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from playhead.teehistorian.tables.collector import Collector, Collectors, Happening
from playhead.teehistorian.tables.columns import TICKS_PER_SECOND
from playhead.teehistorian.tables.commands import AntibotData, Auth, Commands
from playhead.teehistorian.tables.events import Events
from playhead.teehistorian.tables.net_messages import NetMessages
from playhead.teehistorian.tables.runs import Finishes, Runs
from playhead.teehistorian.tables.sessions import SESSIONS, build_sessions
from playhead.teehistorian.tables.stream import (
    INPUTS,
    MESSAGES,
    POSITIONS,
    build_inputs,
    build_messages,
    build_positions,
)
from playhead.teehistorian.tables.teams import Saves, Teams

__all__ = [
    "COLLECTORS",
    "SCHEMAS",
    "TICKS_PER_SECOND",
    "Collector",
    "Collectors",
    "Happening",
    "build_inputs",
    "build_messages",
    "build_positions",
    "build_sessions",
]

#: Collectors of the tables of rare messages, by the table's name.
COLLECTORS: Mapping[str, type[Collector]] = MappingProxyType(
    {
        kind.schema.name: kind
        for kind in (NetMessages, Commands, Auth, AntibotData, Teams, Saves, Finishes, Runs, Events)
    }
)

SCHEMAS = (MESSAGES, POSITIONS, INPUTS, SESSIONS, *(kind.schema for kind in COLLECTORS.values()))
