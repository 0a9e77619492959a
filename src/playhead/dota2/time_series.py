"""How each player stands at an interval: gold, experience, health, place, what is held and what is learnt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from playhead.dota2.collector import Collector
from playhead.dota2.columns import GAME_SECONDS
from playhead.dota2.entity_values import column
from playhead.dota2.map_position import (
    CELL_X,
    CELL_X_COLUMN,
    CELL_Y,
    CELL_Y_COLUMN,
    OFFSET_X,
    OFFSET_Y,
    POSITION_FIELDS,
    X,
    Y,
    axis_column,
)
from playhead.dota2.roster import RESOURCE_CLASS, ROSTER_FIELDS, Seat, with_fields
from playhead.dota2.sampling import Sampler
from playhead.source2.entity_columns import EntityColumns
from playhead.source2.playback import Playback
from playhead.tables.column_buffers import Int32Buffer
from playhead.tables.schema import Column, TableSchema
from playhead.tables.shared import SECONDS, TICK

if TYPE_CHECKING:
    import pyarrow as pa

    from playhead.dota2.match import Match
    from playhead.source2.entities import EntityManager

PLAYER = Column("player", "int32", "Number of the player, as in `players`: place in CDOTA_PlayerResource.")

# Column: field of the player's row in CDOTA_DataRadiant or CDOTA_DataDire, and what it means.
_TEAM_DATA = {
    "gold_reliable": ("m_iReliableGold", "int32", "gold that is not lost by dying", "gold"),
    "gold_unreliable": ("m_iUnreliableGold", "int32", "the rest of the gold in hand", "gold"),
    "gold_earned": ("m_iTotalEarnedGold", "int32", "all gold earned so far", "gold"),
    "net_worth": ("m_iNetWorth", "int32", "gold in hand and what was bought", "gold"),
    "xp": ("m_iTotalEarnedXP", "int32", "all experience earned so far", "xp"),
    "last_hits": ("m_iLastHitCount", "int32", "last hits so far", ""),
    "denies": ("m_iDenyCount", "int32", "denies so far", ""),
}
# The same of CDOTA_PlayerResource.m_vecPlayerTeamData.
_RESOURCE = {
    "level": ("m_iLevel", "int32", "level of the hero", ""),
    "kills": ("m_iKills", "int32", "heroes killed so far", ""),
    "deaths": ("m_iDeaths", "int32", "deaths so far", ""),
    "assists": ("m_iAssists", "int32", "assists so far", ""),
    "respawn_seconds": ("m_iRespawnSeconds", "int32", "until the hero is back; -1 while it is alive", "s"),
}
# The same of the hero's entity.
_HERO = {
    "health": ("m_iHealth", "int32", "health of the hero", "hp"),
    "max_health": ("m_iMaxHealth", "int32", "most health it can have", "hp"),
    "mana": ("m_flMana", "float64", "mana of the hero", "mana"),
    "max_mana": ("m_flMaxMana", "float64", "most mana it can have", "mana"),
}
_LIFE_STATE = "m_lifeState"


def _columns(fields: Mapping[str, tuple[str, str, str, str]], source: str) -> Iterator[Column]:
    for name, (field, type_, doc, unit) in fields.items():
        yield Column(name, type_, f"{doc[0].upper()}{doc[1:]}: {field} of {source}.", unit)


PLAYER_SERIES = TableSchema(
    name="player_series",
    version=1,
    doc="Every player at an interval (option `every`, one second if it is not given), from the tick on at which "
    "the player has a team. Null where the recording has no value.",
    columns=(
        TICK,
        SECONDS,
        GAME_SECONDS,
        PLAYER,
        Column("team", "int32", "2 is Radiant, 3 is Dire."),
        *_columns(_TEAM_DATA, "the player's row in CDOTA_DataRadiant or CDOTA_DataDire"),
        *_columns(_RESOURCE, "CDOTA_PlayerResource.m_vecPlayerTeamData"),
        *_columns(_HERO, "the hero's entity"),
        Column("alive", "bool", "m_lifeState of the hero's entity is 0."),
        X,
        Y,
        CELL_X_COLUMN,
        CELL_Y_COLUMN,
    ),
)


class _Track:
    """The samples of one player in one place of one team."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.ticks = Int32Buffer()
        data, resource = f"m_vecDataTeam.{seat.row:04}.", f"m_vecPlayerTeamData.{seat.player:04}."
        self.parts = (
            EntityColumns([data + field for field, *_ in _TEAM_DATA.values()]),
            EntityColumns([resource + field for field, *_ in _RESOURCE.values()]),
            EntityColumns([*(field for field, *_ in _HERO.values()), _LIFE_STATE, *POSITION_FIELDS]),
        )

    def add(self, tick: int, entities: tuple[Any, Any, Any]) -> None:
        self.ticks.append(tick)
        for columns, entity in zip(self.parts, entities, strict=True):
            if entity is None:
                columns.skip()
            else:
                columns.add(entity)

    def to_arrow(self, memory: Any) -> pa.Table:
        """Rows without ``seconds``."""
        import pyarrow as pa
        import pyarrow.compute as pc

        count = len(self.ticks)
        found = {}
        for part in self.parts:
            for name, values in part.columns.items():
                level = name if name in POSITION_FIELDS else name.rpartition(".")[2]
                found[level] = values.to_arrow(part.rows, memory.pool, memory.seconds_per_tick)
        out = {
            "tick": self.ticks.to_arrow(),
            "player": pa.array([self.seat.player] * count, pa.int32()),
            "team": pa.array([self.seat.team] * count, pa.int32()),
        }
        for fields in (_TEAM_DATA, _RESOURCE, _HERO):
            for name, (field, type_, *_) in fields.items():
                out[name] = column(found[field], getattr(pa, type_)())
        out["alive"] = pc.equal(column(found[_LIFE_STATE], pa.int32()), 0)
        cells = {"x": (CELL_X, OFFSET_X), "y": (CELL_Y, OFFSET_Y)}
        for axis, (cell, offset) in cells.items():
            out[axis] = axis_column(found[cell], found[offset])
        out["cell_x"] = column(found[CELL_X], pa.int32())
        out["cell_y"] = column(found[CELL_Y], pa.int32())
        return pa.table(out)


class TimeSeries(Collector):
    """Table ``player_series``."""

    schemas = (PLAYER_SERIES,)
    options = ("every",)
    entities = True
    fields = with_fields(
        ROSTER_FIELDS,
        {
            RESOURCE_CLASS: [f"m_vecPlayerTeamData.????.{field}" for field, *_ in _RESOURCE.values()],
            "CDOTA_DataRadiant": [f"m_vecDataTeam.????.{field}" for field, *_ in _TEAM_DATA.values()],
            "CDOTA_DataDire": [f"m_vecDataTeam.????.{field}" for field, *_ in _TEAM_DATA.values()],
            "CDOTA_Unit_Hero_*": [*(field for field, *_ in _HERO.values()), _LIFE_STATE, *POSITION_FIELDS],
        },
    )

    def __init__(self, match: Match, every: int | float | str = "1s") -> None:
        super().__init__(match)
        self._every = match.interval(every)
        self._tracks: dict[tuple[int, int, int], _Track] = {}

    def attach(self, playback: Playback) -> None:
        self._manager: EntityManager = playback.entities
        self._roster = self.match.roster(playback)
        self._sampler = Sampler(playback, self._every, self._take)

    def _take(self, tick: int) -> None:
        roster = self._roster
        for seat in roster.seats:
            key = seat.player, seat.team, seat.row
            track = self._tracks.get(key)
            if track is None:
                track = self._tracks[key] = _Track(seat)
            track.add(tick, (roster.team_data.get(seat.team), roster.resource, roster.hero(seat)))

    def tables(self) -> Mapping[str, pa.Table]:
        import pyarrow as pa

        self._sampler.finish()
        parts = [track.to_arrow(self._manager.memory) for track in self._tracks.values()]
        if not parts:
            return {PLAYER_SERIES.name: PLAYER_SERIES.build_rows([])}
        table = pa.concat_tables(parts).sort_by([("tick", "ascending"), ("player", "ascending")])
        columns = {name: table[name] for name in table.column_names}
        return {PLAYER_SERIES.name: PLAYER_SERIES.build(columns | self.match.arrow_time_columns(table["tick"]))}
