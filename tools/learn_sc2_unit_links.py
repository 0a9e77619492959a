"""Rebuild ``src/playhead/sc2/abilities/unit_links.json``: catalog links of unit types, measured on real replays.

    python tools/learn_sc2_unit_links.py FILE|DIR… [--anew]    # replays; folders with all below them

sc2reader's lists of unit types (`tools/build_sc2_names.py`) are those of few builds; each patch shifts most of the
later links. The tracker names the units that players select and target, which shows the links of a build. The file
has, by data build, the links that begin and end a run of equal shifts against the packaged list;
`playhead.sc2.abilities.bundled` shifts the links between them. Only games on Blizzard's data count. Known builds
stay as they are; with ``--anew`` the file has the builds of these replays alone.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import playhead
from playhead.blizzard.protocol.tables import GAME, TRACKER
from playhead.sc2.abilities.bundled import listed_units
from playhead.sc2.members.setting import ARCADE, COOP, game_of
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.state.link_types import link_counts

TARGET = Path(__file__).parents[1] / "src" / "playhead" / "sc2" / "abilities" / "unit_links.json"
#: A link counts if it was seen so often, mostly with one type.
LEAST, SHARE = 3, 0.8


def anchors(links: dict[int, str], listed: dict[int, str]) -> list[tuple[int, str]]:
    """Return the links that begin or end a run of equal shifts, and those of types that the list lacks."""
    places: dict[str, list[int]] = defaultdict(list)
    for link, name in listed.items():
        places[name].append(link)
    shifts = []
    last = 0
    for link, name in sorted(links.items()):
        near = min(places[name], key=lambda place: abs(link - place - last), default=None)
        last = last if near is None else link - near
        shifts.append(None if near is None else link - near)
    rows = sorted(links.items())
    ends = (None, len(rows))
    return [
        row
        for place, row in enumerate(rows)
        if shifts[place] is None
        or place == 0
        or place + 1 in ends
        or not shifts[place - 1] == shifts[place] == shifts[place + 1]
    ]


def replays(places: Sequence[str]) -> Iterator[Path]:
    """Yield the replays among files, and below folders, in order.

    Raises:
        SystemExit: there are none.
    """
    found = [each for place in map(Path, places) for each in (place.rglob("*") if place.is_dir() else (place,))]
    paths = sorted({each for each in found if each.suffix.lower() == ".sc2replay"})
    if not paths:
        raise SystemExit("expected replays of StarCraft II")
    yield from paths


def write(target: Path, found: Mapping[str, Mapping[str, Any]], *, anew: bool) -> int:
    """Write rows by game and build, beside those of known builds; return the number of builds."""
    known: dict[str, dict[str, Any]] = {} if anew else json.loads(target.read_text("utf-8"))
    merged = {game: {**found.get(game, {}), **known.get(game, {})} for game in sorted({*known, *found})}
    texts = []
    for game, builds in merged.items():
        rows = ",\n".join(
            f"  {json.dumps(build)}: {json.dumps(builds[build])}" for build in sorted(builds, key=int)
        )
        texts.append(f" {json.dumps(game)}: {{\n{rows}\n }}")
    target.write_text("{\n" + ",\n".join(texts) + "\n}\n", encoding="utf-8")
    return sum(map(len, merged.values()))


def main(*places: str, anew: bool) -> None:
    """Read the replays and write `TARGET`."""
    seen: dict[tuple[str, int], Counter[tuple[int, str]]] = defaultdict(Counter)
    for path in replays(places):
        replay = playhead.open(path)
        assert isinstance(replay, Sc2Replay)
        game, tracker, header = (
            replay.recording.stream(GAME),
            replay.recording.stream(TRACKER),
            replay.recording.container.header,
        )
        names = replay.recording.ability_names
        if game is None or tracker is None or header is None or names is None or names.modded:
            continue
        if replay.info.details.get("mode") in (ARCADE, COOP):
            continue
        data_build = header.data_build or header.build
        seen[game_of(replay.recording.cache_handles, data_build), data_build] += link_counts(game, tracker)
    found: dict[str, dict[str, list[tuple[int, str]]]] = defaultdict(dict)
    for (name, build), counts in sorted(seen.items()):
        totals: Counter[int] = Counter()
        for (link, _), count in counts.items():
            totals[link] += count
        links = {
            link: type_
            for (link, type_), count in counts.items()
            if count >= LEAST and count >= SHARE * totals[link]
        }
        if len(links) > 1:
            found[name][str(build)] = anchors(links, dict(listed_units(name, build)))
    print(f"{TARGET.name}: {write(TARGET, found, anew=anew)} builds, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main(*(word for word in sys.argv[1:] if word != "--anew"), anew="--anew" in sys.argv)
