"""The tables of a StarCraft II replay; `playhead.blizzard.tables.registry` explains how one is declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from playhead.blizzard.events.commands import CommandManagerStateEvent
from playhead.blizzard.events.triggers import TriggerPortraitLoadedEvent
from playhead.blizzard.tables import events, leaves, members, messages, raw_events, units
from playhead.blizzard.tables.registry import GameSource, GameTables
from playhead.sc2.members.battle_lobby import BattleLobby
from playhead.sc2.members.resumable import ResumeMarker
from playhead.sc2.members.sync import SyncColumns
from playhead.sc2.state.players.winner import Inference, Side
from playhead.sc2.state.timeline import STATE_EVENTS


class TableSource(GameSource, Protocol):
    """The parts of a replay that tables read. A missing or damaged member is None or empty.

    Attributes:
        players_by_lobby_user: player number by position in the lobby's list of users.
        sides: the teams at the end of the game.
        inferred_winner: the side that probably won; None if the file does not show it.
        sync_columns, resume_markers, battle_lobby: decoded members.
        cache_handles_source: the member that lists the game's cache files, and the files.
    """

    @property
    def battle_lobby(self) -> BattleLobby | None: ...
    @property
    def cache_handles_source(self) -> tuple[str | None, Sequence[bytes]]: ...
    @property
    def players_by_lobby_user(self) -> Mapping[int, int]: ...
    @property
    def sides(self) -> Sequence[Side]: ...
    @property
    def inferred_winner(self) -> Inference | None: ...
    @property
    def sync_columns(self) -> SyncColumns | None: ...
    @property
    def resume_markers(self) -> Sequence[ResumeMarker]: ...


TABLES = GameTables("playhead.sc2.tables", also=STATE_EVENTS)
table, event_table = TABLES.table, TABLES.event_table

# The most frequent events that no other table reads become columns for the table events.
events.add_to(TABLES, reads=(CommandManagerStateEvent, TriggerPortraitLoadedEvent))
raw_events.add_to(TABLES, tracker_since="From 2.0.8 on.")
members.add_to(TABLES)
units.add_to(TABLES)
messages.add_to(TABLES)
leaves.add_to(TABLES)
