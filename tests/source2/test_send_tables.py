"""Send tables: types parse, schemas round-trip, and invalid ones are refused."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.source2.encoding import encode_class_names, encode_send_tables
from tests.samples.source2.engine import sample_demo

import playhead
from playhead import CorruptReplay, LimitExceeded, ReplayError, TruncatedReplay, UnsupportedVersion
from playhead.source2.container.frames import SEND_TABLES
from playhead.source2.messages import wire
from playhead.source2.schema.send_tables import (
    Model,
    Serializer,
    SerializerField,
    read_class_names,
    read_send_tables,
)
from playhead.source2.schema.types import FieldType, parse_field_type
from playhead.source2.writing.demo import DemoWriter


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int32", FieldType("int32")),
        ("uint32[8]", FieldType("uint32", count=8)),
        ("CBodyComponent*", FieldType("CBodyComponent", pointer=True)),
        ("char[128]", FieldType("char", count=128)),
        ("CHandle< CBaseEntity >[4]", FieldType("CHandle", FieldType("CBaseEntity"), count=4)),
        (
            "CNetworkUtlVectorBase< CHandle< CBaseEntity > >",
            FieldType("CNetworkUtlVectorBase", FieldType("CHandle", FieldType("CBaseEntity"))),
        ),
        ("float32[MAX_ITEM_STOCKS]", FieldType("float32", count=8)),
        ("Entity::Sub", FieldType("Entity::Sub")),
        (" unsigned int * [ 4 ] ", FieldType("unsigned int", pointer=True, count=4)),
    ],
)
def test_types(text: str, expected: FieldType) -> None:
    assert parse_field_type(text) == expected
    assert parse_field_type(str(expected)) == expected


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", CorruptReplay),
        ("<int>", CorruptReplay),
        ("A< B", CorruptReplay),
        ("A  B", CorruptReplay),
        ("A< B > C", CorruptReplay),
        ("A[8", CorruptReplay),
        ("A[", CorruptReplay),
        ("A[]", CorruptReplay),
        ("A[8]*", CorruptReplay),
        ("A[MAX_UNKNOWN]", CorruptReplay),
        ("A[-1]", CorruptReplay),
        ("A[99999999999]", CorruptReplay),
        ("A[70000]", LimitExceeded),
        ("A<" * 10 + "B" + ">" * 10, LimitExceeded),
    ],
)
def test_types_that_are_refused(text: str, error: type[ReplayError]) -> None:
    with pytest.raises(error):
        parse_field_type(text)


@given(st.text("AB<>*[]8 :", max_size=30))
def test_any_text_is_a_type_or_a_replay_error(text: str) -> None:
    try:
        kind = parse_field_type(text)
    except ReplayError:
        return
    assert parse_field_type(str(kind)) == kind


NAMES = st.text("abc", min_size=1, max_size=3)
OPTIONAL_NUMBER = st.none() | st.integers(0, 64)
SCALARS = st.builds(
    SerializerField,
    name=NAMES,
    type=st.sampled_from([FieldType("int32"), FieldType("CHandle", FieldType("X"))]),
    model=st.just(Model.SCALAR),
    encoder=st.none() | st.just("coord"),
    bit_count=OPTIONAL_NUMBER,
    low=st.none() | st.floats(width=32, allow_nan=False),
    high=st.none() | st.floats(width=32, allow_nan=False),
    flags=OPTIONAL_NUMBER,
    send_node=st.none() | NAMES,
    serializer=st.none(),
    polymorphic=st.just(()),
    signed_enum=st.booleans(),
)


@given(st.lists(st.lists(SCALARS, max_size=5), max_size=5))
def test_schemas_round_trip(tables: list[list[SerializerField]]) -> None:
    inner = Serializer("inner", 3, ())
    holders = (
        SerializerField("one", FieldType("CBodyComponent"), Model.TABLE, serializer=("inner", 3)),
        SerializerField(
            "many", FieldType("CUtlVector"), Model.TABLES, serializer=("inner", 3), polymorphic=(("inner", 3),)
        ),
        SerializerField("flag", FieldType("Thing", pointer=True), Model.FLAG),
        SerializerField("array", FieldType("int32", count=4), Model.ARRAY),
        SerializerField("text", FieldType("char", count=4), Model.SCALAR),
        SerializerField("vector", FieldType("CUtlVector", FieldType("int32")), Model.VECTOR),
    )
    schema = [inner, *(Serializer(f"t{i}", 0, (*holders, *fields)) for i, fields in enumerate(tables))]
    read = read_send_tables(encode_send_tables(schema))
    assert list(read) == schema
    assert len(read) == len(schema)
    for serializer in schema[1:]:
        assert read.root(serializer.name) == serializer


def _payload(**content: Any) -> bytes:
    data = wire.encode("CSVCMsg_FlattenedSerializer", content)
    assert len(data) < 128
    return wire.encode("CDemoSendTables", {"data": bytes([len(data)]) + data})


FIELD = {"var_type_sym": 0, "var_name_sym": 0}


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        ({"symbols": ["a"], "fields": [{"var_type_sym": 1}]}, CorruptReplay, "symbols"),
        ({"symbols": ["a"], "fields": [{"var_type_sym": -1}]}, CorruptReplay, "symbols"),
        ({"symbols": ["a"], "serializers": [{"fields_index": [0]}]}, CorruptReplay, "fields"),
        ({"coord_size_params": {"coord_integer_bits": 15}}, UnsupportedVersion, "coord_integer_bits to be 14"),
    ],
)
def test_schemas_that_are_refused(content: dict[str, Any], error: type[ReplayError], words: str) -> None:
    with pytest.raises(error, match=words):
        read_send_tables(_payload(**content))


def test_references_to_serializers_that_come_later_or_never() -> None:
    inner, outer = (
        Serializer("inner", 0, ()),
        Serializer(
            "outer",
            0,
            tuple(
                SerializerField(
                    f"field{i}", FieldType("Thing", pointer=True), Model.TABLE, serializer=("inner", version)
                )
                for i, version in enumerate((0, 3, 3, 3, 3))
            ),
        ),
    )
    assert read_send_tables(encode_send_tables([inner, outer])).early_references[0].key == ("inner", 3)
    later, never = read_send_tables(encode_send_tables([outer, inner])).early_references
    assert (later.key, later.fields, later.declared) == (("inner", 0), ("outer.field0",), True)
    assert (never.key, len(never.fields), never.declared) == (("inner", 3), 4, False)
    assert str(later.error) == (
        "expected serializer inner version 0 to be declared before outer.field0, found it after them"
    )
    assert "outer.field1, outer.field2, outer.field3 and 1 more, found no such serializer" in str(never.error)
    assert read_send_tables(encode_send_tables([inner])).early_references == ()


def test_known_coordinate_sizes_are_accepted() -> None:
    assert len(read_send_tables(_payload(coord_size_params={"coord_integer_bits": 14, "angle_bits": 20}))) == 0


def test_a_cut_schema() -> None:
    whole = encode_send_tables([Serializer("t", 0, ())])
    with pytest.raises(TruncatedReplay):
        read_send_tables(whole[:-1])
    with pytest.raises(CorruptReplay, match="1 more bytes"):
        read_send_tables(wire.encode("CDemoSendTables", {"data": b"\0x"}))


@given(st.dictionaries(st.integers(0, 5000), NAMES, max_size=5))
def test_class_names_round_trip(names: dict[int, str]) -> None:
    assert read_class_names(encode_class_names(names)) == names


def test_a_class_without_a_serializer() -> None:
    with pytest.raises(CorruptReplay, match="class CNone"):
        read_send_tables(encode_send_tables([])).root("CNone")


def test_the_schema_of_a_recording() -> None:
    replay = playhead.open(sample_demo())
    rows = replay.table("schema").to_pylist()
    axe = [row for row in rows if row["serializer"] == "CDOTA_Unit_Hero_Axe"]
    assert [row["field"] for row in axe] == [
        "CBodyComponent",
        "m_iHealth",
        "m_flMana",
        "m_angRotation",
        "m_hItems",
        "m_vecAbilities",
    ]
    assert {row["class_id"] for row in axe} == {0}
    assert [row["model"] for row in axe] == ["table", "scalar", "scalar", "scalar", "array", "vector"]
    assert axe[0]["field_serializer"] == "CBodyComponent"
    assert {row["class_id"] for row in rows if row["serializer"] == "CBodyComponent"} == {None}


def test_a_damaged_schema_and_a_missing_one_are_problems() -> None:
    broken = DemoWriter({"game": "dota"})
    broken.frame(SEND_TABLES, -1, b"\xff")
    replay = playhead.open(broken.finish(1, {}))
    assert replay.table("schema").num_rows == 0
    assert [problem.where for problem in replay.problems] == ["DEM_SendTables"]
    missing = DemoWriter({"game": "dota"})
    missing.frame(SEND_TABLES, -1, encode_send_tables([]))
    missing.frame(5, -1, encode_class_names({7: "CGone"}))
    (problem,) = playhead.open(missing.finish(1, {})).problems
    assert "CGone" in problem.what


def test_serializers_are_values() -> None:
    tables = playhead.open(sample_demo()).recording.send_tables
    again = read_send_tables(encode_send_tables(list(tables)))
    for one in tables:
        other = again.serializers[one.name, one.version]
        assert one == other
        assert hash(one) == hash(other)
        assert pickle.loads(pickle.dumps(one)) == one
        assert one.fields is one.fields
        renamed = one.replace(name="other")
        assert (renamed.name, renamed.version, renamed.fields) == ("other", one.version, one.fields)
        assert renamed != one
        assert one.replace(fields=()) == Serializer(one.name, one.version, ())
        assert one != (one.name, one.version, one.fields)
