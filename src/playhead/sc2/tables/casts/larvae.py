"""The tables ``hatcheries`` and ``casters``: injects, larvae and energy that waited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.tables.columns import END, WHEN, moment
from playhead.blizzard.units.tracked import HISTORY_EVENTS, own_tag, unit_history, unit_spans
from playhead.runtime.libraries import pa
from playhead.sc2.state.casts.casters import CASTS_READ, casters_of
from playhead.sc2.state.casts.energy import QUEEN, energy_for_economy
from playhead.sc2.state.map.places import places_of
from playhead.sc2.state.map.stays import stays_of
from playhead.sc2.state.players.macro_metrics import loops_within
from playhead.sc2.tables.casts.injects import HATCH_LOOPS, injections_in, larvae_of
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word, words

#: A hatchery stops making larvae at this number.
_FULL = 3
_ZERG = frozenset({"Hatchery", "Lair", "Hive"})
#: Loops between two looks at the energy of a caster: a second of the game.
_STEP = 16
_INJECT, _TUMORS, _TRANSFUSION = "SpawnLarva", ("BuildCreepTumor", "CreepTumor"), "QueenTransfusion"

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
    """Return the table ``hatcheries``."""
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
    """Return the table ``casters``."""
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
                "injects_cast": done[_INJECT],
                "tumors_cast": sum(done[name] for name in _TUMORS),
                "transfusions_cast": done[_TRANSFUSION],
                "idle_seconds": None if needed is None else waited * _STEP / rate,
                "unknown_seconds": unknown * _STEP / rate,
            }
        )
    return CASTERS.build_rows(sorted(rows, key=lambda row: (row["tick"], row["unit"])))
