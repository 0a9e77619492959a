"""The tables ``kills``, ``structures`` and ``camps``: what happened on the map."""

from __future__ import annotations

from typing import Any

from playhead.blizzard.events.tracker import StatGameEvent, UnitBornEvent, UnitDiedEvent
from playhead.blizzard.tables.columns import moment
from playhead.hots.tables.registry import TableSource, table
from playhead.hots.tables.statistics import people_of, statistics, team_of, tracker_events
from playhead.runtime.libraries import pa
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

KILLS = TableSchema.of(
    "kills",
    "One row for each death of a player's hero, as the map reports it.",
    *words("tick seconds victim_player victim_hero victim_team victim_side victim_x victim_y"),
    word(
        "attacker_player",
        "Whose hit was the last, by the death of the hero's unit; null for a minion's, mercenary's or tower's.",
    ),
    *words("attacker_hero attacker_team attacker_side"),
    word("assister_players", "The others who took part, as the map reports it."),
)

STRUCTURES = TableSchema.of(
    "structures",
    "One row for each fort, keep and core of a town, from the start of the game to its fall.",
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


#: The events that `death_rows` reads.
DEATH_EVENTS = (StatGameEvent, UnitBornEvent, UnitDiedEvent)


def _place(fractions: dict[str, float], prefix: str = "") -> dict[str, float | None]:
    return {f"{prefix}x": fractions.get("PositionX"), f"{prefix}y": fractions.get("PositionY")}


def _last_hits(source: TableSource) -> dict[tuple[int, int], int]:
    """Return whose hit was the last, by the loop of a death of a hero's unit and the owner of the unit."""
    owners: dict[int, int] = {}
    found: dict[tuple[int, int], int] = {}
    for each in tracker_events(source, UnitBornEvent, UnitDiedEvent):
        if isinstance(each, UnitBornEvent):
            if each.unit is not None and each.upkeep_player and each.unit_type.startswith("Hero"):
                owners[each.unit] = each.upkeep_player
        elif each.unit in owners and each.attacker_player is not None:
            found[each.tick, owners[each.unit]] = each.attacker_player
    return found


def death_rows(source: TableSource) -> list[dict[str, Any]]:
    """Return the rows of the table ``kills``; they need `DEATH_EVENTS`."""
    people, hits, rows = people_of(source), _last_hits(source), list[dict[str, Any]]()

    def facts(player: int | None, role: str) -> dict[str, Any]:
        return {f"{role}_{name}": value for name, value in people.get(player or 0, {}).items()}

    for each in statistics(source, "PlayerDeath"):
        victim = each.number("PlayerID")
        # The map reports a death one loop after that of the unit, or in the same loop.
        attacker = hits.get((each.tick - 1, victim or 0)) or hits.get((each.tick, victim or 0))
        attacker = attacker if attacker in people and attacker != victim else None
        others = [taker for taker in each.lists.get("KillingPlayer", ()) if taker in people and taker != attacker]
        rows.append(
            {
                **moment(each.tick, source.loops_per_second),
                "victim_player": victim,
                **facts(victim, "victim"),
                **_place(each.fractions, "victim_"),
                "attacker_player": attacker,
                **facts(attacker, "attacker"),
                "assister_players": others,
            }
        )
    return rows


@table(KILLS, reads=DEATH_EVENTS)
def kills(source: TableSource) -> pa.Table:
    """Return the table ``kills``."""
    return KILLS.build_rows(death_rows(source))


@table(STRUCTURES, reads=(StatGameEvent,))
def structures(source: TableSource) -> pa.Table:
    """Return the table ``structures``."""
    towns: dict[int | None, dict[str, Any]] = {}
    for each in statistics(source, "TownStructureInit", "TownStructureDeath"):
        town = each.number("TownID")
        if each.name == "TownStructureInit":
            towns[town] = {
                **moment(each.tick, source.loops_per_second),
                "town": town,
                **team_of(each.number("Team")),
                "lane_id": each.number("Lane"),
                **_place(each.fractions),
            }
        elif town in towns:
            towns[town] |= {
                **moment(each.tick, source.loops_per_second, "end_"),
                "kind": each.texts.get("UnitType"),
                "players": [player for player in each.lists.get("KillingPlayer", ()) if player > 0],
            }
    return STRUCTURES.build_rows(list(towns.values()))


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
