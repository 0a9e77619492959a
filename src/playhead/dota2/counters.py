"""What the game itself counts of each player: wards, stacks, smokes, runes, neutral items, buildings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from playhead.dota2.collector import Collector
from playhead.dota2.columns import GAME_SECONDS
from playhead.dota2.entity_values import column
from playhead.dota2.roster import RESOURCE_CLASS, ROSTER_FIELDS, TEAM_DATA, Seat, with_fields
from playhead.dota2.sampling import Sampler
from playhead.dota2.time_series import PLAYER
from playhead.source2.entity_columns import EntityColumns
from playhead.source2.playback import Playback
from playhead.tables.column_buffers import Int32Buffer
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.dota2.match import Match

# Counter: field of the player's row in CDOTA_DataRadiant or CDOTA_DataDire.
_TEAM_DATA = {
    "observer_wards_placed": "m_iObserverWardsPlaced",
    "sentry_wards_placed": "m_iSentryWardsPlaced",
    "wards_purchased": "m_iWardsPurchased",
    "wards_destroyed": "m_iWardsDestroyed",
    "camps_stacked": "m_iCampsStacked",
    "creeps_stacked": "m_iCreepsStacked",
    "rune_pickups": "m_iRunePickups",
    "smokes_used": "m_iSmokesUsed",
    "neutral_tokens_found": "m_iNeutralTokensFound",
    "watchers_taken": "m_iWatchersTaken",
    "lotuses_taken": "m_iLotusesTaken",
    "tower_kills": "m_iTowerKills",
    "roshan_kills": "m_iRoshanKills",
    "tormentor_kills": "m_iTormentorKills",
    "courier_kills": "m_iCourierKills",
    "tp_scrolls_purchased": "m_iTPScrollsPurchased",
}
# The same of CDOTA_PlayerResource.m_vecPlayerTeamData.
_RESOURCE = {
    "bounty_runes": "m_iBountyRunes",
    "power_runes": "m_iPowerRunes",
    "water_runes": "m_iWaterRunes",
    "outposts_captured": "m_iOutpostsCaptured",
}

PLAYER_COUNTERS = TableSchema(
    name="player_counters",
    version=1,
    doc="One row whenever something that the game counts of a player changes: stacks, smokes, wards, runes, "
    "neutral items found and others, from the player's row in CDOTA_DataRadiant or CDOTA_DataDire and from "
    "CDOTA_PlayerResource.m_vecPlayerTeamData. They are looked at once in an interval (option `every`, one second "
    "if it is not given). A counter that the recording's build does not have has no rows.",
    columns=(
        Column("tick", TICK.type, "First look at which it was changed.", TICK.unit),
        SECONDS,
        GAME_SECONDS,
        PLAYER,
        Column(
            "counter",
            "category",
            "What is counted: " + ", ".join((*_TEAM_DATA, *_RESOURCE)) + ".",
        ),
        Column("value", "int32", "How many there have been so far."),
        Column("change", "int32", "By how many more than at the last look."),
    ),
)


class _Counted:
    """The counters of one player, look by look."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.ticks = Int32Buffer()
        data, resource = f"m_vecDataTeam.{seat.row:04}.", f"m_vecPlayerTeamData.{seat.player:04}."
        self.names = (
            {data + field: name for name, field in _TEAM_DATA.items()},
            {resource + field: name for name, field in _RESOURCE.items()},
        )
        self.columns = [EntityColumns(list(names)) for names in self.names]

    def changes(self, memory: Any) -> Iterator[dict[str, Any]]:
        import pyarrow as pa
        import pyarrow.compute as pc

        ticks = self.ticks.to_arrow().to_pylist()
        for names, columns in zip(self.names, self.columns, strict=True):
            for field, counted in columns.columns.items():
                values = counted.to_arrow(columns.rows, memory.pool, memory.seconds_per_tick)
                runs = pc.run_end_encode(pc.fill_null(column(values, pa.int32()), 0))
                first, last = 0, 0
                for end, value in zip(runs.run_ends.to_pylist(), runs.values.to_pylist(), strict=True):
                    if value != last:
                        yield {
                            "tick": ticks[first],
                            "player": self.seat.player,
                            "counter": names[field],
                            "value": value,
                            "change": value - last,
                        }
                    first, last = end, value


class Counters(Collector):
    """Table ``player_counters``."""

    schemas = (PLAYER_COUNTERS,)
    options = ("every",)
    entities = True
    fields = with_fields(
        ROSTER_FIELDS,
        dict.fromkeys(TEAM_DATA.values(), tuple(f"m_vecDataTeam.????.{field}" for field in _TEAM_DATA.values())),
        {RESOURCE_CLASS: tuple(f"m_vecPlayerTeamData.????.{field}" for field in _RESOURCE.values())},
    )

    def __init__(self, match: Match, every: int | float | str = "1s") -> None:
        super().__init__(match)
        self._every = match.interval(every)
        self._counted: dict[tuple[int, int, int], _Counted] = {}

    def attach(self, playback: Playback) -> None:
        self._manager = playback.entities
        self._roster = self.match.roster(playback)
        self._sampler = Sampler(playback, self._every, self._take)

    def _take(self, tick: int) -> None:
        roster = self._roster
        for seat in roster.seats:
            key = seat.player, seat.team, seat.row
            counted = self._counted.get(key)
            if counted is None:
                counted = self._counted[key] = _Counted(seat)
            counted.ticks.append(tick)
            for columns, entity in zip(
                counted.columns, (roster.team_data.get(seat.team), roster.resource), strict=True
            ):
                if entity is None:
                    columns.skip()
                else:
                    columns.add(entity)

    def tables(self) -> Mapping[str, pa.Table]:
        self._sampler.finish()
        rows = [row for counted in self._counted.values() for row in counted.changes(self._manager.memory)]
        rows.sort(key=lambda row: (row["tick"], row["player"]))
        return {PLAYER_COUNTERS.name: PLAYER_COUNTERS.build_rows(self.match.rows(rows))}
