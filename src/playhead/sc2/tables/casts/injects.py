"""The table ``injects``: larvae that queens inject into hatcheries."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from math import hypot
from typing import Any, NamedTuple

from playhead.blizzard.protocol.tables import TRACKER
from playhead.blizzard.tables.columns import moment
from playhead.blizzard.tables.registry import StreamSource
from playhead.blizzard.units.tracked import own_tag, unit_history, unit_spans
from playhead.runtime.libraries import pa
from playhead.sc2.state.casts.casters import CASTS_READ, Born, EconomyCast, births, casts_of
from playhead.sc2.state.map.stays import stays_of
from playhead.sc2.tables.casts.columns import CAST_COLUMNS, cast_row
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word

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
    """Return the table ``injects``."""
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
