"""The table ``outcomes``: each team's recorded result, its leaving and its structures."""

from __future__ import annotations

from playhead.runtime.libraries import pa
from playhead.sc2.events.game import GameUserLeaveEvent, PlayerLeaveEvent
from playhead.sc2.state.units.tracked import HISTORY_EVENTS
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables.schema import Column, TableSchema

OUTCOMES = TableSchema.of(
    "outcomes",
    "One row for each team: the recorded result, and the probable one, inferred from the game alone.",
    Column("team", "int32", "Number of the team, as in `players`."),
    Column("players", "list<int32>", "Numbers of its players."),
    Column(
        "recorded",
        "category",
        "recorded win, loss or tie of its players; null if none is recorded or they differ.",
    ),
    Column("inferred", "category", "win or loss by the evidence, without the recorded result."),
    Column(
        "evidence",
        "category",
        "eliminated (no other team has a structure left), left (all other teams left before), or both.",
    ),
    Column("left_tick", "int64", "Loop at which the last of the team left; null if a player stayed.", "ticks"),
    Column(
        "structures",
        "int64",
        "Remaining structures, in melee games; null without the tracker, and if the team never had one.",
    ),
    Column(
        "fallen_tick",
        "int64",
        "Loop at which the last one fell or changed its owner; null if one remains.",
        "ticks",
    ),
)


@table(OUTCOMES, reads=(GameUserLeaveEvent, PlayerLeaveEvent, *HISTORY_EVENTS))
def outcomes(source: TableSource) -> pa.Table:
    """Return the table ``outcomes``."""
    found = source.inferred_winner
    return OUTCOMES.build_rows(
        [
            {
                "team": side.team,
                "players": list(side.players),
                "recorded": side.recorded,
                "inferred": None if found is None else "win" if side.team == found.team else "loss",
                "evidence": None if found is None else found.evidence,
                "left_tick": side.left,
                "structures": side.structures,
                "fallen_tick": side.fallen,
            }
            for side in source.sides
        ]
    )
