"""Kinds of entities by class."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.deadlock.sources.people import CONTROLLER, PAWN

#: Objectives by class. Barracks have the second name in builds of 2026; CNPC_BaseDefenseSentry are small guns of a
#: base.
OBJECTIVES: Mapping[str, str] = {
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
    **dict.fromkeys(OBJECTIVES, "objective"),
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
