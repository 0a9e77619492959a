"""The table ``events``: the three streams as one, with what their events say as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import playhead.events
from playhead.sc2.events import kind_of
from playhead.sc2.events.reading import STREAMS, events_of, in_time_order, payloads_of
from playhead.sc2.tables.columns import when
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables import arrow
from playhead.tables.shared import EVENTS

if TYPE_CHECKING:
    import pyarrow as pa


@table(EVENTS)
def events(source: TableSource) -> pa.Table:
    """Return the table ``events``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    streams = [stream for name in STREAMS if (stream := source.stream(name)) is not None]
    about = (source.loops_per_second, source.players_by_user, source.event_scope)
    if any(not arrow.is_ascending(stream.tick) for stream in streams):
        # A resumed game, whose tracker starts over: only going through them puts the streams in order.
        merged = in_time_order(events_of(stream, *about) for stream in streams)
        return pa.concat_tables(playhead.events.event_batches(merged), promote_options="none")
    kinds: dict[str, int] = {}
    columns: dict[str, list[pa.Array]] = {name: [] for name in ("tick", "kind", "player", "payload")}
    for stream in streams:
        numbers = sorted(set(stream.heads[2]))
        codes = {number: kinds.setdefault(kind_of(stream.name_of(number)), len(kinds)) for number in numbers}
        players, payloads = payloads_of(stream, *about)
        columns["tick"].append(stream.tick)
        columns["kind"].append(arrow.lookup(stream.number, codes, pa.int32()))
        columns["player"].append(pa.array(map(arrow.player_number, players), pa.int32()))
        columns["payload"].append(pa.array(payloads, pa.string()))
    if not streams:
        return EVENTS.build_rows([])
    whole = {name: pa.concat_arrays(arrays) for name, arrays in columns.items()}
    # Of one loop the streams stay in their order; sorting by one key would not keep it.
    rows = pa.table({"tick": whole["tick"], "row": pa.array(range(len(whole["tick"])), pa.int64())})
    order = pc.sort_indices(rows, sort_keys=[("tick", "ascending"), ("row", "ascending")])
    sorted_ = {name: values.take(order) for name, values in whole.items()}
    return EVENTS.build(
        {
            **when(sorted_["tick"], source),
            "kind": arrow.category(sorted_["kind"], list(kinds)),
            "player": sorted_["player"],
            "payload": sorted_["payload"],
        }
    )
