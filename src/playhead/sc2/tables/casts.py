"""Tables of spells that run an economy: chrono boosts, energy, MULEs, scans."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.blizzard.tables.registry import WHEN, may_make, moment, when
from playhead.clock import interval_ticks
from playhead.runtime.libraries import pa
from playhead.sc2.state.casts import (
    CASTS_READ,
    MULE,
    MULE_CALL,
    EconomyCast,
    births,
    boosts_of,
    casters_of,
    casts_of,
)
from playhead.sc2.state.energy import NEXUS
from playhead.sc2.state.link_types import target_types
from playhead.sc2.state.orders import NamedOrder
from playhead.sc2.state.production.work import WORK_READ, work_of
from playhead.sc2.tables.registry import TableSource, event_table, table
from playhead.tables.number_columns import int32_column, int64_column
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word, words

CAST_COLUMNS = (
    *WHEN,
    word(
        "caster_unit",
        "The only unit in the selection that can cast it, or the MULE's creator; null if several could.",
    ),
    word(
        "energy",
        "The caster's before the order: what it began with, plus what returned since, less its known casts; null "
        "if a cast is uncertain. If it is below the cost, the order failed.",
    ),
)


def cast_row(cast: EconomyCast, rate: float) -> dict[str, Any]:
    """Return the values of `CAST_COLUMNS`."""
    return {
        **moment(cast.order.loop, rate),
        "player": cast.order.player,
        "caster_unit": cast.caster,
        "energy": cast.energy,
    }


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


_EVERY = "10s"

ENERGY = TableSchema.of(
    "energy",
    "Energy of each living Nexus, Orbital Command and Queen every 10 seconds of the game's clock, or at the "
    "interval of the option `every`, as far as it follows from the casts (`boosts`, `injects`, `mules`, `scans`).",
    *WHEN,
    word("unit"),
    word("unit_type", "Nexus, OrbitalCommand or Queen, also for their other forms."),
    word(
        "energy",
        "What it began with, plus what returned since, less its known casts; null for as long as an order of "
        "several casters leaves it unknown.",
    ),
    group="series",
)


@event_table(ENERGY, *CASTS_READ, options=("every",))
def energy(tracker: EventStream, source: TableSource, every: int | float | str = _EVERY) -> pa.Table:
    interval = interval_ticks(every, source.loops_per_second)
    loops = tracker.rows.heads[0]
    last = loops[-1] if loops else 0
    held = casters_of(source)
    samples = {}
    for tag, lives in held.lives.items():
        end = last if lives[-1].end == NOTHING else min(lives[-1].end - 1, last)
        samples[tag] = range(-(-lives[0].start // interval) * interval, end + 1, interval)
    if not may_make(sum(map(len, samples.values())), last, source, ENERGY.name, "the table energy"):
        samples = {}
    rows = []
    for tag, times in samples.items():
        life = held.lives[tag][0]
        rows += [
            (tick, life.player, tag, life.kind, value)
            for tick, value in zip(times, held.book.between(tag, times), strict=True)
        ]
    rows.sort()  # no two rows have one tick and unit
    ticks, players, tags, kinds, values = zip(*rows, strict=True) if rows else ((),) * 5
    return ENERGY.build(
        {
            **when(array("q", ticks), source),
            "player": int32_column(array("q", players), NOTHING),
            "unit": int64_column(array("q", tags), NOTHING),
            "unit_type": kinds,
            "energy": values,
        }
    )


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


def _with_place(cast: EconomyCast, rate: float) -> dict[str, Any]:
    return {**cast_row(cast, rate), "x": cast.order.x, "y": cast.order.y}


@table(MULES, reads=CASTS_READ)
def mules(source: TableSource) -> pa.Table:
    rate = source.loops_per_second
    calls = [call for call in casts_of(source) if call.order.name == MULE_CALL]
    if source.stream(TRACKER) is None:
        return MULES.build_rows([_with_place(call, rate) | {"target_unit": call.order.target} for call in calls])
    ordered: dict[tuple[int, int | None], list[EconomyCast]] = {}
    for call in calls:
        ordered.setdefault((call.order.loop, call.order.player), []).append(call)
    rows = []
    for mule in births(source, MULE):
        held = ordered.get((mule.loop, mule.player))
        row: dict[str, Any] = {**moment(mule.loop, rate), "player": mule.player, "caster_unit": None}
        if held:
            cast = held.pop(0)
            row |= cast_row(cast, rate) | {"target_unit": cast.order.target}
        if row["caster_unit"] is None:
            row["caster_unit"] = mule.creator
        rows.append({**row, "unit": mule.tag, "x": mule.x, "y": mule.y, **moment(mule.end, rate, "end_")})
    return MULES.build_rows(rows)


@table(SCANS, reads=CASTS_READ)
def scans(source: TableSource) -> pa.Table:
    scanned = [cast for cast in casts_of(source) if cast.order.name == _SCAN]
    return SCANS.build_rows([_with_place(cast, source.loops_per_second) for cast in scanned])
