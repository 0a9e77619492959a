"""Places of the buildings of the synthetic Dota 2 matches, near those on the game's map."""

from __future__ import annotations

_RADIANT = {
    "tower1_top": (-6300.0, 1850.0),
    "tower1_mid": (-1550.0, -1400.0),
    "tower1_bot": (4900.0, -6150.0),
    "tower2_top": (-6250.0, -900.0),
    "tower2_mid": (-3500.0, -2800.0),
    "tower2_bot": (-350.0, -6250.0),
    "tower3_top": (-6600.0, -3400.0),
    "tower3_mid": (-4650.0, -4150.0),
    "tower3_bot": (-3950.0, -6100.0),
    "tower4_top": (-5700.0, -4850.0),
    "tower4_bot": (-5350.0, -5200.0),
    "melee_top": (-6350.0, -3850.0),
    "range_top": (-6850.0, -3850.0),
    "melee_mid": (-4750.0, -4600.0),
    "range_mid": (-5050.0, -4300.0),
    "melee_bot": (-4400.0, -6350.0),
    "range_bot": (-4400.0, -5850.0),
    "fort": (-5950.0, -5450.0),
}
_OTHER_LANE = {"top": "bot", "bot": "top"}


def place_of(name: str) -> tuple[float, float]:
    """Return the place of a tower, barracks or ancient by its name, in world units; Dire's half is turned."""
    *_, kind, lane = name.split("_")
    is_radiant = "good" in name
    lane = lane if is_radiant else _OTHER_LANE.get(lane, lane)
    x, y = _RADIANT[lane if lane == "fort" else f"{kind}_{lane}"]
    return (x, y) if is_radiant else (-x, -y)
