"""The table ``outcomes``: each team's recorded result, its leaving and its structures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playhead.sc2.events.game import GameUserLeaveEvent, PlayerLeaveEvent
from playhead.sc2.state.units.tracked import HISTORY_EVENTS
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables.schema import Column, TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

OUTCOMES = TableSchema(
    name="outcomes",
    version=1,
    doc="One row for each team: the result as recorded, and who probably won, inferred from the game alone.",
    columns=(
        Column("team", "int32", "Number of the team, as in `players`."),
        Column("players", "list<int32>", "Numbers of its players."),
        Column(
            "recorded", "category", "win, loss or tie of those whose result the file has; null if none, or mixed."
        ),
        Column("inferred", "category", "win or loss as the evidence has it; never of the recorded result."),
        Column(
            "evidence",
            "category",
            "Why: eliminated (no structure of any other team stands), left (everybody else left before), or both.",
        ),
        Column("left_tick", "int64", "When the last of the team left; null if somebody stayed.", "ticks"),
        Column(
            "structures",
            "int64",
            "Structures of melee games that stand at the end; null without the tracker, and for who had none.",
        ),
        Column(
            "fallen_tick", "int64", "When the last of them fell or changed hands; null while one stands.", "ticks"
        ),
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
