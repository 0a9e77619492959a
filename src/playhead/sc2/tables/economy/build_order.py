"""The table ``build_order``: each player's production with start, end and supply."""

from __future__ import annotations

from playhead.runtime.libraries import pa
from playhead.sc2.encoding.field_column import NOTHING
from playhead.sc2.events.columns import EventStream
from playhead.sc2.state.casts.boosts import boosts_of
from playhead.sc2.state.production.facts import production_facts
from playhead.sc2.state.production.from_replay import steps
from playhead.sc2.state.production.records import STRUCTURE
from playhead.sc2.state.production.step_columns import Named, StepColumns
from playhead.sc2.state.production.work_log import WORK_READ, work_of
from playhead.sc2.tables.columns import PLAYER, UNIT, WHEN
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.number_columns import float64_column, int32_column, int64_column
from playhead.tables.schema import Column, TableSchema

BUILD_ORDER = TableSchema.of(
    "build_order",
    "Everything that players made or began to make after the start, in the order of starts: units (with "
    "workers), structures, morphs and upgrades; not units without an order (larvae, broodlings, MULEs …). "
    "`tick` and `seconds` are the start.",
    *WHEN,
    PLAYER,
    Column("kind", "category", "unit, structure, morph (a unit or structure that became another) or upgrade."),
    Column(
        "name",
        "string",
        "Name of the unit type or upgrade. For an egg that never hatched, the ordered unit; Egg if unknown.",
    ),
    Column("supply", "float64", "Supply in use just before it began.", "supply"),
    Column("supply_made", "float64", "Supply provided just before it began.", "supply"),
    Column(
        "start_source",
        "category",
        "Source of the start: init (the tracker), morph (the tracker, for eggs and cocoons), command (the "
        "order that began it), queue (the end of the last product of its building; up to 3.x for probes, by "
        "the time between their births), born_minus_build_time (its end minus the build time), unknown "
        "(`tick` is the end).",
    ),
    Column("end_tick", "int64", "When it was finished, cancelled or lost; null if it never was.", "ticks"),
    Column("end_seconds", "float64", "The same in seconds of the clock that the game shows.", "s"),
    Column(
        "outcome",
        "category",
        "finished, cancelled, lost (killed before it was finished) or unfinished. Units and upgrades whose "
        "production was cancelled in a building leave no trace and are not here.",
    ),
    UNIT,
    Column(
        "boosted",
        "bool",
        "Whether the building that made it had a chrono boost meanwhile (see `production`); null if the "
        "building is unknown. Constructions and eggs cannot be boosted.",
    ),
    version=4,
)


@event_table(BUILD_ORDER, *WORK_READ)
def build_order(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``build_order``."""
    rate = source.loops_per_second
    held = steps(tracker, source)
    return BUILD_ORDER.build(
        {
            "tick": int64_column(held.starts, NOTHING),
            "seconds": float64_column(held.starts, NOTHING, divisor=rate),
            "player": int32_column(held.players, NOTHING),
            "kind": _category(held.kinds),
            "name": _category(held.names),
            "supply": arrow.float64_array(held.supply_used),
            "supply_made": arrow.float64_array(held.supply_made),
            "start_source": _category(held.sources),
            "end_tick": int64_column(held.ends, NOTHING),
            "end_seconds": float64_column(held.ends, NOTHING, divisor=rate),
            "outcome": _category(held.outcomes),
            "unit": int64_column(held.units, NOTHING),
            "boosted": _boosted(held, tracker, source),
        }
    )


def _category(texts: Named) -> pa.Array:
    return arrow.category(arrow.int32_array(texts.codes), texts.names)


def _boosted(held: StepColumns, tracker: EventStream, source: TableSource) -> list[bool | None]:
    """Return whether each step was boosted."""
    if not boosts_of(source):
        return [False] * len(held.starts)
    facts = production_facts(source.builds[0])
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
