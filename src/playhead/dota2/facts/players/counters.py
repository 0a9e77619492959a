"""Table ``player_counters``: the game's counters of each player: wards, stacks, smokes, runes, items,
buildings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from playhead.dota2.facts import TABLES
from playhead.dota2.sources import roster
from playhead.dota2.sources.match import Dota2Match, PlayerFacts
from playhead.runtime.libraries import pa
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
    """Table ``player_counters``."""

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
