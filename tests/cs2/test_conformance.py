"""The synthetic recording, held to the promises of every format."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from playhead.samples.source2.cs2 import write_sample
from playhead.testing.conformance import PROMISES, Subject, tables_are_as_promised

pytestmark = pytest.mark.slow_interpreted

#: The sample has no grenades and no bomb, so not every table has rows.
_PROMISES = [promise for promise in PROMISES if promise is not tables_are_as_promised]


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    folder = tmp_path_factory.mktemp("subject")
    return Subject("source2", write_sample(folder), folder, damages=4)


@pytest.mark.parametrize("promise", _PROMISES, ids=lambda promise: promise.__name__)
def test_promise(promise: Callable[[Subject], None], subject: Subject) -> None:
    promise(subject)
