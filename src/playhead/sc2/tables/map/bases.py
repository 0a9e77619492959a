"""The table ``bases``: town halls and the places of resources."""

from __future__ import annotations

from typing import Any

from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.tables.columns import END, WHEN, moment
from playhead.blizzard.units.tracked import HISTORY_EVENTS, own_tag, unit_history, unit_spans
from playhead.runtime.libraries import pa
from playhead.sc2.state.map.places import ResourcePlace, ResourcePlaces, places_of
from playhead.sc2.state.map.stays import Stay, stays_of
from playhead.sc2.state.orders.command_rows import COMMANDS_READ
from playhead.sc2.state.orders.named_orders import named_orders
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables.schema import Column, TableSchema
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
    """Return the table ``bases``."""
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
