"""The table ``periods``: the game, what precedes it in the recording, and the part after it was resumed."""

from __future__ import annotations

from typing import Any

from playhead.blizzard.events.game import HijackReplayGameEvent
from playhead.blizzard.events.takeover import taken_over
from playhead.blizzard.tables.columns import moment
from playhead.runtime.libraries import pa
from playhead.sc2.members.players import winner_team
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables import shared
from playhead.tables.vocabulary import word

PERIODS = shared.PERIODS.extended(word("winner_team"))


@table(PERIODS, reads=(HijackReplayGameEvent,))
def periods(source: TableSource) -> pa.Table:
    """Return the table ``periods``: pre_game (the lobby of GameHeart), game, and resumed, from where it was
    resumed from a replay to its end."""
    start, end, rate = source.start_tick, source.duration[0], source.loops_per_second

    def row(kind: str, first: int, last: int | None, **more: Any) -> dict[str, Any]:
        row = {**moment(first, rate), **moment(last, rate, "end_"), "kind": kind, "number": 1, **more}
        for prefix in ("", "end_"):
            loop = row[f"{prefix}tick"]
            row[f"{prefix}game_seconds"] = None if loop is None else moment(loop - start, rate)["seconds"]
        return row

    won = winner_team(tuple(source.players))
    rows = [row("pre_game", 0, start, counts=False)] if start else []
    rows.append(row("game", start, end, counts=True, winner_team=won))
    resumed = taken_over(source)
    if resumed is not None:
        rows.append(row("resumed", resumed[0], end, counts=True, winner_team=won))
    return PERIODS.build_rows(rows)
