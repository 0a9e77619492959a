"""Rebuild ``src/playhead/sc2/abilities/bundled.json.xz``: names of abilities and unit types by build.

    python tools/build_sc2_names.py SC2READER BALANCE

SC2READER is the folder ``data`` of sc2reader 1.9.0 (MIT, pypi.org/project/sc2reader); its lists by build are the
base. BALANCE is ``assets/BalanceData`` of the crate s2protocol 5.0.0 (MIT, crates.io/crates/s2protocol): exports
of the game's own editor for a few late builds, which take precedence. Their licences are in
``src/playhead/sc2/LICENSES.txt``.

The builds of each list were verified with build orders at a place in replays, where the tracker shows the
resulting building (``tests/real/test_sc2_names.py``), and with the effects of spells
(`tools/learn_sc2_ability_links.py`): 76114 holds from 71663 on, the export 94137 from 93272 on. Three lists of
sc2reader differ from their names:

* 44401 and 47185 lack builds and trains: these are filled in by order from 53644, where the names around are all
  shifted equally;
* 48258 has unit names there: 53644 is used, shifted by `tools/learn_sc2_ability_links.py`.

Upgrades of the tracker correct names of research (`CORRECTED`, `COMMANDS`, `COMMANDS_SINCE`): each of these orders
is one build time before its upgrade in the corpus.
"""

from __future__ import annotations

import csv
import json
import lzma
import sys
from bisect import bisect_left
from collections.abc import Mapping
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src" / "playhead" / "sc2" / "abilities" / "bundled.json.xz"

#: Game, first data build, list of abilities and list of units of sc2reader.
LISTS = (
    ("WoL", 16117, "WoL/16117", "WoL/16117"),
    ("WoL", 17326, "WoL/17326", "WoL/17326"),
    ("WoL", 18092, "WoL/18092", "WoL/18092"),
    ("WoL", 19458, "WoL/19458", "WoL/19458"),
    ("WoL", 22612, "WoL/22612", "WoL/22612"),
    ("WoL", 24944, "WoL/24944", "WoL/24944"),
    ("HotS", 0, "HotS/base", "HotS/base"),
    ("HotS", 23925, "HotS/23925", "HotS/23925"),
    ("HotS", 24247, "HotS/24247", "HotS/24247"),
    ("HotS", 24764, "HotS/24764", "HotS/24764"),
    # From here on, Heart of the Swarm uses the data of Legacy of the Void.
    ("HotS", 38215, "LotV/base", "LotV/base"),
    ("LotV", 0, "LotV/base", "LotV/base"),
    ("LotV", 44401, "LotV/44401", "LotV/44401"),
    ("LotV", 47185, "LotV/47185", "LotV/47185"),
    ("LotV", 48258, "LotV/53644", "LotV/48258"),
    ("LotV", 53644, "LotV/53644", "LotV/53644"),
    ("LotV", 54724, "LotV/54724", "LotV/54724"),
    ("LotV", 59587, "LotV/59587", "LotV/59587"),
    ("LotV", 70154, "LotV/70154", "LotV/70154"),
    ("LotV", 71663, "LotV/76114", "LotV/76114"),
    ("LotV", 77379, "LotV/77379", "LotV/77379"),
    ("LotV", 80949, "LotV/80949", "LotV/80949"),
    ("LotV", 89634, "LotV/89720", "LotV/89720"),
    ("LotV", 93272, "LotV/89720", "LotV/89720"),
    ("LotV", 95122, "LotV/96883", "LotV/96883"),
    ("LotV", 97364, "LotV/97364", "LotV/97364"),
)
#: Exports that override the list from that build on.
EXPORTS = {93272: "94137", 95122: "95299", 97364: "97563"}
#: Lists with gaps, and the list that fills each.
FILLED = {"LotV/44401": "LotV/53644", "LotV/47185": "LotV/53644"}
_SIDES = 4
#: Abilities by list and link: Hydralisk Dens gave these orders, and their upgrades followed after 1,600 loops.
CORRECTED = {name: {191: "HydraliskDenResearch"} for name in ("LotV/53644", "LotV/54724")}
#: Commands of abilities: LurkerRange follows the second one after 1,280 loops, Frenzy that of 5.0.15 after 1,440.
COMMANDS = {"LurkerDenMPResearch": ["ResearchDiggingClaws", "ResearchLurkerRange"]}
COMMANDS_SINCE = {95122: {"HydraliskDenResearch": {2: "ResearchFrenzy"}}}


def read_list(path: Path) -> dict[int, str]:
    """Return names by number."""
    with path.open(encoding="utf-8", newline="") as file:
        return {int(row[0]): row[1].strip() for row in csv.reader(file) if len(row) >= 2}


def fill(mine: Mapping[int, str], other: Mapping[int, str]) -> dict[int, str]:
    """Return `mine` with the entries found only in `other`, if the nearest names of both are all equally far
    apart.
    """
    places = {name: link for link, name in mine.items()}
    common = sorted(link for link, name in other.items() if name in places)
    out = dict(mine)
    for link, name in other.items():
        if name in places:
            continue
        at = bisect_left(common, link)
        near = common[max(0, at - _SIDES) : at] + common[at : at + _SIDES]
        shifts = {places[other[each]] - each for each in near}
        if len(shifts) == 1 and len(near) == 2 * _SIDES:
            out.setdefault(link + shifts.pop(), name)
    return out


def merge(mine: Mapping[int, str], export: Mapping[int, str]) -> dict[int, str]:
    """Return a list and an export of a later build: the export's entries, and the list's others. An entry of the
    list between two that the export has elsewhere is shifted as both are."""
    places: dict[str, int] = {}
    for link, name in export.items():
        if mine.get(link) != name:
            places.setdefault(name, link)
    moved = {link: places[name] - link for link, name in mine.items() if name in places}
    known = sorted(moved)
    out: dict[int, str] = {}
    for link, name in mine.items():
        at = bisect_left(known, link)
        if link not in moved and 0 < at < len(known) and moved[known[at - 1]] == moved[known[at]]:
            out[link + moved[known[at]]] = name
        elif link not in moved:
            out.setdefault(link, name)
    return out | dict(export)


def read_export(folder: Path) -> tuple[dict[int, str], dict[int, str]]:
    """Return abilities and units of an export, by number."""
    abilities: dict[int, str] = {}
    units: dict[int, str] = {}
    for path in sorted(folder.glob("*.json")):
        unit = json.loads(path.read_text("utf-8"))
        units[unit["meta"]["@index"]] = unit["@id"]
        for ability in unit["abilities"]["ability"]:
            if ability["@index"] is not None:
                abilities[ability["@index"]] = ability["@id"]
    return abilities, units


def main(lists: str, balance: str) -> None:
    """Read both sources and write `TARGET`."""
    data, exports = Path(lists), Path(balance)
    with (data / "ability_lookup.csv").open(encoding="utf-8", newline="") as file:
        commands = {row[0]: [name.strip() for name in row[1:]] for row in csv.reader(file) if row}
    commands |= COMMANDS
    for names in commands.values():
        while names and not names[-1]:
            names.pop()
    out = []
    used: set[str] = set()
    for game, first, ability_list, unit_list in LISTS:
        abilities = read_list(data / f"{ability_list}_abilities.csv")
        units = read_list(data / f"{unit_list}_units.csv")
        abilities |= CORRECTED.get(ability_list, {})
        if ability_list in FILLED:
            abilities = fill(abilities, read_list(data / f"{FILLED[ability_list]}_abilities.csv"))
        source = f"sc2reader 1.9.0 {ability_list}"
        if game == "LotV" and first in EXPORTS:
            more, more_units = read_export(exports / EXPORTS[first])
            abilities, units = merge(abilities, more), units | more_units
            source += f", s2protocol 5.0.0 {EXPORTS[first]}"
        used |= set(abilities.values())
        flat = ([each for row in sorted(names.items()) for each in row] for names in (abilities, units))
        since = [names for build, names in COMMANDS_SINCE.items() if game == "LotV" and first >= build]
        out.append([game, first, source, *flat, since[-1] if since else {}])
    held = {name: names for name, names in sorted(commands.items()) if name in used and names}
    text = json.dumps({"commands": held, "lists": out}, separators=(",", ":"))
    TARGET.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{TARGET}: {TARGET.stat().st_size} bytes, {len(out)} lists")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
