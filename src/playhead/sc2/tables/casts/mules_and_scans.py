"""The tables ``mules`` and ``scans``: what Orbital Commands call down."""

from __future__ import annotations

from playhead.runtime.libraries import pa
from playhead.sc2.protocol.tables import TRACKER
from playhead.sc2.tables.casts import casting
from playhead.sc2.tables.columns import UNIT, X, Y
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables.schema import Column, TableSchema

_SCAN = "ScannerSweep"

MULES = TableSchema.of(
    "mules",
    "One row for each MULE that landed; before 2.0.8, which has no tracker, for each order to call one.",
    *casting.CAST_COLUMNS,
    UNIT,
    X,
    Y,
    Column("target_unit", "int64", "Unit tag of the minerals that it was called to."),
    Column("until_tick", "int64", "When it expired or was killed; null if it lived on.", "ticks"),
    Column("until_seconds", "float64", "The same in seconds of the clock that the game shows.", "s"),
)

SCANS = TableSchema.of("scans", "One row for each order of a scanner sweep.", *casting.CAST_COLUMNS, X, Y)


@table(MULES, reads=casting.CASTS_READ)
def mules(source: TableSource) -> pa.Table:
    """Return the table ``mules``."""
    rate = source.loops_per_second
    calls = [call for call in casting.casts_of(source) if call.order.name == casting.MULE_CALL]
    if source.stream(TRACKER) is None:
        return MULES.build_rows(
            [
                {**call.row(rate), "x": call.order.x, "y": call.order.y, "target_unit": call.order.target}
                for call in calls
            ]
        )
    ordered: dict[tuple[int, int | None], list[casting.EconomyCast]] = {}
    for call in calls:
        ordered.setdefault((call.order.loop, call.order.player), []).append(call)
    rows = []
    for mule in casting.births(source, casting.MULE):
        held = ordered.get((mule.loop, mule.player))
        cast: casting.EconomyCast | None = held.pop(0) if held else None
        rows.append(
            {
                "tick": mule.loop,
                "seconds": mule.loop / rate,
                "player": mule.player,
                "caster": mule.creator if cast is None or cast.caster is None else cast.caster,
                "energy": None if cast is None else cast.energy,
                "unit": mule.tag,
                "x": mule.x,
                "y": mule.y,
                "target_unit": None if cast is None else cast.order.target,
                **casting.moment("until", mule.end, rate),
            }
        )
    return MULES.build_rows(rows)


@table(SCANS, reads=casting.CASTS_READ)
def scans(source: TableSource) -> pa.Table:
    """Return the table ``scans``."""
    rate = source.loops_per_second
    return SCANS.build_rows(
        [
            {**cast.row(rate), "x": cast.order.x, "y": cast.order.y}
            for cast in casting.casts_of(source)
            if cast.order.name == _SCAN
        ]
    )
