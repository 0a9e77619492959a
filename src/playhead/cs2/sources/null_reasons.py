"""Why a column of a table of facts is null in all rows of a recording."""

from __future__ import annotations

from playhead.source2.facts.null_reasons import reasons_by_column

#: Reason, and the columns of each table that it is true of.
_REASONS = (
    ("no match ends in the recording", "match: end_tick end_seconds end_reason"),
    ("no match of the recording ends with a winner", "match: winner_letter winner_side winner_name"),
    ("no counted round ends in the recording", "match: team_a_score team_b_score"),
    ("the recording does not have mp_maxrounds", "match: max_rounds"),
    ("no team has a clan name", "match: team_a_name team_b_name"),
    ("no knife round is won in the recording", "match: knife_side"),
    ("no round starts in the recording", "rounds: start_tick"),
    (
        "no freeze time ends in the recording",
        "rounds: freeze_end_tick t_equipment_value ct_equipment_value t_money ct_money t_buy_type ct_buy_type",
    ),
    (
        "no round ends in the recording",
        "rounds: end_tick end_seconds official_end_tick reason reason_id t_score ct_score",
    ),
    ("no round ends with a winner in the recording", "rounds: winner_side"),
    ("m_gamePhase is that of no half", "rounds: half"),
    ("no bomb is planted in the recording", "rounds: bomb_planted_tick bomb_site"),
    ("all periods last at the end of the recording", "periods: end_tick end_seconds end_game_seconds"),
    ("no period has a winner in the recording", "periods: winner_side"),
    ("no pause is in the recording", "periods: reason"),
    ("no timeout is in the recording", "periods: by_side"),
    ("no row is of a bomb at a site", "bomb: bomb_site"),
    ("all values were set before the first tick", "convars: seconds"),
    (
        "all rows are before the first round",
        "convars: game_seconds round_num; economy: game_seconds round_num; ranks: game_seconds round_num; "
        "skins: game_seconds round_num; sounds: game_seconds round_num",
    ),
    ("no player has a rank", "ranks: rank_type"),
    ("the recording has no message CS_UM_ServerRankUpdate", "ranks: rank_old rank_change"),
    ("no player was on a side at these ticks", "ranks: side"),
    (
        "no player has gloves, or a weapon with a paint, stickers or counted kills: all rows are agents",
        "skins: item econ_item paint_kit paint_seed paint_wear stattrak custom_name stickers sticker_slots "
        "sticker_wears",
    ),
    ("the recording has no event player_sound", "sounds: radius"),
    ("no sound is of a player", "sounds: player name side"),
    ("no sound has a name that the package knows", "sounds: sound"),
    ("no command selects a weapon", "inputs: weapon_entity"),
    ("no player carries a weapon of that slot", "player_series: primary_weapon secondary_weapon"),
    ("CS2 has no characters", "players: character"),
    (
        "no kill has an assister",
        "kills: assister_player assister_name assister_side assister_x assister_y assister_z assister_pitch "
        "assister_yaw assister_health assister_place assister_controls_bot",
    ),
)
NULL_REASONS = reasons_by_column(_REASONS)

#: Fields that builds since a date do not have, with what changed.
REMOVED_FIELDS = {
    "m_pMovementServices.m_nButtonDownMaskPrev": "builds since 9 July 2026 do not have it",
    "m_aimPunchAngle": "builds since July 2026 have it in m_pAimPunchServices",
}
