"""A short written match, held to the promises of every format: each table has rows in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.samples.source2.cs2_match.demo import write_cs2_match
from tests.samples.source2.cs2_match.plan import plan_match

from playhead.testing.conformance import PROMISES, Subject

pytestmark = pytest.mark.slow_interpreted


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    folder = tmp_path_factory.mktemp("subject")
    path = folder / "match.dem"
    path.write_bytes(write_cs2_match(1, plan=plan_match(1, 1, overtimes=1, backup=False)).data)
    return Subject("source2", path, folder, damages=4)


@pytest.mark.long
@pytest.mark.parametrize(
    # That the sample is deterministic is said of Dota 2's, by tests/conformance.
    "promise",
    [promise for promise in PROMISES if promise.__name__ != "the_sample_is_deterministic"],
    ids=lambda promise: promise.__name__,
)
def test_promise(promise: Callable[[Subject], None], subject: Subject) -> None:
    promise(subject)
