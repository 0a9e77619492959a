"""Clients' recordings: any message may build on any known state; compared with a model of dicts."""

from __future__ import annotations

import random

import pytest
from tests.samples.one_class import WRITER, manager_of_one_class
from tests.samples.source2.match_schema import declare_field

from playhead import CorruptReplay, ReplayError
from playhead.source2.entities.manager import EntityManager
from playhead.source2.messages import wire
from playhead.source2.schema.send_tables import SendTables, Serializer
from playhead.source2.writing.entities import ClassWriter, EntityMessage

_PLACES = 6


def _state(manager: EntityManager) -> dict[int, tuple[int, object, bool]]:
    return {entity.index: (entity.serial, entity.get("m_iHealth"), entity.active) for entity in manager}


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_states_equal_a_model(seed: int) -> None:
    rng = random.Random(seed)
    made = manager_of_one_class()
    begin = EntityMessage(1, delta=False)
    begin.create(0, 1, WRITER, {"m_iHealth": 1})
    begin.create(3, 1, WRITER, {"m_iHealth": 2})
    made.apply(begin.encode(server_tick=100, update_baseline=True)[1])
    states = {100: {0: (1, 1, True), 3: (1, 2, True)}}
    serials = 1
    for tick in range(101, 400):
        # Mostly three interleaved chains, as when a client's acknowledgements take three packets.
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


_NUMBERS = [f"m_n{number}" for number in range(60)]
_MANY = SendTables(
    {
        ("CMany", 0): Serializer(
            "CMany",
            0,
            (
                *(declare_field(f"{name} int32") for name in _NUMBERS),
                declare_field("m_vecOrigin Vector"),
                declare_field("m_vecItems CNetworkUtlVectorBase< int32 >"),
            ),
        )
    }
)


class _Model:
    """The expected state of entities with many fields: fields and visibility."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.writer = ClassWriter(0, "CMany", _MANY)
        self.now: dict[int, tuple[dict[str, object], bool]] = {}

    def changes(self, most: int) -> dict[str, object]:
        """Return fields to send, in the order of their paths."""
        rng = self.rng
        sent: dict[str, object] = {name: rng.randrange(-9, 9) for name in _NUMBERS if rng.random() < most / 60}
        if rng.random() < 0.3:
            sent["m_vecOrigin"] = tuple(float(rng.randrange(100)) for _ in range(3))
        if rng.random() < 0.4:
            items = rng.randrange(5)
            sent["m_vecItems"] = items
            sent |= {f"m_vecItems.{i:04}": rng.randrange(1000) for i in range(items) if rng.random() < 0.7}
        return sent

    def changed(self, fields: dict[str, object], sent: dict[str, object]) -> dict[str, object]:
        """Return the fields of an entity after those changes: a shortened vector loses its last elements."""
        items = sent.get("m_vecItems")
        kept = {
            name: value
            for name, value in fields.items()
            if not (name.startswith("m_vecItems.") and items is not None and int(name[-4:]) >= items)
        }
        return {**kept, **sent}

    def create(self, message: EntityMessage, index: int) -> None:
        """Create an entity, which may exist already with the same serial number."""
        sent = self.changes(10)
        message.create(index, 1, self.writer, sent)
        self.now[index] = (sent, True)

    def step(self, message: EntityMessage) -> None:
        """Apply a random operation to random entities."""
        for index in range(_PLACES):
            what = self.rng.choice(("fields", "fields", "many", "nothing", "leave", "delete", "create", "", ""))
            if what == "create" or (what and index not in self.now and self.rng.random() < 0.3):
                self.create(message, index)
            elif index not in self.now or not what:
                continue
            elif what == "delete":
                message.delete(index)
                del self.now[index]
            elif what == "leave":
                message.leave(index)
                self.now[index] = (self.now[index][0], False)
            else:
                sent = {} if what == "nothing" else self.changes(30 if what == "many" else 2)
                message.update(index, self.writer, sent)
                self.now[index] = (self.changed(self.now[index][0], sent), True)


def _broken_off(payload: bytes, rng: random.Random) -> bytes:
    """Return an entity message whose data is truncated."""
    content = wire.decode("CSVCMsg_PacketEntities", payload)
    data = bytes(content["entity_data"])
    return wire.encode("CSVCMsg_PacketEntities", {**content, "entity_data": data[: rng.randrange(len(data))]})


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
def test_states_of_many_fields_equal_a_model(seed: int) -> None:
    model = _Model(seed)
    rng = model.rng
    made = EntityManager(_MANY)
    made.on_server_info({"max_classes": 1})
    made.on_class_info({0: "CMany"})
    made.on_baseline_updated("0", b"")
    states: dict[int, dict[int, tuple[dict[str, object], bool]]] = {}

    def whole(tick: int) -> None:
        message = EntityMessage(1, delta=False)
        model.now = {}
        for index in range(_PLACES):
            if rng.random() < 0.7:
                model.create(message, index)
        made.apply(message.encode(server_tick=tick, update_baseline=tick == 100)[1])

    whole(100)
    states[100] = dict(model.now)
    for tick in range(102, 500, 2):
        known = sorted(states)
        base = known[-min(3, len(known))] if rng.random() < 0.7 else rng.choice(known[-8:])
        for number in [number for number in states if number < base]:
            del states[number]
        model.now = dict(states[base])
        message = EntityMessage(1)
        model.step(message)
        payload = message.encode(server_tick=tick, delta_from=base)[1]
        if message.entries and rng.random() < 0.05:
            # It fails somewhere; then a complete state follows. Earlier states are unchanged.
            with pytest.raises(ReplayError):
                made.apply(_broken_off(payload, rng))
            whole(tick + 1)
            states[tick + 1] = dict(model.now)
        else:
            made.apply(payload)
            states[tick] = dict(model.now)
        assert {entity.index: (entity.to_dict(), entity.active) for entity in made} == model.now
    assert made.unknown_bases == 0


def test_an_update_without_fields_leaves_an_entity_unchanged() -> None:
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
    # It builds on the state before the empty update, in which entity 3 is the same.
    made.on_packet_entities(other.encode(server_tick=3, delta_from=1)[1])
    assert seen == [(3, 2), (4, 2)]


def test_restarted_ticks_name_new_states() -> None:
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
