"""The tables ``events``, ``units`` and those that the engine declares for all games."""

from __future__ import annotations

from bisect import bisect_right

from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.commands import CmdEvent, CmdUpdateTargetPointEvent, CommandManagerStateEvent
from playhead.blizzard.events.game import CameraUpdateEvent
from playhead.blizzard.tables import streams
from playhead.blizzard.tables.units import LIFE, unit_columns
from playhead.blizzard.units.history import lives_of
from playhead.blizzard.units.tracked import HISTORY_EVENTS, unit_history
from playhead.clock import Clock
from playhead.events import EventSource, event_batches, events_of_tables
from playhead.hots.tables.deaths import DEATH_EVENTS, KILLS
from playhead.hots.tables.registry import TABLES, TableSource, event_table, table
from playhead.runtime.libraries import pa, pc
from playhead.tables.schema import TableSchema
from playhead.tables.shared import EVENTS

streams.add_to(TABLES)

PLAYER_KILLED = EventSource(
    "player_killed", "A player's hero died; the player is the attacker.", KILLS.name, player="attacker_player"
)


@table(
    EVENTS,
    reads=(CmdEvent, CmdUpdateTargetPointEvent, CommandManagerStateEvent, CameraUpdateEvent, *DEATH_EVENTS),
)
def events(source: TableSource) -> pa.Table:
    """Return the table ``events``. A death follows the events of its loop, as in `HotsReplay.events`."""
    rows = streams.events(source)
    kills = TABLES.tables()[KILLS.name].build(source)
    if not kills.num_rows:
        return rows
    more = events_of_tables((PLAYER_KILLED,), {KILLS.name: kills}, Clock(source.loops_per_second).seconds)
    found = pa.concat_tables([rows, *event_batches(more)]).unify_dictionaries()
    reached = pc.cumulative_max(rows["tick"].combine_chunks()).to_pylist()
    order = [2 * place + 1 for place in range(rows.num_rows)]
    order += [2 * bisect_right(reached, tick) for tick in found["tick"].slice(rows.num_rows).to_pylist()]
    return found.take(pc.array_sort_indices(pa.array(order, pa.int64())))


UNITS = TableSchema.of(
    "units",
    "One row for each life of a unit in the tracker. A hero who lives again has another row with the same `unit`, "
    "in builds that report it. Players 11 and 12 are the minions and buildings of the two sides; 0 is nobody, 15 "
    "neutral.",
    *LIFE,
)


@event_table(UNITS, *HISTORY_EVENTS)
def units(tracker: EventStream, source: TableSource) -> pa.Table:
    lives = lives_of(unit_history(tracker))
    own = {name: values for name, values in lives.items() if not name.startswith("creator")}
    return UNITS.build(unit_columns(own, tracker, source))
