"""Names of the synthetic match's entities, for the string table EntityNames."""

from __future__ import annotations

from tests.samples.source2.engine import PLAYERS
from tests.samples.source2.match_schema import ABILITIES_A_HERO, ITEMS

_LANES = ("top", "mid", "bot")

HERO_NAMES = tuple(hero for _, hero, *_ in PLAYERS)


def item_name(item: str) -> str:
    """Return the game's name of an item of the schema."""
    return f"item_{item.lower()}"


def ability_name(player: int, number: int) -> str:
    """Return the name of a player's ability; numbers start at 1."""
    return f"{HERO_NAMES[player].removeprefix('npc_dota_hero_')}_ability_{number}"


def tower_names(side: str) -> tuple[str, ...]:
    """Return the names of the towers of ``goodguys`` or ``badguys``, outer ones first."""
    outer = [f"dota_{side}_tower{tier}_{lane}" for tier in (1, 2, 3) for lane in _LANES]
    return (*outer, f"dota_{side}_tower4_top", f"dota_{side}_tower4_bot")


def barracks_names(side: str) -> tuple[str, ...]:
    """Return the names of the barracks of ``goodguys`` or ``badguys``."""
    short = side.removesuffix("guys")
    return tuple(f"{short}_rax_{kind}_{lane}" for lane in _LANES for kind in ("melee", "range"))


ENTITY_NAMES = (
    *HERO_NAMES,
    *(ability_name(player, i + 1) for player in range(len(PLAYERS)) for i in range(ABILITIES_A_HERO)),
    *map(item_name, ITEMS),
    *tower_names("goodguys"),
    *tower_names("badguys"),
    *barracks_names("goodguys"),
    *barracks_names("badguys"),
    "dota_goodguys_fort",
    "dota_badguys_fort",
    "npc_dota_courier",
    "npc_dota_roshan",
    "npc_dota_observer_wards",
    "npc_dota_sentry_wards",
    "npc_dota_neutral_kobold",
)
_NUMBERS = {name: number for number, name in enumerate(ENTITY_NAMES)}


def name_number(name: str) -> int:
    """Return the number of a name in the string table."""
    return _NUMBERS[name]
