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
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from playhead.runtime.beside import read_beside
from playhead.sc2.abilities.names import AbilityNames
from playhead.sc2.members.setting import LIBERTY

#: Builds of 0.4 to 0.13, whose abilities a document of 2010 numbers: two bytes of its code are the link.
_FIRST_BETA, _LAST_BETA = 14133, 15250
#: The first build of 1.0 with a list; in betas all maps are Blizzard's.
FIRST_RETAIL = 16117
#: Links up to the attack order are those of 1.0, as the document's 0x0206 (hold position, 38) shows.
_LAST_SAME = 41
#: In this range a link is three less than in 1.0: the document's 0x0604 (return cargo, 100), 0x060D (Terran
#: buildings, 109) and 0x0807 (train SCV, 135) show it, and every order of a race in 20 replays fits that race.
_FIRST_SHIFTED, _LAST_SHIFTED, _SHIFT = 92, 173, 3
#: The measured links.
_UNITS, _ABILITIES = "unit_links.json", "ability_links.json"
#: Names in a list farther from a measured link are other entries of that name.
_MOST_SHIFT = 64


@cache
def _catalog() -> Mapping[str, Any]:
    packed = read_beside(__file__, "bundled.json.xz")
    catalog: Mapping[str, Any] = json.loads(lzma.decompress(packed))
    return catalog


@lru_cache(maxsize=128)
def _listed(place: int) -> tuple[str, dict[int, str], dict[int, str], Mapping[str, Mapping[str, str]]]:
    """Return a list's source, abilities, unit types, and commands that lists before it lack."""
    _, first, source, *lists, commands = _catalog()["lists"][place]
    abilities, units = (dict(zip(each[::2], each[1::2], strict=True)) for each in lists)
    return f"{source} (from build {first} on)", abilities, units, commands


def commands_of(ability: str) -> Sequence[str]:
    """Return the names of an ability's commands, by index; empty ones for those without a name."""
    found: Sequence[str] = _catalog()["commands"].get(ability, ())
    return found


def _with_commands(place: int, abilities: Mapping[int, str], units: Mapping[int, str]) -> AbilityNames:
    source, _, _, more = _listed(place)
    commands = {
        (link, index): command
        for link, name in abilities.items()
        for index, command in (
            *enumerate(commands_of(name)),
            *((int(index), command) for index, command in more.get(name, {}).items()),
        )
        if command
    }
    return AbilityNames(source, commands, abilities, units)


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
    return {} if place is None else _listed(place)[2]


def listed_abilities(game: str, build: int) -> Mapping[int, str]:
    """Return the packaged list of abilities, uncorrected."""
    place = _place(game, build)
    return {} if place is None else _listed(place)[1]


_Links = Mapping[str, Mapping[int, list[tuple[int, str | None]]]]


@cache
def _measured(file: str) -> _Links:
    held = json.loads(read_beside(__file__, file))
    return {
        game: {int(build): [(link, name) for link, name, *_ in rows] for build, rows in builds.items()}
        for game, builds in held.items()
    }


def shifted(listed: Mapping[int, str], known: Iterable[tuple[int, str | None]]) -> dict[int, str]:
    """Return a list with each link between two known ones shifted as they are; without it if their shifts differ.

    Beyond the known links a list remains if the nearest one is not shifted.

    Args:
        listed: the list.
        known: link and name, ascending; None for a link that has another name than the list's.
    """
    places: dict[str, list[int]] = {}
    for place, name in listed.items():
        places.setdefault(name, []).append(place)
    named, unnamed = {}, set()
    pairs: list[tuple[int, int]] = []
    for link, known_name in known:
        if known_name is None:
            unnamed.add(link)
            continue
        named[link] = known_name
        last = pairs[-1][0] - pairs[-1][1] if pairs else 0
        near = min(places.get(known_name, ()), key=lambda place: abs(link - place - last), default=None)
        if near is not None and abs(link - near) <= _MOST_SHIFT:
            pairs.append((link, near))
    spans = [(-1, 0), *((place, link - place) for link, place in pairs), (1 << 32, 0)]
    out: dict[int, str] = {}
    for (first, shift), (last, next_shift) in pairwise(spans):
        if shift == next_shift:
            out |= {place + shift: name for place, name in listed.items() if first <= place <= last}
    return {link: name for link, name in {**out, **named}.items() if link not in unnamed}


@lru_cache(maxsize=256)
def _shifted(file: str, game: str, build: int) -> Mapping[int, str]:
    """Return the list of a build by the links measured in it."""
    listed = listed_units(game, build) if file == _UNITS else listed_abilities(game, build)
    return shifted(listed, _measured(file)[game][build])


@lru_cache(maxsize=256)
def _corrected(file: str, game: str, build: int) -> Mapping[int, str]:
    """Return the names of a build: the list, corrected by the links measured in it. What these leave open has the
    name on which the measured builds before and after agree, or that one of them and the list have."""
    listed_of = listed_units if file == _UNITS else listed_abilities
    listed, measured = listed_of(game, build), _measured(file).get(game, {})
    before = max((each for each in measured if each < build), default=None)
    after = min((each for each in measured if each > build), default=before)
    known = measured.get(build, [])
    own = _shifted(file, game, build) if known else {}
    if before is None or after is None:
        return own or listed
    # Nothing is measured beyond the last known link.
    own = {link: name for link, name in own.items() if link <= known[-1][0]}
    lists = [_shifted(file, game, each) for each in (before, after)]
    refused = {link for link, name in known if name is None}
    for link in lists[0].keys() | lists[1].keys():
        names = {each[link] for each in lists if link in each}
        both = link in lists[0] and link in lists[1]
        if len(names) == 1 and link not in own and link not in refused and (both or listed.get(link) in names):
            own[link] = names.pop()
    return own


def _place(game: str, build: int) -> int | None:
    places = [(row[1], place) for place, row in enumerate(_catalog()["lists"]) if row[0] == game]
    at = bisect_right([first for first, _ in places], build)
    return places[at - 1][1] if at else None


@lru_cache(maxsize=128)
def bundled_names(game: str, build: int) -> AbilityNames | None:
    """Return the names for a game (WoL, HotS or LotV) and data build: those of the highest build up to it. None
    without any: 0.2, and 0.14 to 0.20."""
    if _FIRST_BETA <= build <= _LAST_BETA:
        return _beta_names()
    place = _place(game, build)
    if place is None:
        return None
    return _with_commands(place, _corrected(_ABILITIES, game, build), _corrected(_UNITS, game, build))
