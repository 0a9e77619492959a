"""``playhead ddnet patterns``: what it prints, and its exit status."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from tests.cli.in_process import run as playhead_command

run = partial(playhead_command, "ddnet", "patterns")


def test_a_line_for_every_player(samples: dict[str, Path]) -> None:
    outcome = run(samples["teehistorian"])
    assert (outcome.returncode, outcome.stderr) == (0, "")
    lines = outcome.stdout.splitlines()
    assert lines[0].split()[:5] == ["name", "player", "client", "seconds", "inputs"]
    assert [line.split("  ")[0] for line in lines[1:-1]] == ["nameless tee", "brownbear", "(1)nameless tee"]


def test_one_player_as_text(samples: dict[str, Path]) -> None:
    outcome = run(samples["teehistorian"], "--player", "brownbear")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    for word in ("brownbear: ", "jump period", "aim turn", "move delay", "same inputs"):
        assert word in outcome.stdout


def test_one_player_as_json(samples: dict[str, Path]) -> None:
    outcome = run(samples["teehistorian"], "--player", "brownbear", "--format", "json")
    report = json.loads(outcome.stdout)
    assert (report["player"], report["name"]) == (1, "brownbear")
    assert report["file"] == str(samples["teehistorian"])
    assert report["presses"]["jump"]["period"]["histogram"] == [[50, 5]]
    everybody = run(samples["teehistorian"], "--format", "json").stdout.splitlines()
    assert len(everybody) == 3
    assert "same_inputs with --player or --client only" in " ".join(run("--help").stdout.split())
    assert {key: report[key] for key in ("player", "presses", "aim")}.items() <= json.loads(everybody[1]).items()


def test_a_stretch(samples: dict[str, Path]) -> None:
    def inputs(*arguments: str) -> int:
        outcome = run(samples["teehistorian"], "--player", "brownbear", "--format", "json", *arguments)
        assert (outcome.returncode, outcome.stderr) == (0, "")
        return int(json.loads(outcome.stdout)["inputs"])

    assert inputs("--from", "0s") == inputs() == inputs("--from", "2s", "--to", "3.98s") + inputs("--from", "200t")
    assert 0 < inputs("--to", "0:03") < inputs()
    wrong = run(samples["teehistorian"], "--from", "5s", "--to", "4s")
    assert wrong.returncode == 2
    assert run(samples["teehistorian"], "--from", "noon").returncode == 2


def test_an_unknown_player_and_another_format_are_usage_errors(samples: dict[str, Path]) -> None:
    outcome = run(samples["teehistorian"], "--player", "nobody")
    assert outcome.returncode == 2
    assert "brownbear" in outcome.stderr
    assert run(samples["sc2"]).returncode == 2


def test_a_damaged_file_is_read_as_far_as_it_goes(samples: dict[str, Path], tmp_path: Path) -> None:
    cut = tmp_path / "cut.teehistorian"
    cut.write_bytes(samples["teehistorian"].read_bytes()[:-40])
    outcome = run(cut, "--player", "brownbear")
    assert outcome.returncode == 3
    assert "problem" in outcome.stderr
    assert run(cut, "--strict").returncode == 1


def test_players_of_several_files_are_ranked_in_one_table(samples: dict[str, Path], tmp_path: Path) -> None:
    again = tmp_path / "again.teehistorian"
    again.write_bytes(samples["teehistorian"].read_bytes()[:-8])
    outcome = run(samples["teehistorian"], again, "--sort", "inputs", "-q")
    head, *lines, note = outcome.stdout.splitlines()
    assert head.split()[-1] == "file"
    column = head.split().index("inputs")
    inputs = [
        int(line.rsplit("  ", len(head.split()))[0] and line.split()[-len(head.split()) + column])
        for line in lines
    ]
    assert inputs == sorted(inputs, reverse=True)
    assert {line.split()[-1] for line in lines} == {samples["teehistorian"].name, again.name}
    assert note.startswith("by inputs; ")


def test_few_presses_are_ranked_last(corpus: Path) -> None:
    ranked = run(corpus / "teehistorian/deb16.4-slot-reuse", corpus / "teehistorian/deb16.4-play", "-q")
    head, *lines, note, middle = ranked.stdout.splitlines()
    place = head.split().index("fire") - len(head.split())
    fire = [int(line.split()[place]) for line in lines if line.split()[place + 4] != "-"]
    enough = [count >= 20 for count in fire]
    assert enough == sorted(enough, reverse=True)
    assert {True, False} <= {*enough}
    assert "by rhythm, players with fewer than 20 presses last" in note
    assert f"median of {sum(enough)} players with 20 presses or more: period " in middle
    assert ", rhythm " in middle


def test_the_table_as_csv(samples: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "players.csv"
    assert run(samples["teehistorian"], "-o", out).stdout.strip() == str(out)
    assert [row.split(",")[1] for row in out.read_text().splitlines()[1:]] == [
        '"nameless tee"', '"brownbear"', '"(1)nameless tee"',
    ]  # fmt: skip
    assert run(samples["teehistorian"], "-o", out, "--json").returncode == 2
    failed = run(samples["teehistorian"], "-o", samples["teehistorian"] / "players.csv")
    assert (failed.returncode, "players.csv" in failed.stderr) == (1, True)
