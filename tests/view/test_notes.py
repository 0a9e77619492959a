"""Panels of the game: lines about moments, over a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.samples.games import LONG, write_match

import playhead
from playhead.deadlock.presentation import spoken
from playhead.hots.presentation import talent_title
from playhead.view.story import notes

pytestmark = pytest.mark.slow_interpreted


@pytest.fixture(scope="module")
def cs2(tmp_path_factory: pytest.TempPathFactory) -> playhead.Replay:
    return playhead.open(write_match("cs2", tmp_path_factory.mktemp("match"), 4)[0])


def test_situations_of_cs2_are_those_of_its_tables(cs2: playhead.Replay) -> None:
    found = notes(cs2)["situations"]
    assert [line[0] for line in found] == sorted(line[0] for line in found)
    kinds = {kind: [line[0] for line in found if line[1] == kind] for _, kind, *_ in found}
    clutches = [row for row in cs2.table("clutches").to_pylist() if row["counts"] and row["won"] is not None]
    for kind, won in (("clutch won", True), ("clutch lost", False)):
        assert kinds.get(kind, []) == [row["tick"] for row in clutches if row["won"] is won]
    rounds = [row for row in cs2.table("rounds").to_pylist() if row["counts"]]
    defused = [row["bomb_planted_tick"] for row in rounds if row["reason"] == "bomb_defused"]
    assert kinds.get("retake", []) == defused
    assert defused
    for kind in (each for each in kinds if each.endswith(" won") and " v " in each):
        own, other = map(int, kind.removesuffix(" won").split(" v "))
        assert 0 < own <= other - 2


def test_a_part_has_its_lines(cs2: playhead.Replay) -> None:
    whole = notes(cs2)["situations"]
    first, last = whole[1][0], whole[-1][0]
    assert notes(cs2, (first, last - 1))["situations"] == [line for line in whole if first <= line[0] < last]


@pytest.mark.parametrize("game", ["sc2", "hots", "teehistorian", "dota2", "deadlock"])
def test_lines_are_of_the_players_of_the_match(
    samples: dict[str, Path], short_match: Callable[[str], Path], game: str
) -> None:
    replay = playhead.open(short_match(game) if game in LONG else samples[game])
    people = {player.player for player in replay.players} | {None}
    panels = {each.label for each in replay.presentation.notes if each.table in replay.tables}
    found = notes(replay)
    assert found.keys() == panels
    assert {line[3] for lines in found.values() for line in lines} <= people


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("MuradinHeroicAbilityHaymaker", "Haymaker"),
        ("KelThuzadIceCold", "Ice Cold"),
        ("ZagaraMasteryCorpseFeeders", "Corpse Feeders"),
        ("ZeratulShadowStrideTalent", "Shadow Stride"),
        ("L90ETCMasteryFaceMeltPinballWizard", "Face Melt Pinball Wizard"),
    ],
)
def test_talents_have_titles(name: str, title: str) -> None:
    assert talent_title(name) == title


def test_items_of_deadlock_have_titles() -> None:
    assert spoken("upgrade_high_velocity_mag") == "High Velocity Mag"
    assert spoken("citadel_ability_bull_charge") == "Bull Charge"
