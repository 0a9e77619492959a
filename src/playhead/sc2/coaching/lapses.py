"""The table ``lapses``: where time was lost."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from playhead.model import ReplayLike
from playhead.runtime.libraries import pa
from playhead.sc2.abilities.unit_types import display_name
from playhead.sc2.coaching.comparison import known_seconds
from playhead.sc2.coaching.measures import PRODUCTION
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import words

#: Lapses of less than so many seconds are not listed.
_LEAST = 3.0

LAPSES = TableSchema.of(
    "lapses",
    "Where time was lost, the longest first: without free supply, production buildings that did nothing, and "
    "hatcheries without an inject after the first.",
    *words("player tick seconds"),
    Column("lapse", "category", "no free supply, idle or no inject."),
    Column("what", "string", "The type of the building, with its clock position if it is a town hall."),
    *words("duration_seconds"),
)


def table(replay: ReplayLike) -> pa.Table:
    known = known_seconds(replay)
    rows: list[tuple[int, str, str | None, int, float, float]] = [
        (row["player"], "no free supply", None, row["tick"], row["seconds"], row["end_seconds"])
        for row in replay.table("supply_blocks").to_pylist()
    ]
    for row in replay.table("production").to_pylist():
        if row["state"] == "idle" and row["unit_type"] in PRODUCTION:
            end = known if row["end_seconds"] is None else min(row["end_seconds"], known)
            rows.append((row["player"], "idle", display_name(row["unit_type"]), row["tick"], row["seconds"], end))
    halls = {row["unit"]: row for row in replay.table("bases").to_pylist() if row["unit"] is not None}
    injected: dict[int, list[dict[str, Any]]] = {}
    for row in replay.table("injects").to_pylist():
        if row["target_unit"] in halls and row["larvae_seconds"] is not None:
            injected.setdefault(row["target_unit"], []).append(row)
    for unit, injects in injected.items():
        hall = halls[unit]
        name = f"{display_name(hall['unit_type'])} at {hall['clock']} o'clock"
        end = {"seconds": known if hall["end_seconds"] is None else min(hall["end_seconds"], known)}
        for row, after in pairwise([*injects, end]):
            ready = row["larvae_tick"], row["larvae_seconds"]
            rows.append((hall["player"], "no inject", name, *ready, after["seconds"]))
    found = [(*row[:5], row[5] - row[4]) for row in rows if row[5] - row[4] >= _LEAST]
    found.sort(key=lambda row: (row[0] or 0, row[1], -row[5]))
    columns = ("player", "lapse", "what", "tick", "seconds", "duration_seconds")
    return LAPSES.build_rows([dict(zip(columns, row, strict=True)) for row in found])
