"""The tables ``unit_counts`` and ``unit_types``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.commands import CmdEvent
from playhead.blizzard.events.tracker import UpgradeEvent
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.blizzard.tables.registry import WHEN, when
from playhead.blizzard.units.states import counts_of
from playhead.blizzard.units.tracked import HISTORY_EVENTS, unit_history, unit_spans
from playhead.clock import interval_ticks
from playhead.runtime.libraries import pa
from playhead.sc2.abilities.unit_types import (
    CLASSES,
    display_name,
    in_words,
    unit_facts,
    upgrade_cost,
    upgrade_race,
)
from playhead.sc2.state.orders import COMMANDS_READ, command_abilities
from playhead.sc2.state.production.facts import DRONE, OF_DRONES, ProductionFacts
from playhead.sc2.state.production.from_replay import PRODUCTION_EVENTS, production_facts_of, steps
from playhead.sc2.state.production.records import INIT, UPGRADE, StepColumns
from playhead.sc2.tables.registry import TableSource, event_table, table
from playhead.tables import arrow
from playhead.tables.number_columns import int32_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.vocabulary import word

_EVERY = "5s"
#: Types that are bookkeeping of the game or of a map.
NOT_COUNTED = re.compile(r"^Beacon|^ReleaseInterceptorsBeacon|Dummy|Placeholder|^Shape")

UNIT_COUNTS = TableSchema.of(
    "unit_counts",
    "Units of each player and type every 5 seconds of the game's clock, or at the interval of the option "
    '`every` (``"10s"``, ``"1 min"``, ``"160 ticks"``). Without any there is no row; hallucinations and beacons '
    "do not count. A living larva is an idle one.",
    *WHEN,
    word("unit_type"),
    Column(
        "units_alive",
        "int32",
        "Finished units that live then. An egg or cocoon is a unit of its own type; a drone that became a "
        "building does not count.",
    ),
    Column(
        "units_in_progress",
        "int32",
        "Units under construction, in training or in an egg or cocoon, and the results of morphs in progress; "
        "starts are those of `build_order`.",
    ),
    word(
        "units_lost",
        "Until then, with a known killer, expired MULEs too. A construction that ended by its "
        "owner (a cancelled building, a warp-in without its pylon) is not lost.",
    ),
    group="series",
)


@event_table(UNIT_COUNTS, *PRODUCTION_EVENTS, options=("every",))
def unit_counts(tracker: EventStream, source: TableSource, every: int | float | str = _EVERY) -> pa.Table:
    interval = interval_ticks(every, source.loops_per_second)
    loops = tracker.rows.heads[0]
    texts = unit_history(tracker).texts
    names = list(texts)
    more = _in_production(steps(tracker, source), names)
    shown = [NOT_COUNTED.search(text) is None for text in texts]
    drone = names.index(DRONE) if DRONE in names else -1
    inside = [drone if text in OF_DRONES else -1 for text in texts]
    found = counts_of(unit_spans(tracker), shown, inside, more, interval, loops[-1] if loops else 0)
    return UNIT_COUNTS.build(
        {
            **when(found["tick"], source),
            "player": int32_column(found["player"], NOTHING),
            "unit_type": arrow.category(int32_column(found["unit_type"], NOTHING), names),
            **{f"units_{name}": int32_column(found[name], NOTHING) for name in ("alive", "in_progress", "lost")},
        }
    )


def _in_production(made: StepColumns, names: list[str]) -> list[tuple[int, int, int, int]]:
    """Return player, type, start and end of each unit whose production is not a unit of its own. Types are indices
    of `names`, which gets the missing ones."""
    places = {name: place for place, name in enumerate(names)}
    kinds = []
    for name in made.names.names:
        if name not in places:
            places[name] = len(names)
            names.append(name)
        kinds.append(places[name])
    inside = [source != INIT for source in made.sources.names]
    units = [kind != UPGRADE for kind in made.kinds.names]
    rows = zip(
        made.players, made.names.codes, made.starts, made.ends, made.sources.codes, made.kinds.codes, strict=True
    )
    return [
        (player, kinds[name], start, end)
        for player, name, start, end, by, kind in rows
        if inside[by] and units[kind]
    ]


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
