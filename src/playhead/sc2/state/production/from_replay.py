"""`production`: the production of a game, worked out from its events and cached with the tracker's stream."""

from __future__ import annotations

from array import array
from collections.abc import Container
from itertools import repeat
from operator import itemgetter

from playhead.sc2.encoding.field_column import NOTHING
from playhead.sc2.events.columns import EventStream
from playhead.sc2.events.commands import NO_LINK, CmdEvent, CmdUpdateTargetUnitEvent
from playhead.sc2.events.merged_rows import MergedRows, codes_of, gathered, repeated
from playhead.sc2.events.repeats import REPEAT_EVENTS, repeats
from playhead.sc2.events.tracker import UpgradeEvent
from playhead.sc2.members.clock import NORMAL_LOOPS_PER_SECOND
from playhead.sc2.protocol.tables import GAME
from playhead.sc2.state.production.facts import ProductionFacts, begins_as_swarm, is_bought, production_facts
from playhead.sc2.state.production.production import Production
from playhead.sc2.state.production.starts import orders_of
from playhead.sc2.state.production.step_columns import StepColumns, step_columns
from playhead.sc2.state.source import StateSource
from playhead.sc2.state.units.tracked import HISTORY_EVENTS, unit_history

_EXTRA_SUPPLIES = "ExtraSupplies"

#: The events that production is worked out from.
PRODUCTION_EVENTS = (*HISTORY_EVENTS, UpgradeEvent, CmdEvent, *REPEAT_EVENTS)


def _orders(source: StateSource, products: Container[str]) -> list[tuple[int, int, str]]:
    """Return loop, player and name of the orders whose name is one of `products`, and of their repeats."""
    game = source.stream(GAME)
    if game is None or not game.has(CmdEvent):
        return []
    given = game.of(CmdEvent)
    loops, users, *_ = game.rows.heads
    players = source.players_by_user
    codes, names = _abilities(game, source)
    wanted = {code: name for code, name in enumerate(names) if name in products}
    rows = zip(given.orders, codes, strict=True)
    again = repeats(game).orders
    if again:
        merged = MergedRows([given.orders, array("i"), again], len(game))
        commands, *_ = repeated(merged.part, merged.orders, users)
        rows = zip(merged.orders, gathered(merged.column([codes, None, None]), commands), strict=True)
    return orders_of((loops[row], players.get(users[row]), wanted[code]) for row, code in rows if code in wanted)


def _abilities(game: EventStream, source: StateSource) -> tuple[array[int], list[str]]:
    """Return the ability of each order as an index in a list of names, and that list."""
    given = game.of(CmdEvent)

    def name_of(link: int, index: int) -> str | None:
        return None if link == NO_LINK else source.event_scope.ability(link, index)

    return game.once(
        "order_names", lambda _: codes_of(given.numbers("ability_id"), given.numbers("ability_index"), name_of)
    )


def calldowns(source: StateSource) -> list[tuple[int, int]]:
    """Return loop and target's unit tag of each order for extra supplies, and of each repetition."""
    game = source.stream(GAME)
    if game is None or not game.has(CmdEvent):
        return []
    given = game.of(CmdEvent)
    codes, names = _abilities(game, source)
    if _EXTRA_SUPPLIES not in names:
        return []
    wanted = names.index(_EXTRA_SUPPLIES)
    # Row in the stream, tag, and whether it is such an order; None repeats the user's last order.
    rows: list[tuple[int, int, bool | None]] = [
        (order, tag, code == wanted)
        for order, tag, code in zip(given.orders, given.numbers("target_unit"), codes, strict=True)
    ]
    if game.has(CmdUpdateTargetUnitEvent):
        updates = game.of(CmdUpdateTargetUnitEvent)
        rows += zip(updates.orders, updates.numbers("target_unit"), repeat(None))
    loops, users, *_ = game.rows.heads
    calling: dict[int, bool] = {}
    found = []
    for order, tag, is_call in sorted(rows, key=itemgetter(0)):
        user = users[order]
        if is_call is not None:
            calling[user] = is_call
        if calling.get(user) and tag and tag != NOTHING:
            found.append((loops[order], tag))
    return found


def production_facts_of(tracker: EventStream | None, source: StateSource) -> ProductionFacts:
    """Return the facts of a replay's build, or of Heart of the Swarm if it was played with its data."""
    swarm = False
    if tracker is not None and source.loops_per_second == NORMAL_LOOPS_PER_SECOND:
        swarm = begins_as_swarm(unit_history(tracker), source.start_tick)
    return production_facts(source.builds[0], swarm=swarm)


def production(tracker: EventStream, source: StateSource) -> Production:
    """Return the production, cached with the tracker's events for several tables."""
    return tracker.once("production", lambda held: _production(held, source))


def steps(tracker: EventStream, source: StateSource) -> StepColumns:
    """Return the production steps as columns, cached for two tables."""
    return tracker.once("steps", lambda held: step_columns(production(held, source).steps))


def _production(tracker: EventStream, source: StateSource) -> Production:
    history, facts = unit_history(tracker), production_facts_of(tracker, source)
    got, texts = tracker.of(UpgradeEvent), tracker.rows.texts
    loops = tracker.rows.heads[0]
    numbers = got.numbers("upgrade")
    bought = {name for name in set(numbers) if name != NOTHING and is_bought(texts[name])}
    about = zip(got.orders, got.numbers("m_playerId"), numbers, strict=True)
    upgrades = [
        (order, loops[order], player, texts[name])
        for order, player, name in about
        if name in bought and player != NOTHING
    ]
    orders = _orders(source, facts.products)
    return Production(history, upgrades, orders, facts, calldowns(source), source.start_tick)
