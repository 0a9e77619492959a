"""The table ``build_order``: what each player made, when, and with how much supply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playhead.sc2.events.columns import EventStream
from playhead.sc2.events.commands import NO_LINK, CmdEvent, CmdUpdateTargetUnitEvent
from playhead.sc2.events.tracker import UpgradeEvent
from playhead.sc2.members.clock import NORMAL_LOOPS_PER_SECOND
from playhead.sc2.protocol.tables import GAME
from playhead.sc2.state.production import Production, orders_of
from playhead.sc2.state.production_facts import begins_as_swarm, production_facts
from playhead.sc2.state.units import HISTORY_EVENTS, unit_history
from playhead.sc2.tables.columns import PLAYER, UNIT, WHEN
from playhead.sc2.tables.registry import TableSource, event_table
from playhead.tables import arrow
from playhead.tables.arrow import to_list
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
            "How the start is known: init (the tracker tells), morph (so it does of eggs and cocoons), command "
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


def named_orders(source: TableSource) -> list[tuple[int, int, str]]:
    """Return loop, player and name of the orders whose ability has a name."""
    game = source.stream(GAME)
    if game is None or not game.has(CmdEvent):
        return []
    given = game.of(CmdEvent)
    known: dict[tuple[int, int], str | None] = {}
    rows = []
    columns = (given.tick, given.user, given.stored("ability_link"), given.stored("ability_index"))
    for loop, user, link, index in zip(*map(to_list, columns), strict=True):
        if link is None or link == NO_LINK:
            continue
        pair = (link, index or 0)
        if pair not in known:
            known[pair] = source.event_scope.ability(*pair)
        rows.append((loop, source.players_by_user.get(user), known[pair]))
    return orders_of(rows)


def calldowns(source: TableSource) -> list[tuple[int, int]]:
    """Return loop and unit tag of the target of each order for extra supplies, and of its repetitions."""
    game = source.stream(GAME)
    if game is None or not game.has(CmdEvent):
        return []
    given = game.of(CmdEvent)
    users = given.user.to_pylist()
    # Row in the stream, loop, tag, user, and whether it is such an order; None is as the user's last.
    rows: list[tuple[int, int, int | None, int, bool | None]] = []
    for user, (order, loop, tag, link, index) in zip(
        users, given.rows("target_unit", "ability_link", "ability_index"), strict=True
    ):
        named = link is not None and source.event_scope.ability(link, index or 0) == _EXTRA_SUPPLIES
        rows.append((order, loop, tag, user, named))
    if not any(named for *_, named in rows):
        return []
    if game.has(CmdUpdateTargetUnitEvent):
        repeated = game.of(CmdUpdateTargetUnitEvent)
        for user, (order, loop, tag) in zip(repeated.user.to_pylist(), repeated.rows("target_unit"), strict=True):
            rows.append((order, loop, tag, user, None))
    calling: dict[int, bool] = {}
    found = []
    for _, loop, tag, user, is_call in sorted(rows, key=lambda row: row[0]):
        if is_call is not None:
            calling[user] = is_call
        if calling.get(user) and tag:
            found.append((loop, tag))
    return found


def production(tracker: EventStream, source: TableSource) -> Production:
    """Return what players made; several tables need it, so that it is kept with the tracker's events."""
    return tracker.once("production", lambda held: _production(held, source))


def _production(tracker: EventStream, source: TableSource) -> Production:
    history = unit_history(tracker)
    swarm = source.loops_per_second == NORMAL_LOOPS_PER_SECOND and begins_as_swarm(history)
    facts = production_facts(source.builds[0], swarm=swarm)
    upgrades = tracker.of(UpgradeEvent).rows("m_playerId", "upgrade")
    return Production(history, upgrades, named_orders(source), facts, calldowns(source))


@event_table(BUILD_ORDER, *PRODUCTION_EVENTS)
def build_order(tracker: EventStream, source: TableSource) -> pa.Table:
    """Return the table ``build_order``."""
    rate = source.loops_per_second
    steps = production(tracker, source).steps
    return BUILD_ORDER.build(
        {
            "tick": [step.start for step in steps],
            "seconds": [step.start / rate for step in steps],
            "player": [arrow.player_number(step.player) for step in steps],
            "kind": [step.kind for step in steps],
            "name": [step.name for step in steps],
            "supply": [step.supply_used for step in steps],
            "supply_made": [step.supply_made for step in steps],
            "start_source": [step.start_source for step in steps],
            "end_tick": [step.end for step in steps],
            "end_seconds": [None if step.end is None else step.end / rate for step in steps],
            "outcome": [step.outcome for step in steps],
            "unit": [step.unit for step in steps],
        }
    )
