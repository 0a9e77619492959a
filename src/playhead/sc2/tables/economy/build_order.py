"""The table ``build_order``: each player's production with start, end and supply."""

from __future__ import annotations

from array import array

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.tables.columns import END, WHEN, when
from playhead.blizzard.units import changes
from playhead.blizzard.units.tracked import unit_history
from playhead.runtime.libraries import pa
from playhead.sc2.abilities.unit_types import unit_facts, upgrade_race
from playhead.sc2.state.casts.boosts import boosts_of
from playhead.sc2.state.casts.energy import NEXUS, boosts_are_free
from playhead.sc2.state.production.from_replay import production_facts_of, steps
from playhead.sc2.state.production.records import MORPHED, STRUCTURE
from playhead.sc2.state.production.step_columns import Named, StepColumns
from playhead.sc2.state.production.work_log import WORK_READ, work_of
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.number_columns import float32_column, int32_column, int64_column
from playhead.tables.schema import TableSchema
from playhead.tables.vocabulary import word

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
    """Return the table ``build_order``."""
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
