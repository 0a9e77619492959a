"""`selected_before`: the units that a user had selected when an order was given."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.commands import ACTIVE, GROUP_RECALL, ControlGroupUpdateEvent, SelectionDeltaEvent
from playhead.blizzard.events.merged_rows import MergedRows, matched, repeated
from playhead.blizzard.units.spans import places_with
from playhead.sc2.state.selections.timeline import SelectionTimeline

_NO_UNITS: tuple[int, ...] = ()


def selected_before(game: EventStream, rows: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the unit tags that the user of each event had selected before it; none if unknown.

    Args:
        game: the stream of game events.
        rows: of the events in the stream, ascending; no changes of selections.
    """
    groups = game.once("selections", SelectionTimeline).played()
    orders, ranks, uses = [], [], []
    for type_, name, wanted in (
        (SelectionDeltaEvent, "group", ACTIVE),
        (ControlGroupUpdateEvent, "action", GROUP_RECALL),
    ):
        if game.has(type_):
            done = game.of(type_)
            orders.append(done.orders)
            # 0 for a change of the active selection
            ranks.append(matched(done.numbers(name), wanted, 0, NOTHING))
            uses.append(type_ is ControlGroupUpdateEvent)
    merged = MergedRows([*orders, array("i", rows)], len(game))
    last, *_ = repeated(merged.column([*ranks, None]), merged.orders, game.rows.heads[1])
    parts, count = merged.part, len(orders)
    before, units = -1, _NO_UNITS
    for place in places_with(parts, [False] * count + [True]):
        change = last[place]
        if change != before:  # many orders in a row are of one selection
            before, kind = change, parts[change]
            if kind == count:
                units = _NO_UNITS
            else:
                units = groups.units_after_step(bisect_left(orders[kind], merged.orders[change]), uses[kind])
        yield units
