"""The table ``player_series``: every player at steps of time, by the map's reports until then."""

from __future__ import annotations

from typing import Any

from playhead.blizzard.events.tracker import ScoreResultEvent
from playhead.blizzard.tables.registry import may_make, moment
from playhead.clock import interval_ticks
from playhead.hots.tables.deaths import DEATH_EVENTS, counted_changes
from playhead.hots.tables.registry import TableSource, table
from playhead.hots.tables.statistics import last_scores, people_of, statistics
from playhead.runtime.libraries import pa
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

PLAYER_SERIES = TableSchema.of(
    "player_series",
    "Every player at each second of the game's clock, or at the steps of the option `every`: what the map had "
    "reported by then. After the game, kills, deaths and assists are those of `player_stats`.",
    *words("tick seconds player hero team side level kills deaths assists"),
    Column("regen_globes", "int32", "Globes of regeneration taken."),
    Column("talents_chosen", "int32", "Talents chosen."),
    word("xp", "Of the team, at the last minute that the map reported."),
    group="series",
)
#: Reports about a player that are counted, by column.
_COUNTED = {"RegenGlobePickedUp": "regen_globes", "TalentChosen": "talents_chosen"}
#: Scores at the end of the game that correct what was counted until then, by column.
_SCORES = {"SoloKill": "kills", "Deaths": "deaths", "Assists": "assists"}


def changes_of(source: TableSource) -> list[tuple[int, int, str, int | None]]:
    """Return loop, player, column and new value (None: one more) of each change, in order of time."""
    people = people_of(source)
    found: list[tuple[int, int, str, int | None]] = []
    for each in statistics(source, "LevelUp", "PeriodicXPBreakdown", *_COUNTED):
        player = each.number("PlayerID") or 0
        if each.name == "PeriodicXPBreakdown":
            total = int(sum(value for key, value in each.fractions.items() if key.endswith("XP")))
            team = each.number("Team")
            found += [(each.tick, one, "xp", total) for one, person in people.items() if person["team"] == team]
        elif each.name == "LevelUp":
            if (level := each.number("Level")) is not None:
                found.append((each.tick, player, "level", level))
        else:
            found.append((each.tick, player, _COUNTED[each.name], None))
    found += [(tick, player, column, None) for tick, player, column in counted_changes(source)]
    last, scores = last_scores(source) or (0, {})
    for name, column in _SCORES.items() if found else ():
        own = enumerate(scores.get(name, ()), 1)
        found += [(last, player, column, score) for player, score in own if score is not None]
    return sorted(found, key=lambda change: change[0])


@table(PLAYER_SERIES, reads=(ScoreResultEvent, *DEATH_EVENTS), options=("every",))
def player_series(source: TableSource, every: int | float | str = "1s") -> pa.Table:
    """Return the table ``player_series``.

    Raises:
        ValueError: `every` is no interval.
    """
    step, start, end = interval_ticks(every, source.loops_per_second), source.start_tick, source.duration[0] or 0
    people, changes = people_of(source), changes_of(source)
    count = (end - start) // step * len(people)
    if not changes or not may_make(count, end, source, "player_series", "the table player_series"):
        return PLAYER_SERIES.build_rows([])
    none: dict[str, Any] = dict.fromkeys(("kills", "deaths", "assists", *_COUNTED.values()), 0)
    held = {player: {"player": player, **person, **none} for player, person in people.items()}
    rows, place = list[dict[str, Any]](), 0
    for tick in range(start, end + 1, step):
        while place < len(changes) and changes[place][0] <= tick:
            _, player, column, value = changes[place]
            if player in held:
                held[player][column] = held[player][column] + 1 if value is None else value
            place += 1
        rows += [{**moment(tick, source.loops_per_second), **row} for row in held.values()]
    return PLAYER_SERIES.build_rows(rows)
