"""Statistics that the game writes twice: a player who leaves, or loses, gets another row in the same loop."""

from __future__ import annotations

from playhead.sc2.events.columns import EventStream
from playhead.sc2.events.tracker import PlayerStatsEvent


def written_twice(tracker: EventStream) -> frozenset[int]:
    """Return the places of the statistics that repeat the player's last row in its loop, cached with the stream.

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
