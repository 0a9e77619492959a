"""Words for the numbers of CS2: hit groups, reasons, kinds of votes, ranks and fires, weapons."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.source2.games import GAMES

#: Word of a team by number.
SIDES = GAMES["cs2"].sides

TERRORISTS, COUNTER_TERRORISTS = 2, 3

#: Number of a slot that means nobody, in game events.
_NO_SLOT = 0xFFFF
#: A reconnected player has this bit pattern above the slot.
_SLOT_BITS = 0xFF

#: HitGroup_t.
HIT_GROUPS = {
    0: "generic",
    1: "head",
    2: "chest",
    3: "stomach",
    4: "left_arm",
    5: "right_arm",
    6: "left_leg",
    7: "right_leg",
    8: "neck",
    10: "gear",
}

#: CSRoundEndReason, by the number that m_eRoundEndReason has.
GAME_START = 16
END_REASONS = {
    1: "target_bombed",
    4: "terrorists_escaped",
    5: "ct_stopped_escape",
    6: "terrorists_stopped",
    7: "bomb_defused",
    8: "ct_win",
    9: "t_win",
    10: "draw",
    11: "hostages_rescued",
    12: "target_saved",
    13: "hostages_not_rescued",
    14: "terrorists_not_escaped",
    GAME_START: "game_start",
    17: "t_surrender",
    18: "ct_surrender",
    19: "t_planted",
    20: "ct_reached_hostage",
}

#: Numbers of the subject of a vote.
VOTE_TYPES = dict(
    enumerate(
        "kick changelevel nextlevel swapteams scramble restartgame surrender rematch continue pausematch "
        "unpausematch loadbackup endwarmup starttimeout endtimeout readyformatch notreadyformatch".split()
    )
)
VOTE_OPTIONS = {0: "yes", 1: "no"}
#: vote_create_failed_t, without its prefix.
VOTE_FAILURES = dict(
    enumerate(
        "generic transitioning_players rate_exceeded yes_must_exceed_no quorum_failure issue_disabled "
        "map_not_found map_name_required failed_recently team_cant_call waitingforplayers playernotfound "
        "cannot_kick_admin scramble_in_progress spectator failed_recent_kick failed_recent_changemap "
        "failed_recent_swapteams failed_recent_scrambleteams failed_recent_restart swap_in_progress "
        "disabled nextlevel_set too_early_surrender match_paused match_not_paused not_in_warmup "
        "not_10_players timeout_active timeout_inactive timeout_exhausted cant_round_end rematch continue".split()
    )
)

#: m_iCompetitiveRankType.
RANK_TYPES = {-1: None, 7: "wingman", 11: "premier", 12: "competitive"}

#: m_nInfernoType.
INFERNO_TYPES = {0: "fire", 1: "incendiary_fire", 2: "fireworks"}

#: Weapon by m_iItemDefinitionIndex. Several weapons share a class: a USP-S is a CWeaponHKP2000.
WEAPONS = {
    1: "deagle",
    2: "elite",
    3: "fiveseven",
    4: "glock",
    7: "ak47",
    8: "aug",
    9: "awp",
    10: "famas",
    11: "g3sg1",
    13: "galilar",
    14: "m249",
    16: "m4a1",
    17: "mac10",
    19: "p90",
    23: "mp5sd",
    24: "ump45",
    25: "xm1014",
    26: "bizon",
    27: "mag7",
    28: "negev",
    29: "sawedoff",
    30: "tec9",
    31: "taser",
    32: "hkp2000",
    33: "mp7",
    34: "mp9",
    35: "nova",
    36: "p250",
    38: "scar20",
    39: "sg556",
    40: "ssg08",
    41: "knife",
    42: "knife",
    43: "flashbang",
    44: "hegrenade",
    45: "smokegrenade",
    46: "molotov",
    47: "decoy",
    48: "incgrenade",
    49: "c4",
    57: "healthshot",
    59: "knife_t",
    60: "m4a1_silencer",
    61: "usp_silencer",
    63: "cz75a",
    64: "revolver",
}

#: Items that are no weapons, by m_iItemDefinitionIndex.
_GEAR = {50: "vest", 51: "vesthelm", 52: "heavyassaultsuit", 55: "defuser"}

#: m_iItemDefinitionIndex of the knives with a look of their own.
_KNIVES = range(500, 527)


def word_of(words: Mapping[int, str | None], number: int | None, kind: str) -> str | None:
    """Return the word of a number; ``group 9`` for one of kind ``group`` without a word."""
    return None if number is None else words.get(number, f"{kind} {number}")


def weapon_word(name: str | None) -> str | None:
    """Return the word of a weapon in a game event: without ``weapon_``."""
    return name.removeprefix("weapon_") if name else None


def weapon_of(index: object) -> str | None:
    """Return the word of a weapon by m_iItemDefinitionIndex; ``item 999`` if the number is not known."""
    if not isinstance(index, int):
        return None
    known = WEAPONS.get(index)
    return known or ("knife" if index in _KNIVES else f"item {index}")


def item_of(index: int) -> str | None:
    """Return the word of a weapon, armour or defuse kit by m_iItemDefinitionIndex."""
    return _GEAR.get(index) or weapon_of(index)


def slot_of(value: object) -> int | None:
    """Return the slot that a key such as ``userid`` of a game event names; None for nobody."""
    if not isinstance(value, int) or value < 0 or value == _NO_SLOT:
        return None
    return value & _SLOT_BITS
