"""Table ``team_series``: the lead of Radiant and its probability to win, at an interval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.columns import TEAM_DATA_FIELDS
from playhead.dota2.sources import roster
from playhead.dota2.sources.entities import integer
from playhead.dota2.sources.game_clock import RULES_CLASS
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.dota2.sources.sampled_series import SampledSeries
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldSlots
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_WIN_PROBABILITY = "m_fRadiantWinProbability"
# Parts of a day.
_TIME_OF_DAY, _DAY = "m_pGameRules.m_iNetTimeOfDay", 65535
# What abilities make of the day or the night.
_MADE_NIGHT = ("m_pGameRules.m_bIsTemporaryNight", "m_pGameRules.m_bIsNightstalkerNight")
_MADE_DAY = "m_pGameRules.m_bIsTemporaryDay"
_LEADS = {
    f"{name}_lead": TEAM_DATA_FIELDS[of]
    for name, of in (("gold", "gold_earned"), ("xp", "xp"), ("net_worth", "net_worth"))
}

TEAM_SERIES = TableSchema.of(
    "team_series",
    "The lead of Radiant at an interval; options `every` and `clock` as for table `player_series`. Null if the "
    "recording lacks a side.",
    *words("tick seconds game_seconds"),
    word("gold_lead", "`gold_earned` of Radiant's players less that of Dire's."),
    word("xp_lead", "`xp` of Radiant's players less that of Dire's."),
    Column("net_worth_lead", "int32", "`net_worth` of Radiant's players less that of Dire's.", "gold"),
    Column(
        "radiant_win_probability",
        "float32",
        "Probability that Radiant wins, as the game shows it to spectators: m_fRadiantWinProbability of "
        "CDOTA_DataSpectator.",
    ),
    word(
        "at_night_time",
        "m_iNetTimeOfDay of the game rules: 65,535 parts a day, light after the first quarter, before the last; "
        "or what an ability made of it: m_bIsTemporaryNight, m_bIsNightstalkerNight, m_bIsTemporaryDay.",
    ),
    group="series",
)


@TABLES.maker_of(TEAM_SERIES)
class TeamSeries(PlayerFacts):
    """Table ``team_series``."""

    jobs: ClassVar = Jobs(2, extra=50)
    options = ("every", "clock")
    fields = roster.roster_fields(
        {roster.SPECTATOR_CLASS: (_WIN_PROBABILITY,), RULES_CLASS: (_TIME_OF_DAY, *_MADE_NIGHT, _MADE_DAY)},
        roster.team_fields(_LEADS.values()),
    )

    def __init__(self, match: Dota2Match, every: int | float | str = "1s", clock: str = "recording") -> None:
        super().__init__(match)
        self._series = SampledSeries(match, every, clock)
        self._slots = FieldSlots(_LEADS.values())
        # By team: the fields of all its seats, in the order of the seats.
        self._of_seats: dict[int, FieldSlots] = {}
        self._seats: tuple[roster.Seat, ...] | None = None
        self._spectator: Entity | None = None
        self._rules: Entity | None = None

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._series.attach(playback, self._on_sample)
        playback.entities.on_entity(self._on_spectator, roster.SPECTATOR_CLASS, EntityOp.CREATED)
        playback.entities.on_entity(self._on_rules, RULES_CLASS, EntityOp.CREATED)

    def _on_spectator(self, entity: Entity, _op: EntityOp) -> None:
        self._spectator = entity

    def _on_rules(self, entity: Entity, _op: EntityOp) -> None:
        self._rules = entity

    def _on_sample(self, tick: int) -> None:
        spectator = self._spectator
        row: dict[str, Any] = {"tick": tick}
        row["radiant_win_probability"] = None if spectator is None else spectator.get(_WIN_PROBABILITY)
        row["at_night_time"] = None if self._rules is None else _at_night(self._rules)
        sums = map(self._sums, (roster.RADIANT, roster.DIRE))
        for lead, radiant, dire in zip(_LEADS, *sums, strict=True):
            row[lead] = None if radiant is None or dire is None else radiant - dire
        self._rows.append(row)

    def _sums(self, team: int) -> list[int | None]:
        """Return the sums of the fields of `_LEADS` over the players of a team; None if a value is unknown."""
        seats = self._roster.seats
        if seats is not self._seats:
            self._seats = seats
            self._of_seats = {side: _fields_of(seats, side) for side in roster.TEAM_DATA}
        data = self._roster.team_data.get(team)
        found = [] if data is None else self._of_seats[team].values(data)
        if found and None not in found:
            return [sum(found[place :: len(_LEADS)]) for place in range(len(_LEADS))]
        held = [self._values(seat) for seat in seats if seat.team == team]
        columns = zip(*held, strict=True) if held else [(None,)] * len(_LEADS)
        return [None if None in values else sum(values) for values in columns]

    def _values(self, seat: roster.Seat) -> list[Any]:
        """Return the fields of `_LEADS` of a player."""
        row, values = roster.TEAM_ROW.format(seat.row), [None] * len(_LEADS)
        for holder in self._roster.holders(seat):
            found = self._slots.values(holder, row)
            values = [other if value is None else value for value, other in zip(values, found, strict=True)]
            if None not in values:
                break
        return values

    def tables(self) -> Mapping[str, pa.Table]:
        self._series.finish()
        table = self.match.table(TEAM_SERIES, self._rows)
        return {TEAM_SERIES.name: self._series.chosen(table, [1] * len(self._rows))}


def _fields_of(seats: tuple[roster.Seat, ...], team: int) -> FieldSlots:
    rows = [roster.TEAM_ROW.format(seat.row) for seat in seats if seat.team == team]
    return FieldSlots(row + field for row in rows for field in _LEADS.values())


def _at_night(rules: Entity) -> bool | None:
    """Return whether it is night; None if the recording does not say."""
    if any(rules.get(name) for name in _MADE_NIGHT):
        return True
    if rules.get(_MADE_DAY):
        return False
    part = integer(rules, _TIME_OF_DAY)
    return None if part is None else not _DAY // 4 <= part < 3 * _DAY // 4
