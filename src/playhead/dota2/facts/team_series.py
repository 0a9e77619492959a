"""Tables ``player_counters`` and ``team_series``: counters of players, the lead of Radiant at an interval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.facts.player_stats import TEAM_DATA_FIELDS
from playhead.dota2.sources import roster
from playhead.dota2.sources.entities import integer
from playhead.dota2.sources.game_clock import RULES_CLASS
from playhead.dota2.sources.match import Dota2Match, PlayerFacts, SampledSeries
from playhead.runtime.libraries import pa
from playhead.source2.entities.entity import Entity
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.watching import FieldSlots
from playhead.source2.playback.collector import Jobs
from playhead.source2.playback.playback import Playback
from playhead.source2.tables.entity_columns import EntityChanges
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

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

PLAYER_COUNTERS = TableSchema.of(
    "player_counters",
    "One row whenever something that the game counts of a player changes: stacks, smokes, wards, runes, "
    "neutral items found and others, from the player's row in CDOTA_DataRadiant or CDOTA_DataDire and from "
    "CDOTA_PlayerResource.m_vecPlayerTeamData. They are looked at once in an interval (option `every`, one second "
    "if it is not given). A counter that the recording's build does not have has no rows.",
    word("tick", "First look that found the change."),
    *words("seconds game_seconds player hero"),
    Column("counter", "category", "What is counted: " + ", ".join((*_TEAM_DATA, *_RESOURCE)) + "."),
    word("value", "The count so far."),
    Column("rise", "int32", "By how much it rose since the look before."),
)


@TABLES.maker_of(PLAYER_COUNTERS)
class Counters(PlayerFacts):
    jobs: ClassVar = Jobs(extra=25)

    options = ("every",)
    fields = roster.roster_fields(
        roster.team_fields(_TEAM_DATA.values()),
        {roster.RESOURCE_CLASS: tuple(f"m_vecPlayerTeamData.????.{field}" for field in _RESOURCE.values())},
    )

    def __init__(self, match: Dota2Match, every: int | float | str = "1s") -> None:
        super().__init__(match)
        self._every = match.interval(every)
        self._team_data = EntityChanges(_TEAM_DATA.values(), absent=0)
        self._elsewhere: dict[int, EntityChanges] = {}
        self._resource = EntityChanges(_RESOURCE.values(), absent=0)
        self._lineup: tuple[roster.Place, ...] | None = None

    def attach(self, playback: Playback) -> None:
        super().attach(playback)
        self._sampler = self.match.sampler(playback, self._every)
        self._sampler.on_sample(self._on_sample)

    def _on_sample(self, tick: int) -> None:
        lineup = self._roster.lineup
        if lineup is not self._lineup:
            self._line_up(lineup)
        self._team_data.look(tick, self._seats_now, self._team_data_now, self._team_rows)
        for number, entities in enumerate(self._elsewhere_now):
            changes = self._elsewhere.setdefault(number, EntityChanges(_TEAM_DATA.values(), absent=0))
            changes.look(tick, self._seats_now, entities, self._team_rows)
        self._resource.look(tick, self._seats_now, self._resources_now, self._resource_rows)

    def _line_up(self, lineup: tuple[roster.Place, ...]) -> None:
        """Return the values that are constant until the lineup changes."""
        self._lineup = lineup
        # A player in a new seat starts again.
        self._seats_now = [(place.seat.player, place.seat.team, place.seat.row) for place in lineup]
        self._team_data_now = [place.team_data for place in lineup]
        self._elsewhere_now = list(map(list, zip(*(place.elsewhere for place in lineup), strict=True)))
        self._team_rows = [roster.TEAM_ROW.format(place.seat.row) for place in lineup]
        self._resources_now = [self._roster.resource] * len(lineup)
        self._resource_rows = [f"m_vecPlayerTeamData.{place.seat.player:04}." for place in lineup]

    def tables(self) -> Mapping[str, pa.Table]:
        self._sampler.finish()
        rows = [
            {"tick": tick, "player": player, "counter": counters[field], "value": value, "rise": value - before}
            for counters, followed in (
                (list(_TEAM_DATA), self._team_data),
                *((list(_TEAM_DATA), others) for others in self._elsewhere.values()),
                (list(_RESOURCE), self._resource),
            )
            for tick, (player, _team, _row), field, before, value in followed.changes
        ]
        rows.sort(key=lambda row: (row["tick"], row["player"]))
        return {PLAYER_COUNTERS.name: self.match.table(PLAYER_COUNTERS, self._roster.add_heroes(rows))}


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
