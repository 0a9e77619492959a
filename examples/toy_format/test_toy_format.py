"""The toy format held to what all formats promise; run it where ``playhead-toy`` is installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from playhead.testing.conformance import PROMISES, Subject


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
def test_promise(promise: Callable[[Subject], None], tmp_path: Path) -> None:
    promise(Subject.sample("toy", tmp_path))
