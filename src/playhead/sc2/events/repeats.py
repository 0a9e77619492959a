"""Orders that the game repeats without writing them again, and statistics that it writes twice.

From 34784 on the game writes a result of its queue of orders (`CommandManagerStateEvent`) after each update of an
order. A result without an update is the user's last order once more, with its target: a held key, a queued worker,
one more egg. All 133,302 updates of the corpus are followed by exactly one result of their user in their loop.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple

from playhead.blizzard.events import Event
from playhead.blizzard.events.columns import EventStream
from playhead.blizzard.events.commands import UPDATE_EVENTS, CommandManagerStateEvent
from playhead.blizzard.events.merged_rows import MergedRows, gathered, unpaired
from playhead.blizzard.events.tracker import PlayerStatsEvent

#: The events that `repeats` reads.
REPEAT_EVENTS: tuple[type[Event], ...] = (CommandManagerStateEvent, *UPDATE_EVENTS)
#: The only state in the corpus.
_DONE = 1


class Repeats(NamedTuple):
    """Repeated orders in file order: row in the stream (``array('i')``), and number of the order."""

    orders: array[int]
    sequences: array[int]


def repeats(game: EventStream) -> Repeats:
    """Return the repeated orders of a replay, cached with the stream for several tables."""
    return game.once("repeats", _repeats)


def _repeats(game: EventStream) -> Repeats:
    if not game.has(CommandManagerStateEvent):
        return Repeats(array("i"), array("q"))
    results = game.of(CommandManagerStateEvent)
    updates = [game.of(type_).orders for type_ in UPDATE_EVENTS if game.has(type_)]
    merged = MergedRows([results.orders, *updates], len(game))
    users = game.rows.heads[1]
    places = unpaired(merged.part, merged.orders, users, results.numbers("state"), _DONE)
    orders = array("i", [results.orders[place] for place in places])
    return Repeats(orders, gathered(results.numbers("command_number"), places))


def written_twice(tracker: EventStream) -> frozenset[int]:
    """Return the places of the statistics that repeat the player's last row in its loop, cached with the stream.
    For a player who leaves, or loses, the game writes another row in the same loop.

    In melee games of the corpus 131 of 133 are equal to the first row; on arcade maps the second comes after the
    map has removed the player's units.
    """
    return tracker.once("written_twice", _written_twice)


def _written_twice(tracker: EventStream) -> frozenset[int]:
    events, loops = tracker.of(PlayerStatsEvent), tracker.rows.heads[0]
    last: dict[int, int] = {}
    found = set()
    for place, (order, player) in enumerate(zip(events.orders, events.numbers("m_playerId"), strict=True)):
        if last.get(player) == loops[order]:
            found.add(place)
        last[player] = loops[order]
    return frozenset(found)
