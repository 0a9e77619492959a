"""`production`: the production of a game, worked out from its events and cached with the tracker's stream."""

from __future__ import annotations

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.tracker import FIRST_CREATORS, UpgradeEvent
from playhead.blizzard.tables.registry import StreamSource
from playhead.blizzard.units.states import places_with
from playhead.blizzard.units.tracked import HISTORY_EVENTS, unit_history
from playhead.sc2.members.clock import NORMAL_LOOPS_PER_SECOND
from playhead.sc2.state.orders import COMMAND, COMMANDS_READ, REPEAT, named_orders, times_of_orders
from playhead.sc2.state.production.facts import ProductionFacts, begins_as_swarm, is_bought, production_facts
from playhead.sc2.state.production.production import Production
from playhead.sc2.state.production.records import StepColumns, step_columns

_EXTRA_SUPPLIES, _HALLUCINATE = "ExtraSupplies", "Hallucinate"

#: The events that production is worked out from.
PRODUCTION_EVENTS = (*HISTORY_EVENTS, UpgradeEvent, *COMMANDS_READ)


def calldowns(source: StreamSource) -> list[tuple[int, int]]:
    """Return loop and target of each order for extra supplies, and of each repetition at another unit."""
    orders = named_orders(source, {_EXTRA_SUPPLIES})
    return [(order.loop, order.target) for order in orders if order.target and order.kind != REPEAT]


def conjured(source: StreamSource, facts: ProductionFacts) -> set[tuple[int, int, str]]:
    """Return loop, player and type of each hallucination that orders show, where the tracker does not say it: it
    appears in the loop of its order."""
    if source.builds[0] >= FIRST_CREATORS:
        return set()
    names = {name: name.removeprefix(_HALLUCINATE) for name in facts.products if name.startswith(_HALLUCINATE)}
    orders = named_orders(source, names)
    return {(order.loop, order.player, names[order.name]) for order in orders if order.player is not None}


def production_facts_of(tracker: EventStream | None, source: StreamSource) -> ProductionFacts:
    """Return the facts of a replay's build, or of Heart of the Swarm if it was played with its data."""
    swarm = False
    if tracker is not None and source.loops_per_second == NORMAL_LOOPS_PER_SECOND:
        swarm = begins_as_swarm(unit_history(tracker), source.start_tick)
    return production_facts(source.builds[0], swarm=swarm)


def production(tracker: EventStream, source: StreamSource) -> Production:
    """Return the production, cached with the tracker's events for several tables."""
    return tracker.once("production", lambda held: _production(held, source))


def steps(tracker: EventStream, source: StreamSource) -> StepColumns:
    """Return the production steps as columns, cached for two tables."""
    return tracker.once("steps", lambda held: step_columns(production(held, source).steps))


def _production(tracker: EventStream, source: StreamSource) -> Production:
    history, facts = unit_history(tracker), production_facts_of(tracker, source)
    got, texts = tracker.of(UpgradeEvent), tracker.rows.texts
    loops = tracker.rows.heads[0]
    numbers = got.numbers("upgrade")
    rows, players = got.orders, got.numbers("m_playerId")
    used = set(numbers)
    # Few of them: thousands of upgrades mark a game's host.
    bought = places_with(numbers, [place in used and is_bought(text) for place, text in enumerate(texts)])
    upgrades = [
        (rows[place], loops[rows[place]], players[place], texts[numbers[place]])
        for place in bought
        if players[place] != NOTHING
    ]
    orders = times_of_orders(source, facts.products, (COMMAND, REPEAT))
    false = conjured(source, facts)
    return Production(history, upgrades, orders, facts, calldowns(source), source.start_tick, false)
