"""When the game was over, and who had left by then."""

from __future__ import annotations

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.game import GameUserJoinEvent, GameUserLeaveEvent
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.blizzard.units.lives import lives_of
from playhead.blizzard.units.tracked import HISTORY_EVENTS, unit_history
from playhead.hots.tables.registry import TableSource

#: The events that `core_fell` and `leavers` read.
CORE_EVENTS = HISTORY_EVENTS
LEAVER_EVENTS = (*HISTORY_EVENTS, GameUserLeaveEvent, GameUserJoinEvent)
#: Types of cores; the last two are those of Alterac Pass.
CORES = frozenset(("KingsCore", "VanndarStormpike", "DrekThar"))


def core_fell(source: TableSource) -> int | None:
    """Return the loop in which a core fell; None if none did."""
    stream = source.stream(TRACKER)
    if stream is None or not stream.kinds:
        return None
    history = unit_history(stream)
    lives = lives_of(history)
    cores = zip(lives["unit_type"], lives["end_tick"], strict=True)
    return next((end for type_, end in cores if end != NOTHING and history.text(type_) in CORES), None)


def leavers(source: TableSource) -> frozenset[int] | None:
    """Return the numbers of the players who left before a core fell and did not come back; None if none fell."""
    stream, end = source.stream(GAME), core_fell(source)
    if stream is None or end is None:
        return None
    loops, users, *_ = stream.rows.heads
    left, back = (stream.of(type_).orders for type_ in (GameUserLeaveEvent, GameUserJoinEvent))
    away: set[int] = set()
    for order in sorted((*left, *back)):
        if loops[order] < end:
            (away.add if order in left else away.discard)(users[order])
    return frozenset(source.players_by_user[user] for user in away if user in source.players_by_user)
