"""The sample, opened once, and what it tells."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from tests.opened import open_as
from tests.samples.source2.dota2 import SampleMessages, sample_demo
from tests.samples.source2.match import SyntheticMatch

from playhead.dota2.facts import TABLES
from playhead.dota2.replay import Dota2Replay


class Sample(NamedTuple):
    """The sample and the truth of it."""

    data: bytes
    replay: Dota2Replay
    match: SyntheticMatch
    messages: SampleMessages


@pytest.fixture(scope="session")
def sample() -> Sample:
    data, match, messages = sample_demo()
    replay = open_as(Dota2Replay, data)
    # All facts in one pass; the tests take them from what is kept.
    replay.read_tables(list(TABLES.own()))
    return Sample(data, replay, match, messages)
