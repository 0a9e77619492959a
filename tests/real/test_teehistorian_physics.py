"""Recordings of real servers played again: shares of exactly predicted positions, per file."""

from __future__ import annotations

import lzma
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from uuid import UUID, uuid3

import pytest
from tests.teehistorian.physics.demo_reader import Items, read_demo

import playhead
from playhead.teehistorian.physics.demo.snapshots import NAMESPACE
from playhead.view.story import decided

#: Least share, in percent, of the positions of a file that are predicted exactly.
LEAST = {
    "head20.1-antibot-stub/361fdea6-564f-41e4-b055-2a460dcea9e4": 99.95,
    "head20.1-bigsave/f7794073-c046-41c2-8b3c-f5d84297792e": 99.95,
    "head20.1-crowd24-killed/49b83563-ec82-48c0-b710-549060b18974": 100.0,
    "head20.1-with-debug-log/180dab3e-6d96-48b4-97be-12de644a210a": 99.95,
    "head20.1-with-debug-log/3cc3aa6e-0cd8-4adf-a211-4bb4e17f3131": 99.95,
    "head20.1-with-debug-log/f68a0bdb-4858-4c87-a58d-182b8c75c194": 99.95,
    "old19.7/06310d2c-8998-4388-9b68-7d0ba862ef20": 99.95,
    "old19.7/4eb80285-0e13-4660-8f83-e9efd1b938cd": 99.95,
    "old19.7/e742cc8b-4f81-4491-81b1-86946e593d6f": 99.95,
    "deb16.4-physics/sunny": 100.0,
    "deb16.4-physics/tsunami": 100.0,
    **dict.fromkeys(
        (f"deb16.4-play/{name}" for name in ("chat", "pause", "practice", "switches", "tiles")), 100.0
    ),
}

#: Least share of all files of a server.
LEAST_OF_SERVER = {
    "deb16.4": 99.95,
    "deb16.4-slot-reuse": 99.8,
    "deb16.4-bigsave": 99.95,
    "deb16.4-invalid-utf8-header": 100.0,
    "old17.4.2": 99.95,
    "old15.9.1": 99.8,
    "old13.1": 96.5,
    "old11.0.2": 96.5,
}


@pytest.fixture(scope="session")
def made_maps(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the maps that the corpus makes by a script."""
    script = corpus.parent / "tools" / "ddnet" / "make_map.py"
    if not script.is_file():
        pytest.skip("the script that makes the maps raceA and raceB is not here")
    folder = tmp_path_factory.mktemp("maps")
    subprocess.run([sys.executable, str(script), str(folder)], check=True, capture_output=True)
    return folder / "maps"


def counts_of(recording: Path, made_maps: Path) -> Mapping[str, int]:
    """Play a recording again on its map; skip the test if the corpus does not have it."""
    own = recording.with_suffix(".map")
    replay = playhead.open(recording)
    name = f"{replay.info.map}.map"
    for found in (own, recording.parents[1] / "maps" / name, made_maps / name):
        if found.is_file():
            return replay.simulate(found).exactness
    pytest.skip(f"the corpus does not have the map {name}")


def test_runs_are_verified(corpus: Path, made_maps: Path) -> None:
    """All finishes of two servers: those of a loaded save have a start that is not in the recording."""
    found = []
    for server, name in (
        ("old19.7", "4eb80285-0e13-4660-8f83-e9efd1b938cd"),
        ("head20.1-with-debug-log", "3cc3aa6e-0cd8-4adf-a211-4bb4e17f3131"),
    ):
        recording = corpus / "teehistorian" / server / f"{name}.teehistorian"
        if not recording.is_file():
            pytest.skip(f"the corpus does not have {name}")
        found += playhead.open(recording).verify_runs(made_maps).to_pylist()
    whole = [row for row in found if row["reason"] != "a save was loaded"]
    assert len(whole) == len(found) - 1 == 20
    assert all(row["verified"] and row["reason"] is None for row in whole)
    assert all(row["compared"] == row["exact_positions"] > 50 and row["inexact_tick"] is None for row in whole)
    assert all(row["simulated_seconds"] == row["duration_seconds"] > 1 for row in whole)
    replay = playhead.open(recording)
    replay.use_map(made_maps)
    assert replay.table("run_verdicts").to_pylist() == found[-len(replay.runs()) :]
    told = {line["rule"]: line["text"] for line in decided(replay, None)["lines"]}
    assert told["the best time"] == "alice, 0:01.14, verified"


@pytest.mark.long
def test_deaths_equal_those_of_the_server(corpus: Path, tmp_path: Path) -> None:
    """The server's demo has an item for each death: where, and whose."""
    file = corpus / "teehistorian" / "deb16.4-play" / "pause"
    if not file.with_suffix(".demo.xz").is_file():
        pytest.skip("the corpus does not have the demo of pause")
    (tmp_path / "server.demo").write_bytes(lzma.decompress(file.with_suffix(".demo.xz").read_bytes()))
    simulation = playhead.open(file.with_suffix(".teehistorian")).simulate(file.with_suffix(".map"))
    seen = [chunk for chunk in read_demo(tmp_path / "server.demo") if chunk.items]
    first, last = seen[0].tick, seen[-1].tick
    theirs = {
        (chunk.tick, *fields) for chunk in seen for (kind, _), fields in (chunk.items or {}).items() if kind == 17
    }
    rows = simulation.table("deaths", start=first, end=last).to_pylist()
    assert {(row["tick"], row["x"], row["y"], row["client"]) for row in rows} == theirs
    assert len(theirs) > 10
    assert {row["reason"] for row in rows} == {"kill"}


@pytest.mark.long
@pytest.mark.parametrize("name", LEAST)
def test_positions_are_predicted(name: str, corpus: Path, made_maps: Path) -> None:
    pytest.importorskip("twmap")
    recording = corpus / "teehistorian" / f"{name}.teehistorian"
    if not recording.is_file():
        pytest.skip(f"the corpus does not have {name}")
    counts = counts_of(recording, made_maps)
    assert counts["compared"] > 1000
    assert 100 * counts["exact"] / counts["compared"] >= LEAST[name]


@pytest.mark.long
@pytest.mark.parametrize("server", LEAST_OF_SERVER)
def test_positions_of_old_servers_are_predicted(server: str, corpus: Path, made_maps: Path) -> None:
    pytest.importorskip("twmap")
    recordings = sorted((corpus / "teehistorian" / server).glob("*.teehistorian"))
    if not recordings:
        pytest.skip(f"the corpus does not have {server}")
    counts = [counts_of(recording, made_maps) for recording in recordings]
    share = 100 * sum(each["exact"] for each in counts) / sum(each["compared"] for each in counts)
    assert share >= LEAST_OF_SERVER[server]


@pytest.mark.long
@pytest.mark.stepped
@pytest.mark.parametrize(("name", "least"), [("sunny", 99.95), ("tsunami", 99.99)])
def test_hidden_state_equals_the_demo_of_the_server(name: str, least: float, corpus: Path, tmp_path: Path) -> None:
    """The server's character is dead-reckoned: it is compared where it is of the snapshot's own tick."""
    folder = corpus / "teehistorian" / "deb16.4-physics"
    if not (folder / f"{name}.demo.xz").is_file():
        pytest.skip(f"the corpus does not have the demo of {name}")
    (tmp_path / "server.demo").write_bytes(lzma.decompress((folder / f"{name}.demo.xz").read_bytes()))
    simulation = playhead.open(folder / f"{name}.teehistorian").simulate(folder / f"{name}.map")
    written = simulation.write_demo(tmp_path / "own.demo", end=900)
    ours = {chunk.tick: chunk.items for chunk in read_demo(written) if chunk.items is not None}
    compared = equal = weapons = 0
    for chunk in read_demo(tmp_path / "server.demo"):
        if chunk.tick > 900:
            break
        own = ours.get(chunk.tick)
        if chunk.items is None or own is None:
            continue
        for (kind, number), fields in chunk.items.items():
            if kind == 9 and fields[0] == chunk.tick and (kind, number) in own:
                compared += 1
                equal += fields[1:15] == own[kind, number][1:15]
                weapons += fields[19] == own[kind, number][19]
    assert compared > 5000
    assert 100 * equal / compared >= least
    assert 100 * weapons / compared >= 99.9


@pytest.mark.long
@pytest.mark.stepped
def test_items_equal_the_demo_of_the_server(corpus: Path, tmp_path: Path) -> None:
    """Things of the map, shots, explosions, deaths and flags, on a map with every tile."""
    file = corpus / "teehistorian" / "deb16.4-play" / "tiles"
    if not file.with_suffix(".demo.xz").is_file():
        pytest.skip("the corpus does not have the demo of tiles")
    (tmp_path / "server.demo").write_bytes(lzma.decompress(file.with_suffix(".demo.xz").read_bytes()))
    simulation = playhead.open(file.with_suffix(".teehistorian")).simulate(file.with_suffix(".map"))
    ours = {
        chunk.tick: by_type(chunk.items)
        for chunk in read_demo(simulation.write_demo(tmp_path / "own.demo", end=700))
        if chunk.items is not None
    }
    count, equal = Counter[object](), Counter[object]()
    for chunk in read_demo(tmp_path / "server.demo"):
        if chunk.tick > 700:
            break
        if chunk.items is None or chunk.tick not in ours:
            continue
        for kind, items in by_type(chunk.items).items():
            count[kind] += len(items)
            equal[kind] += len((Counter(items) & Counter(ours[chunk.tick].get(kind, ()))).keys())
            count[kind] -= len(items) - len({*items})
    assert {kind for kind in count if count[kind] == equal[kind]} >= {
        *(3, 4, 6, 11, 14, 15, 17, "entity-ex@netobj.ddnet.tw", "switch-state@netobj.ddnet.tw"),
        *("character@netobj.ddnet.tw", "gameinfo@netobj.ddnet.tw", "player@netobj.ddnet.tw"),
    }
    assert min(count[3], count[4], count["entity-ex@netobj.ddnet.tw"]) > 1500
    assert count[14] > 20
    assert equal["projectile@netobj.ddnet.tw"] >= 0.99 * count["projectile@netobj.ddnet.tw"] > 1000


EXTENDED = {
    uuid3(NAMESPACE, f"{name}@netobj.ddnet.tw"): f"{name}@netobj.ddnet.tw"
    for name in ("gameinfo", "player", "character", "projectile", "laser", "entity-ex", "switch-state")
}


def by_type(items: Items) -> dict[object, list[tuple[int, ...]]]:
    """Return items by number or name of their type; with their id where it is a client's."""
    names = {
        number: EXTENDED.get(UUID(bytes=struct.pack(">4i", *fields)), number)
        for (kind, number), fields in items.items()
        if kind == 0
    }
    found: dict[object, list[tuple[int, ...]]] = {}
    for (kind, number), fields in items.items():
        name = names.get(kind, kind)
        own = (number,) if kind in (10, 11) or name == "character@netobj.ddnet.tw" else ()
        found.setdefault(name, []).append((*own, *fields))
    return found
