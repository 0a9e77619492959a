"""The tables that the engine declares for all games: messages, members, leaves and units."""

from __future__ import annotations

from playhead.blizzard.tables import leaves, members, messages, raw_events, units
from playhead.hots.tables.registry import TABLES

raw_events.add_to(TABLES)
members.add_to(TABLES)
units.add_to(TABLES)
messages.add_to(TABLES)
leaves.add_to(TABLES)
