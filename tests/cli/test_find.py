"""``playhead ddnet find`` as a shell sees it."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from tests.cli.in_process import run as playhead_command

from playhead.teehistorian import write_sample
from playhead.teehistorian.stream.extensions import PlayerName
from playhead.teehistorian.stream.messages import ConsoleCommand, Drop, Join
from playhead.teehistorian.writing.writer import TeehistorianWriter

run = partial(playhead_command, "ddnet", "find")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_sample(tmp_path / "games")
    return tmp_path / "games"


def test_lines(folder: Path) -> None:
    listed = run(folder)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "sample_ddnet.teehistorian" in listed.stdout
    assert "Tutorial" in listed.stdout
    outcome = run(folder, "--player", "brown*", "--glob", "--command", "team")
    assert outcome.stdout.rstrip().endswith("2026-01-02 03:04:07  Tutorial  00:02  brownbear  team 5")
    nothing = run(folder, "--map-name", "other")
    assert (nothing.returncode, nothing.stdout) == (1, "")
    assert "in 2.20 s" in run(folder, "--finish").stdout
    assert run(folder, "--team", "5").stdout.count("\n") == 2
    assert "team 5 in 4.50 s" in run(folder, "--team", "5", "--finish").stdout
    assert run(folder, "--team", "9").returncode == 1


def test_nothing_found_names_the_nearest(folder: Path) -> None:
    nothing = run(folder, "--player", "brownbaer", "--map-name", "xyz")
    assert nothing.returncode == 1
    expected = "nothing found in 1 recording; no player 'brownbaer', did you mean brownbear?; no map 'xyz'"
    assert nothing.stderr.endswith(f"{expected}\n")


def test_where_commands_came_from(folder: Path) -> None:
    assert run(folder, "--origin", "rcon").stdout.rstrip().endswith("nameless tee  say well done")
    assert run(folder, "--origin", "server").stdout.rstrip().endswith("sv_motd welcome to the sample")
    assert run(folder, "--origin", "chat", "--command", "say").returncode == 1
    nothing = run(folder, "--command", "rcon*", "--glob")
    assert nothing.returncode == 1
    assert "rcon is where commands come from: --origin rcon" in nothing.stderr
    assert "--at: a time is for players" in run(folder, "--at", "2026-01-02T03:04:10", "--finish").stderr
    assert "--at" in run(folder, "--at", "yesterday").stderr


def test_other_files_are_named(folder: Path, samples: dict[str, Path]) -> None:
    (folder / "match.dem").write_bytes(samples["source2"].read_bytes())
    (folder / "race.demo").write_bytes(b"TWDEMO\0" + bytes(1000))
    assert run(folder).stderr == ""  # skipped in a folder
    assert "a demo or ghost of DDNet's client, not a teeh" in run(folder / "race.demo").stderr
    for path, title in ((folder / "match.dem", "Source 2 demo"), (samples["sc2"], "StarCraft II replay")):
        outcome = run(path)
        assert (outcome.returncode, outcome.stdout) == (1, "")
        assert f"{path}: a {title}, not a teehistorian recording" in outcome.stderr


def test_of_two_files_of_a_game_the_most_complete_is_searched(folder: Path) -> None:
    whole = folder / "sample_ddnet.teehistorian"
    (folder / "aaa.teehistorian").write_bytes(whole.read_bytes()[:-200])
    (folder / "zzz.teehistorian").write_bytes(whole.read_bytes()[:-400])
    found = run(folder, "--finish")
    assert (found.returncode, found.stdout.count(str(whole))) == (0, found.stdout.count("\n"))
    left_out = f"2 copies of the same game left out: {folder / 'aaa.teehistorian'}, {folder / 'zzz.teehistorian'}"
    assert left_out in found.stderr


def test_a_kick_has_the_name_of_the_slot(tmp_path: Path) -> None:
    writer = TeehistorianWriter({"version": "2", "game_uuid": "a"})
    for tick, name, end in ((10, "early", 20), (30, "there", 50), (50, "late", 60)):
        writer.set_tick(tick)
        writer.record(Join(5))
        writer.record(PlayerName(5, name))
        writer.set_tick(end)
        if name == "there":
            writer.record(ConsoleCommand(-1, 4, "kick", ("5", "spam")))
        writer.record(Drop(5, ""))
    path = tmp_path / "a.teehistorian"
    path.write_bytes(writer.to_bytes())
    assert run(path, "--command", "kick").stdout.rstrip().endswith("kick 5 spam  (5: there)")


def test_a_file_that_is_no_recording_is_named_for_what_it_is(folder: Path) -> None:
    (folder / "empty.teehistorian").write_bytes(b"")
    found = run(folder)
    assert (found.returncode, "empty.teehistorian: expected a replay, found an empty file" in found.stderr) == (
        3,
        True,
    )


def test_json(folder: Path) -> None:
    outcome = run(folder, "--player", "brownbear", "--json")
    (row,) = map(json.loads, outcome.stdout.splitlines())
    assert (row["kind"], row["tick"], row["client"], row["player"], row["name"]) == (
        "visit",
        75,
        1,
        1,
        "brownbear",
    )


def test_names_are_literal_unless_asked_otherwise(folder: Path) -> None:
    assert run(folder, "--player", "brown*").returncode == 1
    assert run(folder, "--player", "brown*", "--glob").returncode == 0
    assert run(folder, "--player", "^brown", "--regex").returncode == 0
    assert run(folder, "--player", "(", "--regex").returncode == 2
    assert run(folder, "--player", "x", "--regex", "--glob").returncode == 2


def test_damage_is_told_by_the_exit_status(folder: Path) -> None:
    (path,) = folder.iterdir()
    path.write_bytes(path.read_bytes()[:-8])
    outcome = run(folder, "--player", "brownbear")
    assert (outcome.returncode, "brownbear" in outcome.stdout) == (3, True)
    assert "problem" in outcome.stderr


def test_what_cannot_be_read(folder: Path) -> None:
    (folder / "junk.teehistorian").write_bytes(b"junk")
    outcome = run(folder)
    assert outcome.returncode == 3
    assert "junk.teehistorian" in outcome.stderr
    assert "sample_ddnet" in outcome.stdout
    assert run(folder / "none").returncode == 1
    assert run(folder, folder / "none", "--player", "brownbear").returncode == 3


def test_standard_input(folder: Path) -> None:
    (path,) = folder.iterdir()
    command = [sys.executable, "-m", "playhead", "ddnet", "find", "-", "--player", "brownbear"]
    outcome = subprocess.run(command, input=path.read_bytes(), capture_output=True, check=False)
    assert (outcome.returncode, outcome.stdout[:4]) == (0, b"-  2"), outcome.stderr


def test_a_visit_has_its_end_and_a_second_client_its_name(folder: Path) -> None:
    outcome = run(folder, "--player", "*nameless*", "--glob")
    times = [line.split("  ")[3] for line in outcome.stdout.splitlines()]
    assert times == ["00:01–00:10", "00:09–00:09"]
    assert "another client of the same name" in outcome.stderr
    row = json.loads(run(folder, "--player", "brownbear", "--json").stdout)
    assert row["end_tick"] is None or row["end_tick"] > row["tick"]
