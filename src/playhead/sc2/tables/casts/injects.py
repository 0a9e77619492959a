"""The table ``injects``: larvae that queens inject into hatcheries."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import Any

from playhead.runtime.libraries import pa
from playhead.sc2.protocol.tables import TRACKER
from playhead.sc2.state.casts.casters import CASTS_READ, Born, births, casts_of
from playhead.sc2.state.casts.injections import Injection, injections
from playhead.sc2.state.map.stays import stays_of
from playhead.sc2.state.units.tracked import own_tag, unit_history, unit_spans
from playhead.sc2.tables.casts.columns import CAST_COLUMNS, cast_row
from playhead.sc2.tables.columns import moment
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word

_INJECT, _LARVA = "SpawnLarva", "Larva"
#: Larvae appear below their hatchery, at most so many cells away.
_NEAR = 9.0
#: Hatcheries that are compared: real games have fewer.
_MOST_HATCHERIES = 256

INJECTS = TableSchema.of(
    "injects",
    "One row for each inject: an order, repetitions within a second left out, or larvae without a recorded order.",
    *CAST_COLUMNS,
    word("target_unit", "The hatchery."),
    word("known_by", "order; or larvae, if only they show it: `tick` is then 644 loops before."),
    Column(
        "larvae_tick",
        "int32",
        "When its larvae appeared; null if none did: no queen came, she had no energy, or the game ended.",
        "ticks",
    ),
    Column("larvae_seconds", "float64", "`seconds` at `larvae_tick`.", "s"),
)


@table(INJECTS, reads=CASTS_READ)
def injects(source: TableSource) -> pa.Table:
    """Return the table ``injects``."""
    rate = source.loops_per_second
    casts = [cast for cast in casts_of(source) if cast.order.name == _INJECT and cast.order.target is not None]
    found = injections([(cast.order.loop, cast.order.target or 0) for cast in casts], _hatched(source))
    owners = {larva.creator: larva.player for larva in births(source, _LARVA)}
    rows: list[dict[str, Any]] = []
    for each in found:
        row = (
            _without_order(each, owners.get(each.hatchery), rate)
            if each.order is None
            else cast_row(casts[each.order], rate)
        )
        rows.append(
            {
                **row,
                "target_unit": each.hatchery,
                "known_by": "larvae" if each.order is None else "order",
                **moment(each.larvae, rate, "larvae_"),
            }
        )
    return INJECTS.build_rows(rows)


def _without_order(each: Injection, player: int | None, rate: float) -> dict[str, Any]:
    return {**moment(each.start, rate), "player": player}


def _hatched(source: TableSource) -> dict[int, list[int]]:
    """Return the loops of births of larvae, by the tag of their hatchery: their creator, or else the nearest."""
    found: dict[int, list[int]] = {}
    larvae = births(source, _LARVA)
    places: Sequence[Any] = ()
    if any(larva.creator is None for larva in larvae):
        tracker = source.stream(TRACKER)
        assert tracker is not None
        history = unit_history(tracker)
        cells = source.event_scope.tracker_cells
        places = [
            (stay, own_tag(history, stay.row))
            for stay in stays_of(unit_spans(tracker), history.texts, cells, ())
            if stay.x is not None
        ][:_MOST_HATCHERIES]
    for larva in larvae:
        tag = larva.creator if larva.creator is not None else _nearest(larva, places)
        if tag is not None:
            found.setdefault(tag, []).append(larva.loop)
    return found


def _nearest(larva: Born, places: Sequence[Any]) -> int | None:
    """Return the player's hatchery nearest to a larva."""
    near = [
        (hypot(stay.x - larva.x, stay.y - larva.y), tag)
        for stay, tag in places
        if stay.player == larva.player
        and stay.start <= larva.loop
        and (stay.end is None or larva.loop <= stay.end)
    ]
    distance, tag = min(near, default=(_NEAR, None))
    return tag if distance < _NEAR else None
