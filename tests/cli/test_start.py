"""A command imports what it needs, and nothing else: that is what its start costs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from playhead import list_formats
from playhead.cli.app import COMMANDS

HEAVY = ("pyarrow", "numpy", "pandas", "polars", "duckdb", "rich", "fsspec", "matplotlib", "pydantic")
_SHOW = """
import sys
from playhead.cli import main
try:
    main()
except SystemExit as end:
    print(end.code, *sys.modules, file=sys.stderr)
"""


def loaded(*arguments: object) -> set[str]:
    """The modules that a command loads."""
    # Without the variables of hot.py, which make the import load every hot module at once.
    env = {name: value for name, value in os.environ.items() if not name.startswith("PLAYHEAD_")}
    command = [sys.executable, "-c", _SHOW, *map(str, arguments)]
    outcome = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    status, *modules = outcome.stderr.split()
    assert status == "0", outcome.stderr
    return set(modules)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("samples")
    return {known.name: known.write_sample(folder) for known in list_formats()}


@pytest.mark.parametrize("format", [known.name for known in list_formats()])
def test_info_loads_its_format_and_nothing_heavy(format: str, samples: dict[str, Path]) -> None:
    modules = loaded("info", samples[format])
    typer_needs_it = {"pydantic"} if "typer._adapters" in modules else set()
    assert not modules & set(HEAVY) - typer_needs_it
    commands = {name for name in COMMANDS if f"playhead.cli.{name}" in modules}
    assert commands == {"info"}
    others = {known.name for known in list_formats()} - {format}
    assert not [name for name in others if f"playhead.{name}.replay" in modules]


def test_the_version_loads_no_command() -> None:
    modules = loaded("--version")
    assert not [name for name in COMMANDS if f"playhead.cli.{name}" in modules]
