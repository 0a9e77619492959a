"""Python code in README passes a strict type checker."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from markdown_blocks import python_blocks

pytestmark = pytest.mark.slow_interpreted

ROOT = Path(__file__).parents[2]
SETTINGS = {"typeCheckingMode": "strict", "pythonVersion": "3.11", "extraPaths": [str(ROOT / "src")]}


def test_pyright_strict(tmp_path: Path) -> None:
    for name in ("pyright", "pyarrow-stubs", "matplotlib", "polars", "duckdb"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed (extra dev)")
    pyright = [sys.executable, "-m", "pyright"]
    # The first run downloads pyright itself.
    if subprocess.run([*pyright, "--version"], capture_output=True, check=False).returncode:
        pytest.skip("pyright is installed and does not run: no node, or no way to fetch it")
    code = "".join(block.code for block in python_blocks(ROOT / "README.md") if ">>>" not in block.code)
    assert "replay.messages(" in code
    (tmp_path / "readme.py").write_text(code, encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
    command = [*pyright, "--project", tmp_path, "--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
