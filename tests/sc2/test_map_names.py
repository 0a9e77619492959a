"""English names of maps, learnt from hashes and titles."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.samples.sc2 import replay as sample

import playhead
from playhead.errors import CorruptReplay
from playhead.sc2.members.map_names import (
    MAP_NAMES_VARIABLE,
    MapNames,
    bundled_map_names,
    map_hash,
    read_map_names,
)

ONE, TWO, THREE = "1" * 64, "2" * 64, "3" * 64


def test_one_hash_has_one_english_name() -> None:
    seen = [
        (ONE, "Metropole"),
        (ONE, "Metropolis"),
        (ONE, "Metropolis"),
        (ONE, "大都會"),
        (TWO, "沙漠"),
        (None, "x"),
    ]
    names = MapNames.learnt([*seen, (THREE, "Rio"), (THREE, "River")], MapNames(by_title={"River": "River"}))
    assert [names.english(sha256, None) for sha256 in (ONE, TWO, THREE, None)] == [
        "Metropolis",
        None,
        "River",
        None,
    ]
    assert names.english("f" * 64, "大都會") == "Metropolis"
    assert names.english("f" * 64, "Rio") == "River"


def test_a_list_survives_its_file(tmp_path: Path) -> None:
    names = MapNames.learnt([(ONE, "Fluss"), (ONE, "River"), (ONE, "River")], MapNames())
    path = tmp_path / "names.json"
    path.write_text(names.to_json(), "utf-8")
    assert read_map_names(path).english(ONE, None) == "River"
    assert read_map_names(path).english(None, "Fluss") == "River"


@pytest.mark.parametrize("text", ["", "[]", "{", '{"River": 1}', '{"River": [1, 2]}', "[" * 100_000])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "names.json"
    path.write_text(text, "utf-8")
    with pytest.raises(CorruptReplay, match="map names"):
        read_map_names(path)


def test_info_has_the_name_of_ones_own_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sample.write_sample(tmp_path)
    details = playhead.open(path).info.details
    sha256 = bytes(range(32)).hex()
    assert (details["map_hash"], details["map_english"]) == (sha256, None)
    assert (details["expansion"], details["matchup"]) == ("LotV", "TvZ")
    assert "resumed_tick" not in details
    names = tmp_path / "names.json"
    names.write_text(MapNames.learnt([(sha256, "Two Rivers LE")], MapNames()).to_json(), "utf-8")
    monkeypatch.setenv(MAP_NAMES_VARIABLE, str(names))
    assert playhead.open(path).info.details["map_english"] == "Two Rivers LE"


def test_only_a_map_has_a_map_hash() -> None:
    assert map_hash([]) is None
    assert map_hash([b"s2mv\0\0EU" + bytes(32)]) is None


def test_the_packaged_names_are_english() -> None:
    names = bundled_map_names()
    assert len(set(names.by_hash.values())) > 100
    assert all(name.isascii() for name in names.by_hash.values())
    assert names.english(None, "어비설 리프 - 래더") == "Abyssal Reef LE"


@pytest.mark.parametrize(
    ("title", "english"),
    [(name, name) for name in ("Automaton LE", "Waterfall LE", "Desert Oasis", "Xel'Naga Caverns", "Torches LE")]
    + [("Wüstenoase", "Desert Oasis"), ("아크로폴리스 - 래더", "Acropolis LE"), ("Automa LE", "Automaton LE")],
)
def test_maps_of_all_seasons_are_known_by_title(title: str, english: str) -> None:
    assert bundled_map_names().english(None, title) == english
