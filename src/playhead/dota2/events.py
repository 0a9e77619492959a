"""The kinds of events of a Dota 2 match: rows of the tables of facts."""

from __future__ import annotations

from playhead.events import EventSource

_ATTACKER = "attacker_player"
_A_HERO = (("victim_is_hero", (True,)), ("victim_is_illusion", (False,)))
_PAUSE = (("kind", ("pause",)),)
_PERIOD = (("kind", "period"),)
_JOINED, _LEFT = ("connected", "reconnected"), ("disconnected", "abandoned")

SOURCES = (
    EventSource("chat_wheel_used", "A phrase of the chat wheel.", "chat_wheel"),
    EventSource("ping_sent", "A ping on the map.", "pings", names=(("kind", "ping"),)),
    EventSource("line_drawn", "A stroke drawn on the map.", "map_lines"),
    EventSource("voice_heard", "Voice was heard; table `voice` has it.", "voice"),
    EventSource("order_given", "A player gave units an order.", "orders", names=(("kind", "order"),)),
    EventSource("player_killed", "A player's hero died.", "kills", player=_ATTACKER),
    EventSource(
        "unit_killed",
        "Anything else died: creeps, wards, illusions, buildings.",
        "unit_deaths",
        player=_ATTACKER,
        unless=_A_HERO,
    ),
    EventSource("damage_dealt", "Damage was dealt.", "damage", player=_ATTACKER),
    EventSource("unit_healed", "A unit was healed.", "heals"),
    EventSource("item_bought", "A player bought an item.", "item_events", where=(("change", ("purchase",)),)),
    *(
        EventSource(kind, doc, "item_events", where=(("change", (change,)),))
        for kind, change, doc in (
            ("item_sold", "sale", "A player sold an item."),
            ("item_dropped", "drop", "A player dropped an item."),
            ("item_picked_up", "pickup", "A player picked up an item."),
            ("item_consumed", "consumption", "A player used up an item."),
        )
    ),
    EventSource("player_bought_back", "A player bought back into the game.", "buybacks"),
    EventSource("ability_used", "An ability was used.", "ability_uses", names=(("log_type", "use"),)),
    EventSource("item_used", "An item was used.", "item_uses"),
    EventSource("gold_changed", "A player's gold changed.", "gold"),
    EventSource("xp_gained", "A player gained experience.", "xp"),
    EventSource("ability_upgraded", "An ability of a player's hero has another level.", "ability_upgrades"),
    EventSource("hero_picked", "A hero was picked.", "draft", where=(("action", ("pick",)),)),
    EventSource("hero_banned", "A hero was banned.", "draft", where=(("action", ("ban",)),)),
    EventSource("state_changed", "Another period begins.", "periods", player="", unless=_PAUSE, names=_PERIOD),
    EventSource(
        "horn_sounded",
        "0:00 on the game's clock.",
        "periods",
        player="",
        where=(("kind", ("game",)), ("has_start", (True,))),
        names=_PERIOD,
    ),
    EventSource("game_paused", "The game was paused.", "periods", player="by_player", where=_PAUSE, names=_PERIOD),
    EventSource(
        "game_resumed", "The game went on.", "periods", tick="end_tick", player="", where=_PAUSE, names=_PERIOD
    ),
    EventSource(
        "structure_destroyed",
        "A tower, barracks or other building fell; `team` owned it, `attacker_team` destroyed it.",
        "structures",
        tick="end_tick",
        player=_ATTACKER,
        names=(("kind", "structure"),),
    ),
    EventSource("player_joined", "A player joined or came back.", "connections", where=(("event", _JOINED),)),
    EventSource("player_left", "A player left the game.", "connections", where=(("event", _LEFT),)),
    *(
        EventSource(kind, doc, "objective_events", where=(("event", (kind,)),))
        for kind, doc in (
            ("boss_killed", "Roshan or a Tormentor died; `team` killed it."),
            ("aegis_taken", "A player took the Aegis."),
            ("aegis_stolen", "A player of the other side took the Aegis."),
            ("aegis_denied", "A player destroyed the Aegis."),
            ("glyph_used", "A side's glyph was used."),
            ("scan_used", "A side's scan was used."),
            ("courier_killed", "A courier died; `team` is the other side."),
            ("first_blood", "The first hero of the match was killed."),
            ("mega_creeps_started", "A side has mega creeps from now on."),
        )
    ),
    EventSource("rune_spawned", "A rune appeared.", "runes", player=""),
    EventSource(
        "rune_taken",
        "A rune was taken, bottled or denied (`outcome`).",
        "runes",
        tick="end_tick",
        where=(("outcome", ("taken", "bottled", "denied")),),
    ),
    EventSource("ward_placed", "A ward was placed.", "wards", names=(("kind", "ward"),)),
    EventSource(
        "ward_removed",
        "A ward was killed or denied, or its time was over (`outcome`); the player is the killer.",
        "wards",
        tick="end_tick",
        player=_ATTACKER,
        names=(("kind", "ward"), *((name, f"owner_{name}") for name in ("player", "hero", "team", "side"))),
    ),
    EventSource("smoke_used", "A Smoke of Deceit was used.", "smoke_uses"),
    EventSource("fight_started", "A fight began.", "fights", player=""),
)
