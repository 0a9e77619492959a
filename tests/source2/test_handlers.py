"""The messages that are read for the handlers of a playback."""

from pathlib import Path

import pytest
from tests.samples.source2.dota2 import write_sample

import playhead
from playhead.source2.playback.handlers import Handlers


@pytest.fixture
def handlers(tmp_path: Path) -> Handlers:
    recording = playhead.open(write_sample(tmp_path)).recording
    return Handlers(recording, frozenset((4,)), frozenset((44,)))


def test_sets_of_messages_are_made_when_they_are_read(handlers: Handlers) -> None:
    handlers.add_user_message(lambda _tick, _number, _payload: None)
    for number in range(200, 300):
        handlers.add_message(number, lambda _tick, _payload: None, True)
    assert not {"wanted", "special", "collected"} & vars(handlers).keys()
    assert {4, 72, 200, 299} <= handlers.wanted


def test_a_handler_that_is_added_later_counts(handlers: Handlers) -> None:
    before = (handlers.wanted, handlers.special, handlers.collected)
    assert not any(250 in numbers for numbers in before)
    handlers.add_message(250, lambda _tick, _payload: None, True)
    now = (handlers.wanted, handlers.collected, handlers.wanted_of_full_packets)
    assert all(250 in numbers for numbers in now)
    assert 250 not in handlers.special
