"""The people of an event, each with the state of the pawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from playhead.cs2.sources.pawn import player_state
from playhead.cs2.sources.people import People, columns_of


def fighters_of(people: People, event: Mapping[str, Any], roles: Iterable[tuple[str, str, str]]) -> dict[str, Any]:
    """Return the columns of all roles of an event.

    Args:
        people: who plays in which slot.
        event: the event's values by key.
        roles: prefix of the columns, key of the slot, and meaning of each role.
    """
    columns: dict[str, Any] = {}
    for role, key, _ in roles:
        person = people.in_slot(event.get(key))
        columns |= columns_of(person, role) | player_state(people.pawn(person), role)
    return columns
