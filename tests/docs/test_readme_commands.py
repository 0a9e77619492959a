"""Command lines of README run on samples of their formats; commands and options in docs/ exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.cli.in_process import run as run_playhead

import playhead
from playhead.cli.commands import COMMANDS, GROUPS, load

pytestmark = pytest.mark.slow_interpreted

ROOT = Path(__file__).parents[2]
FORMATS = {
    "Source 2": "source2",
    "StarCraft II": "sc2",
    "Heroes of the Storm": "hots",
    "teehistorian": "teehistorian",
}

#: Commands that change the user's shell, install packages, serve until they are stopped, or need a map.
_NOT_HERE = (
    "--install-completion",
    "pip ",
    "playhead view ",
    "playhead mcp ",
    "playhead serve ",
    "playhead ddnet simulate ",
)


def commands() -> list[tuple[str, frozenset[str]]]:
    """Command lines of README, each with the formats at the start of its comment, or all formats."""
    found = []
    for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("    playhead ") and not any(word in line for word in _NOT_HERE):
            command, _, comment = line.strip().partition("  # ")
            names = re.match(rf"\s*((?:{'|'.join(FORMATS)})(?:, (?:{'|'.join(FORMATS)}))*):", comment)
            formats = FORMATS.values() if names is None else [FORMATS[name] for name in names[1].split(", ")]
            found.append((command.strip(), frozenset(formats)))
    return found


def test_there_are_commands() -> None:
    assert len(commands()) >= 18


@pytest.mark.long
@pytest.mark.parametrize("format", FORMATS.values())
@pytest.mark.parametrize("number", range(len(commands())))
def test_command(number: int, format: str, samples: Mapping[str, Path], tmp_path: Path) -> None:
    command, formats = commands()[number]
    if "FILE" not in command and format != "source2" and "FOLDER" not in command:
        pytest.skip("it reads no file")
    if " sql " in f" {command} ":
        pytest.importorskip("duckdb", reason="SQL is DuckDB's")
    path = samples[format]
    name = next((player.name for player in playhead.open(path).players if player.name), "nobody")
    places = {
        "FILE|DIR…": str(path.parent),
        "FILE|DIR|LAKE…": str(path),
        "FILE…": str(path),
        "FILE": str(path),
        "A": str(path),
        "B": str(path),
        "DIR": str(tmp_path / "out"),
        "OUT": str(tmp_path / "out"),
        "FOLDER": str(path.parent),
        "NAME": name,
    }
    words = [places.get(word, word) for word in shlex.split(command) if word != "[OTHER]"]
    outcome = run_playhead(*words[1:], cwd=tmp_path)
    if format not in formats:
        assert outcome.returncode != 0
        assert outcome.stderr or words[1] == "find"  # prints nothing without a match, as grep does
    else:
        assert outcome.returncode == 0, outcome.stderr
        assert outcome.stdout or words[1] == "diff" or "note:" in outcome.stderr


def test_lines_for_windows(tmp_path: Path) -> None:
    """The lines for PowerShell do what the scripts do, in order in an empty folder."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = [line.strip().split("; ") for line in text.splitlines() if line.startswith("    py -m ")]
    install, *tried, tested = lines
    bash = {name: (ROOT / "scripts" / name).read_text(encoding="utf-8") for name in ("try", "test")}
    assert install == ["py -m pip install ."]
    commands = [shlex.split(command)[3:] for line in tried for command in line]
    assert [words[0] for words in commands] == ["sample", "info", "export"]
    for words in commands:
        assert f'"$bin/playhead" {words[0]} ' in bash["try"]
        done = run_playhead(*words, cwd=tmp_path)
        assert (done.returncode, bool(done.stdout)) == (0, True), (words, done.stderr)
    assert all(word in bash["test"] for word in (" -m pytest ", " --eighth ", " --group dev ."))
    assert tested[1:] == ["py -m pip install --group dev .", "py -m pytest --eighth"]
    assert "New-Item HKCU:" in text
    assert 'py -m playhead view "%1"' in text
    assert "view" in COMMANDS


@pytest.mark.long
def test_start_page(tmp_path: Path) -> None:
    """The commands of the page run in order in an empty folder."""
    pytest.importorskip("duckdb", reason="SQL is DuckDB's")
    lines = (ROOT / "docs/index.md").read_text(encoding="utf-8").splitlines()
    wanted = [shlex.split(line) for line in lines if line.startswith("    playhead ")]
    assert len(wanted) >= 5
    for words in wanted:
        done = run_playhead(*words[1:], cwd=tmp_path)
        assert (done.returncode, bool(done.stdout)) == (0, True), (words, done.stderr)


def test_mentioned_commands_exist() -> None:
    """Commands and options in the text of a page exist."""
    mentioned = 0
    for page in (ROOT / "docs").rglob("*.md"):
        for text in re.findall(r"`playhead ([^`]+)`", page.read_text(encoding="utf-8")):
            name, *rest = text.split()
            if not name.isalpha() or name == "COMMAND":
                continue
            assert name in COMMANDS, (page.name, text)
            if name in GROUPS:
                inner, *rest = rest or GROUPS[name]
                assert inner in GROUPS[name], (page.name, text)
                name = f"{name} {inner}"
            options = {option for action in load(name)[0].declared for option in action.option_strings}
            odd = [word for word in rest if word.startswith("--") and word.split("=")[0] not in options]
            assert not odd, (page.name, text)
            mentioned += 1
    assert mentioned > 10
