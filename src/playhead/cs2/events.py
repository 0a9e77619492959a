"""The kinds of events of a CS2 match: rows of the tables of facts."""

from __future__ import annotations

from playhead.events import EventSource

_BOMB = {
    "picked_up": "A player took up the bomb.",
    "dropped": "A player lost the bomb.",
    "plant_started": "A player started to plant the bomb.",
    "plant_aborted": "A player stopped planting.",
    "planted": "The bomb was planted.",
    "defuse_started": "A player started to defuse the bomb.",
    "defuse_aborted": "A player stopped defusing.",
    "defused": "The bomb was defused.",
    "exploded": "The bomb exploded.",
}

_ITEMS = (
    ("item_bought", "purchase", "A player bought an item."),
    ("item_refunded", "refund", "A player gave a purchase back."),
    ("item_dropped", "drop", "A player dropped a weapon."),
    ("item_picked_up", "pickup", "A player took a weapon from the ground."),
)

_PAUSES = (("kind", ("timeout", "pause")),)
_PERIOD = (("kind", "period"),)

SOURCES = (
    EventSource("round_started", "A round started.", "rounds", tick="start_tick", player=""),
    EventSource("round_went_live", "Freeze time ended.", "rounds", tick="freeze_end_tick", player=""),
    EventSource("game_paused", "A timeout or pause started.", "periods", player="", where=_PAUSES, names=_PERIOD),
    EventSource(
        "game_resumed",
        "A timeout or pause ended.",
        "periods",
        tick="end_tick",
        player="",
        where=_PAUSES,
        names=_PERIOD,
    ),
    *(EventSource(kind, doc, "item_events", where=(("change", (change,)),)) for kind, change, doc in _ITEMS),
    EventSource("shot_fired", "A player shot, struck or threw.", "shots"),
    EventSource("damage_dealt", "A player was hit.", "damage", player="attacker_player"),
    EventSource("player_killed", "A player died.", "kills", player="attacker_player"),
    EventSource(
        "grenade_thrown",
        "A player threw a grenade.",
        "grenades",
        player="thrower_player",
        names=(("kind", "grenade"),),
    ),
    EventSource("smoke_started", "A smoke started.", "smokes", player="thrower_player"),
    EventSource("fire_started", "A fire of a grenade started.", "infernos", player="thrower_player"),
    EventSource("player_blinded", "A flashbang blinded a player.", "flashes", player="attacker_player"),
    *(EventSource(f"bomb_{event}", doc, "bomb", where=(("event", (event,)),)) for event, doc in _BOMB.items()),
    EventSource("round_ended", "A round ended.", "rounds", tick="end_tick", player=""),
)
