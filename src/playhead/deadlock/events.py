"""The kinds of events of a Deadlock match: rows of the tables of facts."""

from __future__ import annotations

from playhead.events import EventSource

_ATTACKER = "attacker_player"
_URN = {
    "picked_up": "A hero picked up the urn.",
    "dropped": "A hero holds the urn no longer.",
    "returned": "The urn was returned.",
    "delivery_opened": "A place of delivery of the urn opened.",
    "delivery_closed": "A place of delivery of the urn closed.",
}
_ITEMS = {
    "purchase": ("item_bought", "A player bought an item."),
    "upgrade": ("item_upgraded", "A player bought an item that uses up others."),
    "sale": ("item_sold", "A player sold an item."),
}
_RIFT = {
    "announced_tick": ("rift_announced", "A Rift was announced."),
    "opened_tick": ("rift_opened", "A Rift opened."),
}

SOURCES = (
    EventSource("player_killed", "A hero died; the player is the attacker.", "kills", player=_ATTACKER),
    EventSource("damage_dealt", "Damage was dealt.", "damage", player=_ATTACKER),
    EventSource("shot_fired", "A weapon was fired.", "shots", names=(("kind", "unit_kind"),)),
    EventSource("ability_used", "An ability was used.", "ability_uses"),
    *(
        EventSource(kind, doc, "item_events", where=(("change", (change,)),))
        for change, (kind, doc) in _ITEMS.items()
    ),
    EventSource(
        "structure_destroyed",
        "A guardian, walker, barracks, shrine or patron fell.",
        "structures",
        tick="end_tick",
        player=_ATTACKER,
        names=(("kind", "structure"),),
    ),
    EventSource(
        "structure_damaged",
        "A structure is under attack.",
        "structure_alerts",
        player="",
        names=(("kind", "structure"),),
    ),
    EventSource("ping_sent", "A ping on the map.", "pings", names=(("kind", "ping"),)),
    EventSource("ability_upgraded", "A point was spent on an ability.", "ability_upgrades"),
    EventSource("boss_killed", "The player killed the mid boss.", "bosses", tick="end_tick", player=_ATTACKER),
    *(EventSource(f"urn_{event}", doc, "urn", where=(("event", (event,)),)) for event, doc in _URN.items()),
    *(EventSource(kind, doc, "rift", tick=tick, player="") for tick, (kind, doc) in _RIFT.items()),
    *(
        EventSource(
            f"rift_{outcome}",
            f"A Rift {words}.",
            "rift",
            tick="end_tick",
            player="",
            where=(("outcome", (outcome,)),),
        )
        for outcome, words in (("captured", "was taken by a team"), ("expired", "ended without a team"))
    ),
    EventSource("flex_slot_unlocked", "A team unlocked a flex slot.", "flex_slots", player=""),
    EventSource("breakable_broken", "A breakable prop broke.", "breakables", player=""),
    EventSource("fight_started", "A fight begins.", "fights", player=""),
    *(
        EventSource(
            kind, doc, "periods", tick=tick, player="", where=(("kind", ("pause",)),), names=(("kind", "period"),)
        )
        for kind, doc, tick in (
            ("game_paused", "The game was paused.", "tick"),
            ("game_resumed", "A pause ended.", "end_tick"),
        )
    ),
)
