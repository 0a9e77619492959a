"""The tables ``mules`` and ``scans``: what Orbital Commands call down."""

from __future__ import annotations

from playhead.runtime.libraries import pa
from playhead.sc2.protocol.tables import TRACKER
from playhead.sc2.state.casts import casters
from playhead.sc2.tables.casts.columns import CAST_COLUMNS, cast_row
from playhead.sc2.tables.columns import moment
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word, words

_SCAN = "ScannerSweep"

MULES = TableSchema.of(
    "mules",
    "One row for each MULE that landed; before 2.0.8, which has no tracker, for each order to call one.",
    *CAST_COLUMNS,
    *words("unit x y"),
    word("target_unit", "The minerals that it was called to."),
    word("end_tick", "It expired or was killed."),
    word("end_seconds"),
)

SCANS = TableSchema.of("scans", "One row for each order of a scanner sweep.", *CAST_COLUMNS, *words("x y"))


@table(MULES, reads=casters.CASTS_READ)
def mules(source: TableSource) -> pa.Table:
    """Return the table ``mules``."""
    rate = source.loops_per_second
    calls = [call for call in casters.casts_of(source) if call.order.name == casters.MULE_CALL]
    if source.stream(TRACKER) is None:
        return MULES.build_rows(
            [
                {**cast_row(call, rate), "x": call.order.x, "y": call.order.y, "target_unit": call.order.target}
                for call in calls
            ]
        )
    ordered: dict[tuple[int, int | None], list[casters.EconomyCast]] = {}
    for call in calls:
        ordered.setdefault((call.order.loop, call.order.player), []).append(call)
    rows = []
    for mule in casters.births(source, casters.MULE):
        held = ordered.get((mule.loop, mule.player))
        cast: casters.EconomyCast | None = held.pop(0) if held else None
        rows.append(
            {
                **moment(mule.loop, rate),
                "player": mule.player,
                "caster_unit": mule.creator if cast is None or cast.caster is None else cast.caster,
                "energy": None if cast is None else cast.energy,
                "unit": mule.tag,
                "x": mule.x,
                "y": mule.y,
                "target_unit": None if cast is None else cast.order.target,
                **moment(mule.end, rate, "end_"),
            }
        )
    return MULES.build_rows(rows)


@table(SCANS, reads=casters.CASTS_READ)
def scans(source: TableSource) -> pa.Table:
    """Return the table ``scans``."""
    rate = source.loops_per_second
    return SCANS.build_rows(
        [
            {**cast_row(cast, rate), "x": cast.order.x, "y": cast.order.y}
            for cast in casters.casts_of(source)
            if cast.order.name == _SCAN
        ]
    )
