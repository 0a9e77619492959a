"""`queues_of`: the orders of the products of buildings, and the items that players cancelled in their queues."""

from __future__ import annotations

from playhead.sc2.protocol.tables import GAME
from playhead.sc2.state.orders.named_orders import named_orders
from playhead.sc2.state.production.facts import MORPHS, makers
from playhead.sc2.state.production.from_replay import production_facts_of
from playhead.sc2.state.production.queues import BegunProduct, CancelledItem, QueueItem, Queues
from playhead.sc2.state.production.work import GATE, READY
from playhead.sc2.state.production.work_log import WorkLog
from playhead.sc2.state.selections.at_order import selected_before
from playhead.sc2.state.source import StateSource

_CANCELS = frozenset({"CancelLast", "CancelSlot"})


def queues_of(held: WorkLog, source: StateSource) -> tuple[dict[int, int], list[CancelledItem]]:
    """Return the loop of the order by step of the work, where it is known, and the cancelled items."""
    game, made_in = source.stream(GAME), makers()
    facts = production_facts_of(None, source)
    products = {command: product for command, product in facts.products.items() if product in made_in}
    orders = named_orders(source, {*products, *_CANCELS})
    if game is None or not orders:
        return {}, []
    items, cancels = [], []
    for order, tags in zip(orders, selected_before(game, [order.row for order in orders]), strict=True):
        there = [held.buildings[tag] for tag in tags if tag in held.buildings]
        mine = [building for building in there if building.player == order.player]
        if order.name in _CANCELS:
            cancels.append((order.loop, [building.tag for building in mine]))
            continue
        types = made_in[products[order.name]]
        able = [each.tag for each in mine if (type_ := each.type_at(order.loop)) != GATE and type_ in types]
        if able:
            items.append(QueueItem(order.loop, products[order.name], able))
    starts, names = held.steps.starts, held.steps.names
    works = sorted((work for work in held.works if work.how != READY), key=lambda work: starts[work.step])
    begun = [
        BegunProduct(starts[work.step], work.end, work.building.tag, names.names[names.codes[work.step]])
        for work in works
    ]
    queues = Queues(begun, items)
    known = {work.step: loop for work, loop in zip(works, queues.ordered, strict=True) if loop is not None}
    return known, queues.cancelled(cancels, made_in.keys() - MORPHS.keys())
