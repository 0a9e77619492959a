"""The tables that the engine declares for all games: events, messages, members, leaves and units."""

from __future__ import annotations

from playhead.blizzard.events.commands import CommandManagerStateEvent
from playhead.blizzard.events.triggers import TriggerPortraitLoadedEvent
from playhead.blizzard.tables import events, leaves, members, messages, raw_events, units
from playhead.sc2.tables.registry import TABLES

# The most frequent events that no other table reads become columns for the table events.
events.add_to(TABLES, reads=(CommandManagerStateEvent, TriggerPortraitLoadedEvent))
raw_events.add_to(TABLES, tracker_since="From 2.0.8 on.")
members.add_to(TABLES)
units.add_to(TABLES)
messages.add_to(TABLES)
leaves.add_to(TABLES)
