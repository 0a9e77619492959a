"""Tables ``player_minutes`` and ``team_minutes``: the state at each whole minute of the game's clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from playhead.dota2.facts import TABLES, columns
from playhead.dota2.sources import roster
from playhead.dota2.sources.match import MatchContext, PlayerFacts
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema

_TEAM_DATA = {
    "gold_earned": columns.TEAM_DATA_FIELDS["gold_earned"],
    "net_worth": columns.TEAM_DATA_FIELDS["net_worth"],
    "xp": columns.TEAM_DATA_FIELDS["xp_earned"],
    "last_hits": columns.TEAM_DATA_FIELDS["last_hits"],
    "denies": columns.TEAM_DATA_FIELDS["denies"],
    **columns.MONEY_FIELDS,
}
_RESOURCE = {name: columns.RESOURCE_FIELDS[name] for name in ("level", "kills", "deaths", "assists")}
_WIN_PROBABILITY = "m_fRadiantWinProbability"

_MINUTE = Column("minute", "int32", "Whole minutes on the game's clock; 0 is the horn.", "min")

PLAYER_MINUTES = TableSchema.of(
    "player_minutes",
    "Every player at 0:00, 1:00, 2:00 … of the game's clock, to the end of the match: the state after the "
    "last packet at or before that tick, once, also if a pause begins there. Null where the recording has no "
    "value: a build without the field, the other side in a player's recording.",
    *columns.TIME,
    _MINUTE,
    columns.PLAYER,
    columns.HERO,
    columns.TEAM,
    *columns.columns_of(_TEAM_DATA, columns.TEAM_DATA_ROW),
    *columns.columns_of(_RESOURCE, columns.RESOURCE_ROW),
)

TEAM_MINUTES = TableSchema.of(
    "team_minutes",
    "The lead of Radiant at each whole minute of the game's clock, at the ticks of table `player_minutes`. "
    "Null if the recording lacks a side.",
    *columns.TIME,
    _MINUTE,
    Column("gold_lead", "int32", "`gold_earned` of Radiant's players less that of Dire's.", "gold"),
    Column("xp_lead", "int32", "`xp` of Radiant's players less that of Dire's.", "xp"),
    Column("net_worth_lead", "int32", "`net_worth` of Radiant's players less that of Dire's.", "gold"),
    Column(
        "radiant_win_probability",
        "float32",
        "Probability that Radiant wins, as the game shows it to spectators: m_fRadiantWinProbability of "
        "CDOTA_DataSpectator.",
    ),
)

_LEADS = {"gold_lead": "gold_earned", "xp_lead": "xp", "net_worth_lead": "net_worth"}


@TABLES.maker_of(PLAYER_MINUTES, TEAM_MINUTES)
class Minutes(PlayerFacts):
    """Tables ``player_minutes`` and ``team_minutes``."""

    work = 2
    fields = roster.roster_fields(
        {
            roster.RESOURCE_CLASS: [f"m_vecPlayerTeamData.????.{field}" for field, *_ in _RESOURCE.values()],
            roster.SPECTATOR_CLASS: (_WIN_PROBABILITY,),
        },
        roster.team_fields(field for field, *_ in _TEAM_DATA.values()),
    )

    def __init__(self, match: MatchContext) -> None:
        super().__init__(match)
        self._players: dict[int, list[dict[str, Any]]] = {}
        self._probability: dict[int, float | None] = {}
        self._spectator: Entity | None = None

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._minutes = self.match.minutes(playback)
        self._minutes.on_minute(self._on_minute)
        playback.entities.on_entity(self._on_spectator, roster.SPECTATOR_CLASS, EntityOp.CREATED)

    def _on_spectator(self, entity: Entity, _op: EntityOp) -> None:
        self._spectator = entity

    def _on_minute(self, minute: int, _tick: int) -> None:
        self._players[minute] = [self._row(seat) for seat in self._roster.seats]
        spectator = self._spectator
        self._probability[minute] = None if spectator is None else spectator.get(_WIN_PROBABILITY)

    def _row(self, seat: roster.Seat) -> dict[str, Any]:
        row: dict[str, Any] = {"player": seat.player, "team": seat.team}
        resource = self._roster.resource
        if resource is not None:
            own = f"m_vecPlayerTeamData.{seat.player:04}."
            row |= {name: resource.get(own + field) for name, (field, *_) in _RESOURCE.items()}
        prefix = roster.TEAM_ROW.format(seat.row)
        for data in self._roster.holders(seat):
            for name, (field, *_) in _TEAM_DATA.items():
                if row.get(name) is None:
                    row[name] = data.get(prefix + field)
        return row

    def tables(self) -> Mapping[str, pa.Table]:
        self._minutes.finish()
        names = self._roster.hero_names()
        samples = sorted(self._minutes.samples.items())
        players = [
            {"tick": tick, "minute": minute, "hero": names.get(row["player"]), **row}
            for minute, tick in samples
            for row in self._players.get(minute, ())
        ]
        return {
            PLAYER_MINUTES.name: self.match.table(PLAYER_MINUTES, players),
            TEAM_MINUTES.name: self.match.table(TEAM_MINUTES, list(self._team_rows(samples))),
        }

    def _team_rows(self, samples: list[tuple[int, int]]) -> Iterator[dict[str, Any]]:
        for minute, tick in samples:
            rows = self._players.get(minute, [])
            probability = self._probability.get(minute)
            row: dict[str, Any] = {"tick": tick, "minute": minute, "radiant_win_probability": probability}
            for lead, name in _LEADS.items():
                radiant, dire = (_sum(rows, name, team) for team in (roster.RADIANT, roster.DIRE))
                row[lead] = None if radiant is None or dire is None else radiant - dire
            yield row


def _sum(rows: list[dict[str, Any]], name: str, team: int) -> int | None:
    """Return the sum of a column over the players of a team; None if the value of any is unknown."""
    values = [row.get(name) for row in rows if row["team"] == team]
    return sum(value for value in values if value is not None) if values and None not in values else None
