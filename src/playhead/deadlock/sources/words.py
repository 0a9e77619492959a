"""Words for the game's numbers, and kinds of entities by class."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.deadlock.sources.people import CONTROLLER, PAWN

#: Word of a team.
SIDES: Mapping[int, str] = {2: "hidden_king", 3: "archmother", 4: "neutral"}
#: Word of a lane: CMsgLaneColor.
LANES: Mapping[int, str] = {1: "yellow", 3: "green", 4: "blue", 6: "purple"}
#: Word of a mode of the game: ECitadelGameMode.
MODES: Mapping[int, str] = {
    1: "normal",
    2: "1v1_test",
    3: "sandbox",
    4: "street_brawl",
    5: "explore_nyc",
    6: "internal",
}
#: Word of a way to find a match: ECitadelMatchMode.
MATCH_MODES: Mapping[int, str] = {
    1: "unranked",
    2: "private_lobby",
    3: "coop_bot",
    4: "ranked",
    5: "server_test",
    6: "tutorial",
    7: "hero_labs",
    8: "new_player_placement",
}
#: Word of a part of the body: HitGroup_t, as in boon-deadlock 0.19 (MIT licence).
HITGROUPS: Mapping[int, str] = {
    -1: "invalid",
    0: "generic",
    1: "head",
    2: "chest",
    3: "stomach",
    4: "left_arm",
    5: "right_arm",
    6: "left_leg",
    7: "right_leg",
    8: "neck",
    9: "unused",
    10: "gear",
    11: "special",
    12: "t2_boss_front_left_leg_weakpoint",
    13: "t2_boss_front_right_leg_weakpoint",
    14: "t2_boss_rear_left_leg_weakpoint",
    15: "t2_boss_rear_right_leg_weakpoint",
    16: "t2_boss_head_weakpoint",
    17: "t2_boss_back_weakpoint",
    18: "drone_boss_drone_weakpoint",
    19: "head_no_resist",
}

#: Structures by class. Barracks have the second name in builds of 2026; CNPC_BaseDefenseSentry are small guns of a
#: base.
STRUCTURES: Mapping[str, str] = {
    "CNPC_TrooperBoss": "guardian",
    "CNPC_Boss_Tier2": "walker",
    "CNPC_TrooperBarrackBoss": "barracks",
    "CNPC_BarrackBoss": "barracks",
    "CNPC_BaseDefenseSentry": "sentry",
    "CCitadel_Destroyable_Building": "shrine",
    "CNPC_Boss_Tier3": "patron",
}
TROOPER, NEUTRAL, MID_BOSS = "CNPC_Trooper", "CNPC_TrooperNeutral", "CNPC_MidBoss"
SINNERS = ("CNPC_Neutral_SinnersSacrifice", "CNPC_Neutral_SinnersSacrifice_Hideout")

_KINDS: Mapping[str, str] = {
    **dict.fromkeys(STRUCTURES, "structure"),
    **dict.fromkeys((CONTROLLER, PAWN), "hero"),
    TROOPER: "trooper",
    **dict.fromkeys((NEUTRAL, *SINNERS), "neutral"),
    MID_BOSS: "mid_boss",
}


def kind_of(class_name: str) -> str:
    """Return the kind of an entity by its class."""
    found = _KINDS.get(class_name)
    if found is not None:
        return found
    if class_name.startswith(("CCitadel_Ability", "CAbility", "CCitadelBase")):
        return "ability"
    if class_name.startswith(("CItem", "CCitadel_Item")) or "Upgrade" in class_name:
        return "item"
    return "other"
