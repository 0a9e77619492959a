"""The table ``energy``: the energy of Nexuses, Orbital Commands and Queens over time."""

from __future__ import annotations

from array import array

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.tables.columns import WHEN, may_make, when
from playhead.clock import interval_ticks
from playhead.runtime.libraries import pa
from playhead.sc2.state.casts.casters import CASTS_READ, casters_of
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables.number_columns import int32_column, int64_column
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word

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
    """Return the table ``energy``."""
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
