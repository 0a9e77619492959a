"""consumer.py passes the type checkers as a user runs them: mypy --strict, pyright strict."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow_interpreted

ROOT = Path(__file__).parents[2]
CONSUMER = Path(__file__).parent / "consumer.py"


def _run(*command: str | Path) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy() -> None:
    pytest.importorskip("mypy", reason="mypy is not installed (extra dev)")
    _run(sys.executable, "-m", "mypy", "--strict", CONSUMER)


def test_pyright() -> None:
    """As in [tool.pyright]: strict. pyarrow has no types of its own; without stubs its tables are unknown."""
    for name in ("pyright", "pyarrow-stubs"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed (extra dev)")
    # Its first run fetches what it is a wrapper of.
    if subprocess.run([sys.executable, "-m", "pyright", "--version"], capture_output=True, check=False).returncode:
        pytest.skip("pyright is installed and does not run: no node, or no way to fetch it")
    _run(sys.executable, "-m", "pyright", "--pythonpath", sys.executable)


def test_it_runs_as_far_as_importing_goes() -> None:
    _run(sys.executable, CONSUMER)
