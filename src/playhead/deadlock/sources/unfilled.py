"""The tables of facts that a recording cannot fill, or fills in part, and the missing field."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.deadlock.sources.entities import DeclaredNames
from playhead.deadlock.sources.people import CONTROLLER, PAWN
from playhead.deadlock.sources.words import SINNERS
from playhead.source2.facts.null_reasons import reasons_by_column
from playhead.source2.playback.recording import NO_CLASSES, Recording

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


_RULES = "CCitadelGameRulesProxy"
#: Per table, groups of a class and the names of one field: a table needs a field of each group. A missing class
#: counts as its missing field.
_NEEDS: Mapping[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]] = {
    "player_series": (((PAWN,), ("CBodyComponent.m_cellX",)), ((CONTROLLER,), ("m_nHeroID",))),
    "positions": (((PAWN,), ("CBodyComponent.m_cellX",)),),
    "items_held": (((CONTROLLER,), ("m_vecUpgrades",)),),
    "imbues": (((CONTROLLER,), ("m_vecImbuements",)),),
    "player_states": (((PAWN,), ("m_pModifierProp.m_bvEnabledStateMask.0000",)),),
    "stat_bonuses": (((CONTROLLER,), ("m_vecStatViewerModifierValues",)),),
    **dict.fromkeys(
        ("structures", "structure_series"), ((("CNPC_Boss_Tier2", "CNPC_Boss_Tier3"), ("m_iHealth",)),)
    ),
    "trooper_series": ((("CNPC_Trooper",), ("m_iHealth",)),),
    "neutral_series": ((("CNPC_TrooperNeutral",), ("m_iHealth",)),),
    "breakables": ((("CCitadel_BreakableProp",), ("m_nSubclassID",)),),
    "ziplines": ((("CCitadelZipLineNode",), ("m_iTeamNum",)),),
    "street_brawl": (((_RULES,), ("m_pGameRules.m_tStreetBrawl.m_iRound",)),),
    "sinners_sacrifice": ((SINNERS, ("m_iHealth",)),),
    "rift": (((_RULES,), ("m_pGameRules.m_timeKothCashInStarted",)),),
    "match": (((_RULES,), ("m_pGameRules.m_eGameMode",)),),
    "player_stats": (((CONTROLLER,), ("m_iPlayerKills",)),),
}
_UPGRADES = "m_vecAbilityUpgradeState"
_OWN_BITS = ("m_nUpgradeInfo", "m_nUpgradeBits")
_HERO_BITS = "m_nHeroAbilityUpgradeBits"
#: Tables whose cause ends a recording: the message comes once, at the end.
_AT_END = dict.fromkeys(
    ("post_match", *(f"post_match_{name}" for name in ("damage", "paths", "objectives", "items", "deaths"))),
    "PostMatchDetails, which the server sends after the end of the match",
)


def unfilled_tables(recording: Recording, *, complete: bool) -> dict[str, str]:
    """Return the reason by name of table; tables without an entry can be filled. A `complete` recording has its
    regular end."""
    if not recording.send_tables:
        return dict.fromkeys((*_NEEDS, "ability_states", "ability_upgrades", *_AT_END), NO_CLASSES)
    declared = DeclaredNames(recording)
    found = {}
    for table, groups in _NEEDS.items():
        for classes, names in groups:
            if not any(declared.name(name, *names) for name in classes):
                found[table] = f"the recording does not declare {' or '.join(names)} of {' or '.join(classes)}"
                break
    abilities = [name for name in recording.class_names.values() if "Ability" in name]
    if not any(declared.name(name, "m_flCooldownEnd") for name in abilities):
        found["ability_states"] = "the recording does not declare m_flCooldownEnd of a class of abilities"
    if declared.name(CONTROLLER, _UPGRADES, f"{_HERO_BITS}.0000") is None and not any(
        declared.name(name, *_OWN_BITS) for name in abilities
    ):
        found["ability_upgrades"] = (
            f"the recording declares none of {_UPGRADES} and {_HERO_BITS} of {CONTROLLER}, {', '.join(_OWN_BITS)}"
        )
    if not complete:
        for table, reason in _AT_END.items():
            found[table] = f"the recording has no end, so no message {reason}"
    return found
