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
from playhead.sc2.tables.casts.columns import CAST_COLUMNS, cast_row
from playhead.sc2.tables.columns import moment
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word

BOOSTS = TableSchema.of(
    "boosts",
    "One row for each order of a chrono boost.",
    *CAST_COLUMNS,
    word("target_unit", "The boosted building."),
    word("target_unit_type", "Then."),
    word(
        "end_tick",
        "After 20 seconds; from the betas of Legacy of the Void to 3.x, when its caster boosted again, and null "
        "too if that is unknown.",
    ),
    word("end_seconds"),
)


@table(BOOSTS, reads=CASTS_READ)
def boosts(source: TableSource) -> pa.Table:
    """Return the table ``boosts``."""
    found, rate = boosts_of(source), source.loops_per_second
    rows = []
    for (cast, until), type_ in zip(found, _types([cast.order for cast, _ in found], source), strict=True):
        target = {"target_unit": cast.order.target, "target_unit_type": type_}
        rows.append({**cast_row(cast, rate), **target, **moment(until, rate, "end_")})
    return BOOSTS.build_rows(rows)


def _types(orders: Sequence[NamedOrder], source: TableSource) -> list[str | None]:
    """Return the tracker's type of the target of each order then; None if it does not say."""
    tracker, game = source.stream(TRACKER), source.stream(GAME)
    if tracker is None or game is None or not tracker.kinds:
        return [None] * len(orders)
    rows = array("i", [order.row for order in orders])
    tags = array("q", [order.target or NOTHING for order in orders])
    types = target_types(tracker, game, rows, tags)
    return [None if type_ == NOTHING else tracker.rows.texts[type_] for type_ in types]
