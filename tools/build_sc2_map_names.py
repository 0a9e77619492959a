"""Learn the English names of maps from StarCraft II replays.

    python tools/build_sc2_map_names.py FILE|DIR… [-o TARGET] [--ladder]

One map has one SHA-256, but its name is in the language of the player who saved the replay. The tool writes the
names as JSON to `TARGET` (default: ``map_names.json`` here), for the environment variable
``PLAYHEAD_SC2_MAP_NAMES``. With ``--ladder``, only Blizzard's maps count, and are added to the packaged list
``src/playhead/sc2/members/map_names.json``. That has three sources: replays of ladder maps; the names in
Blizzard's announcements of the ladder's seasons since 2010, by title alone; and translated titles as
SC2InfoExtractorGo (github.com/Kaszanas/SC2InfoExtractorGo) read them from the maps' own text files. Two Chinese
titles are in none of these: their replays have the size and the first cameras of Interloper LE and of Metalopolis.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from learn_sc2_unit_links import replays

import playhead
from playhead.sc2.members.map_names import MapNames, bundled_map_names, map_hash
from playhead.sc2.replay import Sc2Replay

PACKAGED = Path(__file__).parents[1] / "src" / "playhead" / "sc2" / "members" / "map_names.json"


def _seen(places: list[str], *, ladder: bool) -> Iterator[tuple[str | None, str | None]]:
    for path in replays(places):
        replay = playhead.open(path)
        assert isinstance(replay, Sc2Replay)
        info = replay.brief_info
        if not ladder or (
            info.details.get("is_blizzard_map") and info.details.get("mode") not in ("co-op", "arcade")
        ):
            yield map_hash(replay.recording.cache_handles), info.map


def main() -> None:
    """Read the replays and write the list."""
    asked = argparse.ArgumentParser()
    asked.add_argument("places", nargs="+")
    asked.add_argument("-o", dest="target", type=Path)
    asked.add_argument("--ladder", action="store_true")
    given = asked.parse_args()
    target = given.target or (PACKAGED if given.ladder else Path("map_names.json"))
    known = bundled_map_names()
    names = MapNames.learnt(_seen(given.places, ladder=given.ladder), known)
    if given.ladder:
        names = known.with_more(names)
    target.write_text(names.to_json(), "utf-8")
    print(f"{target}: {len(set(names.by_hash.values()))} maps, {len(names.by_hash)} files of maps")


if __name__ == "__main__":
    main()
