"""The tables of a StarCraft II replay; `playhead.blizzard.tables.registry` explains how one is declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER
from playhead.blizzard.tables.registry import GameSource, GameTables

if TYPE_CHECKING:
    from playhead.sc2.members.battle_lobby import BattleLobby
    from playhead.sc2.members.resumable import ResumeMarker
    from playhead.sc2.members.sync import SyncColumns
    from playhead.sc2.state.players.winner import Inference, Side


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


TABLES = GameTables(
    "playhead.sc2.tables",
    captured={
        GAME: "CameraUpdateEvent CmdEvent CmdUpdateTargetPointEvent CmdUpdateTargetUnitEvent "
        "CommandManagerStateEvent ControlGroupUpdateEvent GameUserLeaveEvent HijackReplayGameEvent "
        "PlayerLeaveEvent SelectionDeltaEvent TriggerPortraitLoadedEvent",
        MESSAGE: "ChatMessage PingMessage",
        TRACKER: "PlayerSetupEvent PlayerStatsEvent UnitBornEvent UnitDiedEvent UnitDoneEvent UnitInitEvent "
        "UnitOwnerChangeEvent UnitPositionsEvent UnitRevivedEvent UnitTypeChangeEvent UpgradeEvent",
    },
)
table, event_table = TABLES.table, TABLES.event_table
