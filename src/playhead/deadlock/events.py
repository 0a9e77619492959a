"""The kinds of events of a Deadlock match: rows of the tables of facts."""

from __future__ import annotations

from playhead.events import EventSource

_ATTACKER = "attacker_player"

SOURCES = (
    EventSource("kill", "A hero died; the player is the killer.", "kills", player=_ATTACKER),
    EventSource("damage", "Damage was dealt.", "damage", player=_ATTACKER),
    EventSource("shot", "A weapon was fired.", "shots"),
    EventSource("ability_used", "An ability was used.", "ability_uses"),
    EventSource("purchase", "A player's items or abilities changed (`change`).", "item_purchases"),
    EventSource(
        "objective_fell",
        "A guardian, walker, barracks, shrine or patron fell.",
        "objectives",
        player=_ATTACKER,
        where=(("fell", (True,)),),
        names=(("kind", "objective"),),
    ),
    EventSource(
        "boss_damaged", "An objective is under attack.", "boss_damaged", player="", names=(("kind", "objective"),)
    ),
    EventSource("ping", "A ping on the map.", "pings"),
    EventSource("ability_upgraded", "A point was spent on an ability.", "ability_upgrades"),
    EventSource(
        "mid_boss_killed",
        "The mid boss died; the player is the killer.",
        "mid_boss",
        tick="died_tick",
        player="killer_player",
    ),
    EventSource("urn", "The urn was picked up, dropped or returned, or its delivery opened or closed.", "urn"),
    EventSource("rift", "A Rift was announced or opened.", "rift", player=""),
    EventSource("flex_slot", "A team unlocked a flex slot.", "flex_slots", player=""),
    EventSource("breakable_broken", "A breakable prop broke.", "breakables", player=""),
    EventSource("fight", "A fight begins.", "fights", player=""),
    EventSource("pause", "The game was paused.", "pauses", player=""),
)
