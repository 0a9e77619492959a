"""The packaged names of abilities and unit types, by build.

`bundled.json.xz` is made by ``tools/build_sc2_names.py`` from the data of two packages with the MIT licence:
sc2reader's lists by build, and exports of the game's editor from the crate s2protocol.
"""

from __future__ import annotations

import json
import lzma
from bisect import bisect_right
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from playhead.sc2.abilities.names import AbilityNames
from playhead.sc2.members.game_data import LIBERTY

#: Builds of 0.4 to 0.13, whose abilities a document of 2010 numbers: two bytes of its code are the link.
_FIRST_BETA, _LAST_BETA = 14133, 15250
#: The first build of 1.0 with a list; in betas all maps are Blizzard's.
FIRST_RETAIL = 16117
#: Links up to the attack order are those of 1.0, as the document's 0x0206 (hold position, 38) shows.
_LAST_SAME = 41
#: In this range a link is three less than in 1.0: the document's 0x0604 (return cargo, 100), 0x060D (Terran
#: buildings, 109) and 0x0807 (train SCV, 135) show it, and every order of a race in 20 replays fits that race.
_FIRST_SHIFTED, _LAST_SHIFTED, _SHIFT = 92, 173, 3


@cache
def _catalog() -> Mapping[str, Any]:
    packed = Path(__file__).with_name("bundled.json.xz").read_bytes()
    catalog: Mapping[str, Any] = json.loads(lzma.decompress(packed))
    return catalog


@lru_cache(maxsize=32)
def _names(place: int) -> AbilityNames:
    _, first, source, abilities, units = _catalog()["lists"][place]
    named = dict(map(tuple, abilities))
    of_ability = _catalog()["commands"]
    commands = {
        (link, index): command
        for link, name in named.items()
        for index, command in enumerate(of_ability.get(name, ()))
        if command
    }
    return AbilityNames(f"{source} (from build {first} on)", commands, named, dict(map(tuple, units)))


def _beta_link(link: int) -> int | None:
    """Return the link in 0.4 to 0.13 of the ability with `link` in 1.0; None if unknown."""
    if link <= _LAST_SAME:
        return link
    shifted = link - _SHIFT
    return shifted if _FIRST_SHIFTED <= shifted <= _LAST_SHIFTED else None


@cache
def _beta_names() -> AbilityNames | None:
    retail = bundled_names(LIBERTY, FIRST_RETAIL)
    if retail is None:
        return None
    commands = {
        (place, index): name
        for (link, index), name in retail.commands.items()
        if (place := _beta_link(link)) is not None
    }
    abilities = {place: name for link, name in retail.abilities.items() if (place := _beta_link(link)) is not None}
    return AbilityNames("codes of 2010, in the order of 1.0", commands, abilities)


def bundled_names(game: str, build: int) -> AbilityNames | None:
    """Return the names for a game (WoL, HotS or LotV) and data build: those of the highest build up to it. None
    without any: 0.2, and 0.14 to 0.20."""
    if _FIRST_BETA <= build <= _LAST_BETA:
        return _beta_names()
    places = [(row[1], place) for place, row in enumerate(_catalog()["lists"]) if row[0] == game]
    at = bisect_right([first for first, _ in places], build)
    return _names(places[at - 1][1]) if at else None
