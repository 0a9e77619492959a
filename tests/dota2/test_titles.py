"""Titles of heroes, items and abilities."""

from __future__ import annotations

import pytest

from playhead.dota2 import title
from playhead.dota2.sources.names import item_named, name_of, shipped


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("npc_dota_hero_zuus", "Zeus"),
        ("zuus", "Zeus"),
        ("item_blink", "Blink Dagger"),
        ("blink", "Blink Dagger"),
        ("axe_culling_blade", "Culling Blade"),
        ("npc_dota_hero_not_yet", "Not Yet"),
        ("item_new_thing", "New Thing"),
        ("item_", "item_"),
        ("dota_goodguys_tower1_top", "Radiant Top Tier 1 Tower"),
        ("npc_dota_badguys_melee_rax_bot", "Dire Bottom Melee Barracks"),
        ("npc_dota_badguys_tower4", "Dire Tier 4 Tower"),
        ("npc_dota_goodguys_fort", "Radiant Ancient"),
        ("npc_dota_creep_badguys_ranged", "Creep Dire Ranged"),
    ],
)
def test_titles(name: str, expected: str) -> None:
    assert title(name) == expected


def test_names_by_title_and_number() -> None:
    assert name_of("zeus") == "npc_dota_hero_zuus"
    assert name_of("Blink Dagger") == "item_blink"
    assert name_of("npc_dota_hero_axe") == "npc_dota_hero_axe"
    assert item_named(1) == "item_blink"
    assert item_named(None) is None
    assert shipped().patch.startswith("7.")
