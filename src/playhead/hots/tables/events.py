"""The table ``events``: what the streams hold, and the deaths of players as every game has them."""

from __future__ import annotations

from bisect import bisect_right

from playhead.blizzard.events.commands import CmdEvent, CmdUpdateTargetPointEvent, CommandManagerStateEvent
from playhead.blizzard.events.game import CameraUpdateEvent
from playhead.blizzard.tables import events as of_streams
from playhead.clock import Clock
from playhead.events import EventSource, event_batches, events_of_tables
from playhead.hots.tables.deaths import DEATH_EVENTS, KILLS
from playhead.hots.tables.registry import TABLES, TableSource, table
from playhead.runtime.libraries import pa, pc
from playhead.tables.shared import EVENTS

PLAYER_KILLED = EventSource(
    "player_killed", "A player's hero died; the player is the attacker.", KILLS.name, player="attacker_player"
)


@table(
    EVENTS,
    reads=(CmdEvent, CmdUpdateTargetPointEvent, CommandManagerStateEvent, CameraUpdateEvent, *DEATH_EVENTS),
)
def events(source: TableSource) -> pa.Table:
    """Return the table ``events``. A death follows the events of its loop, as in `HotsReplay.events`."""
    rows = of_streams.events(source)
    kills = TABLES.tables()[KILLS.name].build(source)
    if not kills.num_rows:
        return rows
    more = events_of_tables((PLAYER_KILLED,), {KILLS.name: kills}, Clock(source.loops_per_second).seconds)
    found = pa.concat_tables([rows, *event_batches(more)]).unify_dictionaries()
    reached = pc.cumulative_max(rows["tick"].combine_chunks()).to_pylist()
    order = [2 * place + 1 for place in range(rows.num_rows)]
    order += [2 * bisect_right(reached, tick) for tick in found["tick"].slice(rows.num_rows).to_pylist()]
    return found.take(pc.array_sort_indices(pa.array(order, pa.int64())))
