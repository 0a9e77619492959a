"""consumer.py and README pass the type checkers as a user runs them: mypy --strict, pyright strict."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
from markdown_blocks import python_blocks

pytestmark = pytest.mark.slow_interpreted

ROOT = Path(__file__).parents[2]
CONSUMER = Path(__file__).parent / "consumer.py"


def _run(*command: str | Path) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _need_pyright() -> None:
    for name in ("pyright", "pyarrow-stubs"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed (extra dev)")
    # Its first run fetches what it is a wrapper of.
    if subprocess.run([sys.executable, "-m", "pyright", "--version"], capture_output=True, check=False).returncode:
        pytest.skip("pyright is installed and does not run: no node, or no way to fetch it")


def test_mypy() -> None:
    pytest.importorskip("mypy", reason="mypy is not installed (extra dev)")
    _run(sys.executable, "-m", "mypy", "--strict", CONSUMER)


def test_pyright() -> None:
    """As in [tool.pyright]: strict. pyarrow has no types of its own; without stubs its tables are unknown."""
    _need_pyright()
    _run(sys.executable, "-m", "pyright", "--pythonpath", sys.executable)


def test_readme_as_shown(tmp_path: Path) -> None:
    """README's Python, in the order of the page, is what the strict checker accepts without a cast."""
    _need_pyright()
    code = "".join(block.code for block in python_blocks(ROOT / "README.md") if ">>>" not in block.code)
    (tmp_path / "readme.py").write_text(code, encoding="utf-8")
    settings = {"typeCheckingMode": "strict", "pythonVersion": "3.11", "extraPaths": [str(ROOT / "src")]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    _run(sys.executable, "-m", "pyright", "--project", tmp_path, "--pythonpath", sys.executable)


def test_it_runs_as_far_as_importing_goes() -> None:
    _run(sys.executable, CONSUMER)
