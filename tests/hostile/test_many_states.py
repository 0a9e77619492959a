"""Many small entity messages: each costs time in proportion to its content."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.samples.one_class import WRITER, manager_of_one_class

from playhead.source2.entities.manager import MOST_ENTITIES
from playhead.source2.writing.entities import EntityMessage

_BITS = 1


def _payload(message: EntityMessage, *, client: bool = False) -> bytes:
    return message.encode(update_baseline=client)[1]


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Interrupt an endless computation; the limit is far above the needed CPU time."""

    def stop(_signal: int, _frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.slow_interpreted
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timers")
@pytest.mark.parametrize("client", [False, True])
def test_empty_complete_states_are_cheap(client: bool) -> None:
    """An empty state is a few bytes, and a compressed packet can hold a hundred thousand of them. None of them
    may visit every possible index.
    """
    manager = manager_of_one_class()
    whole = _payload(EntityMessage(_BITS, delta=False), client=client)
    manager.apply(whole)
    with _at_most(20):  # takes a third of a second; half a minute if each visited 16,384 indices
        for _ in range(100_000):
            manager.apply(whole)
    assert manager.messages == 100_001


def test_a_complete_state_deletes_all_other_entities() -> None:
    manager = manager_of_one_class()
    places = [0, 63, 64, 5000, MOST_ENTITIES - 1]
    begin = EntityMessage(_BITS, delta=False)
    for index in places:
        begin.create(index, 1, WRITER, {"m_iHealth": index})
    manager.apply(_payload(begin))
    assert [entity.index for entity in manager] == places
    next_one = EntityMessage(_BITS, delta=False)
    next_one.create(64, 1, WRITER, {})
    manager.apply(_payload(next_one))
    assert [entity.index for entity in manager] == [64]
    manager.apply(_payload(EntityMessage(_BITS, delta=False)))
    assert list(manager) == []
