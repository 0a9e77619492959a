"""``playhead stats``: statistics over matches, for people and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.in_process import run
from tests.samples.source2.cs2_match.demo import write_cs2_match
from tests.samples.source2.cs2_match.plan import RoundPlan

pytestmark = pytest.mark.slow_interpreted


def test_stats(short_match: Callable[[str], Path]) -> None:
    found = run("stats", short_match("cs2"), "--jobs", "0", "--by", "player,side", "--per", "round")
    assert found.returncode == 0, found.stderr
    head, *_ = found.stdout.splitlines()
    assert head.split()[:5] == ["game", "player", "side", "name", "matches"]
    assert "more columns, by --columns NAME or --json: " in found.stderr
    chosen = run("stats", short_match("cs2"), "--jobs", "0", "--columns", "kills,adr")
    assert chosen.stdout.split("\n")[0].split() == ["game", "player", "name", "matches", "kills", "adr"]
    one = run("stats", short_match("cs2"), "--jobs", "0", "--by", "side", "--player", "LC", "--json")
    assert {(row["name"], row["side"]) for row in map(json.loads, one.stdout.splitlines())} == {
        ("Talc", "t"), ("Talc", "ct"),
    }  # fmt: skip
    rows = map(
        json.loads, run("stats", short_match("cs2"), "--jobs", "0", "--per", "total", "--json").stdout.splitlines()
    )
    assert sum(row["kills"] for row in rows) > 0


def test_wrong_words_have_hints(short_match: Callable[[str], Path]) -> None:
    for options, said in (
        (["--by", "plaer"], "no dimension 'plaer'; did you mean player?"),
        (["--columns", "kils"], "no column 'kils'; did you mean kills?"),
        (["--where", "game"], "--where 'game': expected NAME=VALUE"),
        (["--where", "player=Talc"], "--player 'Talc' chooses a player"),
        (["--where", "gme=cs2"], "did you mean game?"),
    ):
        found = run("stats", short_match("cs2"), "--jobs", "0", *options)
        assert found.returncode, options
        assert said in found.stderr


@pytest.mark.filterwarnings("default")  # as a shell has it
def test_what_was_not_found_or_not_read_is_said(short_match: Callable[[str], Path], tmp_path: Path) -> None:
    other = tmp_path / "other.dem"
    other.write_bytes(b"no replay")
    found = run("stats", other, "--jobs", "0")
    assert (found.returncode, found.stdout) == (1, "")
    assert "1 input could not be read: playhead info tells why" in found.stderr
    found = run("stats", short_match("cs2"), "--jobs", "0", "--where", "game=dota2")
    assert (found.returncode, found.stdout) == (0, "")
    assert found.stderr.splitlines() == [
        "playhead: note: no replay has game 'dota2'; there are cs2",
        "playhead: note: no match fits",
    ]


def test_reasons_are_ordered_by_lost_games(samples: dict[str, Path]) -> None:
    found = run("stats", samples["sc2"], "--jobs", "0", "--by", "reason", "--json")
    losses = [json.loads(line)["losses"] for line in found.stdout.splitlines()]
    assert len(losses) > 1
    assert losses == sorted(losses, reverse=True)


def test_columns_left_out_are_named(samples: dict[str, Path]) -> None:
    name = run("stats", samples["sc2"], "--jobs", "0").stderr.strip().rpartition(", ")[2]
    assert name in run("stats", samples["sc2"], "--jobs", "0", "--columns", name).stdout


@pytest.mark.parametrize(("name", "way"), [("opponent", "--by opponent"), ("result", "wins and losses")])
def test_a_fact_of_a_player_is_no_condition(name: str, way: str, samples: dict[str, Path]) -> None:
    outcome = run("stats", samples["sc2"], "--jobs", "0", "--where", f"{name}=win")
    assert outcome.returncode == 2
    assert way in outcome.stderr
    assert "game, map" in outcome.stderr


def test_no_statistics_have_a_reason(tmp_path: Path) -> None:
    warmup = tmp_path / "warmup.dem"
    warmup.write_bytes(write_cs2_match(0.3, plan=[RoundPlan("warmup", 0)]).data)
    outcome = run("stats", warmup, "--jobs", "0")
    assert "no recording says what its players did; " in outcome.stderr
    assert "has no player of an ended round that counts" in outcome.stderr


@pytest.mark.filterwarnings("default:.* add no rows")
def test_unread_and_damaged_files_are_named(samples: dict[str, Path], tmp_path: Path) -> None:
    cut = tmp_path / "cut.dem"
    cut.write_bytes(samples["source2"].read_bytes()[:-2000])
    outcome = run("stats", cut, "--jobs", "0", "--json")
    assert outcome.returncode == 3
    assert f"playhead: problem: {cut}: " in outcome.stderr
    none = tmp_path / "none.dem"
    none.write_bytes(b"nothing")
    outcome = run("stats", cut, none, "--jobs", "0", "--json", "-q")
    last = json.loads(outcome.stdout.splitlines()[-1])
    assert (outcome.returncode, last["file"], [*last]) == (1, str(none), ["file", "error"])


def test_no_reasons_have_a_reason(samples: dict[str, Path]) -> None:
    outcome = run("stats", samples["hots"], "--jobs", "0", "--by", "reason")
    assert "no recording has reasons" in outcome.stderr


def test_rows_can_be_ranked_and_written(short_match: Callable[[str], Path], tmp_path: Path) -> None:
    words = ("stats", short_match("cs2"), "--jobs", "0", "--sort", "rating_1")
    ranked = [json.loads(line)["rating_1"] for line in run(*words, "--json").stdout.splitlines()]
    assert ranked == sorted(ranked, reverse=True)
    assert len({*ranked}) > 1
    assert "rating_1" in run(*words).stdout.splitlines()[0].split()
    out = tmp_path / "stats.csv"
    assert run(*words, "-o", out).stdout.strip() == str(out)
    head, *rows = out.read_text().splitlines()
    assert '"utility_damage"' in head
    assert len(rows) == len(ranked)
    assert run(*words, "-o", tmp_path / "stats.txt").returncode == 2
    assert "no column 'ratin'" in run("stats", short_match("cs2"), "--jobs", "0", "--sort", "ratin").stderr
