"""The table ``periods``: before the gates open, the game, and what follows the fall of a core."""

from __future__ import annotations

from typing import Any

from playhead.blizzard.protocol.tables import TRACKER
from playhead.blizzard.tables.registry import moment
from playhead.hots.members.players import winner_of
from playhead.hots.tables.expected import LATEST_GATES
from playhead.hots.tables.registry import TableSource, table
from playhead.hots.tables.statistics import CORE_EVENTS, core_fell
from playhead.runtime.libraries import pa
from playhead.tables import shared
from playhead.tables.vocabulary import word

PERIODS = shared.PERIODS.extended(word("winner_team"))


@table(PERIODS, reads=CORE_EVENTS)
def periods(source: TableSource) -> pa.Table:
    """Return the table ``periods``: pre_game until the gates open, game until a core falls, post_game.

    A recording that ends before the gates open has pre_game alone."""
    start, last, rate = source.start_tick, source.duration[0], source.loops_per_second
    fell, won = core_fell(source), winner_of(source.players)

    def row(kind: str, first: int, end: int | None, **more: Any) -> dict[str, Any]:
        shown = [None if loop is None else (loop - start) / rate for loop in (first, end)]
        clock = dict(zip(("game_seconds", "end_game_seconds"), shown, strict=True))
        return {**moment(first, rate), **moment(end, rate, "end_"), **clock, "kind": kind, "number": 1, **more}

    tracker = source.stream(TRACKER)
    closed = not start and fell is None and tracker is not None and tracker.error is None
    if closed and last is not None and last <= LATEST_GATES:
        return PERIODS.build_rows([row("pre_game", 0, last, counts=False)])
    rows = [row("pre_game", 0, start, counts=False)] if start else []
    winner = {} if won is None else {"winner_team": won.team, "winner_side": won.side}
    rows.append(row("game", start, last if fell is None else fell, counts=True, **winner))
    if fell is not None:
        rows.append(row("post_game", fell, last, counts=False))
    return PERIODS.build_rows(rows)
