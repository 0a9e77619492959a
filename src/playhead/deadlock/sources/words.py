"""Words for the game's numbers, and kinds of entities by class."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.deadlock.sources.people import CONTROLLER, PAWN

#: Word of a team.
SIDES: Mapping[int, str] = {2: "hidden_king", 3: "archmother", 4: "neutral"}
#: Word of a lane: CMsgLaneColor.
LANES: Mapping[int, str] = {1: "yellow", 3: "green", 4: "blue", 6: "purple"}
#: Word of a mode of the game: ECitadelGameMode.
MODES: Mapping[int, str] = dict(enumerate("normal 1v1_test sandbox street_brawl explore_nyc internal".split(), 1))
#: Word of a way to find a match: ECitadelMatchMode.
MATCH_MODES: Mapping[int, str] = dict(
    enumerate(
        "unranked private_lobby coop_bot ranked server_test tutorial hero_labs new_player_placement".split(), 1
    )
)
#: Word of a part of the body: HitGroup_t, as in boon-deadlock 0.19 (MIT licence).
HITGROUPS: Mapping[int, str] = dict(
    enumerate(
        (
            "invalid generic head chest stomach left_arm right_arm left_leg right_leg neck unused gear special "
            "t2_boss_front_left_leg_weakpoint t2_boss_front_right_leg_weakpoint t2_boss_rear_left_leg_weakpoint "
            "t2_boss_rear_right_leg_weakpoint t2_boss_head_weakpoint t2_boss_back_weakpoint "
            "drone_boss_drone_weakpoint head_no_resist"
        ).split(),
        -1,
    )
)

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
