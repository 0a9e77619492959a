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
