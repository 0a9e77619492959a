"""The table ``unit_types``: names, race, class, cost and supply of the units in a replay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.commands import CmdEvent
from playhead.blizzard.events.tracker import UpgradeEvent
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.blizzard.units.tracked import HISTORY_EVENTS, unit_history
from playhead.runtime.libraries import pa
from playhead.sc2.abilities.unit_types import (
    CLASSES,
    display_name,
    in_words,
    unit_facts,
    upgrade_cost,
    upgrade_race,
)
from playhead.sc2.state.orders.command_rows import COMMANDS_READ, command_abilities
from playhead.sc2.state.production.facts import ProductionFacts
from playhead.sc2.state.production.from_replay import production_facts_of
from playhead.sc2.tables.registry import TableSource, table
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word

UNIT_TYPES = TableSchema.of(
    "unit_types",
    "One row for each type of units and each upgrade in the tracker, and for each command that was ordered: "
    "its name as players know it, and its values in this build. Other tables have its `catalog_key`.",
    word("kind", "unit, upgrade or command."),
    Column("catalog_key", "category", "Name in the game data: SiegeTankSieged, zerglingmovementspeed, TrainSCV."),
    word("name", "Siege Tank (Sieged), Metabolic Boost, Train SCV; else the name in words."),
    word("race", "Null if unknown, and for things of no race."),
    Column(
        "unit_class",
        "category",
        f"Of a unit: {', '.join(CLASSES)}. Support: overlords, larvae, eggs; summoned: without a cost, as "
        "MULEs and broodlings. Null for things of no race, co-op and arcade units.",
    ),
    Column("form_of", "category", "The type of which this is another form: sieged, burrowed, flying …"),
    word("minerals", "The cost, with that of the unit from which it was made; null if unknown."),
    word("vespene", "The cost, likewise."),
    word("supply", "That it takes."),
    word("supply_made", "When finished."),
    Column("build_ticks", "int32", "Build time without boosts; null if unknown.", "ticks"),
    Column("build_seconds", "float64", "`build_ticks` in seconds.", "s"),
)
#: Columns of `UnitFacts`.
_OF_UNITS = ("name", "race", "minerals", "vespene", "form_of")


@table(UNIT_TYPES, reads=(*HISTORY_EVENTS, UpgradeEvent, *COMMANDS_READ))
def unit_types(source: TableSource) -> pa.Table:
    """Return the table ``unit_types``."""
    tracker, game = source.stream(TRACKER), source.stream(GAME)
    rows: list[dict[str, Any]] = []
    facts = production_facts_of(tracker, source)
    if tracker is not None and tracker.kinds:
        rows += _units(tracker, facts)
        rows += _upgrades(tracker, facts)
    if game is not None and game.has(CmdEvent):
        rows += _commands(game, source, facts)
    for row in rows:
        loops = facts.build_loops.get(row["catalog_key"])
        if loops is not None:
            row |= {"build_ticks": loops, "build_seconds": loops / source.loops_per_second}
    return UNIT_TYPES.build_rows(rows)


def _units(tracker: EventStream, facts: ProductionFacts) -> Iterator[dict[str, Any]]:
    for name in sorted({tracker.rows.texts[place] for place in set(unit_history(tracker).unit_type) - {NOTHING}}):
        unit = unit_facts(name, facts.base_build)
        row: dict[str, Any] = {"kind": "unit", "catalog_key": name, "unit_class": unit.kind}
        row |= {fact: getattr(unit, fact) for fact in _OF_UNITS}
        if unit.kind is not None:
            row |= {"supply": facts.supply(name), "supply_made": facts.provides(name)}
        yield row


def _upgrades(tracker: EventStream, facts: ProductionFacts) -> Iterator[dict[str, Any]]:
    places = set(tracker.of(UpgradeEvent).numbers("upgrade")) - {NOTHING}
    for name in sorted(tracker.rows.texts[place] for place in places):
        minerals, vespene = upgrade_cost(name, facts.base_build) or (None, None)
        about = {"kind": "upgrade", "catalog_key": name, "name": display_name(name), "race": upgrade_race(name)}
        yield about | {"minerals": minerals, "vespene": vespene}


def _commands(game: EventStream, source: TableSource, facts: ProductionFacts) -> Iterator[dict[str, Any]]:
    for name in sorted(command_abilities(game, source)[1]):
        product = facts.products.get(name)
        race = None if product is None else unit_facts(product, facts.base_build).race or upgrade_race(product)
        verb = in_words(name).partition(" ")[0]
        shown = in_words(name) if product is None else f"{verb} {display_name(product)}"
        yield {"kind": "command", "catalog_key": name, "name": shown, "race": race}
