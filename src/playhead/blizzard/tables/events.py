"""The table ``events``: the three streams in one, with the fields of each event as JSON."""

from __future__ import annotations

import playhead.events
from playhead.blizzard.encoding.field_column import NOTHING, wide
from playhead.blizzard.events import Event, kind_of
from playhead.blizzard.events.reading import STREAMS, events_of, in_time_order, payload_rows
from playhead.blizzard.tables.columns import when
from playhead.blizzard.tables.registry import GameSource, GameTables
from playhead.runtime.libraries import pa
from playhead.tables import arrow
from playhead.tables.number_columns import int32_column, is_ascending
from playhead.tables.shared import EVENTS


def add_to(tables: GameTables, reads: tuple[type[Event], ...]) -> None:
    """Add the table to those of a game. `reads` are frequent events that no other table reads: those which are
    columns make their rows faster."""
    tables.table(EVENTS, reads=reads)(events)


def events(source: GameSource) -> pa.Table:
    """Return the table ``events``."""
    streams = [stream for name in STREAMS if (stream := source.stream(name)) is not None]
    about = (source.loops_per_second, source.players_by_user, source.event_scope)
    if any(not is_ascending(stream.tick) for stream in streams):
        # A resumed game, whose tracker restarts: only iterating over the events merges the streams in order.
        merged = in_time_order(events_of(stream, *about) for stream in streams)
        return pa.concat_tables(playhead.events.event_batches(merged), promote_options="none")
    if not streams:
        return EVENTS.build_rows([])
    kinds: dict[str, int] = {}
    rows = payload_rows(streams, *about, lambda name: kinds.setdefault(kind_of(name), len(kinds)))
    codes = rows.codes.to_arrow()
    return EVENTS.build(
        {
            **when(wide(rows.ticks.to_array()), source),
            "kind": arrow.category(codes, list(kinds)),
            "event_id": playhead.events.numbers_within(codes),
            "player": int32_column(rows.players.to_array(), NOTHING),
            "payload": rows.payloads.to_arrow(pa.string()),
        }
    )
