"""The table ``production``: what each building makes, and when it has nothing to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from playhead.runtime.libraries import pa
from playhead.sc2.encoding.field_column import NOTHING
from playhead.sc2.events.columns import EventStream
from playhead.sc2.state.production.work import Building, Work
from playhead.sc2.tables.columns import PLAYER, UNIT, UNIT_TYPE, WHEN
from playhead.sc2.tables.economy.work_log import WORK_READ, WorkLog, work_of
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables.schema import Column, TableSchema

BUSY, IDLE = "busy", "idle"
#: A product that begins so many loops after the end of the last one waited for it.
_NO_GAP = 2
_FOREVER = 1 << 62

PRODUCTION = TableSchema(
    name="production",
    version=1,
    doc="Of each building that makes units or upgrades: a row for each product (a reactor's overlap), for the "
    "cooldown of a Warp Gate, and for each time in which it had nothing to do. `tick` is the start.",
    columns=(
        *WHEN,
        PLAYER,
        UNIT,
        UNIT_TYPE,
        Column("state", "category", "busy or idle."),
        Column("product", "category", "Unit type, upgrade, or type that the building becomes."),
        Column("product_unit", "int64", "Unit tag of the product; null for upgrades."),
        Column("end_tick", "int64", "The end; null if it lasted until the end of the game.", "ticks"),
        Column("end_seconds", "float64", "The same in seconds of the clock that the game shows.", "s"),
        Column("queued", "bool", "Whether it began when the last product of the building ended."),
        Column("boosted", "bool", "Whether the building had a chrono boost meanwhile."),
        Column(
            "known_by",
            "category",
            "How the building is known: tracker (since 4.x, and for morphs), place (the nearest that can make "
            "it), only (no other can), free (the first without other work), ready (of Warp Gates, the one whose "
            "cooldown ended first).",
        ),
    ),
)


@event_table(PRODUCTION, *WORK_READ)
def production(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``production``."""
    held = work_of(tracker, source)
    by_building: dict[int, list[Work]] = {}
    for work in held.works:
        by_building.setdefault(work.building.tag, []).append(work)
    rows: list[dict[str, Any]] = []
    for tag, building in held.buildings.items():
        rows += _of_building(held, building, by_building.get(tag, ()))
    rate = source.loops_per_second
    rows.sort(key=lambda row: (row["tick"], row["unit"]))
    for row in rows:
        row["seconds"] = row["tick"] / rate
        row["end_seconds"] = None if row["end_tick"] is None else row["end_tick"] / rate
    return PRODUCTION.build_rows(rows)


def _of_building(held: WorkLog, building: Building, works: Sequence[Work]) -> Iterator[dict[str, Any]]:
    starts, names = held.steps.starts, held.steps.names
    about = {"player": building.player, "unit": building.tag}
    spans: list[tuple[int, int | None]] = []
    last = -1
    for work in works:
        start = starts[work.step]
        spans.append((start, work.end))
        yield {
            **about,
            "tick": start,
            "unit_type": building.type_at(start) or building.types[0][2],
            "state": BUSY,
            "product": names.names[names.codes[work.step]],
            "product_unit": None if held.steps.units[work.step] == NOTHING else held.steps.units[work.step],
            "end_tick": work.end,
            "queued": abs(start - last) <= _NO_GAP,
            "boosted": held.boosted(work),
            "known_by": work.how,
        }
        last = -1 if work.end is None else work.end
    for start, end in _idle(building, spans):
        yield {**about, "tick": start, "unit_type": building.type_at(start), "state": IDLE, "end_tick": end}


def _idle(building: Building, busy: Sequence[tuple[int, int | None]]) -> Iterator[tuple[int, int | None]]:
    """Yield the times in which a building stood and made nothing."""
    taken = sorted((start, _FOREVER if end is None else end) for start, end in busy)
    for first, last in _standing(building.types):
        at = first
        for start, end in taken:
            if start >= last:
                break
            if start > at:
                yield at, start
            at = max(at, end)
        if at < last:
            yield at, None if last == _FOREVER else last


def _standing(types: Sequence[tuple[int, int, str]]) -> Iterator[tuple[int, int]]:
    """Yield the times in which a building had any of its types, without breaks at changes of the type."""
    first, last = types[0][0], types[0][0]
    for start, end, _ in types:
        if start != last:
            yield first, last
            first = start
        last = _FOREVER if end == NOTHING else end
    yield first, last
