"""Parts of Deadlock's sources without a recording."""

from __future__ import annotations

import pytest

from playhead.deadlock.facts import TABLES
from playhead.deadlock.facts.items import change_word
from playhead.deadlock.sources import unfilled
from playhead.deadlock.sources.entities import INDEX, Grid, index_of
from playhead.deadlock.sources.match import client_version
from playhead.deadlock.sources.names import DeadlockNames, hero_name, shipped_names
from playhead.source2.facts.hashed_names import name_hash


@pytest.mark.parametrize(
    ("name", "number"),
    # Of boon's list of abilities.
    [("synth_barrage", 938149308), ("Synth_Barrage", 938149308)],
)
def test_a_number_is_the_murmur_hash_of_the_name(name: str, number: int) -> None:
    assert name_hash(name) == number


def test_names_are_found_by_number() -> None:
    names = DeadlockNames()
    names.add(["synth_barrage", "abc", ""])
    assert names.name(name_hash("ABC")) == "abc"
    assert names.name(1) is names.name(0) is names.name(None) is None


def test_names_that_a_recording_lacks_are_shipped() -> None:
    """Each with the number that the game would give it."""
    assert len(shipped_names()) > 1800
    assert [name for number, name in shipped_names().items() if name_hash(name) != number] == []
    assert DeadlockNames().name(2960594085) == "modifier_grit_barrier"
    names = DeadlockNames()
    names.add(["Modifier_Grit_Barrier"])
    assert names.name(2960594085) == "Modifier_Grit_Barrier", "the recording is asked first"


def test_heroes_have_names() -> None:
    assert (hero_name(6), hero_name(31), hero_name(9999), hero_name(None)) == ("Abrams", "Lash", None, None)


@pytest.mark.parametrize(
    ("change", "version", "word"),
    [
        (0, None, "purchase"),
        (1, 1, "upgrade"),
        (2, 1, "sale"),
        (3, 1, "swap"),
        (4, 6710, "failure"),
        (4, 6711, "level_up"),
        (4, None, None),
        (5, 6711, "failure"),
        (6, 6711, None),
    ],
)
def test_change_four_depends_on_the_client(change: int, version: int | None, word: str | None) -> None:
    assert change_word(change, version) == word


def test_the_clients_version_is_in_the_folder() -> None:
    assert client_version("/opt/srcds/project8/citadel_v5186/citadel") == 5186
    assert client_version("citadel") is client_version(None) is None


class _Patron:
    def __init__(self, cell: int) -> None:
        self.values = {"CBodyComponent.m_cellX": cell, "CBodyComponent.m_vecX": 16.0}

    def get(self, name: str) -> object:
        return self.values.get(name)


@pytest.mark.parametrize("cell", [32, 30, 64, 63])
def test_patrons_decide_the_grid(cell: int) -> None:
    grid, patron = Grid(), _Patron(cell)
    grid.learn(patron)  # type: ignore[arg-type]
    x, y, _ = grid.place(patron)  # type: ignore[arg-type]
    assert x is not None
    assert abs(x) < 1100
    assert y is None


def test_handles_have_an_index() -> None:
    assert index_of(-1145273096) == 1272
    assert index_of(0xFFFFFF) is index_of(-1) is index_of(None) is None
    assert index_of(INDEX) == INDEX


def test_each_reason_is_of_a_table() -> None:
    assert {*unfilled._NEEDS, *unfilled._AT_END} <= TABLES.own().keys()
