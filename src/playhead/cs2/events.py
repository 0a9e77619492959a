"""The kinds of events of a CS2 match: rows of the tables of facts."""

from __future__ import annotations

from playhead.events import EventSource

_BOMB = (
    ("bomb_pickup", "pickup", "A player took up the bomb."),
    ("bomb_dropped", "dropped", "A player lost the bomb."),
    ("bomb_plant_begin", "plant_begin", "A player began to plant the bomb."),
    ("bomb_plant_abort", "plant_abort", "A player stopped planting."),
    ("bomb_planted", "planted", "The bomb was planted."),
    ("bomb_defuse_begin", "defuse_begin", "A player began to defuse the bomb."),
    ("bomb_defuse_abort", "defuse_abort", "A player stopped defusing."),
    ("bomb_defused", "defused", "The bomb was defused."),
    ("bomb_exploded", "exploded", "The bomb exploded."),
)

_ITEMS = (
    ("purchase", "purchase", "A player bought an item."),
    ("refund", "refund", "A player gave a purchase back."),
    ("item_drop", "drop", "A player dropped a weapon."),
    ("item_pickup", "pickup", "A player took a weapon from the ground."),
)

SOURCES = (
    EventSource("round_start", "A round began.", "rounds", tick="start_tick", player=""),
    EventSource("round_live", "Freeze time ended.", "rounds", tick="freeze_end_tick", player=""),
    *(EventSource(kind, doc, "item_events", where=(("event", (event,)),)) for kind, event, doc in _ITEMS),
    EventSource("shot", "A player shot, struck or threw.", "shots"),
    EventSource("damage", "A player was hit.", "damages", player="attacker_player"),
    EventSource("kill", "A player died.", "kills", player="attacker_player"),
    EventSource(
        "grenade", "A player threw a grenade.", "grenades", player="thrower_player", names=(("kind", "grenade"),)
    ),
    EventSource("smoke", "A smoke began.", "smokes", player="thrower_player"),
    EventSource("fire", "A fire of a grenade began.", "infernos", player="thrower_player"),
    EventSource("flash", "A flashbang blinded a player.", "flashes", player="attacker_player"),
    *(EventSource(kind, doc, "bomb", where=(("event", (event,)),)) for kind, event, doc in _BOMB),
    EventSource("round_end", "A round ended.", "rounds", tick="end_tick", player=""),
)
