"""The table ``build_order``: what each player made, when, and with how much supply."""

from __future__ import annotations

from array import array
from collections.abc import Container
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING

from playhead.sc2.encoding.field_column import NOTHING
from playhead.sc2.events.columns import EventStream
from playhead.sc2.events.commands import NO_LINK, CmdEvent, CmdUpdateTargetUnitEvent
from playhead.sc2.events.tracker import UpgradeEvent
from playhead.sc2.members.clock import NORMAL_LOOPS_PER_SECOND
from playhead.sc2.protocol.tables import GAME
from playhead.sc2.state.production import Production, orders_of
from playhead.sc2.state.production_facts import begins_as_swarm, is_bought, production_facts
from playhead.sc2.state.step_columns import Named, StepColumns, step_columns
from playhead.sc2.state.units import HISTORY_EVENTS, unit_history
from playhead.sc2.tables.columns import PLAYER, UNIT, WHEN
from playhead.sc2.tables.merged_rows import codes_of
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.number_columns import float64_column, int32_column, int64_column
from playhead.tables.schema import Column, TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

_EXTRA_SUPPLIES = "ExtraSupplies"

#: The events that production is worked out of.
PRODUCTION_EVENTS = (*HISTORY_EVENTS, UpgradeEvent, CmdEvent, CmdUpdateTargetUnitEvent)

BUILD_ORDER = TableSchema(
    name="build_order",
    version=3,
    doc="What each player made or began to make after the start, in the order in which it began: units (workers "
    "too), structures, morphs and upgrades; not what comes by itself (larvae, broodlings, MULEs, interceptors …). "
    "`tick` and `seconds` are the start.",
    columns=(
        *WHEN,
        PLAYER,
        Column("kind", "category", "unit, structure, morph (a unit or structure that became another) or upgrade."),
        Column(
            "name",
            "string",
            "Name of the unit type or upgrade. Of an egg that never hatched, what was ordered; Egg if unknown.",
        ),
        Column("supply", "float64", "Supply in use just before it began.", "supply"),
        Column("supply_made", "float64", "Supply provided just before it began.", "supply"),
        Column(
            "start_source",
            "category",
            "How the start is known: init (from the tracker), morph (so it does of eggs and cocoons), command "
            "(the order that began it), queue (the end of what its building made before; up to 3.x of probes, by "
            "the distance of their births), born_minus_build_time "
            "(its end less the build time of that build), unknown (`tick` is the end).",
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
    ),
)


def _orders(source: TableSource, products: Container[str]) -> list[tuple[int, int, str]]:
    """Return loop, player and name of the orders that make something: those whose name is one of `products`."""
    game = source.stream(GAME)
    if game is None or not game.has(CmdEvent):
        return []
    given = game.of(CmdEvent)
    loops, users, *_ = game.heads
    players = source.players_by_user
    codes, names = _abilities(game, source)
    wanted = {code: name for code, name in enumerate(names) if name in products}
    rows = zip(given.orders, codes, strict=True)
    return orders_of((loops[row], players.get(users[row]), wanted[code]) for row, code in rows if code in wanted)


def _abilities(game: EventStream, source: TableSource) -> tuple[array[int], list[str]]:
    """Return the name of each order's ability as a place in a list of names, and that list."""
    given = game.of(CmdEvent)

    def name_of(link: int, index: int) -> str | None:
        return None if link == NO_LINK else source.event_scope.ability(link, index)

    return game.once(
        "order_names", lambda _: codes_of(given.numbers("ability_link"), given.numbers("ability_index"), name_of)
    )


def calldowns(source: TableSource) -> list[tuple[int, int]]:
    """Return loop and unit tag of the target of each order for extra supplies, and of its repetitions."""
    game = source.stream(GAME)
    if game is None or not game.has(CmdEvent):
        return []
    given = game.of(CmdEvent)
    codes, names = _abilities(game, source)
    if _EXTRA_SUPPLIES not in names:
        return []
    wanted = names.index(_EXTRA_SUPPLIES)
    # Row in the stream, tag, and whether it is such an order; None is as the user's last.
    rows: list[tuple[int, int, bool | None]] = [
        (order, tag, code == wanted)
        for order, tag, code in zip(given.orders, given.numbers("target_unit"), codes, strict=True)
    ]
    if game.has(CmdUpdateTargetUnitEvent):
        repeated = game.of(CmdUpdateTargetUnitEvent)
        rows += zip(repeated.orders, repeated.numbers("target_unit"), repeat(None))
    loops, users, *_ = game.heads
    calling: dict[int, bool] = {}
    found = []
    for order, tag, is_call in sorted(rows, key=itemgetter(0)):
        user = users[order]
        if is_call is not None:
            calling[user] = is_call
        if calling.get(user) and tag and tag != NOTHING:
            found.append((loops[order], tag))
    return found


def production(tracker: EventStream, source: TableSource) -> Production:
    """Return what players made; several tables need it, so that it is kept with the tracker's events."""
    return tracker.once("production", lambda held: _production(held, source))


def steps(tracker: EventStream, source: TableSource) -> StepColumns:
    """Return the steps of production; two tables need them."""
    return tracker.once("steps", lambda held: step_columns(production(held, source).steps))


def _production(tracker: EventStream, source: TableSource) -> Production:
    history = unit_history(tracker)
    swarm = source.loops_per_second == NORMAL_LOOPS_PER_SECOND and begins_as_swarm(history)
    facts = production_facts(source.builds[0], swarm=swarm)
    got, texts = tracker.of(UpgradeEvent), tracker.texts
    loops = tracker.heads[0]
    numbers = got.numbers("upgrade")
    bought = {name for name in set(numbers) if name != NOTHING and is_bought(texts[name])}
    about = zip(got.orders, got.numbers("m_playerId"), numbers, strict=True)
    upgrades = [
        (order, loops[order], player, texts[name])
        for order, player, name in about
        if name in bought and player != NOTHING
    ]
    return Production(history, upgrades, _orders(source, facts.products), facts, calldowns(source))


@event_table(BUILD_ORDER, *PRODUCTION_EVENTS)
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
        }
    )


def _category(texts: Named) -> pa.Array:
    return arrow.category(arrow.int32_array(texts.codes), texts.names)
