"""Every built-in format, and the example of a third party's, held to the same promises."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from playhead.testing.conformance import PROMISES, Subject

pytestmark = pytest.mark.slow_interpreted

#: Copies of damaged samples that are read; a match takes seconds each.
DAMAGES = {"source2": 6, "sc2": 24, "teehistorian": 24}


@pytest.fixture(scope="module", params=DAMAGES)
def subject(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Subject:
    folder = tmp_path_factory.mktemp("subject")
    return Subject.sample(request.param, folder, damages=DAMAGES[request.param])


@pytest.mark.long
@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
def test_promise(promise: Callable[[Subject], None], subject: Subject) -> None:
    promise(subject)
