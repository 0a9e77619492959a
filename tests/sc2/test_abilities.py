"""Names of abilities: a user's catalog, lists of an installed sc2reader, and neither."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from tests.opened import open_as
from tests.samples.sc2 import replay as sample

from playhead.sc2.abilities.bundled import bundled_names
from playhead.sc2.abilities.names import (
    CATALOG_VARIABLE,
    read_catalog,
)
from playhead.sc2.members.setting import LIBERTY, STANDARD, SWARM, VOID, game_of
from playhead.sc2.replay import Sc2Replay

CSV = """first_build,last_build,ability_id,command_index,name
90000,,40,,Attack
90000,95000,40,0,AttackMove
80000,89999,40,0,Something older
"""


#: The first of the sample's casts.
CASTS = 4000


@pytest.fixture(autouse=True)
def _no_catalog(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CATALOG_VARIABLE, raising=False)


def opened() -> Sc2Replay:
    return open_as(Sc2Replay, sample.sample_bytes())


def orders(replay: Sc2Replay) -> list[tuple[Any, ...]]:
    columns = ("kind", "ability", "ability_id", "ability_index", "updates")
    rows = replay.table("commands").to_pylist()
    return [tuple(row[name] for name in columns) for row in rows if row["tick"] < CASTS]


def test_names_come_with_the_package() -> None:
    replay = opened()
    assert replay.recording.ability_names is not None
    assert replay.recording.ability_names.source == (
        "sc2reader 1.9.0 LotV/89720, s2protocol 5.0.0 94137 (from build 93272 on)"
    )
    assert not replay.recording.ability_names.modded
    # The update repeats the command, whose ability it has.
    name = replay.recording.ability_names.name(40, 0)
    assert name
    assert orders(replay) == [
        ("command_given", name, 40, 0, 2),
        ("command_repeated_at_point", name, 40, 0, None),
        ("command_repeated", name, 40, 0, None),
    ]


@pytest.mark.parametrize(
    ("game", "build", "link", "index", "name"),
    [
        # The codes 020602, 060401, 060D01, 080700.
        (LIBERTY, 14133, 38, 2, "HoldPosition"),
        (LIBERTY, 14133, 100, 1, "ReturnCargo"),
        (LIBERTY, 15250, 109, 1, "BuildSupplyDepot"),
        (LIBERTY, 15250, 135, 0, "TrainSCV"),
        (LIBERTY, 15250, 60, 0, None),
        (LIBERTY, 16117, 112, 1, "BuildSupplyDepot"),
        (SWARM, 24764, 121, 1, "BuildSupplyDepot"),
        (SWARM, 38215, 121, 1, "BuildSupplyDepot"),
        (VOID, 34835, 206, 0, "WarpInZealot"),
        (VOID, 44401, 209, 0, "WarpInZealot"),
        (VOID, 47185, 213, 0, "WarpInZealot"),
        (VOID, 48258, 213, 0, "WarpInZealot"),
        (VOID, 51702, 214, 0, "WarpInZealot"),
        (VOID, 89633, 216, 0, "WarpInZealot"),
        (VOID, 98310, 46, 0, "Attack"),
    ],
)
def test_names_by_build(game: str, build: int, link: int, index: int, name: str | None) -> None:
    names = bundled_names(game, build)
    assert names is not None
    assert names.name(link, index) == name


def test_builds_without_names() -> None:
    for build in (13891, 15449, 15580, 15976):
        assert bundled_names(LIBERTY, build) is None
    assert bundled_names("no game", 93333) is None


def test_unit_types_by_build() -> None:
    names = bundled_names(VOID, 98310)
    assert names is not None
    assert (names.unit(42), names.unit(68), names.unit(1 << 20)) == ("Barracks", "SCV", None)


def test_a_map_with_data_of_its_own_has_no_names() -> None:
    names = bundled_names(VOID, 93333)
    assert names is not None
    melee = [46] * 8 + [60000] * 2
    assert names.for_orders(melee) is names
    assert names.for_orders([]) is names
    none = names.for_orders([46] * 7 + [60000] * 3)
    assert none.modded
    assert (none.name(46, 0), none.unit(42)) == (None, None)
    assert none.source.startswith("none: 7 of 10 orders are in sc2reader")


def test_a_catalog_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text(CSV, encoding="utf-8")
    replay = opened()
    replay.use_abilities(read_catalog(path))
    kinds = ("command_given", "command_repeated_at_point", "command_repeated")
    assert [row[:2] for row in orders(replay)] == [(kind, "AttackMove") for kind in kinds]
    order, *_ = replay.events("command_given")
    assert order.ability == "AttackMove"  # type: ignore[attr-defined]
    catalog = read_catalog(path)
    assert catalog.for_build(96000).name(40, 0) == "Attack"
    assert catalog.for_build(90000).name(40, 7) == "Attack"
    assert catalog.for_build(85000).name(40, 0) == "Something older"
    assert catalog.for_build(85000).name(40, 1) is None
    assert catalog.for_build(1).name(40, 0) is None


def test_a_catalog_as_json_named_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "names.json"
    rows = [{"first_build": 90000, "ability_id": 40, "command_index": 0, "name": "A-move"}]
    path.write_text(json.dumps(rows), encoding="utf-8")
    monkeypatch.setenv(CATALOG_VARIABLE, str(path))
    replay = opened()
    assert replay.recording.ability_names is not None
    assert replay.recording.ability_names.source == str(path)
    assert orders(replay)[0][1] == "A-move"


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("a.csv", "first_build,name\n1,x\n", "last_build, ability_id, command_index not found"),
        ("a.csv", CSV + "x,,1,0,Stop\n", "row 4: expected a number in first_build, found 'x'"),
        ("a.csv", CSV + "1,,1,0,\n", "row 4: expected a name"),
        ("a.json", '{"rows": []}', "expected an array of objects"),
        ("a.json", "[5]", "row 1: expected an object, found int"),
        ("a.json", '[{"first_build": 1, "name": "x"}]', "row 1: expected a number in ability_id"),
    ],
)
def test_a_bad_catalog_is_named(tmp_path: Path, name: str, text: str, what: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=what) as caught:
        read_catalog(path)
    assert str(path) in str(caught.value)


def test_which_game_by_its_data() -> None:
    def handle(mod: str) -> bytes:
        return b"s2ma\0\0EU" + hashlib.sha256(f"Standard Data: {mod}.SC2Mod".encode()).digest()

    assert all(handle(mod)[8:].hex() == name for name, mod in STANDARD.items())
    liberty, swarm, void = handle("Liberty"), handle("Swarm"), handle("Void")
    assert game_of([liberty], 32283) == LIBERTY
    assert game_of([liberty, swarm], 32283) == SWARM
    assert game_of([liberty, swarm, void], 50000) == VOID
    assert game_of([], 50000) == VOID
    assert game_of([b"s2ma\0\0EUno hash"], 16117) == LIBERTY
