"""The table ``boosts``: chrono boosts."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from playhead.runtime.libraries import pa
from playhead.sc2.encoding.field_column import NOTHING
from playhead.sc2.protocol.tables import GAME, TRACKER
from playhead.sc2.state.casts.energy import boosts_are_free
from playhead.sc2.state.units.link_types import target_types
from playhead.sc2.tables.actions.named_orders import NamedOrder
from playhead.sc2.tables.casts.casting import CAST_COLUMNS, CASTS_READ, EconomyCast, casts_of, moment
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables.schema import Column, TableSchema

_BOOSTS = frozenset({"ChronoBoost", "ChronoBoostEnergyCost"})
#: Loops that a boost lasts: 20 seconds of the clock of Heart of the Swarm, and from 4.0 on of that of Legacy of
#: the Void, where it gains a Nexus 224 to 229 loops.
_LASTS, _LASTS_VOID = 320, 448

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


def boosts_of(source: TableSource) -> list[tuple[EconomyCast, int | None]]:
    """Return chrono boosts with a target, and the loop in which each ended."""
    free = boosts_are_free(source.builds[0])
    found: list[tuple[EconomyCast, int | None]] = []
    last: dict[int, int] = {}
    for cast in casts_of(source):
        order = cast.order
        if order.name not in _BOOSTS or order.target is None:
            continue
        if not free:
            lasts = _LASTS_VOID if order.name == "ChronoBoostEnergyCost" else _LASTS
            found.append((cast, order.loop + lasts))
            continue
        if cast.caster is not None:
            if cast.caster in last:
                before = last[cast.caster]
                found[before] = (found[before][0], order.loop)
            last[cast.caster] = len(found)
        found.append((cast, None))
    return found


@table(BOOSTS, reads=CASTS_READ)
def boosts(source: TableSource) -> pa.Table:
    """Return the table ``boosts``."""
    found, rate = boosts_of(source), source.loops_per_second
    return BOOSTS.build_rows(
        [
            {
                **cast.row(rate),
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
