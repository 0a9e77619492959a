"""The written match keeps the promises of every format, as before the update and as after it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from playhead.testing.conformance import PROMISES, Subject

pytestmark = [pytest.mark.slow_interpreted, pytest.mark.one_of("subject")]

#: Promises about damaged copies and about formats, which the sample of Dota 2 keeps for the engine.
_OF_THE_ENGINE = {"capabilities_are_kept", "the_sample_is_deterministic"}


@pytest.fixture(
    scope="module", params=["sample_deadlock_2min.dem", "sample_deadlock_2min_new.dem"], ids=["old", "new"]
)
def subject(
    request: pytest.FixtureRequest, short_match: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Subject:
    path = short_match("deadlock").with_name(request.param)
    return Subject("source2", path, tmp_path_factory.mktemp("subject"), 1)


@pytest.mark.long
@pytest.mark.parametrize(
    "promise",
    [promise for promise in PROMISES if promise.__name__ not in _OF_THE_ENGINE],
    ids=lambda promise: promise.__name__,
)
def test_promise(promise: Callable[[Subject], None], subject: Subject) -> None:
    promise(subject)
