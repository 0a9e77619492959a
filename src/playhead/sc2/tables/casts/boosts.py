"""The table ``boosts``: chrono boosts."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from playhead.runtime.libraries import pa
from playhead.sc2.encoding.field_column import NOTHING
from playhead.sc2.protocol.tables import GAME, TRACKER
from playhead.sc2.state.casts.boosts import boosts_of
from playhead.sc2.state.casts.casters import CASTS_READ
from playhead.sc2.state.orders.named_orders import NamedOrder
from playhead.sc2.state.units.link_types import target_types
from playhead.sc2.tables.casts.columns import CAST_COLUMNS, cast_row, moment
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables.schema import Column, TableSchema

BOOSTS = TableSchema.of(
    "boosts",
    "One row for each order of a chrono boost.",
    *CAST_COLUMNS,
    Column("target_unit", "int64", "Unit tag of the boosted building."),
    Column("target_unit_type", "category", "Its type then."),
    Column(
        "until_tick",
        "int64",
        "When it ended: after 20 seconds; from the betas of Legacy of the Void to 3.x, when its caster "
        "boosted again, and null if it never did or is unknown.",
        "ticks",
    ),
    Column("until_seconds", "float64", "The same in seconds of the clock that the game shows.", "s"),
)


@table(BOOSTS, reads=CASTS_READ)
def boosts(source: TableSource) -> pa.Table:
    """Return the table ``boosts``."""
    found, rate = boosts_of(source), source.loops_per_second
    return BOOSTS.build_rows(
        [
            {
                **cast_row(cast, rate),
                "target_unit": cast.order.target,
                "target_unit_type": type_,
                **moment("until", until, rate),
            }
            for (cast, until), type_ in zip(found, _types([cast.order for cast, _ in found], source), strict=True)
        ]
    )


def _types(orders: Sequence[NamedOrder], source: TableSource) -> list[str | None]:
    """Return the tracker's type of the target of each order then; None if it does not say."""
    tracker, game = source.stream(TRACKER), source.stream(GAME)
    if tracker is None or game is None or not tracker.kinds:
        return [None] * len(orders)
    rows, tags = (
        array(code, values)
        for code, values in (
            ("i", [order.row for order in orders]),
            ("q", [order.target or NOTHING for order in orders]),
        )
    )
    types = target_types(tracker, game, rows, tags)
    return [None if type_ == NOTHING else tracker.rows.texts[type_] for type_ in types]
