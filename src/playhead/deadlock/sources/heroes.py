"""Names of heroes by the game's numbers. Recordings contain no names of heroes.

The numbers and names are those of ``heroes.rs`` of the crate boon-deadlock 0.9.0 (June 2026; MIT licence, see
``LICENSES.txt`` of this package). A hero that came later has a number and no name.
"""

from __future__ import annotations

from collections.abc import Mapping

_NUMBERED = (
    "1 Infernus|2 Seven|3 Vindicta|4 Lady Geist|6 Abrams|7 Wraith|8 McGinnis|10 Paradox|11 Dynamo|"
    "12 Kelvin|13 Haze|14 Holliday|15 Bebop|16 Calico|17 Grey Talon|18 Mo and Krill|19 Shiv|20 Ivy|"
    "21 Kali|25 Warden|27 Yamato|31 Lash|35 Viscous|38 Gunslinger|39 The Boss|46 Generic Person|"
    "47 Tokamak|48 Wrecker|49 Rutger|50 Pocket|51 Thumper|52 Mirage|53 Fathom|54 Cadence|55 Target Dummy|"
    "56 Bomber|57 Shield Guy|58 Vyper|59 Vandal|60 Sinclair|61 Trapper|62 Raven|63 Mina|64 Drifter|"
    "65 Venator|66 Victor|67 Paige|68 Boho|69 The Doorman|70 Skyrunner|71 Swan|72 Billy|73 Druid|74 Graf|"
    "75 Fortuna|76 Graves|77 Apollo|78 Airheart|79 Rem|80 Silver|81 Celeste|82 Opera|83 Test Hero"
)
HEROES: Mapping[int, str] = {
    int(number): name for number, _, name in (each.partition(" ") for each in _NUMBERED.split("|"))
}

#: Heroes whose picture has another name, as several public projects list them from ``scripts/heroes.vdata``.
_PICTURES = (
    "Infernus inferno|Seven gigawatt|Vindicta hornet|Lady Geist spectre|Abrams bull|McGinnis engineer|"
    "Paradox chrono|Dynamo sumo|Holliday astro|Calico nano|Grey Talon archer|Mo and Krill digger|Ivy tengu|"
    "The Boss yakuza|Pocket synth|Fathom slork|Vyper kali|Sinclair magician|Raven operative|Mina vampirebat|"
    "Venator priest|Victor frank|Paige bookworm|The Doorman doorman|Billy punkgoat|Graves necro|Apollo fencer|"
    "Rem familiar|Silver werewolf|Celeste unicorn"
)
_PICTURE_NAMES = {hero: name for hero, _, name in (each.rpartition(" ") for each in _PICTURES.split("|"))}


def picture_name(hero: str) -> str:
    """Return the name of a hero's picture in the installed game."""
    return _PICTURE_NAMES.get(hero) or hero.lower().replace(" ", "")


def hero_name(hero_id: int | None) -> str | None:
    """Return the name of a hero; None for no hero or a number that the table lacks."""
    return None if hero_id is None else HEROES.get(hero_id)
