"""The tables of a Heroes of the Storm replay; `playhead.blizzard.tables.registry` explains how one is declared."""

from __future__ import annotations

from typing import TypeAlias

from playhead.blizzard.events.commands import CmdEvent, CmdUpdateTargetPointEvent, CommandManagerStateEvent
from playhead.blizzard.events.game import CameraUpdateEvent
from playhead.blizzard.events.tracker import StatGameEvent, UpgradeEvent
from playhead.blizzard.tables import events, members, raw_events
from playhead.blizzard.tables.registry import GameSource, GameTables

#: The parts of a replay that tables read. A missing or damaged member is None or empty.
TableSource: TypeAlias = GameSource

TABLES = GameTables("playhead.hots.tables", also=(StatGameEvent, UpgradeEvent))
table, event_table = TABLES.table, TABLES.event_table

events.add_to(TABLES, reads=(CmdEvent, CmdUpdateTargetPointEvent, CommandManagerStateEvent, CameraUpdateEvent))
raw_events.add_to(TABLES)
members.add_to(TABLES)
