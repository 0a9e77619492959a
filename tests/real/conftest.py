"""How many of the real replays a test reads."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def step(request: pytest.FixtureRequest) -> int:
    """Distance between the real files that a test takes."""
    return 1 if request.config.getoption("--whole") else 8


@pytest.fixture(scope="session")
def short_step(step: int) -> int:
    """The same where figures of fewer files say nothing."""
    return min(step, 5)
