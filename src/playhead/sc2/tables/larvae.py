"""Tables of larvae: injects by queens, hatcheries, casters, with the energy that waited."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from math import hypot
from typing import Any, NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.protocol.tables import TRACKER
from playhead.blizzard.tables.registry import END, WHEN, StreamSource, moment
from playhead.blizzard.units.tracked import HISTORY_EVENTS, own_tag, unit_history, unit_spans
from playhead.runtime.libraries import pa
from playhead.sc2.state.casts import CASTS_READ, Born, EconomyCast, births, casters_of, casts_of
from playhead.sc2.state.energy import QUEEN, energy_for_economy
from playhead.sc2.state.map.places import places_of, stays_of
from playhead.sc2.state.players.tracked_players import loops_within
from playhead.sc2.tables.casts import CAST_COLUMNS, cast_row
from playhead.sc2.tables.registry import TableSource, event_table, table
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

#: Injected larvae appear one after another, the first so many loops after the queen injected: most orders of the
#: corpus are 644 to 647 loops before such larvae, in every version.
HATCH_LOOPS = 644
#: Loops between injected larvae, and how many there are at least.
_GAP, _BROOD = 4, 3
#: An order so soon after another for the same hatchery repeats it.
_REPEATED = 22
#: Tolerance in loops; and the longest wait, as the queen may have a long way to go, or other injects before this.
_EARLY, _LATE = 8, 4_000


class Injection(NamedTuple):
    """One inject.

    Attributes:
        start: loop of its order, or without one when it must have begun.
        hatchery: unit tag.
        order: index of its order; None if only larvae show it.
        larvae: loop of its first larva, or None.
    """

    start: int
    hatchery: int
    order: int | None
    larvae: int | None


def broods(loops: Iterable[int]) -> list[int]:
    """Return the first loop of each brood of injected larvae, from the births of a hatchery's larvae."""
    born = sorted(loops)
    present = set(born)
    found: list[int] = []
    for loop in born:
        if found and loop <= found[-1] + _GAP * (_BROOD - 1):
            continue
        if all(loop + _GAP * number in present for number in range(1, _BROOD)):
            found.append(loop)
    return found


def injections(orders: Iterable[tuple[int, int]], hatched: Mapping[int, Iterable[int]]) -> list[Injection]:
    """Return the injects of a game, in order of their starts.

    Args:
        orders: loop and hatchery of each order, in order of time.
        hatched: by hatchery, the loops in which its larvae were born.
    """
    of_hatchery: dict[int, deque[tuple[int, int]]] = {}
    for number, (loop, hatchery) in enumerate(orders):
        queue = of_hatchery.setdefault(hatchery, deque())
        if not queue or loop > queue[-1][0] + _REPEATED:
            queue.append((loop, number))
    found = []
    for hatchery in {**of_hatchery, **dict.fromkeys(hatched)}:
        waiting = of_hatchery.get(hatchery, deque())
        for brood in broods(hatched.get(hatchery, ())):
            latest = brood - HATCH_LOOPS + _EARLY
            while waiting and waiting[0][0] < brood - _LATE:
                loop, number = waiting.popleft()
                found.append(Injection(loop, hatchery, number, None))
            if waiting and waiting[0][0] <= latest:
                loop, number = waiting.popleft()
                found.append(Injection(loop, hatchery, number, brood))
            else:
                found.append(Injection(max(0, brood - HATCH_LOOPS), hatchery, None, brood))
        found += [Injection(loop, hatchery, number, None) for loop, number in waiting]
    return sorted(found, key=lambda each: (each.start, each.hatchery))


_INJECT, _LARVA = "SpawnLarva", "Larva"
#: Larvae appear below their hatchery, at most so many cells away.
_NEAR = 9.0
#: Hatcheries that are compared: real games have fewer.
_MOST_HATCHERIES = 256

INJECTS = TableSchema.of(
    "injects",
    "One row for each inject: an order, repetitions within a second left out, or larvae without a recorded order.",
    *CAST_COLUMNS,
    word("target_unit", "The hatchery."),
    word("known_by", "order; or larvae, if only they show it: `tick` is then 644 loops before."),
    Column(
        "larvae_tick",
        "int32",
        "When its larvae appeared; null if none did: no queen came, she had no energy, or the game ended.",
        "ticks",
    ),
    Column("larvae_seconds", "float64", "`seconds` at `larvae_tick`.", "s"),
)


@table(INJECTS, reads=CASTS_READ)
def injects(source: TableSource) -> pa.Table:
    rate = source.loops_per_second
    casts, found = injections_in(source)
    owners = {hatchery: larvae[0].player for hatchery, larvae in larvae_of(source).items()}
    rows: list[dict[str, Any]] = []
    for each in found:
        if each.order is None:
            about = {**moment(each.start, rate), "player": owners.get(each.hatchery), "known_by": "larvae"}
        else:
            about = cast_row(casts[each.order], rate) | {"known_by": "order"}
        rows.append({**about, "target_unit": each.hatchery, **moment(each.larvae, rate, "larvae_")})
    return INJECTS.build_rows(rows)


def injections_in(source: StreamSource) -> tuple[list[EconomyCast], list[Injection]]:
    """Return the orders to inject of a replay, and its injects."""
    casts = [cast for cast in casts_of(source) if cast.order.name == _INJECT and cast.order.target is not None]
    orders = [(cast.order.loop, cast.order.target or 0) for cast in casts]
    hatched = {tag: [larva.loop for larva in larvae] for tag, larvae in larvae_of(source).items()}
    return casts, injections(orders, hatched)


def larvae_of(source: StreamSource) -> dict[int, list[Born]]:
    """Return the larvae by the tag of their hatchery, cached for several tables."""
    tracker = source.stream(TRACKER)
    return {} if tracker is None else tracker.once("larvae", lambda _: _larvae_of(source))


def _larvae_of(source: StreamSource) -> dict[int, list[Born]]:
    """Return the larvae by the tag of their creator, or else of the nearest hatchery."""
    found: dict[int, list[Born]] = {}
    larvae = births(source, _LARVA)
    places: Sequence[Any] = ()
    if any(larva.creator is None for larva in larvae):
        tracker = source.stream(TRACKER)
        assert tracker is not None
        history = unit_history(tracker)
        cells = source.event_scope.tracker_cells
        places = [
            (stay, own_tag(history, stay.row))
            for stay in stays_of(unit_spans(tracker), history.texts, cells, ())
            if stay.x is not None
        ][:_MOST_HATCHERIES]
    for larva in larvae:
        tag = larva.creator if larva.creator is not None else _nearest(larva, places)
        if tag is not None:
            found.setdefault(tag, []).append(larva)
    return found


def _nearest(larva: Born, places: Sequence[Any]) -> int | None:
    """Return the player's hatchery nearest to a larva."""
    near = [
        (hypot(stay.x - larva.x, stay.y - larva.y), tag)
        for stay, tag in places
        if stay.player == larva.player
        and stay.start <= larva.loop
        and (stay.end is None or larva.loop <= stay.end)
    ]
    distance, tag = min(near, default=(_NEAR, None))
    return tag if distance < _NEAR else None


#: A hatchery stops making larvae at this number.
_FULL = 3
_ZERG = frozenset({"Hatchery", "Lair", "Hive"})
#: Loops between two looks at the energy of a caster: a second of the game.
_STEP = 16
_INJECTED, _TUMORS, _TRANSFUSION = "SpawnLarva", ("BuildCreepTumor", "CreepTumor"), "QueenTransfusion"

HATCHERIES = TableSchema.of(
    "hatcheries",
    "One row for each finished Hatchery, Lair or Hive: its injects and larvae. `tick` is the end of construction.",
    *WHEN,
    *END,
    *words("unit unit_type base clock"),
    Column("inject_count", "int32", "Injects whose larvae appeared."),
    Column("injected_seconds", "float64", "Time in which an inject was under way, 644 loops each.", "s"),
    Column(
        "injectable_seconds",
        "float64",
        "Time in which an inject could have been under way: from the later of its end of construction and the "
        "birth of the player's first queen.",
        "s",
    ),
    Column("inject_share", "float64", "`injected_seconds` by `injectable_seconds`; null if that is 0."),
    Column("larvae_count", "int32", "Larvae that appeared here."),
    Column(
        "larvae_idle_seconds", "float64", "Sum over its larvae of the time until they became eggs or died.", "s"
    ),
    Column("full_seconds", "float64", "Time with three larvae or more, when it makes no more by itself.", "s"),
)

CASTERS = TableSchema.of(
    "casters",
    "One row for each finished Nexus, Orbital Command and Queen: its casts, and how long its energy waited. "
    "Casts count if it was the only one selected that can cast them, or is known as the caster of a MULE.",
    *WHEN,
    *END,
    word("unit"),
    word("unit_type", "Nexus, OrbitalCommand or Queen, also for their other forms."),
    Column("casts_known", "int32", "Orders to cast, as in `boosts`, `injects`, `mules`, `scans`, and others."),
    Column("injects_cast", "int32", "Orders to inject."),
    Column("tumors_cast", "int32", "Orders to plant a creep tumor."),
    Column("transfusions_cast", "int32", "Orders to transfuse."),
    Column(
        "idle_seconds",
        "float64",
        "Time in which it had energy for an inject (25), a MULE (50) or a chrono boost (50, before Legacy of the "
        "Void 25), by table `energy`; null where boosts are free.",
        "s",
    ),
    Column("unknown_seconds", "float64", "Time in which its energy is not known.", "s"),
)


@event_table(HATCHERIES, *HISTORY_EVENTS, *CASTS_READ)
def hatcheries(tracker: EventStream, source: TableSource) -> pa.Table:
    history, spans, rate = unit_history(tracker), unit_spans(tracker), source.loops_per_second
    cells, over = source.event_scope.tracker_cells, _end(tracker, source)
    places = places_of(tracker, cells)
    larvae = larvae_of(source)
    ready: dict[int, list[int]] = {}
    for each in injections_in(source)[1]:
        if each.larvae is not None:
            ready.setdefault(each.hatchery, []).append(each.larvae)
    first_queen: dict[int, int] = {}
    for lives in casters_of(source).lives.values():
        if lives[0].kind == QUEEN:
            first_queen[lives[0].player] = min(lives[0].start, first_queen.get(lives[0].player, over))
    rows = []
    for stay in stays_of(spans, history.texts, cells, ()):
        tag = own_tag(history, stay.row)
        if stay.unit_type not in _ZERG or stay.finished is None or tag is None:
            continue
        end = over if stay.end is None else stay.end
        since = max(stay.finished, first_queen.get(stay.player, end))
        able = max(0, end - since)
        under = [(max(0, loop - HATCH_LOOPS), loop) for loop in ready.get(tag, ())]
        injected = min(able, loops_within(joined(under), since, end))
        waits = [(larva.loop, end if larva.end is None else min(larva.end, end)) for larva in larvae.get(tag, ())]
        known = stay.x is not None and stay.y is not None
        place = places.at(stay.x or 0.0, stay.y or 0.0) if known else None
        rows.append(
            {
                **moment(stay.finished, rate),
                **moment(stay.end, rate, "end_"),
                "player": stay.player,
                "unit": tag,
                "unit_type": stay.unit_type,
                "base": None if place is None else place.number,
                "clock": places.clock(stay.x or 0.0, stay.y or 0.0) if known else None,
                "inject_count": len(under),
                "injected_seconds": injected / rate,
                "injectable_seconds": able / rate,
                "inject_share": injected / able if able else None,
                "larvae_count": len(waits),
                "larvae_idle_seconds": sum(max(0, until - since) for since, until in waits) / rate,
                "full_seconds": _full(waits) / rate,
            }
        )
    return HATCHERIES.build_rows(rows)


def _end(tracker: EventStream, source: TableSource) -> int:
    """Return the last loop of the game."""
    return max(source.duration[0] or 0, tracker.rows.heads[0][-1])


def joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans of loops without overlaps."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return found


def _full(waits: Sequence[tuple[int, int]]) -> int:
    """Return the loops in which at least `_FULL` larvae waited."""
    changes = sorted([(since, 1) for since, _ in waits] + [(until, -1) for _, until in waits])
    total = count = last = 0
    for loop, change in changes:
        if count >= _FULL:
            total += loop - last
        count, last = count + change, loop
    return total


@event_table(CASTERS, *HISTORY_EVENTS, *CASTS_READ)
def casters(tracker: EventStream, source: TableSource) -> pa.Table:
    rate, over = source.loops_per_second, _end(tracker, source)
    held = casters_of(source)
    casts: dict[int, Counter[str]] = {}
    for cast in held.casts:
        if cast.caster is not None:
            casts.setdefault(cast.caster, Counter())[cast.order.name] += 1
    rows: list[dict[str, Any]] = []
    for tag, lives in held.lives.items():
        kind, start = lives[0].kind, lives[0].start
        end = None if lives[-1].end == NOTHING else lives[-1].end
        done, needed = casts.get(tag, Counter()), energy_for_economy(kind, source.builds[0])
        loops = range(start, min(over if end is None else end, over), _STEP)
        waited, unknown = held.book.counts(tag, loops, needed or 0.0)
        rows.append(
            {
                **moment(start, rate),
                **moment(end, rate, "end_"),
                "player": lives[0].player,
                "unit": tag,
                "unit_type": kind,
                "casts_known": done.total(),
                "injects_cast": done[_INJECTED],
                "tumors_cast": sum(done[name] for name in _TUMORS),
                "transfusions_cast": done[_TRANSFUSION],
                "idle_seconds": None if needed is None else waited * _STEP / rate,
                "unknown_seconds": unknown * _STEP / rate,
            }
        )
    return CASTERS.build_rows(sorted(rows, key=lambda row: (row["tick"], row["unit"])))
