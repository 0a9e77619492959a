"""The table ``build_order``: each player's production with start, end and supply."""

from __future__ import annotations

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.tables.columns import END, WHEN, when
from playhead.runtime.libraries import pa
from playhead.sc2.state.casts.boosts import boosts_of
from playhead.sc2.state.casts.energy import NEXUS, boosts_are_free
from playhead.sc2.state.production.from_replay import production_facts_of, steps
from playhead.sc2.state.production.records import STRUCTURE
from playhead.sc2.state.production.step_columns import Named, StepColumns
from playhead.sc2.state.production.work_log import WORK_READ, work_of
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.number_columns import int32_column, int64_column
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word

BUILD_ORDER = TableSchema.of(
    "build_order",
    "Everything that players made or began to make after the start, in the order of starts: units (with "
    "workers), structures, morphs and upgrades; not units without an order (larvae, broodlings, MULEs …). "
    "`tick` and `seconds` are the start.",
    *WHEN,
    word("kind", "unit, structure, morph (a unit or structure that became another) or upgrade."),
    word("product", "For an egg that never hatched, the ordered unit; Egg if unknown."),
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
    """Return the table ``build_order``."""
    held = steps(tracker, source)
    return BUILD_ORDER.build(
        {
            **when(held.starts, source),
            "player": int32_column(held.players, NOTHING),
            "kind": _category(held.kinds),
            "product": _category(held.names),
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
