"""English names of races, from the game's spellings in all its languages and from its codes."""

from __future__ import annotations

TERRAN, PROTOSS, ZERG, RANDOM = "Terran", "Protoss", "Zerg", "Random"

#: Races by their number in the lobby; no number is a random race.
RACES = (TERRAN, ZERG, PROTOSS)

#: Spellings of ``replay.details``, in the language of the player who saved the replay. Those of the corpus agree
#: with the picked race or with English metadata in the same file; some are only in sc2reader's list.
_SPELLINGS = {
    TERRAN: ("Terran", "Terraner", "Terrano", "Terranie", "Терран", "Терраны", "테란", "人类", "人類"),
    PROTOSS: ("Protoss", "Protosi", "Протосс", "Протоссы", "프로토스", "星灵", "神族"),
    ZERG: ("Zerg", "Zergi", "Зерг", "Зерги", "저그", "异虫", "蟲族"),
}
_BY_SPELLING = {spelling: race for race, spellings in _SPELLINGS.items() for spelling in spellings}

#: First four letters of the English name: metadata and attributes.
_BY_CODE = {"Terr": TERRAN, "Prot": PROTOSS, "Zerg": ZERG, "Rand": RANDOM, "RAND": RANDOM}


def english_race(spelling: str | None) -> str | None:
    """Return the English name of a race; for commanders with a race in their name (``Terran Tychus``) the first
    word. None for an unknown spelling."""
    first, *_ = (spelling or "").split() or [""]
    return _BY_SPELLING.get(spelling or "") or _BY_SPELLING.get(first)


def race_of_code(code: str | None) -> str | None:
    """Return the race of ``Terr``, ``Prot``, ``Zerg``, ``Rand`` (any race)."""
    return None if code is None else _BY_CODE.get(code.strip())


def race_of_number(number: int | None) -> str | None:
    """Return the race of a lobby's preference; None (no preference) is random."""
    if number is None:
        return RANDOM
    return RACES[number] if 0 <= number < len(RACES) else None
