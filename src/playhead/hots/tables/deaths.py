"""The tables ``kills`` and ``hero_deaths``: deaths of heroes, and what each counts on the screen of scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from playhead.blizzard.events.tracker import StatGameEvent, UnitBornEvent, UnitDiedEvent
from playhead.blizzard.tables.registry import moment
from playhead.hots.tables.registry import TableSource, table
from playhead.hots.tables.statistics import (
    TEAM_OF_OWNER,
    all_statistics,
    people_of,
    statistics,
    team_of,
    tracker_events,
)
from playhead.runtime.libraries import pa
from playhead.runtime.records import dataclass
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_DEATH = (
    *words("tick seconds victim_player victim_hero victim_team victim_side victim_x victim_y"),
    word(
        "attacker_player",
        "Whose hit was the last, by the death of the hero's unit; null for a minion's, mercenary's or tower's.",
    ),
    word("attacker_hero"),
    word("attacker_team", "Of the attacker, or of the minion, mercenary or tower."),
    word("attacker_side"),
    word("assister_players", "The others who took part, as the map reports it; null for a mech of D.Va."),
)
KILLS = TableSchema.of(
    "kills",
    "One row for each death of a player's hero that counts on the screen of scores: of Murky and the Lost Vikings "
    "each fourth. Table `hero_deaths` has every death that the file has.",
    *_DEATH,
)
HERO_DEATHS = TableSchema.of(
    "hero_deaths",
    "One row for each death of a hero's unit that the map reports, and for each mech of D.Va that an enemy "
    "destroys. In the first builds, whose maps report nothing, for the first death of each hero's unit that "
    "somebody killed: their files have no later ones. Kills, assists and deaths of the screen are the whole part "
    "of a player's sum of `death_share`.",
    *_DEATH,
    word("unit_type", "Of the unit that died; null if the tracker has no such death."),
    Column(
        "death_share",
        "float64",
        "What it counts on the screen: 1, or 0.25 for Murky and each of the Lost Vikings.",
    ),
)
#: The events that `death_rows` reads.
DEATH_EVENTS = (StatGameEvent, UnitBornEvent, UnitDiedEvent)
#: Units whose four deaths count as one, with an egg or a Viking left or not.
_QUARTERS = frozenset("HeroMurky HeroOlaf HeroBaleog HeroErik".split())
_MECH = "HeroDVaMech"


@dataclass(frozen=True, slots=True)
class _End:
    """The death of a hero's unit: its type, and whose hit was the last."""

    unit_type: str
    attacker: int | None


def _ends(source: TableSource) -> dict[tuple[int, int], _End]:
    """Return the deaths of heroes' units, by loop and owner."""
    units: dict[int, tuple[int, str]] = {}
    found: dict[tuple[int, int], _End] = {}
    for each in tracker_events(source, UnitBornEvent, UnitDiedEvent):
        if isinstance(each, UnitBornEvent):
            if each.unit is not None and each.upkeep_player and each.unit_type.startswith("Hero"):
                units[each.unit] = each.upkeep_player, each.unit_type
        elif each.unit in units:
            owner, unit_type = units[each.unit]
            if each.attacker_player is not None or (each.tick, owner) not in found:
                found[each.tick, owner] = _End(unit_type, each.attacker_player)
    return found


def death_rows(source: TableSource) -> list[dict[str, Any]]:
    """Return the rows of the table ``hero_deaths``; they need `DEATH_EVENTS`."""
    people, ends, rows = people_of(source), _ends(source), list[dict[str, Any]]()

    def row(tick: int, victim: int | None, end: _End | None, **more: Any) -> dict[str, Any]:
        owner = None if end is None or end.attacker == victim else end.attacker
        attacker = owner if owner in people else None
        roles = {"victim": victim, "attacker": attacker}
        facts = {
            f"{role}_{name}": value
            for role, player in roles.items()
            for name, value in {"player": player, **people.get(player or 0, {})}.items()
        }
        if owner in TEAM_OF_OWNER:
            facts |= team_of(TEAM_OF_OWNER[owner], "attacker_")
        unit_type = None if end is None else end.unit_type
        share = 0.25 if unit_type in _QUARTERS else 1.0
        own = {"unit_type": unit_type, "death_share": share}
        return {**moment(tick, source.loops_per_second), **facts, **own, **more}

    for each in statistics(source, "PlayerDeath"):
        victim = each.number("PlayerID")
        # The map reports a death one loop after that of the unit, or in the same loop.
        end = ends.get((each.tick - 1, victim or 0)) or ends.get((each.tick, victim or 0))
        place = {f"victim_{axis}": each.fractions.get(f"Position{axis.upper()}") for axis in "xy"}
        died = row(each.tick, victim, end, **place)
        takers = (taker for taker in each.lists.get("KillingPlayer", ()) if taker in people)
        rows.append({**died, "assister_players": [one for one in takers if one != died["attacker_player"]]})
    reported = bool(all_statistics(source))
    for (tick, owner), end in ends.items():
        if (end.unit_type == _MECH or not reported) and end.attacker not in (None, owner):
            rows.append(row(tick, owner, end))
    return sorted(rows, key=lambda row: row["tick"])


def _counted(source: TableSource) -> Iterator[tuple[dict[str, Any], list[tuple[int | None, str]]]]:
    """Yield each death with the numbers of the screen of scores that it raises: player and column."""
    quarters = Counter[tuple[int | None, str]]()
    for row in death_rows(source):
        named = [(row["victim_player"], "deaths"), (row["attacker_player"], "kills")]
        named += [(player, "assists") for player in row.get("assister_players") or ()]
        raised = []
        for number in named:
            before = quarters[number]
            quarters[number] = after = before + int(4 * row["death_share"])
            if before // 4 < after // 4:
                raised.append(number)
        yield row, raised


def counted_changes(source: TableSource) -> list[tuple[int, int, str]]:
    """Return loop, player and column (deaths, kills, assists) of each change of the screen of scores; none in the
    first builds, whose files lack most deaths."""
    if not all_statistics(source):
        return []
    return [
        (row["tick"], player, column)
        for row, raised in _counted(source)
        for player, column in raised
        if player is not None
    ]


@table(KILLS, reads=DEATH_EVENTS)
def kills(source: TableSource) -> pa.Table:
    rows = [row for row, raised in _counted(source) if (row["victim_player"], "deaths") in raised]
    return KILLS.build_rows([{name: row.get(name) for name in KILLS.column_names} for row in rows])


@table(HERO_DEATHS, reads=DEATH_EVENTS)
def hero_deaths(source: TableSource) -> pa.Table:
    return HERO_DEATHS.build_rows(death_rows(source))
