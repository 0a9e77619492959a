"""The table ``objective_events``: what changed the course of the game, on every map."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.tracker import StatGameEvent
from playhead.blizzard.protocol.tables import TRACKER
from playhead.blizzard.tables.columns import moment
from playhead.blizzard.units import changes
from playhead.blizzard.units.lives import changes_of, lives_of
from playhead.blizzard.units.tracked import HISTORY_EVENTS, unit_history
from playhead.hots.tables.ends import CORES
from playhead.hots.tables.map import town_rows
from playhead.hots.tables.registry import TableSource, table
from playhead.hots.tables.statistics import (
    BLUE,
    RED,
    TEAM_OF_OWNER,
    Statistic,
    all_statistics,
    people_of,
    team_of,
)
from playhead.runtime.libraries import pa
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word, words

OBJECTIVE_EVENTS = TableSchema.of(
    "objective_events",
    "One row for each thing that changes the course of the game. These are structures of towns, cores, camps, and "
    "the objectives of each map, by its reports and its units.",
    *words("tick seconds"),
    word(
        "event",
        "structure_destroyed, camp_captured; objective_appeared, _taken, _released, _ended: a unit that is an "
        "objective; objective_reported: a report of the map's own.",
    ),
    word("kind", "Type of the unit, structure or camp, or name of the report, in the game's own words."),
    word("unit", "The core or the objective; null in reports."),
    word("team", "That did it, or won it; null if the report does not say."),
    *words("side player"),
    word("details", "The report's other values under its names."),
)
#: Reports that every map has and that are no objectives.
OF_EVERY_MAP = frozenset(
    "GameStart PlayerInit PlayerSpawned TownStructureInit JungleCampInit GatesOpen LevelUp TalentChosen "
    "PlayerDeath PeriodicXPBreakdown RegenGlobePickedUp LootSprayUsed LootVoiceLineUsed LootWheelUsed "
    "EndOfGameXPBreakdown EndOfGameTimeSpentDead EndOfGameTalentChoices EndOfGameUpVotesCollected".split()
)
#: Where reports have the team that did it, without the blanks of older maps.
_TEAMS = frozenset(("TeamID", "WinningTeam", "OwningTeam", "FiringTeam", "Team"))
#: Units that are objectives: payload, protector, control points, shrines, tributes, bosses of a map, warheads.
_UNITS = frozenset(
    "Payload_Neutral VolskayaVehicle ZergHiveControlBeacon GhostShipBeacon ScoringAltar DragonShireShrineSun "
    "DragonShireShrineMoon VehicleDragon RavenLordTribute VehiclePlantHorror SoulEater UnderworldSummonedBoss "
    "BossDuelLanerHeaven BossDuelLanerHell WarheadSingle NukeTargetMinimapIconUnit AVCapturePointDefender "
    "AllianceCavalry HordeCavalry".split()
)
#: Reports of every map, with the event and the text that names the objective.
_WORDS = {
    "TownStructureDeath": ("structure_destroyed", "UnitType"),
    "JungleCampCapture": ("camp_captured", "CampType"),
}


def _row(each: Statistic, falls: dict[tuple[int, int | None], int | None]) -> dict[str, Any]:
    values: dict[str, Any] = {**each.texts, **each.fractions}
    values |= {key: held[0] if len(held) == 1 else list(held) for key, held in each.lists.items()}
    event, named = _WORDS.get(each.name, ("objective_reported", ""))
    team = next((values.pop(key) for key in list(values) if key.replace(" ", "") in _TEAMS), None)
    fallen = falls.get((each.tick, each.number("TownID"))) if event == "structure_destroyed" else None
    if fallen is not None:
        team = 3 - fallen
    elif team is None:
        team = TEAM_OF_OWNER.get(values.get("New Owner", 0))
    return {
        "event": event,
        "kind": values.pop(named, each.name),
        **team_of(team),
        "player": values.pop("PlayerID", None),
        "details": values,
    }


def _of_reports(source: TableSource) -> Iterator[dict[str, Any]]:
    falls = {(row["end_tick"], row["town"]): row["team"] for row in town_rows(source) if "end_tick" in row}
    for each in all_statistics(source):
        if each.name not in OF_EVERY_MAP:
            yield {**moment(each.tick, source.loops_per_second), **_row(each, falls)}


def _of_units(source: TableSource) -> Iterator[dict[str, Any]]:
    stream = source.stream(TRACKER)
    if stream is None or not stream.kinds:
        return
    history, people = unit_history(stream), people_of(source)
    teams = {player: person["team"] for player, person in people.items()} | TEAM_OF_OWNER

    def row(tick: int, event: str, type_: int, unit: int, owner: int) -> dict[str, Any]:
        by = {**team_of(teams.get(owner)), "player": owner if owner in people else None}
        about = {"event": event, "kind": history.text(type_), "unit": unit, **by}
        return {**moment(tick, source.loops_per_second), **about}

    def columns(held: dict[str, array[int]], names: str) -> Iterator[tuple[int, ...]]:
        return zip(*(held[name] for name in names.split()), strict=True)

    lives = columns(lives_of(history), "tick end_tick first_unit_type unit first_player attacker_player")
    for tick, end, type_, unit, owner, killer in lives:
        if history.text(type_) in CORES and end != NOTHING:
            yield row(end, "structure_destroyed", type_, unit, {BLUE: RED, RED: BLUE}.get(owner, NOTHING))
        elif history.text(type_) in _UNITS:
            yield row(tick, "objective_appeared", type_, unit, owner)
            if end != NOTHING:
                yield row(end, "objective_ended", type_, unit, killer)
    for tick, change, type_, unit, owner in columns(changes_of(history), "tick change unit_type unit player"):
        if change == changes.OWNER and history.text(type_) in _UNITS:
            yield row(tick, "objective_taken" if owner in teams else "objective_released", type_, unit, owner)


@table(OBJECTIVE_EVENTS, reads=(*HISTORY_EVENTS, StatGameEvent))
def objective_events(source: TableSource) -> pa.Table:
    """Return the table ``objective_events``."""
    from playhead.text.json import to_json

    rows = sorted((*_of_reports(source), *_of_units(source)), key=lambda row: row["tick"])
    return OBJECTIVE_EVENTS.build_rows([{**row, "details": to_json(row.get("details", {}))} for row in rows])
