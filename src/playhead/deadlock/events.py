"""The kinds of events of a Deadlock match: rows of the tables of facts."""

from __future__ import annotations

from playhead.events import EventSource

_ATTACKER = "attacker_player"

SOURCES = (
    EventSource("kill", "A hero died; the player is the killer.", "kills", player=_ATTACKER),
    EventSource("damage", "Damage was dealt.", "damage", player=_ATTACKER),
    EventSource("shot", "A weapon was fired.", "shots"),
    EventSource("ability_used", "An ability was used.", "ability_uses"),
    EventSource(
        "purchase",
        "A player's items or abilities changed (`change`).",
        "item_purchases",
    ),
    EventSource(
        "objective_fell",
        "A guardian, walker, barracks, shrine or patron fell.",
        "objectives",
        player=_ATTACKER,
        where=(("fell", (True,)),),
        names=(("kind", "objective"),),
    ),
    EventSource("boss_damaged", "An objective is under attack.", "boss_damaged", player=""),
    EventSource("ping", "A ping on the map.", "pings"),
    EventSource("pause", "The game was paused.", "pauses", player=""),
)
