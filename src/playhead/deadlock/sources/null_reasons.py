"""Why a column of a table of facts is null in all rows of a recording."""

from __future__ import annotations

from playhead.source2.facts.null_reasons import reasons_by_column

_END = "end_tick end_seconds end_game_seconds"

#: By column. Reasons of fields that a build does not declare go before these.
NULL_REASONS = reasons_by_column(
    (
        ("the recording has no file header: it is a broadcast", "info: version build"),
        (
            "no message CCitadelUserMessage_Damage of the recording has that field",
            "damage: crit_damage hitgroup hitgroup_id victim_shield victim_max_shield hits server_tick",
        ),
        ("no message CMsgFireBullets of the recording has it", "shots: shot_id"),
        (
            "no message HeroKilled or KillStreak tells of these deaths",
            "kills: ability ability_id streak first_blood",
        ),
        ("the server sent no m_flRespawnTime near a death", "kills: respawn_seconds"),
        (
            "no report names the attacker's hero",
            "kills: attacker_player attacker_hero attacker_hero_id attacker_team attacker_side attacker_entity "
            "attacker_entity_class attacker_x attacker_y attacker_z assister_players",
        ),
        ("all items are held at the end of the recording", f"items_held: {_END}"),
        ("the barriers drop before the recording begins, or never", "match: tick seconds game_seconds"),
        (
            "no match ends in the recording",
            f"match: {_END} winner_team winner_side; player_stats: result",
        ),
        ("the recording has no message BannedHeroes", "match: banned_heroes banned_hero_ids"),
        ("the game rules have no value of it", "match: match_id game_mode match_mode"),
        ("neither recording nor the list of June 2026 name its modifiers", "modifiers: modifier"),
        ("all modifiers were there before the first tick", "modifiers: seconds game_seconds"),
        ("no modifier ends in the recording", f"modifiers: {_END}"),
        ("no entry of ActiveModifiers has it", "modifiers: duration_seconds stacks most_stacks"),
        (
            "the recording has no names of these kinds (EntityNames)",
            "neutral_series: unit_type; trooper_series: unit_type",
        ),
        ("all periods last at the end of the recording", f"periods: {_END}"),
        ("no round of a street brawl ends in the recording", "periods: winner_side winner_team"),
        ("no pause is in the recording", "periods: by_team by_side"),
        ("no ping is of an ability", "pings: ability ability_id"),
        ("no player has a barrier", "player_series: barrier"),
        ("the server sent no value of m_bInItemShopZone", "player_series: in_item_shop"),
        ("no lane is assigned to a player", "player_series: lane start_lane"),
        (
            "no structure falls in the recording",
            f"structures: {_END} attacker_player attacker_hero attacker_hero_id attacker_team attacker_side",
        ),
        ("the server sent no value of m_flCumulativeDistance", "ziplines: cumulative_distance"),
        ("no command aims at a hero", "inputs: aimed_at_hero_id"),
    )
)
