"""Entity messages on top of a known schema and state, both synthetic."""

from __future__ import annotations

from functools import cache
from random import Random

from tests.samples.source2.match_schema import declare_field

from playhead.errors import ReplayError
from playhead.source2.entities.classes import ClassLayouts
from playhead.source2.entities.manager import EntityManager
from playhead.source2.messages import wire
from playhead.source2.schema.send_tables import SendTables, Serializer
from playhead.source2.schema.tree import FieldTree
from playhead.source2.writing.entities import ClassWriter, EntityMessage

CLASS_BITS = 2


@cache
def schema() -> SendTables:
    """Return a class with a field of every relevant kind."""
    body = Serializer(
        "CBody",
        0,
        (
            declare_field("m_cellX uint16"),
            declare_field("m_vecX CNetworkedQuantizedFloat", bit_count=10, low=0.0, high=128.0, flags=2),
        ),
    )
    row = Serializer("Row_t", 0, (declare_field("m_iGold int32"), declare_field("m_iItems int32[3]")))
    unit = Serializer(
        "CUnit",
        0,
        (
            declare_field("m_iHealth int32"),
            declare_field("CBody CBody", serializer=("CBody", 0)),
            declare_field("m_vecRows CUtlVector< Row_t >", serializer=("Row_t", 0)),
            declare_field("m_hItems CNetworkUtlVectorBase< CHandle< CBaseEntity > >"),
            declare_field("m_szName CUtlString"),
            declare_field("m_flSimulationTime float32"),
            declare_field("m_vecVelocity Vector"),
            declare_field("m_angle QAngle", encoder="qangle_precise", bit_count=20),
            declare_field("m_nSteam uint64"),
        ),
    )
    return SendTables({(each.name, 0): each for each in (body, row, unit)})


@cache
def writer() -> ClassWriter:
    """Return a writer for entities of the class."""
    return ClassWriter(0, "CUnit", schema())


@cache
def _layouts() -> ClassLayouts:
    return ClassLayouts(FieldTree(schema()))


@cache
def _state() -> bytes:
    message = EntityMessage(CLASS_BITS, delta=False)
    for index in (3, 5, 9):
        message.create(index, index, writer(), {"m_iHealth": index, "m_vecRows": 1, "m_vecRows.0000.m_iGold": 7})
    return message.encode()[1]


def new_manager() -> EntityManager:
    """Return a manager that knows the classes and has no entities."""
    manager = EntityManager(_layouts(), 1 << 16)
    manager.on_server_info({"max_classes": 3, "tick_interval": 0.5})
    manager.on_class_info({0: "CUnit", 1: "CBody"})
    return manager


def fuzz(data: bytes) -> None:
    manager = new_manager()
    manager.apply(_state())
    try:
        manager.apply(data)
    finally:
        for entity in manager:
            entity.to_dict()


def random_message(random: Random) -> bytes:
    """Return a message that creates, updates, hides and deletes entities, existing or not."""
    message = EntityMessage(CLASS_BITS, delta=random.random() < 0.8)
    values = {
        "m_iHealth": random.randrange(-1000, 1000),
        "m_vecRows": random.randrange(5),
        "m_szName": "x" * random.randrange(40),
        "m_vecVelocity": (random.random(), 0.0, -1e30),
        "m_nSteam": random.getrandbits(64),
    }
    for index in sorted(random.sample(range(40), random.randrange(6))):
        chosen = {name: value for name, value in values.items() if random.random() < 0.6}
        action = random.randrange(4)
        if action == 0:
            message.create(index, random.randrange(1 << 17), writer(), chosen)
        elif action == 1:
            message.update(index, writer(), chosen)
        elif action == 2:
            message.leave(index)
        else:
            message.delete(index)
    return message.encode()[1]


def mutate(data: bytes, random: Random) -> bytes:
    """Change bits of the entities, within a message whose size is correct."""
    try:
        fields = wire.decode("CSVCMsg_PacketEntities", data)
        bits = bytearray(fields.get("entity_data", b""))
        if not bits or random.random() < 0.2:
            return random_message(random)
        for _ in range(random.randrange(1, 4)):
            bits[random.randrange(len(bits))] ^= 1 << random.randrange(8)
        known = {name: value for name, value in fields.items() if isinstance(name, str)}
        return wire.encode("CSVCMsg_PacketEntities", {**known, "entity_data": bytes(bits)})
    except (ReplayError, ValueError, TypeError, KeyError):
        return random_message(random)
