"""Options mean the same in each command that has them: ``--json``, ``--limit``, ``--player``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.in_process import run

from playhead.cli.arguments import UsageError
from playhead.cli.commands import COMMANDS, GROUPS, load

#: Commands that write files, or serve.
WITHOUT = {
    "slice",
    "source2 voice",
    "anonymize",
    "sample",
    "view",
    "report",
    "site",
    "serve",
    "mcp",
    "lake compact",
    "lake remove",
}
NAMES = [
    name for each in COMMANDS for name in ([f"{each} {sub}" for sub in GROUPS[each]] if each in GROUPS else [each])
]


def options(name: str) -> set[str]:
    parser, _ = load(name)
    return {option for action in parser.declared for option in action.option_strings}


@pytest.mark.parametrize("name", NAMES)
def test_what_prints_results_has_json(name: str) -> None:
    assert ("--json" in options(name)) != (name in WITHOUT)


#: A command line of each command that reads one replay, with the format of its sample.
LINES = {
    "info": ("source2", []),
    "events": ("source2", ["--kind", "player_killed"]),
    "tables": ("sc2", []),
    "sql": ("sc2", ["SELECT player, name FROM players"]),
    "source2 schema": ("source2", ["--grep", "m_iHealth"]),
    "source2 messages": ("teehistorian", ["--name", "ConsoleCommand"]),
    "source2 messages --count": ("source2", ["--count"]),
    "ddnet patterns": ("teehistorian", []),
    "ddnet runs": ("teehistorian", []),
    "sc2 buildorder": ("sc2", []),
    "ddnet find": ("teehistorian", ["--player", "tee"]),
    "diff": ("sc2", []),
    "verify": ("teehistorian", []),
    "at": ("sc2", ["1:00"]),
}


@pytest.mark.parametrize("line", LINES)
def test_json_is_json(line: str, samples: dict[str, Path]) -> None:
    if line == "sql":
        pytest.importorskip("duckdb", reason="SQL is DuckDB's")
    format, more = LINES[line]
    files = [samples[format]] * (2 if line == "diff" else 1)
    words = [*more, *files] if line == "sql" else [*files, *more]
    done = run(*line.partition(" --")[0].split(), *words, "--json")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(each) for each in done.stdout.splitlines()]
    assert rows or line == "diff"


@pytest.mark.parametrize("line", ["events", "source2 messages", "sql"])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_limit(line: str, form: list[str], samples: dict[str, Path]) -> None:
    if line == "sql":
        pytest.importorskip("duckdb", reason="SQL is DuckDB's")
    words = ["SELECT name FROM players", samples["source2"]] if line == "sql" else [samples["source2"]]
    few, all_ = (run(*line.split(), *words, *form, *more) for more in (["--limit", "2"], []))
    assert few.returncode == 0, few.stderr
    if form or line != "sql":
        head = 1 if line == "events" and not form else 0
        assert few.stdout.splitlines() == all_.stdout.splitlines()[: 2 + head]
    assert few.stdout.count("Cedar") < all_.stdout.count("Cedar") or line != "sql"


@pytest.mark.parametrize("text", ["Needle", "NEEDLE", "need", "1"])
def test_a_player_by_name_part_or_number(text: str, samples: dict[str, Path]) -> None:
    path = samples["sc2"]
    orders = [
        json.loads(row) for row in run("sc2", "buildorder", path, "--player", text, "--json").stdout.splitlines()
    ]
    assert {row["player"] for row in orders} == {1}
    events = [json.loads(row) for row in run("events", path, "--player", text, "--json").stdout.splitlines()]
    assert events
    assert all(row["player"] == 1 or 1 in row["payload"].values() for row in events)
    state = json.loads(run("at", path, "1:00", "--player", text, "--json").stdout)
    assert [row["name"] for row in state["players"]] == ["Needle"]
    assert {row["player"] for row in state["units"]} <= {1}
    assert "Spindle" not in run("at", path, "1:00", "--player", text).stdout


@pytest.mark.parametrize("text", ["brownbear", "BROWNBEAR", "brown"])
def test_a_tee_by_name_or_part(text: str, samples: dict[str, Path]) -> None:
    path = samples["teehistorian"]
    reports = [
        json.loads(row) for row in run("ddnet", "patterns", path, "--player", text, "--json").stdout.splitlines()
    ]
    assert reports
    assert all("brownbear" in row["names"] for row in reports)
    found = run("ddnet", "find", path, "--player", text, "--json")
    assert found.returncode == 0
    assert "brownbear" in found.stdout


@pytest.mark.parametrize("line", [["events"], ["at", "1:00"], ["sc2", "buildorder"], ["ddnet", "patterns"]])
def test_nobody_of_that_name(line: list[str], samples: dict[str, Path]) -> None:
    file = samples["teehistorian" if line[0] == "ddnet" else "sc2"]
    done = (
        run(*line, file, "--player", "nobody")
        if line[0] != "at"
        else run("at", file, "1:00", "--player", "nobody")
    )
    assert done.returncode == 2
    assert "nobody" in done.stderr
    assert "--player" in done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_no_value_replaces_an_earlier_one_in_silence(name: str) -> None:
    parser, _ = load(name)
    for action in parser.declared:
        if action.option_strings and action.nargs is None and action.__class__.__name__ != "_AppendAction":
            with pytest.raises(UsageError, match="given twice"):
                parser.parse([action.option_strings[0], "1", action.option_strings[-1], "2"])
