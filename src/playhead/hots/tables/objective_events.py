"""The table ``objective_events``: what changed the course of the game, on every map."""

from __future__ import annotations

from typing import Any

from playhead.blizzard.events.tracker import StatGameEvent
from playhead.blizzard.tables.columns import moment
from playhead.hots.tables.registry import TableSource, table
from playhead.hots.tables.statistics import Statistic, all_statistics, statistics, team_of
from playhead.runtime.libraries import pa
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word, words

OBJECTIVE_EVENTS = TableSchema.of(
    "objective_events",
    "One row for each thing that changes the course of the game. These are structures of towns, camps, and what "
    "each map reports of its own objectives.",
    *words("tick seconds"),
    word("event", "structure_destroyed, camp_captured, or objective_reported: a report of the map's own."),
    word("kind", "Type of the structure or camp, or name of the report, in the game's own words."),
    word("team", "That did it, or won it; null if the report does not say."),
    *words("side player"),
    word("details", "The report's other values under its names."),
)
#: Reports that every map has and that are no objectives.
_OF_EVERY_MAP = frozenset(
    "GameStart PlayerInit PlayerSpawned TownStructureInit JungleCampInit GatesOpen LevelUp TalentChosen "
    "PlayerDeath PeriodicXPBreakdown RegenGlobePickedUp LootSprayUsed LootVoiceLineUsed EndOfGameXPBreakdown "
    "EndOfGameTimeSpentDead EndOfGameTalentChoices EndOfGameUpVotesCollected".split()
)
#: Where reports have the team that did it.
_TEAMS = ("TeamID", "WinningTeam", "OwningTeam", "Team")
#: Reports of every map, with the event and the text that names the objective.
_WORDS = {
    "TownStructureDeath": ("structure_destroyed", "UnitType"),
    "JungleCampCapture": ("camp_captured", "CampType"),
}


def _row(each: Statistic, towns: dict[int | None, int | None]) -> dict[str, Any]:
    values: dict[str, Any] = {**each.texts, **each.fractions}
    values |= {key: held[0] if len(held) == 1 else list(held) for key, held in each.lists.items()}
    event, named = _WORDS.get(each.name, ("objective_reported", ""))
    team = next((values.pop(key) for key in _TEAMS if key in values), None)
    if each.name == "TownStructureDeath" and (owner := towns.get(each.number("TownID"))) is not None:
        team = 3 - owner
    return {
        "event": event,
        "kind": values.pop(named, each.name),
        **team_of(team),
        "player": values.pop("PlayerID", None),
        "details": values,
    }


@table(OBJECTIVE_EVENTS, reads=(StatGameEvent,))
def objective_events(source: TableSource) -> pa.Table:
    """Return the table ``objective_events``."""
    from playhead.text.json import to_json

    towns = {each.number("TownID"): each.number("Team") for each in statistics(source, "TownStructureInit")}
    rows = [
        {**moment(each.tick, source.loops_per_second), **_row(each, towns)}
        for each in all_statistics(source)
        if each.name not in _OF_EVERY_MAP
    ]
    return OBJECTIVE_EVENTS.build_rows([{**row, "details": to_json(row["details"])} for row in rows])
