"""Words for the numbers of CS2: hit groups, reasons, kinds of votes, ranks and fires, weapons."""

from __future__ import annotations

from collections.abc import Mapping

from playhead.runtime.typing import Any
from playhead.source2.games import GAMES

#: Word of a team by number.
SIDES = GAMES["cs2"].sides
#: Number of a team by the word of its side.
TEAMS = {side: team for team, side in SIDES.items()}

TERRORISTS, COUNTER_TERRORISTS = 2, 3

#: Weapons that are thrown, and their fire.
UTILITY = frozenset(("hegrenade", "inferno", "molotov", "incgrenade", "flashbang", "smokegrenade", "decoy"))

#: Number of a slot that means nobody, in game events.
_NO_SLOT = 0xFFFF
#: A reconnected player has this bit pattern above the slot.
_SLOT_BITS = 0xFF


def _numbered(text: str) -> dict[int, str]:
    words = text.split()
    return dict(zip(map(int, words[::2]), words[1::2], strict=True))


#: HitGroup_t.
HIT_GROUPS = _numbered(
    "0 generic 1 head 2 chest 3 stomach 4 left_arm 5 right_arm 6 left_leg 7 right_leg 8 neck 10 gear 11 special"
)

#: CSRoundEndReason, by the number that m_eRoundEndReason has.
GAME_START, DRAW = 16, "draw"
END_REASONS = _numbered(
    "1 target_bombed 4 terrorists_escaped 5 ct_stopped_escape 6 terrorists_stopped 7 bomb_defused 8 ct_win 9 "
    "t_win 10 draw 11 hostages_rescued 12 target_saved 13 hostages_not_rescued 14 terrorists_not_escaped 16 "
    "game_start 17 t_surrender 18 ct_surrender 19 t_planted 20 ct_reached_hostage"
)

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

#: m_iItemDefinitionIndex, word and displayed title. Several weapons share a class: a USP-S is a CWeaponHKP2000.
_ITEMS = [
    line.split(" ", 2)
    for line in """
1 deagle Desert Eagle
2 elite Dual Berettas
3 fiveseven Five-SeveN
4 glock Glock-18
7 ak47 AK-47
8 aug AUG
9 awp AWP
10 famas FAMAS
11 g3sg1 G3SG1
13 galilar Galil AR
14 m249 M249
16 m4a1 M4A4
17 mac10 MAC-10
19 p90 P90
23 mp5sd MP5-SD
24 ump45 UMP-45
25 xm1014 XM1014
26 bizon PP-Bizon
27 mag7 MAG-7
28 negev Negev
29 sawedoff Sawed-Off
30 tec9 Tec-9
31 taser Zeus x27
32 hkp2000 P2000
33 mp7 MP7
34 mp9 MP9
35 nova Nova
36 p250 P250
38 scar20 SCAR-20
39 sg556 SG 553
40 ssg08 SSG 08
41 knife Knife
42 knife Knife
43 flashbang Flashbang
44 hegrenade HE Grenade
45 smokegrenade Smoke Grenade
46 molotov Molotov
47 decoy Decoy Grenade
48 incgrenade Incendiary Grenade
49 c4 C4
50 vest Kevlar Vest
51 vesthelm Kevlar + Helmet
52 heavyassaultsuit Heavy Assault Suit
55 defuser Defuse Kit
57 healthshot Medi-Shot
59 knife_t Knife
60 m4a1_silencer M4A1-S
61 usp_silencer USP-S
63 cz75a CZ75-Auto
64 revolver R8 Revolver
""".strip().splitlines()
]
_WORDS = {int(number): word for number, word, _ in _ITEMS}
#: Titles by word; a fire, a fall and a planted bomb kill as well.
TITLES = {word: title for _, word, title in _ITEMS} | {"inferno": "Fire", "world": "Fall", "planted_c4": "C4"}

#: m_iItemDefinitionIndex of the knives with a look of their own.
_KNIVES = range(500, 527)
_GLOVES = _numbered(
    "4725 studded_brokenfang_gloves 5027 studded_bloodhound_gloves 5028 t_gloves 5029 ct_gloves 5030 "
    "sporty_gloves 5031 slick_gloves 5032 leather_handwraps 5033 motorcycle_gloves 5034 specialist_gloves 5035 "
    "studded_hydra_gloves"
)


def are_enemies(one: str | None, other: str | None) -> bool:
    """Return whether two sides are known and differ."""
    return one is not None and other is not None and one != other


def is_enemy(row: Mapping[str, Any]) -> bool:
    """Return whether somebody is known to have done it to a player of the other side."""
    return are_enemies(row["attacker_side"], row["victim_side"])


def word_of(words: Mapping[int, str | None], number: int | None, kind: str) -> str | None:
    """Return the word of a number; ``group 9`` for one of kind ``group`` without a word."""
    return None if number is None else words.get(number, f"{kind} {number}")


def weapon_word(name: str | None) -> str | None:
    """Return the word of a weapon in a game event: without ``weapon_``."""
    return name.removeprefix("weapon_") if name else None


def weapon_of(index: object) -> str | None:
    """Return the word of a weapon or piece of equipment by m_iItemDefinitionIndex; ``item 999`` for others."""
    if not isinstance(index, int):
        return None
    return _WORDS.get(index) or ("knife" if index in _KNIVES else f"item {index}")


def item_of(index: object) -> tuple[str, str | None]:
    """Return the kind of an item of an inventory, ``weapon``, ``gloves`` or ``other``, and its word."""
    if index in _GLOVES:
        return "gloves", _GLOVES[index]
    known = index in _WORDS or index in _KNIVES
    return "weapon" if known else "other", weapon_of(index)


def known_title(name: str) -> str | None:
    """Return the displayed title of a weapon, grenade or piece of equipment; None for any other text."""
    word = name.removeprefix("weapon_").removeprefix("item_")
    return TITLES["knife"] if word.startswith(("knife_", "bayonet")) else TITLES.get(word)


def slot_of(value: object) -> int | None:
    """Return the slot that a key such as ``userid`` of a game event names; None for nobody."""
    if not isinstance(value, int) or value < 0 or value == _NO_SLOT:
        return None
    return value & _SLOT_BITS
