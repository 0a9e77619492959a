"""The kinds of events of a Dota 2 match: rows of the tables of facts."""

from __future__ import annotations

from playhead.events import EventSource

_ATTACKER = "attacker_player"
_A_HERO = (("target_is_hero", (True,)), ("target_is_illusion", (False,)))

SOURCES = (
    EventSource("chat_wheel", "A phrase of the chat wheel.", "chat_wheel"),
    EventSource("ping", "A ping on the map.", "pings", names=(("kind", "ping"),)),
    EventSource("map_line", "A stroke drawn on the map.", "map_lines"),
    EventSource("voice", "Voice was heard; table `voice` has it.", "voice"),
    EventSource("order", "A player gave units an order.", "orders", names=(("kind", "order"),)),
    EventSource("kill", "A hero died (illusions left out).", "kills", player=_ATTACKER, where=_A_HERO),
    EventSource(
        "unit_killed",
        "Anything else died: creeps, wards, illusions, buildings.",
        "kills",
        player=_ATTACKER,
        unless=_A_HERO,
    ),
    EventSource("damage", "Damage was dealt.", "damage", player=_ATTACKER),
    EventSource("heal", "Somebody was healed.", "heals", player=_ATTACKER),
    EventSource("purchase", "A player bought an item.", "purchases"),
    EventSource("buyback", "A player bought back into the game.", "buybacks"),
    EventSource(
        "ability_used", "An ability was used.", "ability_uses", player=_ATTACKER, names=(("type", "use"),)
    ),
    EventSource("item_used", "An item was used.", "item_uses", player=_ATTACKER),
    EventSource("gold", "A player's gold changed.", "gold"),
    EventSource("xp", "A player gained experience.", "xp"),
    EventSource("ability_level", "An ability of a player's hero has another level.", "ability_levels"),
    EventSource("draft", "A hero was picked or banned (`action`).", "draft"),
    EventSource(
        "game_state", "The game is in another state.", "game_clock", player="", where=(("event", ("state",)),)
    ),
    EventSource("horn", "0:00 on the game's clock.", "game_clock", player="", where=(("event", ("horn",)),)),
    EventSource("pause", "The game was paused.", "pauses"),
    EventSource("resume", "The game went on.", "game_clock", player="", where=(("event", ("resume",)),)),
    EventSource(
        "building_destroyed",
        "A tower, barracks or other building fell; `team` owned it, `killer_team` destroyed it.",
        "buildings",
        player="",
        names=(("kind", "building"),),
    ),
    *(
        EventSource(kind, doc, "objectives", where=(("event", (kind,)),))
        for kind, doc in (
            ("roshan_killed", "Roshan died; `team` killed him."),
            ("aegis_taken", "A player took the Aegis."),
            ("aegis_stolen", "A player of the other side took the Aegis."),
            ("aegis_denied", "A player destroyed the Aegis."),
            ("tormentor_killed", "A Tormentor died."),
            ("glyph_used", "A side's glyph was used."),
            ("scan_used", "A side's scan was used."),
            ("courier_lost", "A side's courier died."),
            ("first_blood", "The first hero of the match was killed."),
            ("mega_creeps", "A side has mega creeps from now on."),
        )
    ),
    EventSource("rune_spawned", "A rune appeared.", "runes", player=""),
    EventSource(
        "rune_taken",
        "A rune was taken, bottled or denied (`outcome`).",
        "runes",
        tick="until_tick",
        where=(("outcome", ("taken", "bottled", "denied")),),
    ),
    EventSource("ward_placed", "A ward was placed.", "wards", names=(("kind", "ward"),)),
    EventSource(
        "ward_gone",
        "A ward was killed or denied, or its time was over (`outcome`); the player is who killed it.",
        "wards",
        tick="until_tick",
        player="killer_player",
        names=(("kind", "ward"), ("player", "placed_by")),
    ),
    EventSource("smoke", "A Smoke of Deceit was used.", "smokes"),
    EventSource("fight", "A fight began.", "fights", player=""),
)
