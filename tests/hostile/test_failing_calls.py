"""Each call to the system and each larger allocation fails once: `fuzz/failures.py`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow_interpreted, pytest.mark.long]

PROGRAM = Path(__file__).parents[2] / "fuzz" / "failures.py"
#: Which calls fail: every one of them with --whole.
STEPS = {"export": 200, "export csv": 20, "simulate": 40, "slice": 5, "slice demo": 10, "anonymize": 40}
STEPS |= {"lake": 1500, "upload": 1500}


@pytest.mark.skipif(sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler")
@pytest.mark.parametrize("name", STEPS)
def test_a_failure_is_told_and_leaves_nothing(name: str, request: pytest.FixtureRequest) -> None:
    step = 1 if request.config.getoption("--whole") else STEPS[name]
    done = subprocess.run([sys.executable, PROGRAM, name, "--step", str(step)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert done.stdout.endswith(f"{name}: 0 findings\n")
