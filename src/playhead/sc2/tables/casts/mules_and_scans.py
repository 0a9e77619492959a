"""The tables ``mules`` and ``scans``: what Orbital Commands call down."""

from __future__ import annotations

from typing import Any

from playhead.blizzard.protocol.tables import TRACKER
from playhead.blizzard.tables.columns import moment
from playhead.runtime.libraries import pa
from playhead.sc2.state.casts import casters
from playhead.sc2.tables.casts.columns import CAST_COLUMNS, cast_row
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


def _with_place(cast: casters.EconomyCast, rate: float) -> dict[str, Any]:
    return {**cast_row(cast, rate), "x": cast.order.x, "y": cast.order.y}


@table(MULES, reads=casters.CASTS_READ)
def mules(source: TableSource) -> pa.Table:
    """Return the table ``mules``."""
    rate = source.loops_per_second
    calls = [call for call in casters.casts_of(source) if call.order.name == casters.MULE_CALL]
    if source.stream(TRACKER) is None:
        return MULES.build_rows([_with_place(call, rate) | {"target_unit": call.order.target} for call in calls])
    ordered: dict[tuple[int, int | None], list[casters.EconomyCast]] = {}
    for call in calls:
        ordered.setdefault((call.order.loop, call.order.player), []).append(call)
    rows = []
    for mule in casters.births(source, casters.MULE):
        held = ordered.get((mule.loop, mule.player))
        row: dict[str, Any] = {**moment(mule.loop, rate), "player": mule.player, "caster_unit": None}
        if held:
            cast = held.pop(0)
            row |= cast_row(cast, rate) | {"target_unit": cast.order.target}
        if row["caster_unit"] is None:
            row["caster_unit"] = mule.creator
        rows.append({**row, "unit": mule.tag, "x": mule.x, "y": mule.y, **moment(mule.end, rate, "end_")})
    return MULES.build_rows(rows)


@table(SCANS, reads=casters.CASTS_READ)
def scans(source: TableSource) -> pa.Table:
    """Return the table ``scans``."""
    scanned = [cast for cast in casters.casts_of(source) if cast.order.name == _SCAN]
    return SCANS.build_rows([_with_place(cast, source.loops_per_second) for cast in scanned])
