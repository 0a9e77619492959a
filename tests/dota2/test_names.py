"""Names by number: from a database made for the test, from the package where there is one, and without."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.samples.source2.signals import CHAT_WHEEL

import playhead
from playhead.dota2.sources import names
from playhead.dota2.sources.names import GameNames, game_heroes, game_names, read_names


@pytest.fixture
def made(tmp_path: Path) -> Path:
    path = tmp_path / "dotabase.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE heroes (id, full_name, localized_name)")
        connection.execute("CREATE TABLE items (id, name, localized_name)")
        connection.execute("CREATE TABLE abilities (id, name, localized_name)")
        connection.execute("CREATE TABLE chatwheelmessages (id, message)")
        connection.execute("INSERT INTO heroes VALUES (74, 'npc_dota_hero_invoker', 'Invoker')")
        connection.execute("INSERT INTO items VALUES (44, 'item_tango', 'Tango'), (7, NULL, 'Nothing')")
        connection.execute("INSERT INTO abilities VALUES (5103, 'sven_warcry', 'Warcry'), (44, 'old', NULL)")
        connection.execute("INSERT INTO chatwheelmessages VALUES (16, 'Well played!')")
    return path


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Call it with the database to use, or None for none."""
    game_names.cache_clear()
    game_heroes.cache_clear()
    yield lambda path: monkeypatch.setattr(names, "database", lambda: path)
    game_names.cache_clear()
    game_heroes.cache_clear()


def test_names_of_a_database(made: Path) -> None:
    found = read_names(made)
    assert found.heroes == {74: "npc_dota_hero_invoker"}
    assert found.items == {44: "item_tango"}
    assert found.titles["item_tango"] == "Tango"
    assert "old" not in found.titles
    assert found.ability_or_item(5103) == "sven_warcry"
    assert found.ability_or_item(44) == "item_tango"
    assert found.ability_or_item(1) is found.ability_or_item(None) is None


def test_tables_with_the_package(sample: Any, made: Path, chosen: Any) -> None:
    chosen(made)
    replay = playhead.open(sample.data)
    heroes = {row["hero_id"]: row["hero"] for row in replay.table("draft").to_pylist()}
    assert heroes[74] == "npc_dota_hero_invoker"
    assert [row["phrase"] for row in replay.table("chat_wheel").to_pylist()] == ["Well played!", None]
    assert [row["ability"] for row in replay.table("orders").to_pylist()] == [
        None,
        None,
        "sven_warcry",
        "item_tango",
    ]


def test_tables_without_the_package(sample: Any, chosen: Any) -> None:
    chosen(None)
    assert game_names() == GameNames()
    replay = playhead.open(sample.data)
    heroes = {row["hero_id"]: row["hero"] for row in replay.table("draft").to_pylist()}
    assert heroes[74] is None
    assert [row["phrase"] for row in replay.table("chat_wheel").to_pylist()] == [None] * len(CHAT_WHEEL)


def test_a_database_of_another_make_is_told(tmp_path: Path) -> None:
    path = tmp_path / "dotabase.db"
    sqlite3.connect(path).close()
    with pytest.raises(RuntimeError, match="playhead\\[names\\]"):
        read_names(path)
    path.write_bytes(b"no database" * 100)
    with pytest.raises(RuntimeError, match="cannot read names"):
        read_names(path)


def test_the_package_itself() -> None:
    path = names.database()
    if path is None:
        pytest.skip("dotabase is not installed")
    found = read_names(path)
    assert found.heroes[2] == "npc_dota_hero_axe"
    assert found.items[1] == "item_blink"
    assert found.abilities[5010] == "axe_culling_blade"
    assert found.titles["item_blink"] == "Blink Dagger"
    assert found.phrases[0] == "Okay."
