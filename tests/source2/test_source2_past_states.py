"""Clients' recordings: any message may build on any state that is known; compared with a model of dicts."""

from __future__ import annotations

import random

import pytest

from playhead import CorruptReplay
from playhead.samples.source2.one_class import WRITER, manager_of_one_class
from playhead.source2.entities.manager import EntityManager
from playhead.source2.writing.entities import EntityMessage

_PLACES = 6


def _state(manager: EntityManager) -> dict[int, tuple[int, object, bool]]:
    return {entity.index: (entity.serial, entity.get("m_iHealth"), entity.active) for entity in manager}


@pytest.mark.parametrize("seed", range(20))
def test_states_are_those_of_a_model(seed: int) -> None:
    rng = random.Random(seed)
    made = manager_of_one_class()
    begin = EntityMessage(1, delta=False)
    begin.create(0, 1, WRITER, {"m_iHealth": 1})
    begin.create(3, 1, WRITER, {"m_iHealth": 2})
    made.apply(begin.encode(server_tick=100, update_baseline=True)[1])
    states = {100: {0: (1, 1, True), 3: (1, 2, True)}}
    serials = 1
    for tick in range(101, 400):
        # Mostly three chains that go on side by side, as where the answers of a client take three packets.
        known = sorted(states)
        base = known[-min(3, len(known))] if rng.random() < 0.7 else rng.choice(known[-8:])
        states = {number: state for number, state in states.items() if number >= base}
        now = dict(states[base])
        message = EntityMessage(1)
        for index in range(_PLACES):
            if rng.random() < 0.5:
                continue
            if index not in now:
                serials += 1
                now[index] = (serials, tick, True)
                message.create(index, serials, WRITER, {"m_iHealth": tick})
                continue
            serial, health, _active = now[index]
            what = rng.choice(("fields", "nothing", "leave", "delete"))
            if what == "delete":
                message.delete(index)
                del now[index]
            elif what == "leave":
                message.leave(index)
                now[index] = (serial, health, False)
            else:
                now[index] = (serial, tick if what == "fields" else health, True)
                message.update(index, WRITER, {"m_iHealth": tick} if what == "fields" else {})
        made.apply(message.encode(server_tick=tick, delta_from=base)[1])
        states[tick] = now
        assert _state(made) == now
    assert made.unknown_bases == 0


def test_an_update_without_fields_leaves_an_entity_what_it_was() -> None:
    made = manager_of_one_class()
    seen: list[tuple[int, int]] = []
    begin = EntityMessage(1, delta=False)
    begin.create(3, 1, WRITER, {"m_iHealth": 1})
    begin.create(4, 1, WRITER, {"m_iHealth": 1})
    made.apply(begin.encode(server_tick=1, update_baseline=True)[1])
    made.on_entity(lambda entity, op: seen.append((entity.index, int(op))))
    empty = EntityMessage(1)
    empty.update(3, WRITER, {})
    made.on_packet_entities(empty.encode(server_tick=2, delta_from=1)[1])
    assert seen == [(3, 2)]
    other = EntityMessage(1)
    other.update(4, WRITER, {"m_iHealth": 2})
    # It builds on the state before the empty update, which is no other state of entity 3.
    made.on_packet_entities(other.encode(server_tick=3, delta_from=1)[1])
    assert seen == [(3, 2), (4, 2)]


def test_ticks_that_begin_anew_mean_other_states() -> None:
    made = manager_of_one_class()
    for tick in (500, 501):
        begin = EntityMessage(1, delta=False)
        begin.create(tick - 500, 1, WRITER, {"m_iHealth": tick})
        made.apply(begin.encode(server_tick=tick, update_baseline=True)[1])
    again = EntityMessage(1, delta=False)
    again.create(5, 1, WRITER, {"m_iHealth": 7})
    made.apply(again.encode(server_tick=10, update_baseline=True)[1])
    assert not made.knows_state(500)
    assert made.knows_state(10)
    change = EntityMessage(1)
    change.update(5, WRITER, {"m_iHealth": 8})
    made.apply(change.encode(server_tick=11, delta_from=10)[1])
    assert _state(made) == {5: (1, 8, True)}
    assert made.unknown_bases == 0


def test_a_damaged_message_leaves_the_states_before_it_known() -> None:
    made = manager_of_one_class()
    begin = EntityMessage(1, delta=False)
    begin.create(0, 1, WRITER, {"m_iHealth": 1})
    begin.create(3, 2, WRITER, {"m_iHealth": 2})
    made.apply(begin.encode(server_tick=1, update_baseline=True)[1])
    damaged = EntityMessage(1)
    damaged.delete(0)
    damaged.update(3, WRITER, {"m_iHealth": 5})
    damaged.update(4, WRITER, {"m_iHealth": 5})
    with pytest.raises(CorruptReplay, match="an entity to update"):
        made.apply(damaged.encode(server_tick=2, delta_from=1)[1])
    assert _state(made) == {3: (2, 5, True)}
    whole = EntityMessage(1, delta=False)
    whole.create(5, 3, WRITER, {"m_iHealth": 6})
    made.apply(whole.encode(server_tick=3, update_baseline=True)[1])
    assert _state(made) == {5: (3, 6, True)}
    change = EntityMessage(1)
    change.update(0, WRITER, {"m_iHealth": 7})
    made.apply(change.encode(server_tick=4, delta_from=1)[1])
    assert _state(made) == {0: (1, 7, True), 3: (2, 2, True)}
    assert made.unknown_bases == 0
