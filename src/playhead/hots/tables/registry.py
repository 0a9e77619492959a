"""The tables of a Heroes of the Storm replay; `playhead.blizzard.tables.registry` explains how one is declared.

Every table of facts with the columns `tick` and `seconds` also gets `game_seconds`, which no module declares.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

from playhead.blizzard.protocol.tables import GAME, MESSAGE, TRACKER
from playhead.blizzard.tables.registry import GameSource, GameTables, Table
from playhead.hots.members.battle_lobby import LobbyPerson
from playhead.runtime.libraries import pa, pc
from playhead.runtime.records import replace
from playhead.tables.schema import TableSchema
from playhead.tables.shared import SHARED
from playhead.tables.value_arrays import scalar_of
from playhead.tables.vocabulary import word


class HotsSource(GameSource, Protocol):
    """The parts of a replay that tables read. A missing or damaged member is None or empty.

    Attributes:
        lobby_people: people by user id of events, from the battle lobby.
    """

    @property
    def lobby_people(self) -> Mapping[int, LobbyPerson]: ...


TableSource: TypeAlias = HotsSource


#: Columns of the game's clock, by the columns of real time that they follow.
_CLOCK = {"seconds": "game_seconds", "end_seconds": "end_game_seconds"}


def _clocked(schema: TableSchema) -> TableSchema:
    """Return a schema with the columns of the game's clock, which come last in tables that all formats have."""
    if schema.is_copy or schema.group == "messages":
        return schema
    names = [name for name in _CLOCK if name in schema.column_names and _CLOCK[name] not in schema.column_names]
    if schema.name in SHARED:
        return schema.extended(*(word(_CLOCK[name]) for name in names))
    columns = [
        each
        for column in schema.columns
        for each in ((column, word(_CLOCK[column.name])) if column.name in names else (column,))
    ]
    return replace(schema, columns=tuple(columns))


class _ClockedTables(GameTables):
    def add(self, maker: Table) -> Table:
        (plain,), build = maker.schemas, maker.build
        schema = _clocked(plain)
        if schema is plain:
            return super().add(maker)

        def build_with_clock(source: GameSource, **given: Any) -> pa.Table:
            table: pa.Table = build(source, **given)
            start, rate = (
                scalar_of(source.start_tick, pa.int32()),
                scalar_of(source.loops_per_second, pa.float64()),
            )
            columns = {name: table[name] for name in table.column_names}
            for name, shown in _CLOCK.items():
                if shown in schema.column_names and shown not in columns:
                    ticks = pc.subtract(columns[name.replace("seconds", "tick")], start)
                    columns[shown] = pc.divide(ticks.cast(pa.float64()), rate)
            return schema.build(columns)

        return super().add(replace(maker, schemas=(schema,), build=build_with_clock))


TABLES = _ClockedTables(
    "playhead.hots.tables",
    captured={
        GAME: "CameraUpdateEvent CmdEvent CmdUpdateTargetPointEvent CmdUpdateTargetUnitEvent "
        "CommandManagerStateEvent ControlGroupUpdateEvent GameUserJoinEvent GameUserLeaveEvent "
        "HeroTalentTreeSelectedEvent HijackReplayGameEvent PlayerLeaveEvent SelectionDeltaEvent "
        "TriggerKeyPressedEvent TriggerMouseClickedEvent UnitClickEvent",
        MESSAGE: "ChatMessage PingMessage",
        TRACKER: "HeroBannedEvent HeroPickedEvent HeroSwappedEvent ScoreResultEvent StatGameEvent UnitBornEvent "
        "UnitDiedEvent UnitDoneEvent UnitInitEvent UnitOwnerChangeEvent UnitPositionsEvent UnitRevivedEvent "
        "UnitTypeChangeEvent UpgradeEvent",
    },
)
table, event_table = TABLES.table, TABLES.event_table
