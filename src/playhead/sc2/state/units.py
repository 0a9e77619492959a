"""What the tracker writes about units, as rows in file order: what the state and several tables are made of."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from operator import itemgetter
from typing import Any

from playhead.sc2.events import Event
from playhead.sc2.events.base import PLAYER_FIELDS
from playhead.sc2.events.columns import EventStream
from playhead.sc2.events.tracker import (
    CREATOR,
    KILLER,
    UNIT,
    PlayerSetupEvent,
    UnitBornEvent,
    UnitDiedEvent,
    UnitDoneEvent,
    UnitInitEvent,
    UnitOwnerChangeEvent,
    UnitPositionsEvent,
    UnitTypeChangeEvent,
)
from playhead.tables.arrow import player_number

#: First base build that gives positions in cells; before, in blocks of four.
_FIRST_CELLS = 27950


#: The words for changes in the columns of tables, by number.
CHANGE_NAMES = ("init", "born", "done", "type", "owner", "died", "sample", "upgrade", "stats")


class Change:
    """What happened to a unit or a player; plain numbers, since members of an enum are slow to compare."""

    INIT, BORN, DONE, TYPE, OWNER, DIED, SAMPLE, UPGRADE, STATS = range(len(CHANGE_NAMES))


#: Changes by which a unit appears.
APPEARS = (Change.INIT, Change.BORN)

#: Row of the event in the stream, loop, `Change`, and what the event says.
TrackerRow = tuple[Any, ...]

_, _OWNER = PLAYER_FIELDS
_APPEARANCE = (*UNIT, "unit_type", _OWNER, "x", "y", *CREATOR, "m_creatorAbilityName")
_HISTORY: tuple[tuple[type[Event], int, tuple[str, ...]], ...] = (
    (UnitInitEvent, Change.INIT, _APPEARANCE),
    (UnitBornEvent, Change.BORN, _APPEARANCE),
    (UnitDoneEvent, Change.DONE, UNIT),
    (UnitTypeChangeEvent, Change.TYPE, (*UNIT, "unit_type")),
    (UnitOwnerChangeEvent, Change.OWNER, (*UNIT, _OWNER)),
    (UnitDiedEvent, Change.DIED, (*UNIT, "x", "y", "killer_player", *KILLER)),
)
#: The events that `unit_history` reads.
HISTORY_EVENTS = tuple(type_ for type_, _, _ in _HISTORY)


def cell_size(base_build: int) -> float:
    """Return how many cells one unit of the tracker's positions is."""
    return 1.0 if base_build >= _FIRST_CELLS else 4.0


def player_setups(stream: EventStream | None) -> list[tuple[int | None, int | None]]:
    """Return player and user of each player setup (from 2.1 on)."""
    if stream is None:
        return []
    rows = stream.of(PlayerSetupEvent).rows("m_playerId", "setup_user")
    return [(player_number(player), user) for _, _, player, user in rows]


#: What each race begins a game with.
_TOWN_HALLS = {"CommandCenter": "Terran", "Nexus": "Protoss", "Hatchery": "Zerg"}


def starting_races(stream: EventStream | None) -> dict[int, str]:
    """Return the race of each player who has a town hall from the first loop on, by number."""
    if stream is None:
        return {}
    rows = stream.of(UnitBornEvent).rows("unit_type", _OWNER)
    return {owner: _TOWN_HALLS[type_] for _, loop, type_, owner in rows if loop == 0 and type_ in _TOWN_HALLS}


def marked_rows(stream: EventStream, type_: type[Event], change: int, *names: str) -> Iterator[TrackerRow]:
    """Iterate over the events of a class: ``(order, loop, change, …)`` and the fields `names`."""
    order, loop, *about = stream.of(type_).lists(*names)
    return zip(order, loop, repeat(change, len(order)), *about, strict=True)


def unit_history(stream: EventStream) -> list[TrackerRow]:
    """Return what happened to units, in file order: ``(order, loop, change, index, recycle, …)``.

    A unit that appears has its type, its player, x and y, index and recycle of its creator and the ability that
    created it; TYPE the new type; OWNER the new player; DIED x and y, the killer's player, its index and recycle.
    """
    return stream.once("unit_history", _unit_history)


def _unit_history(stream: EventStream) -> list[TrackerRow]:
    rows: list[TrackerRow] = []
    for type_, change, names in _HISTORY:
        rows += marked_rows(stream, type_, change, *names)
    rows.sort(key=itemgetter(0))
    return rows


def position_samples(stream: EventStream) -> list[TrackerRow]:
    """Return the samples of positions: ``(order, loop, SAMPLE, first index, items)``; see `sampled_units`."""
    return list(marked_rows(stream, UnitPositionsEvent, Change.SAMPLE, "m_firstUnitIndex", "m_items"))
