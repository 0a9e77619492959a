"""The tables ``structures`` and ``camps``: what happened on the map."""

from __future__ import annotations

from typing import Any

from playhead.blizzard.events.tracker import StatGameEvent, UnitBornEvent
from playhead.blizzard.tables.columns import moment
from playhead.hots.tables.registry import TableSource, table
from playhead.hots.tables.statistics import TEAM_OF_OWNER, statistics, team_of, tracker_events
from playhead.runtime.libraries import pa
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
    """Return the table ``structures``."""
    return STRUCTURES.build_rows(town_rows(source))


@table(CAMPS, reads=(StatGameEvent,))
def camps(source: TableSource) -> pa.Table:
    """Return the table ``camps``."""
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
