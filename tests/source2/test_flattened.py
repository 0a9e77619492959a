"""Schemas read directly into rows equal those of the general message decoder."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loading import load_module
from tests.many import many

from playhead import CorruptReplay, LimitExceeded, ReplayError, UnsupportedVersion
from playhead.runtime import hot
from playhead.source2.messages import wire
from playhead.source2.messages.definitions import fields
from playhead.source2.schema import flattened
from playhead.source2.schema.flattened import FlattenedReader
from playhead.source2.schema.send_tables import (
    SerializerField,
    field_model,
    read_class_names,
    read_send_tables,
)
from playhead.source2.schema.types import parse_field_type


def _interpreted() -> Any:
    return load_module("flattened_interpreted", hot.source_path("playhead.source2.schema.flattened"))


INTERPRETED = _interpreted()

NUMBERS = st.integers(-2, 6) | st.integers(100, 300) | st.integers(-(2**31), 2**31 - 1)
SYMBOLS = st.integers(0, 3)
FLOATS = st.floats(width=32, allow_nan=False)
DECLARED = st.fixed_dictionaries(
    {"var_type_sym": SYMBOLS, "var_name_sym": SYMBOLS},
    optional={
        "bit_count": NUMBERS,
        "low_value": FLOATS,
        "high_value": FLOATS,
        "encode_flags": NUMBERS,
        "field_serializer_name_sym": SYMBOLS,
        "field_serializer_version": NUMBERS,
        "send_node_sym": SYMBOLS,
        "var_encoder_sym": SYMBOLS,
        "polymorphic_types": st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "polymorphic_field_serializer_name_sym": SYMBOLS,
                    "polymorphic_field_serializer_version": NUMBERS,
                },
            ),
            max_size=2,
        ),
        "var_serializer_sym": NUMBERS,
        "var_enum_info": st.fixed_dictionaries({}, optional={"is_signed_enum": st.booleans()}),
    },
)
TABLE = st.fixed_dictionaries(
    {"serializer_name_sym": SYMBOLS},
    optional={"serializer_version": st.integers(0, 2), "fields_index": st.lists(st.integers(0, 3), max_size=6)},
)
SCHEMA = st.fixed_dictionaries(
    {"symbols": st.just(["int32", "Thing*", "CUtlVector< \u00e4 >", "CBody[2]"])},
    optional={
        "serializers": st.lists(TABLE, max_size=4),
        "fields": st.lists(DECLARED, max_size=4),
    },
)
DAMAGE = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=3)


def damaged(data: bytes, damage: list[tuple[int, int]], cut: int) -> bytes:
    """Return the data with some bytes changed and the end removed."""
    changed = bytearray(data)
    for at, value in damage:
        if at < len(changed):
            changed[at] = value
    return bytes(changed[: len(changed) - cut])


def sent(data: bytes) -> bytes:
    """Return the payload of a SendTables frame with that schema."""
    size = wire.encode("CDemoClassInfo.class_t", {"class_id": len(data)})[1:]
    return wire.encode("CDemoSendTables", {"data": size + data})


def _symbol(symbols: list[str], number: int) -> str:
    if not 0 <= number < len(symbols):
        raise CorruptReplay(f"expected the number of one of {len(symbols)} symbols, found {number}")
    return symbols[number]


def _named(declared: Mapping[str, Any], key: str, symbols: list[str]) -> str | None:
    return None if declared.get(key) is None else _symbol(symbols, declared[key])


def by_definitions(data: bytes) -> dict[tuple[str, int], list[SerializerField]]:
    """Return the serializers of a schema, decoded by the message definitions."""
    content: Any = wire.decode("CSVCMsg_FlattenedSerializer", data)
    symbols = content.get("symbols", [])
    made = []
    for declared in content.get("fields", ()):
        kind = parse_field_type(_named(declared, "var_type_sym", symbols) or "")
        table = _named(declared, "field_serializer_name_sym", symbols)
        made.append(
            SerializerField(
                _named(declared, "var_name_sym", symbols) or "",
                kind,
                field_model(kind, table is not None),
                _named(declared, "var_encoder_sym", symbols),
                declared.get("bit_count"),
                declared.get("low_value"),
                declared.get("high_value"),
                declared.get("encode_flags"),
                _named(declared, "send_node_sym", symbols),
                None if table is None else (table, declared.get("field_serializer_version", 0)),
                tuple(
                    (
                        _symbol(symbols, each.get("polymorphic_field_serializer_name_sym", 0)),
                        each.get("polymorphic_field_serializer_version", 0),
                    )
                    for each in declared.get("polymorphic_types", ())
                ),
                declared.get("var_enum_info", {}).get("is_signed_enum", False),
            )
        )
    found = {}
    for table in content.get("serializers", ()):
        name = _symbol(symbols, table.get("serializer_name_sym", 0))
        listed = table.get("fields_index", ())
        for number in listed:
            if not 0 <= number < len(made):
                raise CorruptReplay(f"expected the number of one of {len(made)} fields, found {number}")
        found[name, table.get("serializer_version", 0)] = [made[number] for number in listed]
    return found


def outcome(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except ReplayError as error:
        return type(error), str(error)


@given(SCHEMA, DAMAGE, st.integers(0, 2), st.binary(max_size=3))
@many(5)
def test_a_schema_equals_its_decoding_by_definition(
    schema: dict[str, Any], damage: list[tuple[int, int]], cut: int, behind: bytes
) -> None:
    data = damaged(wire.encode("CSVCMsg_FlattenedSerializer", schema), damage, cut) + behind
    expected = outcome(lambda: by_definitions(data))
    found = outcome(
        lambda: {key: list(table.fields) for key, table in read_send_tables(sent(data)).serializers.items()}
    )
    assert repr(found) == repr(expected)


def test_parts_of_a_message_are_merged() -> None:
    one, two = (
        {"symbols": ["int32", "a"]},
        {"symbols": ["b"], "fields": [{"var_type_sym": 0, "var_name_sym": 2}]},
    )
    table = {"serializers": [{"serializer_name_sym": 1, "fields_index": [0]}]}
    data = b"".join(wire.encode("CSVCMsg_FlattenedSerializer", part) for part in (table, one, two))
    assert [field.name for field in read_send_tables(sent(data)).root("a").fields] == ["b"]
    sizes = wire.encode("CSVCMsg_FlattenedSerializer", {"coord_size_params": {"angle_bits": 20}})
    assert len(read_send_tables(sent(sizes + data + sizes)).serializers) == 1
    other = wire.encode("CSVCMsg_FlattenedSerializer", {"coord_size_params": {"angle_bits": 21}})
    with pytest.raises(UnsupportedVersion, match="angle_bits to be 20, found 21"):
        read_send_tables(sent(sizes + other))


def test_packed_numbers_equal_a_list() -> None:
    symbols = wire.encode("CSVCMsg_FlattenedSerializer", {"symbols": ["int32", "a", "b"]})
    declared = [{"var_type_sym": 0, "var_name_sym": name} for name in (1, 2)]
    packed = bytes([1 << 3 | 2, 6, 1 << 3, 1, 3 << 3 | 2, 2, 1, 0])
    data = symbols + packed + wire.encode("CSVCMsg_FlattenedSerializer", {"fields": declared})
    assert [field.name for field in read_send_tables(sent(data)).root("a").fields] == ["b", "a"]
    bad = packed[:-1] + b"\x80" + symbols
    with pytest.raises(CorruptReplay, match=r"fields_index to end with its last value"):
        FlattenedReader(bad, 100).schema()


@pytest.mark.parametrize("packed", [False, True])
def test_fields_are_counted(packed: bool) -> None:
    numbers = b"\x1a\x05" + bytes(5) if packed else b"\x18\x00" * 5
    data = b"\x0a" + bytes([len(numbers)]) + numbers
    assert FlattenedReader(data, 6 + packed).schema().symbols == []
    with pytest.raises(LimitExceeded, match="fewer fields in a message, found more in ProtoFlattenedSerializer_t"):
        FlattenedReader(data, 5 + packed).schema()


CLASS = st.fixed_dictionaries(
    {}, optional={"class_id": NUMBERS, "network_name": st.text("ab\u00e4", max_size=3), "table_name": st.text("c")}
)


@given(st.lists(CLASS, max_size=4), DAMAGE, st.integers(0, 2), st.binary(max_size=3))
@many(3)
def test_classes_equal_their_decoding_by_definition(
    classes: list[dict[str, Any]], damage: list[tuple[int, int]], cut: int, behind: bytes
) -> None:
    data = damaged(wire.encode("CDemoClassInfo", {"classes": classes}), damage, cut) + behind

    def expected() -> dict[int, str]:
        content: Any = wire.decode("CDemoClassInfo", data)
        return {each.get("class_id", 0): each.get("network_name", "") for each in content.get("classes", ())}

    assert outcome(lambda: dict(read_class_names(data))) == outcome(expected)


@given(SCHEMA, DAMAGE, st.integers(0, 2))
def test_compiled_equals_interpreted(schema: dict[str, Any], damage: list[tuple[int, int]], cut: int) -> None:
    data = damaged(wire.encode("CSVCMsg_FlattenedSerializer", schema), damage, cut)
    ours, theirs = (
        outcome(lambda library=library: _content(library.FlattenedReader(data, 1000).schema()))
        for library in (flattened, INTERPRETED)
    )
    assert ours == theirs


def _content(schema: Any) -> Any:
    return schema.symbols, schema.coord_sizes, schema.numbers


def test_compiled_constants_equal_the_source() -> None:
    text = hot.source_path("playhead.source2.schema.flattened").with_suffix(".pxd").read_text("utf-8")
    named = re.findall(r"^    ([A-Z_]+) = (\d+)$", text, re.MULTILINE)
    assert len(named) == 29
    assert {name: int(value) for name, value in named} == {name: getattr(INTERPRETED, name) for name, _ in named}


def test_field_numbers_equal_the_definitions() -> None:
    def numbers(message: str) -> dict[str, int]:
        return {field.name: field.number for field in fields(message)}

    outer = numbers("CSVCMsg_FlattenedSerializer")
    names = ("serializers", "symbols", "fields", "coord_size_params")
    ours = INTERPRETED
    assert [outer[name] for name in names] == [ours.SERIALIZERS, ours.SYMBOLS, ours.FIELDS, ours.COORD_SIZES]
    table = [ours.SERIALIZER_NAME, ours.SERIALIZER_VERSION, ours.FIELD_NUMBERS]
    assert list(numbers("ProtoFlattenedSerializer_t").values()) == table
    declared = numbers("ProtoFlattenedSerializerField_t")
    cells = {
        "var_type_sym": ours.TYPE,
        "var_name_sym": ours.NAME,
        "bit_count": ours.BIT_COUNT,
        "low_value": ours.LOW,
        "high_value": ours.HIGH,
        "encode_flags": ours.FLAGS,
        "field_serializer_name_sym": ours.TABLE_NAME,
        "field_serializer_version": ours.TABLE_VERSION,
        "send_node_sym": ours.SEND_NODE,
        "var_encoder_sym": ours.ENCODER,
        "polymorphic_types": ours.POLYMORPHIC,
        "var_enum_info": ours.ENUMERATION,
        "var_serializer_sym": ours.FIRST_TYPE,  # an unneeded field that makes room
    }
    assert declared == cells
    types = "ProtoFlattenedSerializerField_t.polymorphic_field_t"
    assert list(numbers(types).values()) == [ours.TYPE_NAME, ours.TYPE_VERSION]
    assert list(numbers("ProtoFlattenedSerializerField_t.proto_enum_info_t").values()) == [ours.IS_SIGNED]
