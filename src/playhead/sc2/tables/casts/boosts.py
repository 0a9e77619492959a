"""The table ``boosts``: chrono boosts."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from operator import itemgetter

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.blizzard.tables.columns import moment
from playhead.runtime.libraries import pa
from playhead.sc2.state.casts.boosts import boosts_of
from playhead.sc2.state.casts.energy import NEXUS
from playhead.sc2.state.orders.named_orders import NamedOrder
from playhead.sc2.state.production.work_log import WORK_READ, work_of
from playhead.sc2.state.units.link_types import target_types
from playhead.sc2.tables.casts.columns import CAST_COLUMNS, cast_row
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word

BOOSTS = TableSchema.of(
    "boosts",
    "One row for each order of a chrono boost, and for each time in which a Nexus boosted itself without one.",
    *CAST_COLUMNS,
    word("target_unit", "The boosted building."),
    word("target_unit_type", "Then."),
    word(
        "end_tick",
        "After 20 seconds; from the betas of Legacy of the Void to 3.x, when its caster boosted again, and null "
        "too if that is unknown. Without an order, the end of the last product made at that speed.",
    ),
    word("end_seconds"),
    word(
        "known_by",
        "order; or build time, from the betas of Legacy of the Void to 3.x: a new Nexus boosts itself, and its "
        "products take 1/1.15 of their time. `tick` is then the start of the first one.",
    ),
)


@table(BOOSTS, reads=WORK_READ)
def boosts(source: TableSource) -> pa.Table:
    """Return the table ``boosts``."""
    found, rate = boosts_of(source), source.loops_per_second
    rows = []
    for (cast, until), type_ in zip(found, _types([cast.order for cast, _ in found], source), strict=True):
        target = {"target_unit": cast.order.target, "target_unit_type": type_}
        rows.append({**cast_row(cast, rate), **target, **moment(until, rate, "end_"), "known_by": "order"})
    tracker = source.stream(TRACKER)
    if tracker is not None and tracker.kinds:
        for boost in work_of(tracker, source).self_boosts:
            about = {"player": boost.building.player, "caster_unit": boost.caster, "energy": None}
            target = {"target_unit": boost.building.tag, "target_unit_type": NEXUS, "known_by": "build time"}
            rows.append({**moment(boost.start, rate), **about, **target, **moment(boost.end, rate, "end_")})
        rows.sort(key=itemgetter("tick"))
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
