"""Names of abilities: a user's catalog, lists of an installed sc2reader, and neither."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

import playhead
from playhead.samples.sc2 import replay as sample
from playhead.sc2.members.game_data import LIBERTY, SWARM, VOID, game_of
from playhead.sc2.replay import Sc2Replay
from playhead.sc2.tables import abilities
from playhead.sc2.tables.abilities import (
    CATALOG_VARIABLE,
    AbilityNames,
    names_of_sc2reader,
    read_catalog,
)

CSV = """first_build,last_build,ability_link,command_index,name
90000,,40,,Attack
90000,95000,40,0,AttackMove
80000,89999,40,0,Something older
"""


@pytest.fixture(autouse=True)
def _no_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is installed, these tests see no sc2reader but their own."""
    monkeypatch.delenv(CATALOG_VARIABLE, raising=False)
    monkeypatch.setattr(abilities, "_sc2reader_data", lambda: None)


def opened() -> Sc2Replay:
    replay = playhead.open(sample.sample_bytes())
    assert isinstance(replay, Sc2Replay)
    return replay


def orders(replay: Sc2Replay) -> list[tuple[Any, ...]]:
    columns = ("kind", "ability", "ability_link", "ability_index", "updates")
    return [tuple(row[name] for name in columns) for row in replay.table("commands").to_pylist()]


def test_without_names_there_are_numbers() -> None:
    replay = opened()
    assert replay.ability_names is None
    # The update repeats the command, whose ability it has.
    assert orders(replay) == [("command", None, 40, 0, 1), ("update_point", None, 40, 0, None)]


def test_a_catalog_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text(CSV, encoding="utf-8")
    replay = opened()
    assert orders(replay)[0][1] is None
    replay.use_abilities(read_catalog(path))
    assert [row[:2] for row in orders(replay)] == [("command", "AttackMove"), ("update_point", "AttackMove")]
    (order,) = replay.events("command")
    assert order.ability == "AttackMove"  # type: ignore[attr-defined]
    catalog = read_catalog(path)
    assert catalog.for_build(96000).name(40, 0) == "Attack"
    assert catalog.for_build(90000).name(40, 7) == "Attack"
    assert catalog.for_build(85000).name(40, 0) == "Something older"
    assert catalog.for_build(85000).name(40, 1) is None
    assert catalog.for_build(1).name(40, 0) is None


def test_a_catalog_as_json_named_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "names.json"
    rows = [{"first_build": 90000, "ability_link": 40, "command_index": 0, "name": "A-move"}]
    path.write_text(json.dumps(rows), encoding="utf-8")
    monkeypatch.setenv(CATALOG_VARIABLE, str(path))
    replay = opened()
    assert replay.ability_names is not None
    assert replay.ability_names.source == str(path)
    assert orders(replay)[0][1] == "A-move"


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("a.csv", "first_build,name\n1,x\n", "last_build, ability_link, command_index not found"),
        ("a.csv", CSV + "x,,1,0,Stop\n", "row 4: expected a number in first_build, found 'x'"),
        ("a.csv", CSV + "1,,1,0,\n", "row 4: expected a name"),
        ("a.json", '{"rows": []}', "expected an array of objects"),
        ("a.json", "[5]", "row 1: expected an object, found int"),
        ("a.json", '[{"first_build": 1, "name": "x"}]', "row 1: expected a number in ability_link"),
    ],
)
def test_a_bad_catalog_is_named(tmp_path: Path, name: str, text: str, what: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=what) as caught:
        read_catalog(path)
    assert str(path) in str(caught.value)


@pytest.fixture
def lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that looks like sc2reader."""
    folder = tmp_path / "data"
    for game, build, text in (
        (VOID, "base", "1,old\n"),
        (VOID, "80949", "40,attack\n41,BarracksTrain\n"),
        (VOID, "89720", "42,attack\n"),
        (SWARM, "24764", "7,stop\n"),
        (LIBERTY, "16117", "not a number,stop\n"),
    ):
        (folder / game).mkdir(parents=True, exist_ok=True)
        (folder / game / f"{build}_abilities.csv").write_text(text, encoding="utf-8")
    (folder / "ability_lookup.csv").write_text("BarracksTrain,TrainMarine,,TrainReaper\nattack,Attack\n", "utf-8")
    monkeypatch.setattr(abilities, "_sc2reader_data", lambda: (folder, "9.9"))
    return folder


def test_lists_of_sc2reader_by_build(lists: Path) -> None:
    def named(game: str, build: int) -> AbilityNames:
        names = names_of_sc2reader(game, build)
        assert names is not None
        return names

    names = named(VOID, 81433)
    assert names.source == "sc2reader 9.9, LotV 80949"
    assert (names.name(41, 0), names.name(41, 2), names.name(40, 0)) == ("TrainMarine", "TrainReaper", "Attack")
    # A command without a name has that of its ability; an unknown ability has none.
    assert (names.name(41, 1), names.name(99, 0)) == ("BarracksTrain", None)
    assert named(VOID, 40000).source.endswith("LotV base")
    # The list named 89720 is for builds from 89634 on; Heart of the Swarm has the other data from 38215 on.
    assert named(VOID, 89633).source.endswith("LotV 80949")
    assert named(VOID, 89634).source.endswith("LotV 89720")
    assert named(SWARM, 38214).source.endswith("HotS 24764")
    assert named(SWARM, 38215).source.endswith("LotV base")
    assert names_of_sc2reader(SWARM, 20000) is None
    assert names_of_sc2reader(LIBERTY, 20000) is None, "a broken list is no list"
    (lists / VOID / "base_abilities.csv").unlink()
    assert names_of_sc2reader(VOID, 39000) is None


def test_names_reach_the_table(lists: Path) -> None:
    replay = opened()
    # The sample has build 93333, and no link 40 in the list for it.
    assert orders(replay)[0][1] is None
    (lists / VOID / "93333_abilities.csv").write_text("40,attack\n", encoding="utf-8")
    assert orders(opened())[0][1] == "Attack"


def test_which_game_by_its_data() -> None:
    def handle(mod: str) -> bytes:
        return b"s2ma\0\0EU" + hashlib.sha256(f"Standard Data: {mod}.SC2Mod".encode()).digest()

    liberty, swarm, void = handle("Liberty"), handle("Swarm"), handle("Void")
    assert game_of([liberty], 32283) == LIBERTY
    assert game_of([liberty, swarm], 32283) == SWARM
    assert game_of([liberty, swarm, void], 50000) == VOID
    assert game_of([], 50000) == VOID
    assert game_of([b"s2ma\0\0EUno hash"], 16117) == LIBERTY


def test_without_the_package_there_are_no_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    abilities._sc2reader_data.cache_clear()
    try:
        with monkeypatch.context() as patched:
            patched.setattr(importlib.util, "find_spec", lambda name: None)
            assert names_of_sc2reader(VOID, 93333) is None
    finally:
        abilities._sc2reader_data.cache_clear()
