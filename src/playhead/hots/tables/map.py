"""Tables of the map: structures, camps, globes of experience and regeneration, objectives."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.merged_rows import gathered
from playhead.blizzard.events.tracker import StatGameEvent, UnitBornEvent
from playhead.blizzard.protocol.tables import TRACKER
from playhead.blizzard.tables.registry import moment
from playhead.blizzard.tables.units import unit_columns
from playhead.blizzard.units import changes
from playhead.blizzard.units.history import changes_of, lives_of
from playhead.blizzard.units.tracked import HISTORY_EVENTS, unit_history
from playhead.hots.members.players import SIDES
from playhead.hots.tables.registry import TableSource, event_table, table
from playhead.hots.tables.statistics import (
    BLUE,
    CORES,
    RED,
    TEAM_OF_OWNER,
    Statistic,
    all_statistics,
    people_of,
    statistics,
    team_of,
    tracker_events,
)
from playhead.runtime.libraries import pa
from playhead.tables import arrow
from playhead.tables.number_columns import int32_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

STRUCTURES = TableSchema.of(
    "structures",
    "One row for each span in which a side held a fort or keep, from the start of the game, or from the birth of "
    "the new owner's building, to its fall.",
    *words("tick seconds end_tick end_seconds"),
    word("kind", "The type of the fallen building, in the game's own word; null while it stands."),
    Column("town", "int32", "The game's number of the town.", required=True),
    *words("team side"),
    word("lane_id", "From 1."),
    *words("x y"),
    word("players", "Those who took part in its fall."),
)

CAMPS = TableSchema.of(
    "camps",
    "One row for each capture of a camp of mercenaries.",
    *words("tick seconds"),
    Column("camp_id", "int64", "The game's number of the camp.", required=True),
    word("kind", "Siege Camp, Bruiser Camp, Boss Camp … in the game's own words."),
    *words("team side x y"),
)


#: The events that `town_rows` reads.
TOWN_EVENTS = (StatGameEvent, UnitBornEvent)
#: Start of the types of forts and keeps.
_HALL = "TownTownHall"


def _place(fractions: dict[str, float], prefix: str = "") -> dict[str, float | None]:
    return {f"{prefix}x": fractions.get("PositionX"), f"{prefix}y": fractions.get("PositionY")}


def town_rows(source: TableSource) -> list[dict[str, Any]]:
    """Return the rows of the table ``structures``; they need `TOWN_EVENTS`."""
    births: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for unit in tracker_events(source, UnitBornEvent):
        if unit.unit_type.startswith(_HALL) and unit.upkeep_player in TEAM_OF_OWNER:
            births.setdefault((int(unit.x), int(unit.y)), []).append((unit.tick, unit.upkeep_player))
    rows, held, rate = list[dict[str, Any]](), dict[int | None, dict[str, Any]](), source.loops_per_second

    def stands(tick: int, team: float | None, about: dict[str, Any]) -> None:
        held[about["town"]] = row = {**moment(tick, rate), **team_of(team), **about}
        rows.append(row)

    for each in statistics(source, "TownStructureInit", "TownStructureDeath"):
        town = each.number("TownID")
        if town is None:
            continue  # the building is unknown
        if each.name == "TownStructureInit":
            about = {"town": town, "lane_id": each.number("Lane"), **_place(each.fractions)}
            stands(each.tick, each.number("Team"), about)
        elif town in held:
            row = held.pop(town)
            row |= {
                **moment(each.tick, rate, "end_"),
                "kind": each.texts.get("UnitType"),
                "players": [player for player in each.lists.get("KillingPlayer", ()) if player > 0],
            }
            about = {name: row[name] for name in ("town", "lane_id", "x", "y")}
            again = births.get((int(row["x"] or 0), int(row["y"] or 0)), ())
            tick, owner = next((birth for birth in again if birth[0] >= each.tick), (0, 0))
            if owner:
                stands(tick, TEAM_OF_OWNER[owner], about)
    return sorted(rows, key=lambda row: row["tick"])


@table(STRUCTURES, reads=TOWN_EVENTS)
def structures(source: TableSource) -> pa.Table:
    return STRUCTURES.build_rows(town_rows(source))


@table(CAMPS, reads=(StatGameEvent,))
def camps(source: TableSource) -> pa.Table:
    places: dict[int | None, dict[str, float | None]] = {}
    rows: list[dict[str, Any]] = []
    for each in statistics(source, "JungleCampInit", "JungleCampCapture"):
        camp = each.number("CampID")
        if each.name == "JungleCampInit":
            places[camp] = _place(each.fractions)
            continue
        rows.append(
            {
                **moment(each.tick, source.loops_per_second),
                "camp_id": camp,
                "kind": each.texts.get("CampType"),
                **team_of(each.fractions.get("TeamID")),
                **places.get(camp, {}),
            }
        )
    return CAMPS.build_rows(rows)


#: Kinds by the type of the unit.
_KINDS = {
    "ExperienceGlobeMinion": "experience",
    "RegenGlobe": "regeneration",
    "RegenGlobeNeutral": "neutral",
}
_SIDE_OF_OWNER = {BLUE: SIDES[0], RED: SIDES[1]}

GLOBES = TableSchema.of(
    "globes",
    "One row for each globe that a minion left behind. It ends when it was taken or vanished.",
    *words("tick seconds end_tick end_seconds unit"),
    word("kind", "experience, regeneration, or neutral: of regeneration, and in the end for both sides."),
    word("side", "Owner at first; null if it was neutral from the start."),
    word("by_side", "Null if nobody took it."),
    *words("x y"),
)
REGENERATION = TableSchema.of(
    "regeneration",
    "One row for each globe of regeneration that a player took. Several players may take one.",
    *words("tick seconds player hero team side"),
)


@event_table(GLOBES, *HISTORY_EVENTS)
def globes(tracker: EventStream, source: TableSource) -> pa.Table:
    history = unit_history(tracker)
    lives = lives_of(history)
    places = array("q", [row for row, type_ in enumerate(lives["unit_type"]) if history.text(type_) in _KINDS])
    wanted = "tick end_tick unit x y unit_type first_player attacker_player".split()
    own = {name: gathered(lives[name], places) for name in wanted}
    columns = unit_columns(own, tracker, source)
    kinds = [_KINDS[history.text(type_)] for type_ in own["unit_type"]]
    sides = {"side": "first_player", "by_side": "attacker_player"}
    found = {
        name: arrow.lookup(int32_column(own[column], NOTHING), _SIDE_OF_OWNER, pa.string())
        for name, column in sides.items()
    }
    shown = {name: columns[name] for name in GLOBES.column_names if name in columns}
    return GLOBES.build({**shown, **found, "kind": kinds})


@table(REGENERATION, reads=(StatGameEvent,))
def regeneration(source: TableSource) -> pa.Table:
    people, rate = people_of(source), source.loops_per_second
    taken = ((each.tick, each.number("PlayerID") or 0) for each in statistics(source, "RegenGlobePickedUp"))
    return REGENERATION.build_rows(
        [{**moment(tick, rate), "player": player or None, **people.get(player, {})} for tick, player in taken]
    )


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
    from playhead.text.json import to_json

    rows = sorted((*_of_reports(source), *_of_units(source)), key=lambda row: row["tick"])
    return OBJECTIVE_EVENTS.build_rows([{**row, "details": to_json(row.get("details", {}))} for row in rows])
