"""Names of abilities, items, weapons and units by the game's numbers: MurmurHash2 of the lower-case name.

A recording contains the numbers, and in its string table ``EntityNames`` the names of everything that exists as an
entity. The hashes of those names name nearly all numbers of abilities and items; modifiers are no entities.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from playhead.runtime.beside import read_beside
from playhead.source2.entities.manager import ENTITY_NAMES
from playhead.source2.facts.hashed_names import name_hash
from playhead.source2.playback.playback import Playback

#: String table with the names.
NAME_TABLE = ENTITY_NAMES


@cache
def shipped_names() -> Mapping[int, str]:
    """Return the names of abilities, items and modifiers of June 2026 by number, which `names.txt` has."""
    lines = read_beside(__file__, "names.txt").decode().splitlines()
    return {int(number): name for number, name in (line.split(" ") for line in lines)}


class DeadlockNames:
    """Names by number, from the names in a recording, else the shipped ones."""

    def __init__(self) -> None:
        self._playback: Playback | None = None
        self._known: dict[int, str] = {}
        self._hashed = 0

    def attach(self, playback: Playback) -> None:
        """Read the names of a playback, which has to keep `NAME_TABLE`."""
        self._playback = playback

    def _read(self) -> None:
        if self._playback is None or NAME_TABLE not in self._playback.string_tables:
            return
        table = self._playback.string_tables[NAME_TABLE]
        if len(table) != self._hashed:
            self._hashed = len(table)
            self.add(item.key for item in table if item.key)

    def add(self, names: Iterable[str]) -> None:
        """Add names."""
        for name in names:
            self._known.setdefault(name_hash(name), name)

    def name(self, number: int | None) -> str | None:
        """Return the name with a number; None for 0, or if neither recording nor shipped list have it."""
        if not number:
            return None
        self._read()
        return self._known.get(number) or shipped_names().get(number)


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
