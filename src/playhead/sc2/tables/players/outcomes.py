"""The table ``outcomes``: each team's recorded result, its leaving and its structures."""

from __future__ import annotations

from playhead.blizzard.events.game import GameUserLeaveEvent, PlayerLeaveEvent
from playhead.blizzard.tables.columns import moment, rows_with
from playhead.blizzard.units.tracked import HISTORY_EVENTS
from playhead.runtime.libraries import pa
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

OUTCOMES = TableSchema.of(
    "outcomes",
    "One row for each team: the recorded result, and the probable one, inferred from the game alone.",
    *words("team players"),
    word("result", "Recorded for its players; null too if they differ."),
    Column("inferred_result", "category", "win or loss by the evidence, without the recorded result."),
    Column(
        "evidence",
        "category",
        "eliminated (no other team has a structure left), left (all other teams left before), or both.",
    ),
    word("end_tick", "The last of the team left."),
    word("end_seconds"),
    Column(
        "structures",
        "int32",
        "Remaining structures, in melee games; null without the tracker, and if the team never had one.",
    ),
    Column(
        "structures_end_tick",
        "int32",
        "When the last one fell or changed its owner; null if one remains.",
        "ticks",
    ),
    Column("structures_end_seconds", "float64", "`seconds` at `structures_end_tick`.", "s"),
)


@table(OUTCOMES, reads=(GameUserLeaveEvent, PlayerLeaveEvent, *HISTORY_EVENTS))
def outcomes(source: TableSource) -> pa.Table:
    """Return the table ``outcomes``."""
    found, rows = source.inferred_winner, []
    for side in source.sides:
        result = None if found is None else "win" if side.team == found.team else "loss"
        about = (side.team, list(side.players), side.recorded, result, found and found.evidence)
        left, fallen = (moment(loop, source.loops_per_second) for loop in (side.left, side.fallen))
        rows.append((*about, *left.values(), side.structures, *fallen.values()))
    return OUTCOMES.build_rows(rows_with(OUTCOMES.column_names, rows))
