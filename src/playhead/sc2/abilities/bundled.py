"""The packaged names of abilities and unit types, by build.

`bundled.json.xz` is made by ``tools/build_sc2_names.py`` from the data of two packages with the MIT licence:
sc2reader's lists by build, and exports of the game's editor from the crate s2protocol; each list has links and
names in turns, which is read faster than pairs. ``unit_links.json``
corrects its unit types by measurements (``tools/learn_sc2_unit_links.py``).
"""

from __future__ import annotations

import json
import lzma
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from playhead.runtime.records import replace
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


@lru_cache(maxsize=128)
def _names(place: int) -> AbilityNames:
    _, first, source, abilities, units = _catalog()["lists"][place]
    named, listed = (dict(zip(each[::2], each[1::2], strict=True)) for each in (abilities, units))
    of_ability = _catalog()["commands"]
    commands = {
        (link, index): command
        for link, name in named.items()
        for index, command in enumerate(of_ability.get(name, ()))
        if command
    }
    return AbilityNames(f"{source} (from build {first} on)", commands, named, listed)


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


def listed_units(game: str, build: int) -> Mapping[int, str]:
    """Return the packaged list of unit types, uncorrected."""
    place = _place(game, build)
    return {} if place is None else _names(place).units


@cache
def _measured() -> Mapping[str, Mapping[int, list[tuple[int, str]]]]:
    held = json.loads(Path(__file__).with_name("unit_links.json").read_text(encoding="utf-8"))
    return {
        game: {int(build): [(link, name) for link, name in rows] for build, rows in builds.items()}
        for game, builds in held.items()
    }


def shifted(units: Mapping[int, str], known: Iterable[tuple[int, str]]) -> dict[int, str]:
    """Return a list with each link between two known ones shifted as they are; without it if their shifts differ.

    Beyond the known links a list remains if the nearest one is not shifted.

    Args:
        units: the list.
        known: link and name of some types, ascending.
    """
    places: dict[str, list[int]] = {}
    for place, name in units.items():
        places.setdefault(name, []).append(place)
    pairs: list[tuple[int, int]] = []
    for link, name in known:
        last = pairs[-1][0] - pairs[-1][1] if pairs else 0
        near = min(places.get(name, ()), key=lambda place: abs(link - place - last), default=None)
        if near is not None:
            pairs.append((link, near))
    if not pairs:
        return {**units, **dict(known)}
    spans = [(-1, 0), *((place, link - place) for link, place in pairs), (1 << 32, 0)]
    out: dict[int, str] = {}
    for (first, shift), (last, next_shift) in pairwise(spans):
        if shift == next_shift:
            out |= {place + shift: name for place, name in units.items() if first <= place <= last}
    return {**out, **dict(known)}


@lru_cache(maxsize=128)
def _units(game: str, build: int) -> Mapping[int, str]:
    """Return the unit types of a build: the list, corrected by the links measured in it, or else by what those of
    the builds before and after agree on."""
    units, measured = listed_units(game, build), _measured().get(game, {})
    if build in measured:
        return shifted(units, measured[build])
    near = [max((each for each in measured if each < build), default=None)]
    near.append(min((each for each in measured if each > build), default=None))
    lists = [shifted(listed_units(game, each), measured[each]) for each in near if each is not None]
    if not lists:
        return units
    return {link: name for link, name in lists[0].items() if lists[-1].get(link) == name}


def _place(game: str, build: int) -> int | None:
    places = [(row[1], place) for place, row in enumerate(_catalog()["lists"]) if row[0] == game]
    at = bisect_right([first for first, _ in places], build)
    return places[at - 1][1] if at else None


def bundled_names(game: str, build: int) -> AbilityNames | None:
    """Return the names for a game (WoL, HotS or LotV) and data build: those of the highest build up to it. None
    without any: 0.2, and 0.14 to 0.20."""
    if _FIRST_BETA <= build <= _LAST_BETA:
        return _beta_names()
    place = _place(game, build)
    return None if place is None else replace(_names(place), units=_units(game, build))
