"""The tables ``build_order`` and ``production``: what players made, in which buildings, and their idle times."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.protocol.tables import GAME
from playhead.blizzard.tables.registry import END, WHEN, StreamSource, when
from playhead.blizzard.units import changes
from playhead.blizzard.units.tracked import unit_history
from playhead.runtime.libraries import pa
from playhead.sc2.abilities.unit_types import unit_facts, upgrade_race
from playhead.sc2.state.casts import boosts_of
from playhead.sc2.state.energy import NEXUS, boosts_are_free
from playhead.sc2.state.orders import named_orders
from playhead.sc2.state.production.facts import MORPHS, ProductionFacts, makers
from playhead.sc2.state.production.from_replay import production_facts_of, steps
from playhead.sc2.state.production.queues import BegunProduct, CancelledItem, QueueItem, Queues
from playhead.sc2.state.production.records import MORPHED, STRUCTURE, Named, StepColumns
from playhead.sc2.state.production.work import GATE, PLACE, READY, WORK_READ, Building, Work, WorkLog, work_of
from playhead.sc2.state.selections.timeline import selected_before
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.number_columns import float32_column, int32_column, int64_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

BUILD_ORDER = TableSchema.of(
    "build_order",
    "Everything that players made or began to make after the start, in the order of starts: units (with "
    "workers), structures, morphs and upgrades; not units without an order (larvae, broodlings, MULEs …). "
    "`tick` and `seconds` are the start.",
    *WHEN,
    word("kind", "unit, structure, morph (a unit or structure that became another) or upgrade."),
    word("race", "Of the product; null if unknown, as for types of a map."),
    word("product", "For an egg that never hatched, the ordered unit; Egg if unknown."),
    word(
        "x",
        "Where a structure was placed, or a unit appeared; null for morphs, upgrades and eggs that never hatched.",
    ),
    word("y"),
    word("supply", "In use just before it began."),
    word("supply_made", "Just before it began."),
    word(
        "known_by",
        "The start: init (the tracker), morph (the tracker, for eggs and cocoons), command (the order that began "
        "it), queue (the end of the last product of its building; up to 3.x for probes, by the time between their "
        "births), born_minus_build_time (its end minus the build time), unknown (`tick` is the end).",
    ),
    *END,
    word(
        "outcome",
        "finished, cancelled, lost (killed before it was finished) or unfinished. Units and upgrades whose "
        "production was cancelled in a building leave no trace and are not here.",
    ),
    word("unit"),
    word("boosted", "See `production`. Constructions and eggs cannot be boosted."),
)


@event_table(BUILD_ORDER, *WORK_READ)
def build_order(tracker: EventStream, source: TableSource) -> pa.Table:
    held = steps(tracker, source)
    races = [_race(name, source.builds[0]) for name in held.names.names]
    return BUILD_ORDER.build(
        {
            **when(held.starts, source),
            "player": int32_column(held.players, NOTHING),
            "kind": _category(held.kinds),
            "race": [races[name] for name in held.names.codes],
            "product": _category(held.names),
            **_places(held, tracker, source),
            "supply": arrow.float64_array(held.supply_used),
            "supply_made": arrow.float64_array(held.supply_made),
            "known_by": _category(held.sources),
            **when(held.ends, source, "end_"),
            "outcome": _category(held.outcomes),
            "unit": int64_column(held.units, NOTHING),
            "boosted": _boosted(held, tracker, source),
        }
    )


def _category(texts: Named) -> pa.Array:
    return arrow.category(arrow.int32_array(texts.codes), texts.names)


def _race(product: str, base_build: int) -> str | None:
    return unit_facts(product, base_build).race or upgrade_race(product)


def _places(held: StepColumns, tracker: EventStream, source: TableSource) -> dict[str, pa.Array]:
    """Return where the units of the steps appeared."""
    history = unit_history(tracker)
    rows = array("q", [row for row, change in enumerate(history.change) if change in (changes.INIT, changes.BORN)])
    first = dict(zip(reversed(history.tags(rows)), reversed(rows), strict=True))
    is_morph = [kind == MORPHED for kind in held.kinds.names]
    steps_at = [
        None if is_morph[kind] else first.get(unit)
        for kind, unit in zip(held.kinds.codes, held.units, strict=True)
    ]
    cells = source.event_scope.tracker_cells
    return {
        axis: float32_column(
            array("q", [NOTHING if row is None else values[row] for row in steps_at]), NOTHING, cells
        )
        for axis, values in (("x", history.x), ("y", history.y))
    }


def _boosted(held: StepColumns, tracker: EventStream, source: TableSource) -> list[bool | None]:
    """Return whether each step was boosted."""
    facts = production_facts_of(tracker, source)
    # Where boosts are free, a Nexus boosts itself without an order.
    by_itself = boosts_are_free(facts.base_build) and NEXUS in tracker.rows.texts
    if not by_itself and not boosts_of(source):
        return [False] * len(held.starts)
    boostable = [name in facts.boosted for name in held.names.names]
    is_built = [kind == STRUCTURE for kind in held.kinds.names]
    found: list[bool | None] = [
        None if boostable[name] and not is_built[kind] else False
        for name, kind in zip(held.names.codes, held.kinds.codes, strict=True)
    ]
    log = work_of(tracker, source)
    for work in log.works:
        found[work.step] = log.boosted(work)
    return found


_CANCELS = frozenset({"CancelLast", "CancelSlot"})


def queues_of(held: WorkLog, source: StreamSource) -> tuple[dict[int, int], list[CancelledItem]]:
    """Return the loop of the order by step of the work, where it is known, and the cancelled items."""
    game, made_in = source.stream(GAME), makers()
    facts = production_facts_of(None, source)
    products = {command: product for command, product in facts.products.items() if product in made_in}
    orders = named_orders(source, {*products, *_CANCELS})
    if game is None or not orders:
        return {}, []
    items, cancels = [], []
    before: tuple[tuple[int, ...], int | None] = ((), None)
    mine: list[Building] = []
    for order, tags in zip(orders, selected_before(game, [order.row for order in orders]), strict=True):
        if (tags, order.player) != before:  # many orders in a row are given to the same buildings
            before = (tags, order.player)
            there = [held.buildings[tag] for tag in tags if tag in held.buildings]
            mine = [building for building in there if building.player == order.player]
        if order.name in _CANCELS:
            cancels.append((order.loop, [building.tag for building in mine]))
            continue
        types = made_in[products[order.name]]
        able = [each.tag for each in mine if (type_ := each.type_at(order.loop)) != GATE and type_ in types]
        if able:
            items.append(QueueItem(order.loop, products[order.name], able))
    starts, names = held.steps.starts, held.steps.names
    works = sorted((work for work in held.works if work.how != READY), key=lambda work: starts[work.step])
    begun = [
        BegunProduct(starts[work.step], work.end, work.building.tag, names.names[names.codes[work.step]])
        for work in works
    ]
    queues = Queues(begun, items)
    known = {work.step: loop for work, loop in zip(works, queues.ordered, strict=True) if loop is not None}
    return known, queues.cancelled(cancels, made_in.keys() - MORPHS.keys())


BUSY, IDLE, CANCELLED = "busy", "idle", "cancelled"
#: A product that begins so many loops after the end of the last one waited for it.
_NO_GAP = 2
_FOREVER = 1 << 62
_Row = tuple[Any, ...]

PRODUCTION = TableSchema.of(
    "production",
    "Of each building that makes units or upgrades: a row for each product (a reactor's overlap), for the "
    "cooldown of a Warp Gate, for each time in which it had nothing to do, and for each item that was cancelled "
    "in its queue. `tick` is the start, of a cancelled item the order. If the end less the build time of a "
    "Protoss unit or a Warp Gate lies before the end of the product before it, as far as a chrono boost explains, "
    "that end is the start.",
    *WHEN,
    *words("unit unit_type"),
    word("state", "busy, idle or cancelled."),
    word("product", "Or the type that the building becomes."),
    Column("product_unit", "int64", "Tag of the product; null for upgrades."),
    *END,
    Column("follows", "bool", "It began when the last product of the building ended."),
    Column(
        "overlaps",
        "bool",
        "It begins while its building makes something else, or with a reactor two things. A building makes one "
        "thing at a time, so one of them is of another building (unless `known_by` is tracker), or its build time "
        "was shorter than that of the build: in missions, and by boosts without an order.",
    ),
    Column("ordered_tick", "int32", "When the product was ordered; null if the order is unknown.", "ticks"),
    Column("ordered_seconds", "float64", "`seconds` at `ordered_tick`.", "s"),
    Column(
        "waiting",
        "int32",
        "Items in the building's queue after this one when it began: products ordered until then that began "
        "later, and cancelled items.",
    ),
    word("boosted"),
    word(
        "known_by",
        "The building: tracker (since 4.x, and for morphs), place (the nearest that can make it), only (no other "
        "can), free (the first without other work), ready (of Warp Gates, the one whose cooldown ended first), "
        "order (cancelled items: the building was selected).",
    ),
)

#: The columns of `_Row`; those of loops also give seconds.
_COLUMNS = [name for name in PRODUCTION.column_names if not name.endswith("seconds") and name != "overlaps"]


@event_table(PRODUCTION, *WORK_READ)
def production(tracker: EventStream, source: TableSource) -> pa.Table:
    held = work_of(tracker, source)
    ordered, cancelled = queues_of(held, source)
    by_building: dict[int, list[Work]] = {}
    for work in held.works:
        by_building.setdefault(work.building.tag, []).append(work)
    dropped: dict[int, list[CancelledItem]] = {}
    for item in cancelled:
        dropped.setdefault(item.building, []).append(item)
    over = max((source.duration[0] or 0, *tracker.rows.heads[0][-1:]))
    facts = production_facts_of(tracker, source)
    rows: list[_Row] = []
    for tag, building in held.buildings.items():
        rows += _of_building(held, building, by_building.get(tag, ()), ordered, dropped.get(tag, ()), over, facts)
    rows.sort(key=itemgetter(0, 2))
    columns: dict[str, Any] = dict.fromkeys(_COLUMNS, ())
    if rows:
        columns = dict(zip(_COLUMNS, zip(*rows, strict=True), strict=True))
    columns["overlaps"] = list(_overlaps(rows, held.buildings))
    for name in ("", "end_", "ordered_"):
        loops = array("q", [NOTHING if each is None else each for each in columns[f"{name}tick"]])
        columns |= when(loops, source, name)
    return PRODUCTION.build(columns)


def _overlaps(rows: Sequence[_Row], buildings: Mapping[int, Building]) -> Iterator[bool | None]:
    """Yield whether a product begins while its building makes one, with a reactor two; rows are in order."""
    running: dict[int, list[int]] = {}
    for start, _, tag, _, state, _, _, end, *_ in rows:
        if state != BUSY:
            yield None
            continue
        now = [until for until in running.get(tag, ()) if until > start + _NO_GAP]
        yield len(now) > buildings[tag].may_have_reactor
        running[tag] = [*now, _FOREVER if end is None else end]


def _of_building(
    held: WorkLog,
    building: Building,
    works: Sequence[Work],
    ordered: Mapping[int, int],
    dropped: Sequence[CancelledItem],
    over: int,
    facts: ProductionFacts,
) -> Iterator[_Row]:
    """Yield the rows of a building; `over` is the last loop of the game."""
    starts, units = held.steps.starts, held.steps.units
    names, codes = held.steps.names.names, held.steps.names.codes
    player, tag, type_at = building.player, building.tag, building.type_at
    # From the order to the start, or to the cancelling, an item waits.
    waits = [(ordered[work.step], starts[work.step]) for work in works if work.step in ordered]
    waits += [(item.ordered, item.loop) for item in dropped]
    waits = [(since, until) for since, until in waits if since < until]
    since, until = map(sorted, zip(*waits, strict=True)) if waits else ([], [])  # in missions few have any
    spans: list[tuple[int, int | None]] = [(item.ordered, item.loop) for item in dropped]
    last = -1
    for work in works:
        start, unit, product = starts[work.step], units[work.step], names[codes[work.step]]
        boosted = held.boosted(work)
        may_wait = product == GATE or (work.how == PLACE and product in facts.boosted)
        if may_wait and start + _NO_GAP < last and work.end is not None:
            fastest = facts.fastest * (work.end - start) - _NO_GAP
            if work.end - last >= fastest:  # an unknown boost: it began when the product before it ended
                start, boosted = last, True
        # The cooldown of a Warp Gate may outlast the game.
        end = None if work.end is None or work.end > over else work.end
        spans.append((start, end))
        about = (start, player, tag, type_at(start) or building.types[0][2], BUSY, product)
        made = (None if unit == NOTHING else unit, end, abs(start - last) <= _NO_GAP, ordered.get(work.step))
        waiting = bisect_right(since, start) - bisect_right(until, start)
        yield (*about, *made, waiting, boosted, work.how)
        last = -1 if work.end is None else work.end
    for item in dropped:
        known = (item.ordered, player, tag, type_at(item.ordered), CANCELLED, item.product)
        yield (*known, None, item.loop, None, item.ordered, None, None, "order")
    for start, end in _idle(building, spans):
        yield (start, player, tag, type_at(start), IDLE, None, None, end, *(None,) * 5)


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
