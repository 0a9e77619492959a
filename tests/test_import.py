"""`import playhead` stays light: nothing heavy loads before it is needed."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys

import playhead

HEAVY = (
    "pyarrow",
    "numpy",
    "pandas",
    "polars",
    "duckdb",
    "cramjam",
    "rich",
    "fsspec",
    "backports.zstd",
    "http.client",
)


def test_import_loads_nothing_heavy() -> None:
    code = "import sys, playhead; print(*sorted(sys.modules))"
    # Without the variables of hot.py, which make the import load every hot module at once.
    env = {name: value for name, value in os.environ.items() if not name.startswith("PLAYHEAD_")}
    outcome = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    loaded = outcome.stdout.split()
    assert not set(HEAVY) & set(loaded)
    assert not [name for name in loaded if re.match(r"playhead\.(sc2|source2|teehistorian|cli|export)", name)]


def test_version_is_that_of_the_metadata() -> None:
    assert playhead.__version__ == importlib.metadata.version("playhead")


def test_public_names_exist() -> None:
    assert [name for name in playhead.__all__ if not hasattr(playhead, name)] == []
