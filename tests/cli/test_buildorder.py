"""``playhead sc2 buildorder`` as a shell sees it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from tests.cli.in_process import run as playhead_command

from playhead.cli.commands.sc2.buildorder import spoken_name

pytestmark = pytest.mark.slow_interpreted


run = partial(playhead_command, "sc2", "buildorder")


def test_as_people_post_it(samples: dict[str, Path]) -> None:
    outcome = run(samples["sc2"])
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout.splitlines() == [
        "1 Needle (Terran)",
        "    0   0:28  Barracks",
        "    0   1:13  Orbital Command",
        "    0   1:15  Marine",
        "",
        "2 Spindle (Zerg)",
        "    2   1:40  Metabolic Boost",
        "    2   2:22  Lair (chrono boost)",
    ]


def test_a_comparison_is_elsewhere(samples: dict[str, Path]) -> None:
    outcome = run(samples["sc2"], "--against", samples["sc2"])
    assert outcome.returncode == 2
    assert "no option '--against': `playhead sc2 coach`, `playhead report`" in outcome.stderr


def test_one_player_by_name_or_number(samples: dict[str, Path]) -> None:
    by_name, by_number = run(samples["sc2"], "--player", "Needle"), run(samples["sc2"], "--player", "1", "--json")
    assert "Spindle" not in by_name.stdout
    rows = [json.loads(line) for line in by_number.stdout.splitlines()]
    assert [(row["product"], row["tick"], row["outcome"]) for row in rows] == [
        ("Barracks", 640, "finished"),
        ("OrbitalCommand", 1641, "finished"),
        ("Marine", 1700, "finished"),
    ]


def test_a_name_in_any_case_and_workers_left_out(corpus: Path) -> None:
    path = corpus / "sc2/4.9.2.74741/patch_4_9_2_zvt.SC2Replay"
    whole, without = run(path, "--player", "clem"), run(path, "--player", "CLEM", "--no-workers")
    assert whole.stdout.splitlines()[0] == without.stdout.splitlines()[0] == "2 Clem (Terran)"
    assert "  SCV" in whole.stdout
    assert "  SCV" not in without.stdout
    assert "Siege Tank" in without.stdout


def test_who_does_not_play_and_what_has_no_build_order(samples: dict[str, Path]) -> None:
    outcome = run(samples["sc2"], "--player", "Nobody")
    assert outcome.returncode == 2
    assert "is not a player of this game" in outcome.stderr
    outcome = run(samples["teehistorian"])
    assert outcome.returncode == 2
    assert "no build orders" in outcome.stderr.replace("\n", " ").replace("│", "").replace("  ", " ")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("SupplyDepot", "Supply Depot"),
        ("LurkerMP", "Lurker"),
        ("SCV", "SCV"),
        ("TerranInfantryWeaponsLevel1", "Terran Infantry Weapons Level 1"),
    ],
)
def test_names_in_words(name: str, words: str) -> None:
    assert spoken_name(name) == words
