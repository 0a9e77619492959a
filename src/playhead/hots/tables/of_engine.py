"""The tables that the engine declares for all games: events, messages, members, leaves and units."""

from __future__ import annotations

from playhead.blizzard.events.commands import CmdEvent, CmdUpdateTargetPointEvent, CommandManagerStateEvent
from playhead.blizzard.events.game import CameraUpdateEvent
from playhead.blizzard.tables import events, leaves, members, messages, raw_events, units
from playhead.hots.tables.registry import TABLES

events.add_to(TABLES, reads=(CmdEvent, CmdUpdateTargetPointEvent, CommandManagerStateEvent, CameraUpdateEvent))
raw_events.add_to(TABLES)
members.add_to(TABLES)
units.add_to(TABLES)
messages.add_to(TABLES)
leaves.add_to(TABLES)
