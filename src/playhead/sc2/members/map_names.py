"""English names of maps. A replay has the name in the language of the player who saved it, and the map's SHA-256.

The packaged list of ladder maps is in ``map_names.json``; ``tools/build_sc2_map_names.py`` writes it, or a list
learnt from a folder of your own replays, which the environment variable `MAP_NAMES_VARIABLE` adds.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from playhead.errors import CorruptReplay
from playhead.runtime.beside import path_beside
from playhead.runtime.records import dataclass, field

MAP_NAMES_VARIABLE = "PLAYHEAD_SC2_MAP_NAMES"
#: Type and region, before the hash in a cache handle; maps have this type.
_HANDLE_HEAD, _MAP = 8, b"s2ma"
#: Digits of a hash in the lists.
_DIGITS = 16


def map_hash(handles: Sequence[bytes]) -> str | None:
    """Return the SHA-256 of the map's file, which is the last of the cache handles; None without any."""
    return handles[-1][_HANDLE_HEAD:].hex() if handles and handles[-1][:4] == _MAP else None


@dataclass(frozen=True, slots=True)
class MapNames:
    """English names of maps.

    Attributes:
        by_hash: by the first 16 digits of the map's SHA-256.
        by_title: by the name in any language.
    """

    by_hash: Mapping[str, str] = field(default_factory=dict)
    by_title: Mapping[str, str] = field(default_factory=dict)

    def english(self, sha256: str | None, title: str | None) -> str | None:
        """Return the English name of a map; None if the list does not have it."""
        found = None if sha256 is None else self.by_hash.get(sha256[:_DIGITS])
        return found if found is not None or title is None else self.by_title.get(title)

    def with_more(self, more: MapNames) -> MapNames:
        """Return this list with the entries of another, which take precedence."""
        return MapNames({**self.by_hash, **more.by_hash}, {**self.by_title, **more.by_title})

    @classmethod
    def learnt(cls, seen: Iterable[tuple[str | None, str | None]], known: MapNames) -> MapNames:
        """Return the names of maps that replays show.

        Replays of one map have its name in several languages. The English one is that of the list `known`, or
        else the most frequent one without other letters than English has. A map without one is skipped.

        Args:
            seen: SHA-256 and title of the map of each replay.
            known: names that are certainly English.
        """
        titles: dict[str, Counter[str]] = {}
        for sha256, title in seen:
            if sha256 and title:
                titles.setdefault(sha256[:_DIGITS], Counter())[title] += 1
        english = frozenset(known.by_title.values())
        by_hash: dict[str, str] = {}
        by_title: dict[str, str] = {}
        for digits, found in titles.items():
            likely = known.by_hash.get(digits) or next((each for each in found if each in english), None)
            if likely is None:
                plain = [title for title, _ in found.most_common() if title.isascii()]
                likely = plain[0] if plain else None
            if likely is not None:
                by_hash[digits] = likely
                by_title |= dict.fromkeys(found, likely)
        return cls(by_hash, by_title)

    def to_json(self) -> str:
        """Return the list as text, for `read_map_names`."""
        names = sorted({*self.by_hash.values(), *self.by_title.values()})
        rows = {
            name: [
                sorted(digits for digits, each in self.by_hash.items() if each == name),
                sorted(title for title, each in self.by_title.items() if each == name and title != name),
            ]
            for name in names
        }
        return json.dumps(rows, ensure_ascii=False, indent=0) + "\n"


def read_map_names(path: str | os.PathLike[str]) -> MapNames:
    """Read a list: a JSON object from each English name to the hashes (16 digits) and other titles of the map.

    Raises:
        OSError: the file cannot be read.
        CorruptReplay: it is not such a list.
    """
    try:
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)
        by_hash = {str(each): str(name) for name, (hashes, _) in rows.items() for each in hashes}
        by_title = {str(each): str(name) for name, (_, titles) in rows.items() for each in (name, *titles)}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise CorruptReplay(f"expected a list of map names: {error}").locate(file=str(path)) from None
    return MapNames(by_hash, by_title)


@cache
def bundled_map_names() -> MapNames:
    """Return the packaged list."""
    return read_map_names(path_beside(__file__, "map_names.json"))


@cache
def _named(path: str) -> MapNames:
    return bundled_map_names().with_more(read_map_names(path))


def map_names() -> MapNames:
    """Return the packaged list and the one in the file that `MAP_NAMES_VARIABLE` names, if any."""
    path = os.environ.get(MAP_NAMES_VARIABLE)
    return _named(path) if path else bundled_map_names()
