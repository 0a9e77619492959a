"""consumer.py passes mypy --strict as a user runs it; test_readme_types.py always runs pyright on it."""

from __future__ import annotations

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


def test_mypy(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--whole"):
        pytest.skip("only with --whole")
    pytest.importorskip("mypy", reason="mypy is not installed (group dev)")
    _run(sys.executable, "-m", "mypy", "--strict", CONSUMER)


def test_it_runs_as_far_as_importing_goes() -> None:
    _run(sys.executable, CONSUMER)
