"""Names and numbers of the written match of Deadlock: heroes, abilities, items, units."""

from __future__ import annotations

#: Ticks per second, and the server tick at demo tick 0.
RATE, FIRST_SERVER_TICK = 60, 4000
#: Steam id of player 0; the other players have the following ids.
FIRST_ACCOUNT = 76561197960265728 + 3000
#: Number of the hero of each player; the first six players are the Hidden King (2), the others the Archmother (3).
HEROES = (6, 15, 11, 13, 1, 25, 31, 50, 2, 7, 27, 35)
#: Player whose hero changes, and the number of the new hero.
SWAP = (3, 17)
BANNED = (10, 12, 14)
_PLAYER_NAMES = "Ada Bruno Clara Dmitri Elif Farid Greta Hiro Ines Jonas Kaya Luca".split()

#: Name and class of each ability that a player has, in the order of its slots.
ABILITIES = (
    ("sample_bolt", "CCitadel_Ability_ShivDagger"),
    ("sample_dash", "CCitadel_Ability_ShivDash"),
    ("sample_guard", "CCitadel_Ability_Shiv_Defer_Damage"),
    ("sample_ultimate", "CCitadel_Ability_Shiv_KillingBlow"),
)
WEAPON = "citadel_weapon_sample"
#: Components, the items that they become, and what each costs in souls.
COMPONENTS = ("upgrade_extra_health", "upgrade_high_velocity_mag", "upgrade_extra_spirit")
UPGRADED = ("upgrade_fortitude", "upgrade_headshot_booster", "upgrade_improved_spirit")
COMPONENT_COST, UPGRADE_COST = 500, 750

TROOPER, NEUTRAL, CRATE = "npc_sample_trooper", "npc_sample_neutral", "citadel_breakable_prop_wooden_crate"
URN, URN_RETURN = "ability_golden_idol", "modifier_citadel_idol_return"
MODIFIER, HOLDING_URN = "modifier_sample_slow", "modifier_citadel_holding_golden_idol"
BARRIER = "modifier_barrier_tracker"

#: The string table EntityNames.
ENTITY_NAMES = (*(name for name, _ in ABILITIES), *(WEAPON, *COMPONENTS, *UPGRADED, TROOPER, NEUTRAL, CRATE, URN))


def player_name(player: int) -> str:
    """Return the name of a player."""
    return _PLAYER_NAMES[player]


def side(player: int) -> int:
    """Return the team of a player."""
    return 2 if player < len(HEROES) // 2 else 3
