"""The table ``apm``: actions per minute."""

from __future__ import annotations

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.commands import ACTIVE, COMMAND_EVENTS, ControlGroupUpdateEvent, SelectionDeltaEvent
from playhead.blizzard.events.merged_rows import per_minute, rows_with
from playhead.blizzard.protocol.tables import NO_USER
from playhead.runtime.libraries import pa
from playhead.sc2.events.repeats import REPEAT_EVENTS, repeats
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.number_columns import int32_column, int64_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

_ACTIONS = (*COMMAND_EVENTS, SelectionDeltaEvent, ControlGroupUpdateEvent)

APM = TableSchema.of(
    "apm",
    "Actions in each minute of the replay's clock: commands and their repetitions, changes of the active "
    "selection, uses of control groups. Camera moves are not actions.",
    *words("user player"),
    word("minute", "Of the game's clock."),
    Column("actions", "int64", "Actions in that minute, which the end of the game may cut short."),
    group="series",
)


@event_table(APM, *_ACTIONS, *REPEAT_EVENTS)
def apm(game: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``apm``."""
    parts = [
        rows_with(done.orders, done.numbers("group"), ACTIVE) if done.type is SelectionDeltaEvent else done.orders
        for done in map(game.of, _ACTIONS)
    ]
    parts.append(repeats(game).orders)
    ticks, who, *_ = game.rows.heads
    minute, start = source.loops_per_second * 60, source.start_tick
    users, minutes, counts = per_minute(parts, ticks, who, NO_USER, minute, start)
    held = int32_column(users, NOTHING)
    return APM.build(
        {
            "user": held,
            "player": arrow.lookup(held, source.players_by_user, pa.int32()),
            "minute": int32_column(minutes, NOTHING),
            "actions": int64_column(counts, NOTHING),
        }
    )
