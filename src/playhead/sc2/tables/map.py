"""Tables of places: bases, engagements, units in cells of the map."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.tracker import UnitPositionsEvent
from playhead.blizzard.tables.registry import END, WHEN, may_make, moment, when
from playhead.blizzard.units.tracked import (
    HISTORY_EVENTS,
    deaths_in,
    own_tag,
    unit_history,
    unit_positions,
    unit_spans,
)
from playhead.clock import interval_ticks
from playhead.runtime.libraries import cast_array, pa, pc
from playhead.sc2.abilities.unit_types import unit_facts
from playhead.sc2.state.map.nearby import chained, first_of_groups, squares_of, steps_of
from playhead.sc2.state.map.places import ResourcePlace, ResourcePlaces, Stay, places_of, stays_of
from playhead.sc2.state.orders import COMMANDS_READ, named_orders
from playhead.sc2.state.production.facts import is_produced
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.sc2.tables.unit_types import NOT_COUNTED
from playhead.tables import arrow
from playhead.tables.number_columns import float64_column, int32_column
from playhead.tables.schema import Column, TableSchema
from playhead.tables.value_arrays import scalar_of
from playhead.tables.vocabulary import word, words

_LANDINGS = frozenset({"LandCommandCenter", "LandOrbitalCommand"})

BASES = TableSchema.of(
    "bases",
    "One row for each stay of a player's town hall at a position, and one without player for each place of "
    "resources that nobody took. `tick` and `seconds` are the start of its construction, or its landing.",
    *WHEN,
    Column(
        "nth",
        "int32",
        "Rank among the player's stays at resources: the natural is 2, the third base 3. Null elsewhere.",
    ),
    *words("base clock x y"),
    Column("is_start", "bool", "A player began here."),
    Column("mineral_fields", "int32", "Mineral patches of the place at the start."),
    Column("geysers", "int32", "Geysers of the place at the start."),
    *words("unit unit_type"),
    Column("finished_tick", "int32", "When it was finished; null if never.", "ticks"),
    Column("finished_seconds", "float64", "`seconds` at `finished_tick`.", "s"),
    *END,
    word(
        "outcome", "lost (destroyed by a player), cancelled, lifted, handed over (to another player) or removed."
    ),
    word("attacker_player", "Who destroyed it."),
)


@event_table(BASES, *HISTORY_EVENTS, *COMMANDS_READ)
def bases(tracker: EventStream, source: TableSource) -> pa.Table:
    history, spans = unit_history(tracker), unit_spans(tracker)
    cells = source.event_scope.tracker_cells
    places = places_of(tracker, cells)
    landings = [
        (order.loop, order.player, order.x, order.y)
        for order in named_orders(source, _LANDINGS)
        if order.player is not None and order.x is not None and order.y is not None
    ]
    stays = stays_of(spans, history.texts, cells, landings)
    taken = [_place(places, stay) for stay in stays]
    starts = {place.number for place, stay in zip(taken, stays, strict=True) if place and not stay.start}
    rate = source.loops_per_second
    nth: dict[int, int] = {}
    rows = []
    for place, stay in zip(taken, stays, strict=True):
        nth[stay.player] = nth.get(stay.player, 0) + (place is not None)
        when = moment(stay.start, rate) | moment(stay.finished, rate, "finished_") | moment(stay.end, rate, "end_")
        row = {name: getattr(stay, name) for name in ("player", "x", "y", "unit_type")} | {
            "nth": None if place is None else nth[stay.player],
            "clock": None if stay.x is None or stay.y is None else places.clock(stay.x, stay.y),
            "unit": own_tag(history, stay.row),
            "outcome": stay.ended,
            "attacker_player": stay.killer,
        }
        rows.append({**when, **row, **_resources(place, starts)})
    known = {place.number for place in taken if place is not None}
    rows += [
        {"clock": place.clock, "x": place.x, "y": place.y, **_resources(place, starts)}
        for place in places.all
        if place.number not in known
    ]
    return BASES.build_rows(rows)


def _place(places: ResourcePlaces, stay: Stay) -> ResourcePlace | None:
    return None if stay.x is None or stay.y is None else places.at(stay.x, stay.y)


def _resources(place: ResourcePlace | None, starts: set[int]) -> dict[str, Any]:
    if place is None:
        return {}
    return {
        "base": place.number,
        "clock": place.clock,
        "is_start": place.number in starts,
        "mineral_fields": place.minerals,
        "geysers": place.geysers,
    }


#: Losses of one engagement are at most so many cells and loops from another of it, and there are so many of them.
_NEAR, _SOON, _LEAST = 16.0, 224, 3
#: A loss is compared with so many before it: no real game has more of them within `_SOON`.
_COMPARED = 256


class Loss(NamedTuple):
    """A unit that another player killed: loop, x and y in cells, its owner, its type and the killer."""

    loop: int
    x: float
    y: float
    player: int
    unit_type: str
    killer: int


def engagements_of(losses: Iterable[Loss]) -> list[list[Loss]]:
    """Return the engagements, in order of their first losses, with their losses in the given order.

    Args:
        losses: in order of time.
    """
    given = list(losses)
    loops = array("q", [loss.loop for loss in given])
    xs, ys = (array("d", map(itemgetter(place), given)) for place in (1, 2))
    groups: dict[int, list[Loss]] = {}
    for first, loss in zip(first_of_groups(loops, xs, ys, _NEAR, _SOON, _COMPARED), given, strict=True):
        groups.setdefault(first, []).append(loss)
    return [members for members in groups.values() if len(members) >= _LEAST]


ENGAGEMENTS = TableSchema.of(
    "engagements",
    "Fights: at least three units and buildings, killed by another player, each within 224 loops and 16 cells "
    "of another. One row for each player who lost or killed something. Units without an "
    "order (broodlings, locusts, hallucinations …) do not count. `tick` is the first loss.",
    *words("tick seconds"),
    Column("engagement", "int32", "Number of the engagement, from 1."),
    Column("is_largest", "bool", "All players together lost the most minerals and vespene in it."),
    word("end_tick", "The last loss."),
    *words("end_seconds x y player"),
    word("units_lost", "Without workers and buildings."),
    word("workers_lost"),
    Column("structures_lost", "int32", "Buildings that the player lost."),
    Column("units_killed", "int32", "Units, workers and buildings of others that the player killed."),
    word("minerals_lost", "Types with an unknown cost count 0."),
    *words("vespene_lost minerals_killed vespene_killed"),
    Column("trade", "int32", "Minerals and vespene killed less lost: above 0 the player gained."),
    Column("lost_types", "list<string>", "Types of what the player lost, the most frequent first."),
    Column("lost_counts", "list<int64>", "How many of each type."),
)


def losses_of(tracker: EventStream, source: TableSource) -> Iterator[Loss]:
    """Yield the units that another player killed, in order of time."""
    history, spans = unit_history(tracker), unit_spans(tracker)
    cells = source.event_scope.tracker_cells
    names = [text if is_produced(text) else None for text in history.texts]
    columns = ("unit_type", "player", "end", "killer", "end_x", "end_y", "hallucinated")
    found = []
    for kind, player, end, killer, x, y, hallucinated in deaths_in(spans, *columns):
        if killer in (NOTHING, 0, player) or player == 0 or hallucinated:
            continue
        name = names[kind] if kind != NOTHING else None
        if name is not None and x != NOTHING and y != NOTHING:
            found.append(Loss(end, x * cells, y * cells, player, name, killer))
    found.sort(key=lambda loss: loss.loop)
    yield from found


@event_table(ENGAGEMENTS, *HISTORY_EVENTS)
def engagements(tracker: EventStream, source: TableSource) -> pa.Table:
    rate = source.loops_per_second
    build = source.builds[0]
    rows: list[dict[str, Any]] = []
    for number, losses in enumerate(engagements_of(losses_of(tracker, source)), 1):
        about = {
            **moment(losses[0].loop, rate),
            **moment(losses[-1].loop, rate, "end_"),
            "engagement": number,
            "x": sum(loss.x for loss in losses) / len(losses),
            "y": sum(loss.y for loss in losses) / len(losses),
        }
        for player in sorted({loss.player for loss in losses} | {loss.killer for loss in losses}):
            rows.append({**about, "player": player, **_of_player(losses, player, build)})
    lost: Counter[int] = Counter()
    for row in rows:
        lost[row["engagement"]] += row["minerals_lost"] + row["vespene_lost"]
    largest = max(lost, key=lambda each: lost[each], default=None)
    return ENGAGEMENTS.build_rows([{**row, "is_largest": row["engagement"] == largest} for row in rows])


def _of_player(losses: Sequence[Loss], player: int, base_build: int) -> dict[str, Any]:
    lost = Counter(loss.unit_type for loss in losses if loss.player == player).most_common()
    killed = Counter(loss.unit_type for loss in losses if loss.killer == player).most_common()
    kinds: Counter[str | None] = Counter()
    for name, count in lost:
        kinds[unit_facts(name, base_build).kind] += count
    lost_value, killed_value = (_value(units, base_build) for units in (lost, killed))
    return {
        "units_lost": kinds.total() - kinds["worker"] - kinds["building"],
        "workers_lost": kinds["worker"],
        "structures_lost": kinds["building"],
        "units_killed": sum(count for _, count in killed),
        "minerals_lost": lost_value[0],
        "vespene_lost": lost_value[1],
        "minerals_killed": killed_value[0],
        "vespene_killed": killed_value[1],
        "trade": sum(killed_value) - sum(lost_value),
        "lost_types": [name for name, _ in lost],
        "lost_counts": [count for _, count in lost],
    }


def _value(units: Sequence[tuple[str, int]], base_build: int) -> tuple[int, int]:
    """Return the minerals and vespene that units cost; nothing for those with an unknown cost."""
    facts = [(unit_facts(name, base_build), count) for name, count in units]
    minerals = sum((each.minerals or 0) * count for each, count in facts)
    return minerals, sum((each.vespene or 0) * count for each, count in facts)


_EVERY = "30s"

UNIT_GRID = TableSchema.of(
    "unit_grid",
    "Finished units of players on squares of 8 by 8 cells of the map, by owner and type, every 30 seconds of the "
    "game's clock or at the interval of the option `every`. A unit is where the tracker last reported it, or else "
    "where it appeared. Hallucinations and beacons do not count. Squares without units have no row.",
    *WHEN,
    word("unit_type"),
    word("cell_x", "A square of 8 cells of the map."),
    word("cell_y", "A square of 8 cells of the map."),
    Column("units_here", "int32", "Recorded and inferred ones."),
    Column(
        "units_recorded",
        "int32",
        "Units whose place the tracker reported since the step before, and buildings, which do not move.",
    ),
    Column("units_inferred", "int32", "Units whose last reported place is older: they may have moved since."),
    Column("mean_age_seconds", "float64", "Mean time since the reports; 0 for buildings.", "s"),
    word("health"),
    group="series",
)


@event_table(UNIT_GRID, UnitPositionsEvent, *HISTORY_EVENTS, options=("every",))
def unit_grid(tracker: EventStream, source: TableSource, every: int | float | str = _EVERY) -> pa.Table:
    interval = interval_ticks(every, source.loops_per_second)
    history, spans, reports = unit_history(tracker), unit_spans(tracker), unit_positions(tracker)
    counted = [NOT_COUNTED.search(text) is None for text in history.texts]
    over = tracker.rows.heads[0][-1]
    steps = steps_of(spans, counted, interval, over)
    if not may_make(sum(steps), over, source, UNIT_GRID.name, "the table unit_grid"):
        steps = array("q", [0]) * len(steps)
    chains = chained(*(reports[name] for name in ("unit", "x", "y")))
    tags = history.tags(spans.columns["row"])
    used = set(spans.columns["unit_type"])
    stays = [place in used and _stays(text, source.builds[0]) for place, text in enumerate(history.texts)]
    eighths = round(source.event_scope.tracker_cells)
    found = squares_of(spans, steps, chains, tags, stays, reports, interval, eighths)
    here, recorded = (int32_column(found[name], NOTHING) for name in ("here", "recorded"))
    ages, rate = float64_column(found["age"], NOTHING), scalar_of(source.loops_per_second, pa.float64())
    return UNIT_GRID.build(
        {
            **when(found["tick"], source),
            **{name: int32_column(found[name], NOTHING) for name in ("player", "cell_x", "cell_y")},
            "unit_type": arrow.category(int32_column(found["unit_type"], NOTHING), history.texts),
            "units_here": here,
            "units_recorded": recorded,
            "units_inferred": pc.subtract(here, recorded),
            "mean_age_seconds": pc.divide(pc.divide(ages, cast_array(here, pa.float64())), rate),
            "health": pa.nulls(len(here), pa.int32()),
        }
    )


def _stays(unit_type: str, base_build: int) -> bool:
    """Return whether units of a type stay where they appear: buildings that do not fly."""
    return unit_facts(unit_type, base_build).kind == "building" and not unit_type.endswith("Flying")
