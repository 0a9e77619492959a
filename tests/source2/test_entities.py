"""Entities: lifecycle, baselines, vectors and pointers, handles, handlers, projection, damage."""

from __future__ import annotations

import contextlib
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.source2.match_schema import declare_field

from playhead.bits import BitWriter
from playhead.errors import CorruptReplay, FieldTypeError, LimitExceeded, ReplayError
from playhead.source2.entities.classes import ClassLayouts
from playhead.source2.entities.handlers import EntityOp
from playhead.source2.entities.manager import EntityManager
from playhead.source2.messages import wire
from playhead.source2.schema.send_tables import SendTables, Serializer
from playhead.source2.schema.tree import FieldTree
from playhead.source2.string_tables.tables import StringTables, handle_create
from playhead.source2.writing.demo import create_string_table
from playhead.source2.writing.entities import ClassWriter, EntityMessage, encode_state

BODY = Serializer(
    "CBodyComponent", 0, (declare_field("m_cellX uint16"), declare_field("m_vecX float32", bit_count=8))
)
ROW = Serializer(
    "Row_t",
    0,
    (declare_field("m_iGold int32"), declare_field("m_iItems int32[3]"), declare_field("m_iGold int32")),
)
RULES = Serializer("CRules", 0, (declare_field("m_iMode int32"),))
TURBO = Serializer("CTurboRules", 0, (declare_field("m_szMode CUtlString"), declare_field("m_flSpeed float32")))
IDENTITY = Serializer("CEntityIdentity", 0, (declare_field("m_nameStringTableIndex int32"),))
UNIT = Serializer(
    "CUnit",
    0,
    (
        declare_field("m_iHealth int32"),
        declare_field("CBodyComponent CBodyComponent", serializer=("CBodyComponent", 0)),
        declare_field("m_vecRows CUtlVector< Row_t >", serializer=("Row_t", 0)),
        declare_field("m_hItems CNetworkUtlVectorBase< CHandle< CBaseEntity > >"),
        declare_field("m_szName CUtlString"),
        declare_field("m_pRules CRules*", serializer=("CRules", 0), polymorphic=(("CTurboRules", 0),)),
        declare_field("m_flSimulationTime float32"),
        declare_field("m_nPlayerID PlayerID_t"),
        declare_field("m_pEntity CEntityIdentity", serializer=("CEntityIdentity", 0)),
        declare_field("m_vecVelocity Vector"),
        declare_field("m_blob CUtlBinaryBlock"),
    ),
)
OTHER = Serializer("COther", 0, (declare_field("m_iHealth int32"),))
TABLES = SendTables({(s.name, s.version): s for s in (BODY, ROW, RULES, TURBO, IDENTITY, UNIT, OTHER)})
NAMES = {0: "CUnit", 1: "COther", 2: "CNowhere"}
WRITERS = {name: ClassWriter(number, name, TABLES) for number, name in NAMES.items() if number < 2}
UNIT_WRITER = WRITERS["CUnit"]
BITS = 2


def manager(layouts: SendTables | ClassLayouts = TABLES, **options: Any) -> EntityManager:
    made = EntityManager(layouts, **options)
    made.on_server_info({"max_classes": 3, "tick_interval": 0.5})
    made.on_class_info(NAMES)
    return made


def message(*, delta: bool = True, **options: Any) -> EntityMessage:
    return EntityMessage(BITS, delta=delta, **options)


def payload(built: EntityMessage, **extra: Any) -> bytes:
    data = built.encode()[1]
    return data + (wire.encode("CSVCMsg_PacketEntities", extra) if extra else b"")


def started(**values: Any) -> EntityManager:
    made = manager()
    begin = message(delta=False)
    begin.create(5, 77, UNIT_WRITER, values or {"m_iHealth": 100})
    made.apply(payload(begin))
    return made


def update(made: EntityManager, **values: Any) -> None:
    change = message()
    change.update(5, UNIT_WRITER, {name.replace("__", "."): value for name, value in values.items()})
    made.apply(payload(change))


# -- lifecycle ------------------------------------------------------------------------------------------------


def test_a_life() -> None:
    made = manager()
    seen: list[tuple[int, EntityOp, Any]] = []
    made.on_entity(lambda entity, op: seen.append((entity.index, op, entity.get("m_iHealth"))))
    begin = message(delta=False)
    begin.create(5, 77, UNIT_WRITER, {"m_iHealth": 100})
    assert made.on_packet_entities(payload(begin))[0][1] is EntityOp.CREATED_ENTERED
    for step in ("update", "leave", "update", "delete"):
        change = message()
        if step == "update":
            change.update(5, UNIT_WRITER, {"m_iHealth": 100 + len(seen)})
        else:
            getattr(change, step)(5)
        made.on_packet_entities(payload(change))
    assert seen == [
        (5, EntityOp.CREATED_ENTERED, 100),
        (5, EntityOp.UPDATED, 101),
        (5, EntityOp.LEFT, 101),
        (5, EntityOp.UPDATED_ENTERED, 103),
        (5, EntityOp.DELETED_LEFT, 103),
    ]
    assert [int(op) for _, op, _ in seen] == [9, 2, 16, 10, 20]
    assert made.find(5) is None
    assert (made.messages, made.creates, made.updates) == (5, 1, 2)


def test_out_of_sight_it_keeps_its_fields() -> None:
    made = started()
    change = message()
    change.leave(5)
    made.apply(payload(change))
    entity = made.find(5)
    assert entity is not None
    assert (entity.active, entity["m_iHealth"]) == (False, 100)
    assert made.all_active() == []
    assert repr(entity) == "<Entity 5 CUnit inactive>"


def test_created_anew_it_begins_from_the_baseline() -> None:
    made = manager()
    made.on_baseline_updated("0", UNIT_WRITER.encode_baseline({"m_iHealth": 1, "m_szName": "base"}))
    begin = message(delta=False)
    begin.create(5, 77, UNIT_WRITER, {"m_iHealth": 100, "m_vecVelocity": (1.0, 2.0, 3.0)})
    made.apply(payload(begin))
    entity = made.find(5)
    again = message()
    again.create(5, 77, UNIT_WRITER, {"m_szName": "new"})
    made.apply(payload(again))
    assert made.find(5) is entity
    assert entity is not None
    assert entity.to_dict() == {"m_iHealth": 1, "m_szName": "new"}


def test_another_in_its_place() -> None:
    made = started()
    seen = []
    made.on_entity(lambda entity, op: seen.append((entity.serial, op)))
    again = message()
    again.create(5, 78, UNIT_WRITER, {})
    made.on_packet_entities(payload(again))
    assert seen == [(77, EntityOp.DELETED_LEFT), (78, EntityOp.CREATED_ENTERED)]


def test_a_whole_state_replaces_everything() -> None:
    made = started()
    whole = message(delta=False)
    whole.create(9, 1, WRITERS["COther"], {"m_iHealth": 3})
    made.apply(payload(whole))
    assert [entity.index for entity in made] == [9]
    broken = message(delta=False)
    broken.update(9, WRITERS["COther"], {"m_iHealth": 4})
    with pytest.raises(CorruptReplay, match="only creations in a complete state"):
        made.apply(payload(broken))


def test_changes_of_an_unknown_state_are_left_out_and_counted() -> None:
    made = manager()
    change = message()
    change.update(5, UNIT_WRITER, {"m_iHealth": 1})
    assert made.apply(payload(change)) == []
    assert (made.valid, made.skipped, len(made)) == (False, 1, 0)


def test_deleting_a_missing_entity() -> None:
    made = started()
    change = message()
    change.leave(6)
    change.delete(7)
    made.apply(payload(change))
    assert made.unknown_deletes == 2


# -- baselines ------------------------------------------------------------------------------------------------


def test_alternate_baseline() -> None:
    made = manager()
    made.on_baseline_updated("0", UNIT_WRITER.encode_baseline({"m_iHealth": 1}))
    made.on_baseline_updated("0:2", UNIT_WRITER.encode_baseline({"m_iHealth": 2, "m_szName": "other"}))
    begin = message(delta=False)
    begin.create(5, 1, UNIT_WRITER, {})
    begin.create(6, 1, UNIT_WRITER, {})
    alternates = [{"entity_index": 6, "baseline_index": 2}]
    made.apply(payload(begin, alternate_baselines=alternates))
    assert [entity.to_dict() for entity in made] == [{"m_iHealth": 1}, {"m_iHealth": 2, "m_szName": "other"}]
    assert made.baselines_decoded == 2


def test_all_baselines_from_the_string_table() -> None:
    made = manager()
    with pytest.raises(LookupError, match="instancebaseline for baselines"):
        made.on_baseline_updated()
    values = [(0, b"0", UNIT_WRITER.encode_baseline({"m_iHealth": 44})), (1, b"1", None)]
    made.string_tables = StringTables()
    created = create_string_table("instancebaseline", values)[1]
    handle_create(wire.decode("CSVCMsg_CreateStringTable", created), made.string_tables)
    made.on_baseline_updated()
    begin = message(delta=False)
    begin.create(5, 1, UNIT_WRITER, {"m_szName": "x"})
    made.apply(payload(begin))
    assert made.find(5).to_dict() == {"m_iHealth": 44, "m_szName": "x"}  # type: ignore[union-attr]


def test_changed_baseline_counts_from_then_on() -> None:
    made = manager()
    made.on_baseline_updated("0", UNIT_WRITER.encode_baseline({"m_iHealth": 1}))
    begin = message(delta=False)
    begin.create(5, 1, UNIT_WRITER, {})
    made.apply(payload(begin))
    made.on_baseline_updated("0", UNIT_WRITER.encode_baseline({"m_iHealth": 2}))
    change = message()
    change.create(6, 1, UNIT_WRITER, {})
    made.apply(payload(change))
    assert [entity["m_iHealth"] for entity in made] == [1, 2]


@pytest.mark.parametrize("values", [{"m_iHealth": 1, "m_vecVelocity": (1.0, 2.0, 3.0)}, {"m_szName": "base"}, {}])
def test_baselines_cached_from_another_recording(values: dict[str, Any]) -> None:
    layouts = ClassLayouts(FieldTree(TABLES))
    baseline = UNIT_WRITER.encode_baseline(values)
    made = []
    for text in ("first", "second", "third"):
        each = manager(layouts)
        begin = message(delta=False)
        begin.create(4, 1, UNIT_WRITER, {"m_szName": text})  # each recording numbers its own texts
        each.apply(payload(begin))
        each.on_baseline_updated("0", baseline)
        again = message()
        again.create(5, 2, UNIT_WRITER, {"m_nPlayerID": 3})
        each.apply(payload(again))
        assert each.find(4)["m_szName"] == text  # type: ignore[index]
        assert each.find(5).to_dict() == {**values, "m_nPlayerID": 3}  # type: ignore[union-attr]
        made.append((each.pool.values, each.baselines_decoded))
    assert made[0] == made[1] == made[2]
    assert bool(layouts.class_info(0, "CUnit").baselines) == ("m_szName" not in values)


def test_no_baseline_is_counted() -> None:
    assert started().missing_baselines == 1


def test_baseline_of_a_player_recording() -> None:
    """The recorder keeps two states of each entity, and an update of one is based on the other."""
    made = manager()
    made.on_baseline_updated("0", UNIT_WRITER.encode_baseline({"m_iHealth": 1}))
    begin = message(delta=False)
    begin.create(5, 1, UNIT_WRITER, {"m_szName": "kept"})
    made.apply(payload(begin, update_baseline=True, baseline=0))
    again = message()
    again.create(5, 2, UNIT_WRITER, {"m_iHealth": 7})
    made.apply(payload(again, baseline=1))
    assert made.find(5).to_dict() == {"m_iHealth": 7, "m_szName": "kept"}  # type: ignore[union-attr]
    third = message()
    third.create(5, 3, UNIT_WRITER, {})
    made.apply(payload(third, baseline=0))
    assert made.find(5).to_dict() == {"m_iHealth": 1}  # type: ignore[union-attr]


def _client_recording() -> EntityManager:
    """Return a player's recording whose first state is at server tick 100."""
    made = manager()
    made.on_baseline_updated("0", UNIT_WRITER.encode_baseline({"m_iHealth": 1}))
    begin = message(delta=False)
    begin.create(5, 1, UNIT_WRITER, {"m_iHealth": 10})
    made.apply(payload(begin, update_baseline=True, baseline=0, server_tick=100))
    return made


def test_a_copy_of_all_baselines_comes_before_the_first_is_stored() -> None:
    made = _client_recording()
    second = message()
    second.create(6, 1, UNIT_WRITER, {"m_iHealth": 60})
    made.apply(payload(second, update_baseline=True, baseline=1, delta_from=100, server_tick=101))
    third = message()
    third.create(5, 2, UNIT_WRITER, {})  # entity 5 was in the copied set
    third.create(6, 2, UNIT_WRITER, {})
    made.apply(payload(third, baseline=0, delta_from=101, server_tick=102))
    assert [entity["m_iHealth"] for entity in made] == [10, 60]


def test_a_whole_state_and_a_deletion_go_back_to_the_baseline_of_the_class() -> None:
    made = _client_recording()
    gone = message()
    gone.delete(5)
    made.apply(payload(gone, baseline=1, delta_from=100, server_tick=101))
    again = message()
    again.create(5, 2, UNIT_WRITER, {})
    made.apply(payload(again, baseline=1, delta_from=101, server_tick=102))
    assert made.find(5)["m_iHealth"] == 1  # type: ignore[index]
    made = _client_recording()
    whole = message(delta=False)
    whole.create(5, 2, UNIT_WRITER, {})
    made.apply(payload(whole, baseline=1, server_tick=101))
    assert made.find(5)["m_iHealth"] == 1  # type: ignore[index]


def test_a_message_builds_on_the_state_that_it_names() -> None:
    made = _client_recording()
    calls: list[tuple[int, int]] = []
    made.on_entity(lambda entity, op: calls.append((entity.index, int(op))))
    change = message()
    change.update(5, UNIT_WRITER, {"m_iHealth": 20})
    change.create(6, 1, UNIT_WRITER, {"m_iHealth": 60})
    made.on_packet_entities(payload(change, delta_from=100, server_tick=101))
    six = made.find(6)
    # The server had no acknowledgement of that state: this message is based on tick 100 again.
    other = message()
    other.create(6, 1, UNIT_WRITER, {"m_iHealth": 61})
    made.on_packet_entities(payload(other, delta_from=100, server_tick=102))
    assert [entity["m_iHealth"] for entity in made] == [10, 61]
    assert made.find(6) is six
    assert calls == [(5, EntityOp.UPDATED), (6, 9), (6, 9), (5, EntityOp.UPDATED)]
    calls.clear()
    last = message()
    last.delete(5)
    made.on_packet_entities(payload(last, delta_from=100, server_tick=103))
    assert len(made) == 0
    assert sorted(calls) == [(5, 20), (6, 20)]  # 6 never existed in the acknowledged state
    after = message()
    after.delete(5)
    made.on_packet_entities(payload(after, delta_from=102, server_tick=104))
    assert [(entity.index, entity["m_iHealth"]) for entity in made] == [(6, 61)]
    assert sorted(calls[2:]) == [(6, 9)]  # the deletion of 5 was reported before
    assert made.unknown_bases == 0


def test_later_handlers_see_entities_restored_from_an_earlier_state() -> None:
    made = _client_recording()
    gone = message()
    gone.delete(5)
    made.apply(payload(gone, delta_from=100, server_tick=101))
    calls: list[tuple[int, EntityOp]] = []
    made.on_entity(lambda entity, op: calls.append((entity.index, op)))
    back = message()
    back.update(5, UNIT_WRITER, {"m_iHealth": 11})
    made.on_packet_entities(payload(back, delta_from=100, server_tick=102))
    assert made.find(5)["m_iHealth"] == 11  # type: ignore[index]
    assert calls == [(5, EntityOp.UPDATED), (5, EntityOp.CREATED_ENTERED)]


def test_an_unknown_base_is_counted() -> None:
    made = _client_recording()
    change = message()
    change.update(5, UNIT_WRITER, {"m_iHealth": 20})
    made.apply(payload(change, delta_from=7, server_tick=101))
    assert made.find(5)["m_iHealth"] == 20  # type: ignore[index]
    assert made.unknown_bases == 1


def test_broken_baselines_are_found() -> None:
    made = manager()
    good = UNIT_WRITER.encode_baseline({"m_iHealth": 1})
    made.on_baseline_updated("0", good + b"\0")
    made.on_baseline_updated("1", b"\0")
    made.on_baseline_updated("2", good)
    made.on_baseline_updated("x", good)
    found = {key: error.message for key, error in made.check_baselines()}
    assert found.keys() == {"0", "1", "2", "x"}
    assert "baseline 0 of class CUnit" in found["0"]
    assert "CNowhere" in found["2"]


# -- fields ---------------------------------------------------------------------------------------------------


def test_vectors_shrink_and_grow() -> None:
    made = started(**{"m_hItems": 3, "m_hItems.0000": 1, "m_hItems.0001": 2, "m_hItems.0002": 3})
    entity = made.find(5)
    assert entity is not None
    update(made, m_hItems=1)
    assert entity.to_dict() == {"m_hItems": 1, "m_hItems.0000": 1}
    update(made, m_hItems=3)
    assert entity.get("m_hItems.0001") is None


def test_rows_of_tables() -> None:
    values = {"m_vecRows": 2, "m_vecRows.0001.m_iGold": 9, "m_vecRows.0001.m_iItems.0002": 8}
    made = started(**values, **{"m_vecRows.0001.m_iGold~2": 5})
    entity = made.find(5)
    assert entity is not None
    assert entity.to_dict() == {**values, "m_vecRows.0001.m_iGold~2": 5}
    update(made, m_vecRows=1)
    assert entity.to_dict() == {"m_vecRows": 1}


def test_null_pointer_clears_its_fields() -> None:
    made = started(**{"CBodyComponent": True, "CBodyComponent.m_cellX": 4})
    entity = made.find(5)
    assert entity is not None
    update(made, CBodyComponent=False)
    assert entity.to_dict() == {"CBodyComponent": False}


def test_polymorphic_pointer() -> None:
    made = started(**{"m_pRules": 1, "m_pRules.m_iMode": 4})
    entity = made.find(5)
    assert entity is not None
    assert entity["m_pRules.m_iMode"] == 4
    # The fields of the other type have the same paths with other encodings.
    change = BitWriter()
    change.write_ubit_var(5)
    change.write_bits(0, 2)
    turbo = (declare_field("m_pRules CTurboRules*", serializer=("CTurboRules", 0)),)
    other = SendTables({**TABLES.serializers, ("CUnit", 0): Serializer("CUnit", 0, UNIT.fields[:5] + turbo)})
    ClassWriter(0, "CUnit", other).write_fields(change, {"m_pRules.m_szMode": "x", "m_pRules.m_flSpeed": 1.5})
    update(made, m_pRules=2)
    assert entity.get("m_pRules.m_iMode") is None
    made.apply(
        wire.encode(
            "CSVCMsg_PacketEntities",
            {"updated_entries": 1, "legacy_is_delta": True, "entity_data": change.to_bytes()},
        )
    )
    assert entity.to_dict() == {"m_pRules": True, "m_pRules.m_szMode": "x", "m_pRules.m_flSpeed": 1.5}
    # The type belongs to the entity: another entity of the class still has the first one.
    second = message()
    second.create(6, 1, UNIT_WRITER, {"m_pRules": 1, "m_pRules.m_iMode": 6})
    made.apply(payload(second))
    assert made.find(6).to_dict() == {"m_pRules": True, "m_pRules.m_iMode": 6}  # type: ignore[union-attr]
    assert entity["m_pRules.m_szMode"] == "x"


def test_values_as_python_objects() -> None:
    values = {
        "m_iHealth": -3,
        "m_szName": "Ä",
        "m_vecVelocity": (1.0, -2.0, 0.5),
        "m_blob": b"\0\xff",
        "m_flSimulationTime": 9,
    }
    entity = started(**values).find(5)
    assert entity is not None
    assert entity.to_dict() == {**values, "m_flSimulationTime": 4.5}
    assert entity.get("m_nothing", 7) == 7
    assert "m_iHealth" in entity
    assert "m_nothing" not in entity
    with pytest.raises(KeyError, match="m_nothing"):
        entity["m_nothing"]


def test_names_of_other_builds() -> None:
    entity = started(m_nPlayerID=3).find(5)
    assert entity is not None
    assert entity["m_iPlayerID"] == 3


#: Fields, values, and their accessors.
TYPED = [
    ("m_iHealth", -3, "int"),
    ("m_flSimulationTime", 9, "float"),
    ("CBodyComponent", True, "bool"),
    ("m_szName", "Ä", "str"),
    ("m_vecVelocity", (1.0, -2.0, 0.5), "vector"),
    ("m_hItems", 1, "int"),
    ("m_hItems.0000", 0xFFFFFF, "int handle"),
    ("m_blob", b"x", ""),
    ("m_nPlayerID", 0, "int"),
]


@pytest.mark.parametrize(("field", "value", "fitting"), TYPED)
@pytest.mark.parametrize("kind", ["int", "float", "bool", "str", "vector", "handle"])
def test_accessors_check_the_type(field: str, value: Any, fitting: str, kind: str) -> None:
    entity = started(**{name: each for name, each, _ in TYPED}).find(5)
    assert entity is not None
    accessor = getattr(entity, f"get_{kind}")
    if kind in fitting.split():
        assert accessor(field) == entity[field]
        assert type(accessor(field)) is type(entity[field])
        return
    with pytest.raises(FieldTypeError) as caught:
        accessor(field)
    assert (caught.value.field, caught.value.class_name, caught.value.value) == (field, "CUnit", entity[field])
    for word in (field, "CUnit", repr(entity[field])):
        assert word in str(caught.value)


def test_accessors_of_absent_fields_and_of_old_names() -> None:
    entity = started(m_nPlayerID=3).find(5)
    assert entity is not None
    assert entity.get_int("m_iPlayerID") == 3
    assert entity.get_int("m_iHealth") is entity.get_handle("m_hItems.0000") is entity.get_str("m_nothing") is None
    assert entity.get_int("m_iHealth", 7) == 7
    assert entity.get_handle("m_hItems.0000", 8) == 8
    assert entity.get_vector("m_vecVelocity", (0.0,)) == (0.0,)
    with pytest.raises(FieldTypeError):
        entity.get_handle("m_iPlayerID", 3)


# -- classes --------------------------------------------------------------------------------------------------


def test_classes_by_number_and_by_name() -> None:
    made = EntityManager(TABLES)
    assert (dict(made.classes_by_id), dict(made.classes_by_name)) == ({}, {})
    assert (made.class_id_size, made.game_build) == (0, None)
    made.on_server_info({"max_classes": 3, "game_dir": "/srv/dota_v6900/dota"})
    made.on_class_info(NAMES)
    assert (made.class_id_size, made.game_build) == (2, 6900)
    assert list(made.classes_by_id) == [0, 1, 2]
    assert list(made.classes_by_name) == ["CUnit", "COther", "CNowhere"]
    unit = made.classes_by_id[0]
    assert (unit.class_id, unit.name) == (0, "CUnit")
    assert made.classes_by_name["CUnit"] is unit is made.class_info(0)
    assert started().find(5).class_info.name == unit.name  # type: ignore[union-attr]
    assert 2 in made.classes_by_id
    with pytest.raises(CorruptReplay, match="CNowhere"):
        made.classes_by_id[2]  # it has no serializer
    with pytest.raises(KeyError):
        made.classes_by_id[3]
    assert "CNone" not in made.classes_by_name


def test_a_folder_without_a_build() -> None:
    made = manager()
    made.on_server_info({"max_classes": 3, "game_dir": "/home/me/dota 2 beta/game/dota"})
    assert made.game_build is None


# -- questions ------------------------------------------------------------------------------------------------


def test_finding() -> None:
    made = started(**{"m_pEntity.m_nameStringTableIndex": 1})
    second = message()
    second.create(6, 1025, WRITERS["COther"], {})
    made.apply(payload(second))
    unit, other = made
    assert made.find_by_class_name("CUnit") is unit
    assert made.find_all_by_class_name("C*") == [unit, other]
    assert made.find_by_class_name("CNone") is None
    assert made.filter(lambda entity: entity.serial > 100) == [other]
    assert made.find_by_handle(unit.handle) is unit
    assert made.find_by_handle(other.handle) is other  # a handle holds serial 1025 as 1
    assert made.find_by_handle(unit.handle + (1 << 14)) is None
    assert made.find_by_handle(0xFFFFFF) is None
    assert made.find(-1) is made.find(1 << 14) is None
    with pytest.raises(LookupError, match="EntityNames"):
        made.find_by_npc_name("axe")
    tables = made.string_tables = StringTables()
    with pytest.raises(LookupError, match="EntityNames for names"):
        made.find_by_npc_name("axe")
    names = create_string_table("EntityNames", [(0, b"x", None), (1, b"axe", None)])[1]
    handle_create(wire.decode("CSVCMsg_CreateStringTable", names), tables)
    assert made.find_by_npc_name("axe") is unit


def test_handlers_are_for_classes_and_operations() -> None:
    made = manager()
    seen = []
    made.on_entity(lambda entity, op: seen.append(("other", entity.index)), "COth*")
    made.on_entity(lambda entity, op: seen.append(("deleted", entity.index)), op=EntityOp.DELETED)
    begin = message(delta=False)
    begin.create(5, 1, UNIT_WRITER, {})
    begin.create(6, 1, WRITERS["COther"], {})
    made.on_packet_entities(payload(begin))
    change = message()
    change.delete(5)
    made.on_packet_entities(payload(change))
    assert seen == [("other", 6), ("deleted", 5)]


def test_handlers_see_the_packet_whole() -> None:
    made = manager()
    seen = []
    made.on_entity(lambda entity, op: seen.append(len(made)), "CUnit")
    begin = message(delta=False)
    begin.create(5, 1, UNIT_WRITER, {})
    begin.create(6, 1, UNIT_WRITER, {})
    made.on_packet_entities(payload(begin))
    assert seen == [2, 2]


def test_projection_keeps_only_what_is_wanted() -> None:
    wanted = {"CUnit": lambda name: name in ("m_iHealth", "m_hItems.0001")}
    made = manager(ClassLayouts(FieldTree(TABLES), wanted.get))
    values = {"m_iHealth": 5, "m_szName": "x", "m_hItems": 2, "m_hItems.0001": 7, "m_vecVelocity": (1.0, 2.0, 3.0)}
    begin = message(delta=False)
    begin.create(5, 1, UNIT_WRITER, values)
    begin.create(6, 1, WRITERS["COther"], {"m_iHealth": 9})
    made.apply(payload(begin))
    assert [entity.to_dict() for entity in made] == [{"m_iHealth": 5, "m_hItems.0001": 7}, {}]
    update(made, m_hItems=1)  # the length is not kept but takes effect
    assert made.find(5).to_dict() == {"m_iHealth": 5}  # type: ignore[union-attr]
    seen = []
    made.on_entity(lambda entity, op: seen.append(op))
    change = message()
    change.update(5, UNIT_WRITER, {"m_szName": "y"})
    made.on_packet_entities(payload(change))
    assert seen == []  # without a handler


ALIASED = Serializer(
    "CUnit",
    0,
    (
        declare_field("m_flPart float32", encoder="coarse"),
        declare_field("m_flOwn float32", encoder="coarse", bit_count=4),
        declare_field("m_vecParts Vector", encoder="coarse"),
        declare_field("m_flOther float32", encoder="finer"),
    ),
)
COARSE = {"name": "coarse", "bit_count": 8, "encode_flags": 0, "min_value": -64.0, "max_value": 64.0}


def _server_info(*aliases: dict[str, Any]) -> dict[str | int, Any]:
    content = {"max_classes": 3, "game_session_config": {"quantized_float_encoder_aliases": list(aliases)}}
    return wire.decode("CSVCMsg_ServerInfo", wire.encode("CSVCMsg_ServerInfo", content))


def test_encoder_aliases_use_the_servers_definitions() -> None:
    tables = SendTables({("CUnit", 0): ALIASED})
    spelt = Serializer(
        "CUnit",
        0,
        (
            declare_field("m_flPart float32", bit_count=8, low=-64.0, high=64.0, flags=0),
            declare_field("m_flOwn float32", bit_count=4, low=-64.0, high=64.0, flags=0),
            declare_field("m_vecParts Vector", bit_count=8, low=-64.0, high=64.0, flags=0),
            declare_field("m_flOther float32"),
        ),
    )
    begin = message(delta=False)
    writer = ClassWriter(0, "CUnit", SendTables({("CUnit", 0): spelt}))
    values = {"m_flPart": 64.0, "m_flOwn": -64.0, "m_vecParts": (64.0, -64.0, 64.0), "m_flOther": 0.3}
    begin.create(5, 1, writer, values)
    data = payload(begin)
    assert len(data) < 50
    layouts = ClassLayouts(FieldTree(tables))
    for _ in range(2):  # both share the layouts
        made = manager(layouts)
        made.on_server_info(_server_info(COARSE))
        made.apply(data)
        assert made.find(5).to_dict() == {**values, "m_flOther": pytest.approx(0.3)}  # type: ignore[union-attr]
        assert [slot.encoding.bits for slot in made.classes_by_id[0].slots()] == [8, 4, 8, 0]
    plain = manager(layouts)
    plain.on_server_info(_server_info())
    with pytest.raises(ReplayError):
        plain.apply(data)
    plain.on_server_info(_server_info(COARSE))
    plain.apply(data)
    assert list(plain.differences(made)) == []


def test_unused_encoder_aliases_change_nothing() -> None:
    layouts = ClassLayouts(FieldTree(TABLES))
    made = manager(layouts)
    info = made.class_info(0)
    made.on_server_info(_server_info(COARSE))
    assert made.class_info(0) is info
    assert [slot.name for slot in info.slots()] == []


# -- serializers that are not declared -------------------------------------------------------------------------


def _without_rows() -> EntityManager:
    """Return a recording whose table of rows is declared in another version than the one its class refers to."""
    rows = Serializer("Row_t", 7, ROW.fields)
    made = manager(SendTables({(s.name, s.version): s for s in (BODY, rows, RULES, TURBO, IDENTITY, UNIT, OTHER)}))
    made.on_baseline_updated("0", UNIT_WRITER.encode_baseline({"m_iHealth": 1, "m_vecRows": 1}))
    made.on_baseline_updated("1", WRITERS["COther"].encode_baseline({"m_iHealth": 2}))
    return made


def test_a_missing_serializer_affects_only_its_fields() -> None:
    made = _without_rows()
    begin = message(delta=False)
    begin.create(5, 1, UNIT_WRITER, {"m_szName": "x"})
    begin.create(6, 1, WRITERS["COther"], {})
    made.apply(payload(begin))
    assert [entity.to_dict() for entity in made] == [
        {"m_iHealth": 1, "m_vecRows": 1, "m_szName": "x"},
        {"m_iHealth": 2},
    ]
    assert made.find(5).get("m_vecRows.0000.m_iGold", "none") == "none"  # type: ignore[union-attr]
    change = message()
    change.update(5, UNIT_WRITER, {"m_vecRows.0000.m_iGold": 3})
    with pytest.raises(CorruptReplay, match="entity 5 of class CUnit: expected serializer Row_t version 0"):
        made.apply(payload(change))


def test_a_baseline_that_needs_it_is_skipped() -> None:
    made = _without_rows()
    made.on_baseline_updated("0", UNIT_WRITER.encode_baseline({"m_iHealth": 1, "m_vecRows.0000.m_iGold": 3}))
    begin = message(delta=False)
    begin.create(5, 1, UNIT_WRITER, {"m_szName": "x"})
    begin.create(6, 1, WRITERS["COther"], {})
    made.apply(payload(begin))
    assert [entity.to_dict() for entity in made] == [{"m_szName": "x"}, {"m_iHealth": 2}]
    assert made.missing_baselines == 1
    assert {key: str(error) for key, error in made.check_baselines()}.keys() == {"0"}


@pytest.mark.parametrize("most", [0, -1, 1 << 30])
def test_no_classes(most: int) -> None:
    with pytest.raises(CorruptReplay, match="number of classes"):
        manager().on_server_info({"max_classes": most})


@pytest.mark.parametrize(("most", "bits"), [(3, 2), (4, 3), (1594, 11), (2048, 12)])
def test_width_of_a_class_number(most: int, bits: int) -> None:
    made = manager()
    made.on_server_info({"max_classes": most})
    begin = EntityMessage(bits, delta=False)
    begin.create(5, 7, UNIT_WRITER, {"m_iHealth": 1})
    made.apply(payload(begin))
    assert made.find(5)["m_iHealth"] == 1  # type: ignore[index]


# -- old forms ------------------------------------------------------------------------------------------------


def test_deletion_list_of_old_builds() -> None:
    made = started()
    change = message(deletion_list=True)
    change.update(5, UNIT_WRITER, {"m_iHealth": 1})
    assert made.apply(payload(change)) == []
    data = BitWriter()
    data.write_ubit_var(1)
    data.write_ubit_var(6)
    made.apply(wire.encode("CSVCMsg_PacketEntities", {"legacy_is_delta": True, "entity_data": data.to_bytes()}))
    assert len(made) == 0


def _delta(data: BitWriter, updated: int = 1, **extra: Any) -> bytes:
    content = {"updated_entries": updated, "legacy_is_delta": True, "entity_data": data.to_bytes(), **extra}
    return wire.encode("CSVCMsg_PacketEntities", content)


def _padded(bits: int) -> bytes:
    """Return a delta with that many zero bits after its single entry."""
    for name in ("", "x", "xx", "xxx"):
        for health in (1, 1 << 8):
            data = BitWriter()
            data.write_ubit_var(5)
            data.write_bits(0, 2)
            UNIT_WRITER.write_fields(data, {"m_iHealth": health} | ({"m_szName": name} if name else {}))
            left = -data.tell() % 8
            if left == bits % 8:
                data.write_bits(0, left)
                for _ in range(bits // 8):
                    data.write_bits(0, 8)
                return _delta(data)
    raise AssertionError(f"no change leaves {bits} bits")


def test_a_damaged_change_does_not_decide_on_deletion_lists() -> None:
    """A first delta has missing or extra bits: the majority of the others decides."""
    deleting = BitWriter()
    deleting.write_ubit_var(1)
    deleting.write_ubit_var(6)
    short, long = (next(bits for bits in some if _fits(bits)) for some in (range(6), range(14, 24)))
    made = started()
    made.apply(_padded(short))  # as without a list
    assert len(made) == 1
    made.apply(_delta(deleting, 0))
    assert len(made) == 0
    made = started()
    with pytest.raises(CorruptReplay, match=f"found {long - 6} more bits"):
        made.apply(_padded(long))
    again = started()
    begin = message(delta=False)
    begin.create(5, 77, UNIT_WRITER, {"m_iHealth": 100})
    made.apply(payload(begin))
    for _ in range(20):  # none of them has a list
        made.apply(_padded(short))
        again.apply(_padded(short))
    for each in (made, again):  # the decision is final by now
        with pytest.raises(CorruptReplay, match="expected the end of the entity data"):
            each.apply(_delta(deleting, 0))
        assert len(each) == 1


def _fits(bits: int) -> bool:
    try:
        return bool(_padded(bits))
    except AssertionError:
        return False


def test_a_change_without_its_deletion_list_is_found() -> None:
    short = next(bits for bits in range(6) if _fits(bits))
    made = started()
    for _ in range(20):
        change = message(deletion_list=True)
        change.update(5, UNIT_WRITER, {"m_iHealth": 1})
        made.apply(payload(change))
    with pytest.raises(ReplayError):
        made.apply(_padded(short))


def test_updates_without_fields_reach_handlers() -> None:
    made = started()
    seen = []
    made.on_entity(lambda entity, op: seen.append((entity.index, op)), op=EntityOp.UPDATED)
    for values in ({}, {"m_iHealth": 3}, {}):  # the second time, the empty list is recognized by its bits
        change = message()
        change.update(5, UNIT_WRITER, values)
        made.on_packet_entities(payload(change))
    assert seen == [(5, EntityOp.UPDATED)] * 3
    assert made.updates == 3


def test_the_bit_of_sight_decides() -> None:
    """In builds with these bits: bit 0 says that no fields follow, bit 1 that the entity is visible."""
    made = started()
    calls: list[tuple[EntityOp, bool, Any]] = []
    made.on_entity(lambda entity, op: calls.append((op, entity.active, entity["m_iHealth"])))
    for bits, health in (
        (0b11, None),
        (0b01, None),
        (0b00, 41),
        (0b10, 42),
        (0b11, None),
        (0b00, 43),
        (0b11, None),
    ):
        data = BitWriter()
        data.write_ubit_var(5)
        data.write_bits(0, 2)
        data.write_bits(bits, 2)
        if health is not None:
            UNIT_WRITER.write_fields(data, {"m_iHealth": health})
        made.on_packet_entities(_delta(data, has_pvs_vis_bits_deprecated=1))
    assert calls == [
        (EntityOp.LEFT, False, 100),
        (EntityOp.UPDATED, False, 41),
        (EntityOp.UPDATED_ENTERED, True, 42),
        (EntityOp.UPDATED | EntityOp.LEFT, False, 43),
        (EntityOp.UPDATED_ENTERED, True, 43),
    ]
    assert made.updates == 3


# -- damage ---------------------------------------------------------------------------------------------------


def broken(data: BitWriter, updated: int = 1) -> bytes:
    content = {"updated_entries": updated, "legacy_is_delta": True, "entity_data": data.to_bytes()}
    return wire.encode("CSVCMsg_PacketEntities", content)


def test_update_of_nothing() -> None:
    made = started()
    change = message()
    change.update(6, UNIT_WRITER, {"m_iHealth": 1})
    with pytest.raises(CorruptReplay, match="entity 6: expected an entity to update"):
        made.apply(payload(change))
    assert not made.valid


def test_index_out_of_range() -> None:
    data = BitWriter()
    data.write_ubit_var(1 << 14)
    data.write_bits(1, 2)
    with pytest.raises(CorruptReplay, match="below 16384"):
        started().apply(broken(data))


@pytest.mark.parametrize(("number", "match"), [(2, "CNowhere"), (3, "one of 3 classes")])
def test_unknown_class(number: int, match: str) -> None:
    data = BitWriter()
    data.write_ubit_var(3)
    data.write_bits(2, 2)
    data.write_bits(number, BITS)
    data.write_bits(0, 17)
    data.write_varuint32(0)
    with pytest.raises(CorruptReplay, match=match):
        started().apply(broken(data))


def test_desync_names_class_and_field() -> None:
    made = started()
    data = BitWriter()
    data.write_ubit_var(5)
    data.write_bits(0, 2)
    UNIT_WRITER.write_fields(data, {"m_iHealth": 5, "m_szName": "abc"})
    cut = data.to_bytes()[:-3]
    with pytest.raises(ReplayError, match="entity 5 of class CUnit, field m_szName"):
        made.apply(
            wire.encode(
                "CSVCMsg_PacketEntities", {"updated_entries": 1, "legacy_is_delta": True, "entity_data": cut}
            )
        )


def test_leftover_bits() -> None:
    made = started()
    for extra in (0, 1):
        data = BitWriter()
        data.write_ubit_var(5)
        data.write_bits(0, 2)
        UNIT_WRITER.write_fields(data, {"m_iHealth": 5})
        content = {
            "updated_entries": 1,
            "legacy_is_delta": True,
            "entity_data": data.to_bytes() + bytes(2 * extra),
        }
        encoded = wire.encode("CSVCMsg_PacketEntities", content)
        if extra:
            with pytest.raises(CorruptReplay, match="more bits"):
                made.apply(encoded)
        else:
            made.apply(encoded)


def test_memory_is_bounded() -> None:
    made = manager(most_cells=64)
    begin = message(delta=False)
    for index in range(40):
        begin.create(index, 1, UNIT_WRITER, {f"m_hItems.{index:04}": 1})
    with pytest.raises(LimitExceeded, match="64 cells"):
        made.apply(payload(begin))


def test_memory_is_given_back() -> None:
    made = manager(most_cells=64)
    for serial in range(100):
        begin = message(delta=False)
        begin.create(3, serial, UNIT_WRITER, {"m_iHealth": serial, "m_vecVelocity": (1.0, 2.0, 3.0)})
        made.apply(payload(begin))
    assert len(made) == 1


@given(st.binary(max_size=80), st.integers(0, 5), st.booleans())
def test_any_bytes(data: bytes, entries: int, delta: bool) -> None:
    made = started()
    content = {"updated_entries": entries, "legacy_is_delta": delta, "entity_data": data}
    try:
        made.apply(wire.encode("CSVCMsg_PacketEntities", content))
    except ReplayError:
        assert not made.valid
    with contextlib.suppress(ReplayError):
        manager().apply(data)


# -- the writer's own state message -----------------------------------------------------------------------------


def test_state_is_written_back() -> None:
    made = started(
        **{
            "m_iHealth": 100,
            "m_pRules": 1,
            "m_pRules.m_iMode": 4,
            "m_vecRows": 1,
            "m_vecRows.0000.m_iGold": 3,
            "m_szName": "n",
            "m_flSimulationTime": 30,
        }
    )
    other = manager()
    other.apply(encode_state(made, BITS)[1])
    assert list(made.differences(other)) == []
    update(made, m_iHealth=99)
    assert list(made.differences(other)) == [(5, "m_iHealth", 99, 100)]


def test_operations_are_a_mask_with_names() -> None:
    both = EntityOp.CREATED | EntityOp.UPDATED
    assert (both.name, both.value, repr(both), str(both)) == (
        "CREATED|UPDATED",
        3,
        "<EntityOp.CREATED|UPDATED: 3>",
        "3",
    )
    assert EntityOp(9) is EntityOp.CREATED_ENTERED is pickle.loads(pickle.dumps(EntityOp.CREATED_ENTERED))
    assert EntityOp.ENTERED in EntityOp.CREATED_ENTERED
    assert EntityOp.LEFT not in EntityOp.CREATED_ENTERED
    assert both & 1 is EntityOp.CREATED
    assert both & EntityOp.LEFT is EntityOp.NONE
    assert not both & EntityOp.LEFT
    assert both ^ EntityOp.CREATED is EntityOp.UPDATED
    assert ~both == EntityOp.DELETED | EntityOp.ENTERED | EntityOp.LEFT
