"""The casts that economies run on, with caster and energy; chrono boosts and their ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from playhead.blizzard.encoding.field_column import NOTHING
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.blizzard.tables.registry import StreamSource
from playhead.blizzard.units.tracked import (
    HISTORY_EVENTS,
    own_tag,
    spans_of_types,
    tag_in,
    unit_history,
    unit_spans,
)
from playhead.sc2.state.energy import CASTERS, COSTS, CasterLife, EnergyBook, boosts_are_free
from playhead.sc2.state.orders import COMMANDS_READ, NamedOrder, named_orders
from playhead.sc2.state.production.from_replay import production_facts_of
from playhead.sc2.state.selections.timeline import SELECTION_EVENTS, selected_before

#: The events that `casts_of` reads.
CASTS_READ = (*HISTORY_EVENTS, *COMMANDS_READ, *SELECTION_EVENTS)
MULE_CALL, MULE = "CalldownMULE", "MULE"
#: A caster burrows, lifts off and lands; no real one does so more often.
_MOST_LIVES = 64


class EconomyCast(NamedTuple):
    """An order to cast, with the unit tag of its caster and the energy before; both None if unknown."""

    order: NamedOrder
    caster: int | None
    energy: float | None


class Casters(NamedTuple):
    """The casts in file order, the spans of each caster by unit tag, and the casters' energy after all casts."""

    casts: list[EconomyCast]
    lives: dict[int, list[CasterLife]]
    book: EnergyBook


class Born(NamedTuple):
    """A unit that appeared complete: loop, player, its tag and its creator's (None if not recorded), x and y in
    cells, and the end of its time with that type (None if it lived on)."""

    loop: int
    player: int
    tag: int
    creator: int | None
    x: float
    y: float
    end: int | None


def data_build(source: StreamSource) -> int:
    """Return the base build whose rules a replay was played by: Heart of the Swarm has its own on any client."""
    return production_facts_of(source.stream(TRACKER), source).base_build


def casts_of(source: StreamSource) -> list[EconomyCast]:
    """Return the orders that cost a caster's energy, in file order, cached for several tables."""
    return casters_of(source).casts


def casters_of(source: StreamSource) -> Casters:
    """Return the casters with their casts, cached for several tables."""
    game = source.stream(GAME)
    if game is None or not game.kinds:
        return Casters([], {}, EnergyBook({}, source.builds[0]))
    return game.once("casters", lambda _: _casters(source, game))


def _casters(source: StreamSource, game: EventStream) -> Casters:
    orders = named_orders(source, COSTS)
    tracked = source.stream(TRACKER)
    lives = _caster_lives(source)
    book = EnergyBook(lives, data_build(source))
    selected = selected_before(game, [order.row for order in orders])
    creators: dict[tuple[int, int], list[int]] = {}
    for mule in births(source, MULE):
        if mule.creator is not None:
            creators.setdefault((mule.loop, mule.player), []).append(mule.creator)
    found = []
    for order, tags in zip(orders, selected, strict=True):
        if tracked is None:
            able = list(tags)
        else:
            able = book.casters(tags, order.name, order.player, order.loop)
            if order.name == MULE_CALL and order.player is not None:
                able = creators.get((order.loop, order.player), able)
        caster = able[0] if len(able) == 1 else None
        energy = None
        if caster is not None and caster in lives:
            energy = book.energy(caster, order.loop)
            book.cast(caster, order.name, order.loop)
        else:
            book.doubt([tag for tag in able if tag in lives], order.loop)
        found.append(EconomyCast(order, caster, energy))
    return Casters(found, lives, book)


def _caster_lives(source: StreamSource) -> dict[int, list[CasterLife]]:
    tracker = source.stream(TRACKER)
    if tracker is None or not tracker.kinds:
        return {}
    history, spans = unit_history(tracker), unit_spans(tracker)
    found: dict[int, list[CasterLife]] = {}
    names = ("row", "unit_type", "player", "start", "end", "finished")
    for row, kind, player, start, end, finished in spans_of_types(spans, history.texts, CASTERS, *names):
        tag = own_tag(history, row)
        if finished and tag is not None:
            lives = found.setdefault(tag, [])
            if len(lives) < _MOST_LIVES:
                lives.append(CasterLife(CASTERS[history.texts[kind]], player, start, end))
    return found


def births(source: StreamSource, unit_type: str) -> Sequence[Born]:
    """Return the units that appeared complete with a type, in file order."""
    tracker = source.stream(TRACKER)
    if tracker is None or not tracker.kinds or unit_type not in unit_history(tracker).texts:
        return []
    cells = source.event_scope.tracker_cells
    return tracker.once(f"births of {unit_type}", lambda held: _births(held, cells, unit_type))


def _births(tracker: EventStream, cells: float, unit_type: str) -> list[Born]:
    history, spans = unit_history(tracker), unit_spans(tracker)
    names = ("row", "player", "start", "end", "finished")
    rows: dict[int, Born] = {}
    for row, player, start, end, finished in spans_of_types(spans, history.texts, (unit_type,), *names):
        tag = own_tag(history, row)
        if finished and tag is not None and row not in rows and history.text(history.unit_type[row]) == unit_type:
            creator = tag_in(history.other_index[row], history.other_recycle[row])
            x, y = history.x[row] * cells, history.y[row] * cells
            rows[row] = Born(start, player, tag, creator, x, y, None if end == NOTHING else end)
    return list(rows.values())


_BOOSTS = frozenset({"ChronoBoost", "ChronoBoostEnergyCost"})
#: Loops that a boost lasts: 20 seconds of the clock of Heart of the Swarm, and from 4.0 on of that of Legacy of
#: the Void, where it gains a Nexus 224 to 229 loops.
_LASTS, _LASTS_VOID = 320, 448


def boosts_of(source: StreamSource) -> list[tuple[EconomyCast, int | None]]:
    """Return chrono boosts with a target, and the loop in which each ended."""
    free = boosts_are_free(data_build(source))
    found: list[tuple[EconomyCast, int | None]] = []
    last: dict[int, int] = {}
    for cast in casts_of(source):
        order = cast.order
        if order.name not in _BOOSTS or order.target is None:
            continue
        if not free:
            lasts = _LASTS_VOID if order.name == "ChronoBoostEnergyCost" else _LASTS
            found.append((cast, order.loop + lasts))
            continue
        if cast.caster is not None:
            if cast.caster in last:
                before = last[cast.caster]
                found[before] = (found[before][0], order.loop)
            last[cast.caster] = len(found)
        found.append((cast, None))
    return found
